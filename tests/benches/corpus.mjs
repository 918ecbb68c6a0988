// Lessons to measure with, the same in every run, of the words of the sample lessons: some are in nearly all of them, most in few.
import { readFileSync, readdirSync } from "node:fs";

/** Words to search for, from the most common to the rarest. */
export const WORDS =
  "index policy retry tenant cache queue token form render deploy rollback secret latency timeout schema migration fixture snapshot funding margin".split(
    " ",
  );
/** Ranks from one of these to the next. */
const APART = 21;

/** Words by rank: those of the samples by how often they are there, with the ones to search for between them. */
export function ranked() {
  const samples = new URL("../../www/samples/lessons/", import.meta.url);
  const counts = new Map();
  for (const file of readdirSync(samples).sort()) {
    for (const word of readFileSync(new URL(file, samples), "utf8").match(/\b[a-z]{2,}\b/g) ?? []) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const found = [...counts]
    .filter(([word]) => !WORDS.includes(word))
    .sort((a, b) => b[1] - a[1])
    .map(([word]) => word);
  for (const [at, word] of WORDS.entries()) found.splice(at * APART, 0, word);
  return found;
}

const VOCABULARY = ranked();
let state = 1;
/** A number from 0 up to, not including, 1, by a xorshift of 32 bits. */
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** Words as texts have them: the one at rank n about 1/n as often as the first. */
export const words = (count) =>
  Array.from({ length: count }, () => VOCABULARY[Math.floor(VOCABULARY.length ** random()) - 1]).join(" ");

/** The lesson of a number. */
export const record = (at) => ({
  slug: `pattern-bench-${at}`,
  title: `Lesson ${at} on ${words(4)}`,
  description: words(12),
  recommendation: words(60),
  tags: [words(1)],
});
