// Random ledgers, each with what the core folds it into.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { env } from "./stack.mjs";

/** `count` ledgers of a seed; `start` is when their first events are made, in milliseconds. */
export async function* ledgers(count, seed, start) {
  const words = [count, seed, ...(start === undefined ? [] : [start])].map(String);
  const generator = spawn(env("LESSONLOOP_LEDGERS"), words, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: generator.stdout })) yield JSON.parse(line);
}
