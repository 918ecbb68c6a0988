// The time that each kind of op takes of one sentence, and how close its products come to what this machine can do at most.
import binaryen from "binaryen";

import { textsOf } from "./texts.mjs";
import { BUILDS } from "./rows.mjs";
import { table } from "./stats.mjs";

const TOKENS = [8, 32, 128];
const ROUNDS = 40;
const STEPS = 200_000;

const rows = (at) => `(local.get $a${at % 2})`;
const columns = (at) => `(local.get $b${at >> 1})`;

/**
 * Per build: the instructions that its kernels are made of, over registers alone; the products of one step; and the sums
 * side by side, enough for each to be ready when its turn comes again, and few enough for the registers. No two steps
 * of the first are the same product: a browser would compute it once. Relaxed SIMD in both forms: the better counts.
 */
const LIMITS = {
  simd128: [
    { sums: 8, products: 8, step: (sum, at) => `(i32x4.add ${sum} (i32x4.dot_i16x8_s ${rows(at)} ${columns(at)}))` },
  ],
  relaxed: [
    { sums: 12, products: 16, step: (sum) => `(i32x4.relaxed_dot_i8x16_i7x16_add_s ${rows(0)} ${columns(0)} ${sum})` },
    {
      sums: 8,
      products: 16,
      step: (sum, at) =>
        `(i32x4.add ${sum} (i32x4.dot_i16x8_s (i16x8.relaxed_dot_i8x16_i7x16_s ${rows(at)} ${columns(at)}) (local.get $ones)))`,
    },
  ],
};

/** A module whose `run` makes `STEPS` times `sums` steps and returns something that depends on all of them. */
function limitModule({ sums, step }) {
  const each = (text, count = sums) => Array.from({ length: count }, (_, at) => text(at)).join("\n");
  const source = `(module (func (export "run") (param $left i32) (result i32)
    (local $a0 v128) (local $a1 v128) (local $ones v128)
    ${each((at) => `(local $b${at} v128)`, 4)} ${each((at) => `(local $s${at} v128)`)}
    (local.set $ones (i16x8.splat (i32.shr_u (local.get $left) (i32.const 17))))
    (local.set $a0 (i32x4.splat (local.get $left)))
    ${each((at) => `(local.set $b${at} (i32x4.splat (i32.add (local.get $left) (i32.const ${16909060 + at}))))`, 4)}
    (loop $again
      ${each((at) => `(local.set $s${at} ${step(`(local.get $s${at})`, at)})`)}
      (local.set $a0 (v128.xor (local.get $a0) (local.get $b0)))
      (local.set $a1 (v128.xor (local.get $a0) (local.get $b1)))
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32x4.extract_lane 0 ${Array.from({ length: sums }, (_, at) => `(local.get $s${at})`).reduce((sum, each) => `(v128.xor ${sum} ${each})`)})))`;
  const module = binaryen.parseText(source);
  module.setFeatures(binaryen.Features.All);
  if (!module.validate()) throw new Error("the module that measures the machine's limit is not valid");
  return Array.from(module.emitBinary());
}

/** Billions of multiply-adds per second of each build's instructions, at best. */
async function limits(page) {
  const found = {};
  for (const [build, forms] of Object.entries(LIMITS)) {
    found[build] = 0;
    for (const form of forms) {
      const ms = await page.evaluate(
        async ([bytes, steps]) => {
          /** @type {any} */
          const loaded = await WebAssembly.instantiate(new Uint8Array(bytes));
          const { instance } = loaded;
          let best = Infinity;
          for (let round = 0; round < 40; round += 1) {
            const begun = performance.now();
            instance.exports.run(steps);
            best = Math.min(best, performance.now() - begun);
          }
          return best;
        },
        [limitModule(form), STEPS],
      );
      found[build] = Math.max(found[build], (STEPS * form.sums * form.products) / ms / 1e6);
    }
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
      columns.push(
        await page.evaluate(
          ([build, text, rounds]) => window.bench.profile(build, text, rounds),
          [build, text, ROUNDS],
        ),
      );
    }
    const totals = columns.map((stages) => stages.reduce((sum, { ms }) => sum + ms, 0));
    const rows = columns[0].map(({ stage }, row) => [
      stage,
      ...columns.flatMap((stages, column) => {
        const { ms, products } = stages[row];
        return [
          ms.toFixed(3),
          `${((100 * ms) / totals[column]).toFixed(1)} %`,
          products ? (products / ms / 1e6).toFixed(1) : "",
        ];
      }),
    ]);
    const head = ["op", ...TOKENS.flatMap((tokens) => [`ms at ${tokens} tokens`, "share", "GMAC/s"])];
    const sum = ["all", ...totals.flatMap((total) => [total.toFixed(3), "", ""])];
    parts.push(
      `${build}: the fastest of ${ROUNDS} runs; its instructions alone, over registers: ${most[build].toFixed(1)} GMAC/s at most\n${table([head, ...rows, sum])}`,
    );
  }
  return parts.join("\n\n");
}
