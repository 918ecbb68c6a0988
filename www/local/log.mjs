// What goes wrong where nobody looks: a log in the store, bounded.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** Then it becomes the old one, and the one before is gone. */
const BYTES = 256 * 1024;

/** @param {string} store */
export const logPath = (store) => join(store, "cache", "lessonloop.log");

/**
 * Adds a line; failing to is ignored, as there is nobody to tell.
 * @param {string | undefined} store
 * @param {string} what
 */
export function log(store, what) {
  if (!store) return;
  try {
    const path = logPath(store);
    mkdirSync(join(store, "cache"), { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > BYTES) renameSync(path, `${path}.old`);
    appendFileSync(path, `${new Date().toISOString()} [${process.pid}] ${what.replaceAll("\n", " ")}\n`, {
      mode: 0o600,
    });
  } catch {
    // Nobody is told.
  }
}
