// A registry with one package in it: OpenCode looks for its plugins' package at every start, and waits a minute where it
// is not to be had.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = "@opencode-ai/plugin";
/** Any that is asked for is there. */
const ASKED = /^\/npm\/@opencode-ai(?:%2f|\/)plugin(\/.*)?$/i;

/** @type {Buffer | undefined} */
let packed;

/** The package: types alone, which nothing runs. @param {string} version */
function archive(version) {
  if (packed) return packed;
  const folder = mkdtempSync(join(tmpdir(), "lessonloop-registry-"));
  mkdirSync(join(folder, "package"));
  writeFileSync(
    join(folder, "package", "package.json"),
    JSON.stringify({ name: NAME, version, type: "module", exports: { ".": "./index.js" } }),
  );
  writeFileSync(join(folder, "package", "index.js"), "export {};\n");
  packed = execFileSync("tar", ["-cz", "-C", folder, "package"]);
  rmSync(folder, { recursive: true });
  return packed;
}

/**
 * Answers what is asked of the registry; false for anything else.
 * @param {string} path
 * @param {string} origin
 * @param {string} version the client's
 * @param {import("node:http").ServerResponse} response
 */
export function answerRegistry(path, origin, version, response) {
  const found = ASKED.exec(path);
  if (!found) return false;
  const bytes = archive(version);
  if (found[1]?.endsWith(".tgz")) {
    response.writeHead(200, { "content-type": "application/octet-stream", connection: "close" });
    response.end(bytes);
    return true;
  }
  const hash = (/** @type {string} */ algorithm) => createHash(algorithm).update(bytes);
  const dist = {
    tarball: `${origin}/npm/${NAME}/-/plugin-${version}.tgz`,
    integrity: `sha512-${hash("sha512").digest("base64")}`,
    shasum: hash("sha1").digest("hex"),
  };
  const versions = { [version]: { name: NAME, version, dist } };
  response.writeHead(200, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ name: NAME, "dist-tags": { latest: version }, versions }));
  return true;
}
