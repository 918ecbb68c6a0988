// A person's consent to a change: they see it before it is made, and agree or not.
import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { commonEnds } from "../clients/restore_config.mjs";
import { colour, out, plain, UsageError } from "../print.mjs";

/**
 * Does what is soon done, whole: Ctrl-C in the middle would leave files or folders of which nothing says that they are
 * ours. It counts afterwards.
 * @param {() => void} act
 */
export function uninterrupted(act) {
  /** @type {NodeJS.Signals | null} */
  let asked = null;
  const hold = (/** @type {NodeJS.Signals} */ signal) => {
    asked = signal;
  };
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, hold);
  const release = () => {
    for (const signal of signals) process.off(signal, hold);
    if (asked) process.kill(process.pid, asked);
  };
  try {
    act();
  } finally {
    // A signal that came meanwhile is heard once others get their turn.
    setImmediate(release);
  }
}

/** @param {import("../clients/changes.mjs").Change} change */
export function show({ path, at, about, before, after }) {
  const near = relative(process.cwd(), path);
  const name = near.startsWith("..") ? path : near;
  const what =
    before === null ? colour("green", "new") : after === null ? colour("red", "gone") : colour("yellow", "edit");
  out(`${what}  ${name}${at === path ? "" : ` → ${at}`}  (${about})`);
  const old = (before ?? "").split("\n");
  const now = (after ?? "").split("\n");
  const { head, tail } = commonEnds(old, now);
  for (const line of old.slice(head, old.length - tail)) if (before !== null) out(colour("red", `  - ${plain(line)}`));
  for (const line of now.slice(head, now.length - tail)) if (after !== null) out(colour("green", `  + ${plain(line)}`));
}

/** @param {string} [question] */
export async function agreed(question = "Write this?") {
  if (!process.stdin.isTTY) throw new UsageError("nobody can be asked here: say --yes, or --dry-run to look only");
  return /^y(es)?$/i.test(await asked(`\n${question} [y/N] `));
}

/** @param {string} question @returns what was answered */
export async function asked(question) {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await reader.question(question)).trim();
  } finally {
    reader.close();
  }
}
