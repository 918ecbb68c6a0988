// A log in the store, bounded, of what goes wrong where nobody looks.
import { appendFileSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { folderOf } from "./files.mjs";
import { ownFolder } from "./places.cjs";

/** Then it becomes the old one, and the one before is gone. */
const BYTES = 256 * 1024;

/** @param {string} store */
export const logPath = (store) => join(ownFolder(store), "cache", "lessonloop.log");

/**
 * Adds a line; failing to is ignored, as there is nobody to tell.
 * @param {string | undefined} store
 * @param {string} what
 */
export function log(store, what) {
  if (!store) return;
  try {
    folderOf(ownFolder(store), "cache");
    const path = logPath(store);
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there?.isSymbolicLink()) return;
    if ((there?.size ?? 0) > BYTES) renameSync(path, `${path}.old`);
    appendFileSync(path, `${new Date().toISOString()} [${process.pid}] ${what.replaceAll("\n", " ")}\n`, {
      mode: 0o600,
    });
  } catch {
    // Nobody is told.
  }
}
