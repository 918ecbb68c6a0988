// Where the pieces of a release lie, and a folder to try them in.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const MODULES = fileURLToPath(new URL("node_modules", import.meta.url));

const dist = process.env.LESSONLOOP_DIST;
const given = process.env.LESSONLOOP_RELEASE ?? (dist && join(dist, "release"));
assert.ok(given, "neither LESSONLOOP_RELEASE nor LESSONLOOP_DIST is set: run `cargo xtask test release`");
/** The folder that `cargo xtask release` made. */
export const RELEASE = given;

/** The one piece with this form of a name. @param {RegExp} name */
export function piece(name) {
  const found = readdirSync(RELEASE).filter((it) => name.test(it));
  assert.equal(found.length, 1, `${name} in ${RELEASE}: ${found}`);
  return join(RELEASE, found[0]);
}

/** @param {string} path below the root of the clone */
export const text = (path) => readFileSync(join(ROOT, path), "utf8");
/** @param {string} path below the root of the clone @returns {any} */
export const json = (path) => JSON.parse(text(path));

/** A folder that is gone when the tests of the file are through. @param {string} name */
export function folder(name) {
  const at = realpathSync(mkdtempSync(join(tmpdir(), `lessonloop-${name}-`)));
  process.on("exit", () => rmSync(at, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return at;
}
