// Random ledgers, each with what the core folds it into.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { env } from "./stack.mjs";

/** `count` ledgers of a seed as text; `start` is when their first events are made, in milliseconds, and `by` who makes them. */
export async function* lines(count, seed, start = Date.UTC(2026), by = undefined) {
  const words = [count, seed, start, ...(by === undefined ? [] : [by])].map(String);
  const generator = spawn(env("LESSONLOOP_LEDGERS"), words, { stdio: ["ignore", "pipe", "inherit"] });
  yield* createInterface({ input: generator.stdout });
}

/** The same, read. */
export async function* ledgers(...words) {
  for await (const line of lines(...words)) yield JSON.parse(line);
}
