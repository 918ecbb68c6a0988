// The record of what `init` changed in a client's file, so that `--remove` gives the file back to the byte: whether there
// was one, and the bytes that were in the place of ours. Kept apart from the project, for this user alone, and only good for
// a file that is still as it was written; of one that was edited since, ours is taken out by its structure.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile } from "../files.mjs";
import { personalPath } from "../store.mjs";

/**
 * @typedef {{ path: string, after: string, was: boolean, head: number, tail: number, middle: string, folders: string[] }} Kept
 * `after`: the hash of what was written; `was`: whether there was a file; `head` and `tail`: the characters that stayed;
 * `folders`: those that were made for it, the deepest first
 */

/** @param {string} text */
const hash = (text) => createHash("sha256").update(text).digest("hex");

/** @param {string} path */
const placeOf = (path) => join(dirname(personalPath()), "lessonloop-app", "set-up", `${hash(path).slice(0, 32)}.json`);

/** @param {string} path @returns {Kept | null} */
function kept(path) {
  try {
    const found = JSON.parse(readFileSync(placeOf(path), "utf8"));
    return found.path === path ? found : null;
  } catch {
    return null;
  }
}

/**
 * Returns the file as it was before `init` first wrote to it. Undefined where that is not known, as for a file that was edited
 * since.
 * @param {string} path
 * @param {string | null} now
 * @returns {{ before: string | null, folders: string[] } | undefined}
 */
export function before(path, now) {
  const found = kept(path);
  if (!found || now === null || hash(now) !== found.after) return undefined;
  if (!found.was) return { before: null, folders: found.folders };
  return {
    before: now.slice(0, found.head) + found.middle + now.slice(now.length - found.tail),
    folders: found.folders,
  };
}

/** The folders that were made for a file, also of one that was edited since. @param {string} path */
export const foldersOf = (path) => kept(path)?.folders ?? [];

/**
 * Counts what two texts, or lists of lines, have in common at their beginnings and at their ends.
 * @param {string | string[]} old
 * @param {string | string[]} now
 */
export function commonEnds(old, now) {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/**
 * Keeps what a file was. That it can't be kept is no reason to fail: ours is found by its structure then, too.
 * @param {string} path
 * @param {string | null} was
 * @param {string} after
 * @param {string[]} folders
 */
export function keep(path, was, after, folders) {
  const old = was ?? "";
  const { head, tail } = commonEnds(old, after);
  /** @type {Kept} */
  const made = {
    path,
    after: hash(after),
    was: was !== null,
    head,
    tail,
    middle: old.slice(head, old.length - tail),
    folders,
  };
  const place = placeOf(path);
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    replaceFile(place, JSON.stringify(made), 0o600);
  } catch {
    // As said above.
  }
}

/** @param {string} path */
export function forget(path) {
  try {
    unlinkSync(placeOf(path));
  } catch {
    // There was none.
  }
}

/** Removes folders that were made for files, as far as they are empty. @param {string[]} folders */
export function removeFolders(folders) {
  // The deepest first.
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else lies there.
    }
  }
}
