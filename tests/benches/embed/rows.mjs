// The result: one row for each case, build and peer.
import { median } from "./stats.mjs";

/** Our two builds of the module. */
export const BUILDS = ["simd128", "relaxed"];
export const ORT = "onnxruntime-web";
/** transformers.js with the build it takes by itself, and with the one without asyncify. */
export const DEFAULT = "transformers.js default";
export const PLAIN = "transformers.js plain wasm";
/** Cosine of our vector and the peer's for one text. Below this the two would not do the same work. */
export const ALIKE = 0.97;

export const rows = [];

/**
 * Adds a row. `ours` and `theirs` hold one value for each round; the ratio is the median of the
 * rounds' ratios, above 1 where ours is better: where it is smaller, or with `more`, larger.
 */
export function row({ name, build, peer, unit, ours, theirs, more = false, bar, met }) {
  const values = [...ours, ...theirs];
  if (
    ours.length === 0 ||
    ours.length !== theirs.length ||
    !values.every((value) => Number.isFinite(value) && value > 0)
  ) {
    throw new Error(`${name}, ${build}: not measured (${values.join(", ")})`);
  }
  const ratio = median(ours.map((value, at) => (more ? value / theirs[at] : theirs[at] / value)));
  rows.push({ name, build, peer, unit, ours, theirs, ratio, bar, met: met ?? null });
}

/** The same with a bar on the ratio. */
export function raced(fields, least) {
  row({ ...fields, bar: `ratio ≥ ${least.toFixed(2)}` });
  rows.at(-1).met = rows.at(-1).ratio >= least;
}

/** The names in another order each round: each begins as often, and follows each other one. */
export function turned(names, round) {
  const order = round % 2 ? [...names].reverse() : names;
  const from = (round >> 1) % order.length;
  return [...order.slice(from), ...order.slice(0, from)];
}
