// What each kind of op takes of one sentence, and how close its products come to what this machine can do at most.
import binaryen from "binaryen";

import { textsOf } from "./texts.mjs";
import { BUILDS } from "./rows.mjs";
import { table } from "./stats.mjs";

const TOKENS = [8, 32, 128];
const ROUNDS = 40;
/** Sums side by side: enough for each to be ready when its turn comes again, and few enough for the registers. */
const SUMS = 12;
const STEPS = 200_000;

/** Per build: the instruction that its kernel is made of, over registers alone, and the products of one step. */
const LIMITS = {
  simd128: { step: (sum) => `(i32x4.add ${sum} (i32x4.dot_i16x8_s (local.get $a) (local.get $b)))`, products: 8 },
  relaxed: { step: (sum) => `(i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $a) (local.get $b) ${sum})`, products: 16 },
};

/** A module whose `run` makes `STEPS` times `SUMS` steps and returns something that depends on all of them. */
function limitModule({ step }) {
  const each = (text) => Array.from({ length: SUMS }, (_, at) => text(at)).join("\n");
  const source = `(module (func (export "run") (param $left i32) (result i32)
    (local $a v128) (local $b v128) ${each((at) => `(local $s${at} v128)`)}
    (local.set $a (i32x4.splat (local.get $left)))
    (local.set $b (i32x4.splat (i32.const 16909060)))
    (loop $again
      ${each((at) => `(local.set $s${at} ${step(`(local.get $s${at})`)})`)}
      (local.set $a (v128.xor (local.get $a) (local.get $b)))
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32x4.extract_lane 0 ${Array.from({ length: SUMS }, (_, at) => `(local.get $s${at})`).reduce((sum, each) => `(v128.xor ${sum} ${each})`)})))`;
  const module = binaryen.parseText(source);
  module.setFeatures(binaryen.Features.All);
  if (!module.validate()) throw new Error("the module that measures the machine's limit is not valid");
  return Array.from(module.emitBinary());
}

/** Billions of multiply-adds per second of each build's instruction, at best. */
async function limits(page) {
  const found = {};
  for (const [build, limit] of Object.entries(LIMITS)) {
    const ms = await page.evaluate(
      async ([bytes, steps]) => {
        const { instance } = await WebAssembly.instantiate(new Uint8Array(bytes));
        let best = Infinity;
        for (let round = 0; round < 40; round += 1) {
          const begun = performance.now();
          instance.exports.run(steps);
          best = Math.min(best, performance.now() - begun);
        }
        return best;
      },
      [limitModule(limit), STEPS],
    );
    found[build] = (STEPS * SUMS * limit.products) / ms / 1e6;
  }
  return found;
}

/** The tables, as text. */
export async function profile(page, tokenizer) {
  const most = await limits(page);
  const parts = [];
  for (const build of BUILDS) {
    const columns = [];
    for (const tokens of TOKENS) {
      const [text] = textsOf(tokenizer, tokens, 1);
      columns.push(await page.evaluate(([build, text, rounds]) => window.bench.profile(build, text, rounds), [build, text, ROUNDS]));
    }
    const totals = columns.map((stages) => stages.reduce((sum, { ms }) => sum + ms, 0));
    const rows = columns[0].map(({ stage }, row) => [
      stage,
      ...columns.flatMap((stages, column) => {
        const { ms, products } = stages[row];
        return [ms.toFixed(3), `${((100 * ms) / totals[column]).toFixed(1)} %`, products ? (products / ms / 1e6).toFixed(1) : ""];
      }),
    ]);
    const head = ["op", ...TOKENS.flatMap((tokens) => [`ms at ${tokens} tokens`, "share", "GMAC/s"])];
    const sum = ["all", ...totals.flatMap((total) => [total.toFixed(3), "", ""])];
    parts.push(`${build}: the fastest of ${ROUNDS} runs; its instruction alone, over registers: ${most[build].toFixed(1)} GMAC/s at most\n${table([head, ...rows, sum])}`);
  }
  return parts.join("\n\n");
}
