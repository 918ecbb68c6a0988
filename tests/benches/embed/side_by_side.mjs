// Single sentences and a batch: our two builds and onnxruntime-web in one page, taking turns.
import { withPage } from "./pages.mjs";
import { profile } from "./profile.mjs";
import { ALIKE, BUILDS, ORT, raced, turned } from "./rows.mjs";
import { median } from "./stats.mjs";
import { textsOf } from "./texts.mjs";

/** Tokens, runs in each round (so that a round is long beside the clock's steps), and bars. */
export const SENTENCES = [
  { tokens: 8, runs: 6, bars: { simd128: 1.6, relaxed: 2.5 } },
  { tokens: 32, runs: 3, bars: { simd128: 1.3, relaxed: 2.1 } },
  { tokens: 128, runs: 1, bars: { simd128: 1.2, relaxed: 1.9 } },
];
const TEXTS = 24;
export const BATCH = { texts: 64, tokens: 64, bars: { simd128: 1.2, relaxed: 2.0 } };
const SENTENCE_ROUNDS = 60;
const BATCH_ROUNDS = 8;
/** Hot code is compiled a second time, better, while it runs; rounds until then do not count. */
const WARMING_MS = 6_000;

const PEER = "peer";
/** The peer embeds a batch in one run, or its texts one after the other: the better way counts. */
const WAYS = { [PEER]: "all in one run", "peer, one by one": "one text after the other" };

/** Measures and adds the rows; returns what is told below the table. */
export function sideBySide(browser, server, tokenizer, say) {
  server.log();
  return withPage(browser, `${server.url}/bench/speed.html?isolated`, "bench", async (page) => {
    const call = (name, ...given) => page.evaluate(([name, given]) => window.bench[name](...given), [name, given]);
    const versions = await call("open");
    const files = server.log();
    const memory = { loaded: await call("memory") };

    const texts = new Map(SENTENCES.map(({ tokens }) => [tokens, textsOf(tokenizer, tokens, TEXTS)]));
    const batch = textsOf(tokenizer, BATCH.tokens, BATCH.texts);
    const lists = [...texts.values(), batch];
    const tokenizing = [];
    // The second time counts.
    for (const list of lists) await call("tokenize", list);
    for (const list of lists) tokenizing.push(await call("tokenize", list));

    const alone = [...BUILDS, PEER];
    await call("round", alone, [[texts.get(128)[0]]]);
    memory["after 128 tokens"] = await call("memory");

    say("comparing vectors");
    const alike = [];
    for (const list of lists) {
      for (const [build, cosines] of Object.entries(await call("compare", list))) {
        const worst = Math.min(...cosines);
        if (!(worst >= ALIKE)) {
          throw new Error(
            `vectors of ${build} and ${ORT} differ: cosine ${worst.toFixed(4)}, at least ${ALIKE} expected`,
          );
        }
        alike.push(...cosines);
      }
    }

    const play = ({ tokens, runs }, round) => {
      const from = texts.get(tokens);
      return call(
        "round",
        turned(alone, round),
        Array.from({ length: runs }, (_, run) => [from[(round * runs + run) % TEXTS]]),
      );
    };
    say("warming up");
    const begun = performance.now();
    for (let round = 0; performance.now() - begun < WARMING_MS; round += 1) {
      for (const sentence of SENTENCES) await play(sentence, round);
    }

    say(`${SENTENCE_ROUNDS} rounds of single sentences`);
    const spent = SENTENCES.map(() => []);
    for (let round = 0; round < SENTENCE_ROUNDS; round += 1) {
      for (const [at, sentence] of SENTENCES.entries()) spent[at].push(await play(sentence, round));
    }
    for (const build of BUILDS) {
      for (const [at, { tokens, bars }] of SENTENCES.entries()) {
        const [ours, theirs] = [build, PEER].map((side) => spent[at].map((round) => round[side]));
        raced({ name: String(tokens), build, peer: ORT, unit: "ms", ours, theirs }, bars[build]);
      }
    }

    say(`${BATCH_ROUNDS} rounds of ${BATCH.texts} texts of ${BATCH.tokens} tokens`);
    const rounds = [];
    for (let round = 0; round < BATCH_ROUNDS; round += 1) {
      rounds.push(await call("round", turned([...BUILDS, ...Object.keys(WAYS)], round), [batch]));
    }
    memory["after batches"] = await call("memory");
    say("a profile");
    const profiles = await profile(page, tokenizer);
    const perSecond = (side) => rounds.map((round) => (BATCH.texts * 1000) / round[side]);
    const way = Object.keys(WAYS).sort((a, b) => median(perSecond(b)) - median(perSecond(a)))[0];
    for (const build of BUILDS) {
      const [ours, theirs] = [build, way].map(perSecond);
      const name = `batch-${BATCH.texts}x${BATCH.tokens}`;
      raced({ name, build, peer: ORT, unit: "sentences/s", ours, theirs, more: true }, BATCH.bars[build]);
    }
    const ofPeer = (bySide) => ({ ...bySide, [ORT]: bySide[PEER] });
    const stages = Object.fromEntries(Object.entries(memory).map(([stage, by]) => [stage, ofPeer(by)]));
    return { versions, files, memory: stages, alike, tokenizing, way: WAYS[way], profiles };
  });
}
