// The part of prompts that a store's ledger keeps. Everybody who clones the repository reads a store that is committed, so it
// keeps a hash and the words that its lessons have, unless this person said otherwise; that is kept outside of the store.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ancestors, recordOf } from "./places.cjs";

/** git answers at once, or it hangs on a file system that does not. */
const GIT_MS = 3_000;

/** @typedef {"whole" | "words"} Kept */

/** Reads what is kept, and whether this person chose it. @param {string} store @returns {{ kept: Kept, isChosen: boolean }} */
export function promptsOf(store) {
  const { prompts } = recordOf(store);
  if (prompts === "whole" || prompts === "words") return { kept: prompts, isChosen: true };
  return { kept: isCommitted(store) ? "words" : "whole", isChosen: false };
}

/**
 * True if a commit would take the store's ledger along: it lies in a working tree that does not ignore it. Where git can't be
 * asked, it is taken to be so.
 * @param {string} store
 */
function isCommitted(store) {
  const folder = dirname(store);
  if (![...ancestors(folder)].some((at) => existsSync(join(at, ".git")))) return false;
  const ledger = join(store, "ledger", "any.jsonl");
  const asked = spawnSync("git", ["-C", folder, "check-ignore", "-q", "--", ledger], {
    timeout: GIT_MS,
    stdio: "ignore",
    windowsHide: true,
  });
  return asked.status !== 0;
}
