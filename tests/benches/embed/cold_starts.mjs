// Cold starts: navigation to the first vector, ours and transformers.js in turn; and warming up.
import { withPage } from "./pages.mjs";
import { ALIKE, BUILDS, DEFAULT, PLAIN, raced, row, turned } from "./rows.mjs";
import { median } from "./stats.mjs";

const ROUNDS = 8;
/** At most these parts of the peer's time. */
const BARS = { [PLAIN]: 0.35, [DEFAULT]: 0.25 };
const WARM_UP_BAR = 2;
const NAMES = [...BUILDS, DEFAULT, PLAIN];

async function start(browser, server, name, steady) {
  server.log();
  return withPage(browser, `${server.url}/bench/cold.html?start=${encodeURIComponent(name)}`, "cold", async (page) => {
    const made = await page.evaluate(() => window.cold.then(({ steady, ...made }) => made));
    made.files = server.log();
    if (steady) made.steadyMs = await page.evaluate(async () => (await window.cold).steady());
    return made;
  });
}

/** Measures and adds the rows; returns what is told below the table. */
export async function coldStarts(browser, server, say) {
  const found = Object.fromEntries(NAMES.map((name) => [name, []]));
  // The first round fills the server's memory.
  for (let round = -1; round < ROUNDS; round += 1) {
    say(round < 0 ? "cold starts: a round that does not count" : `cold starts: round ${round + 1} of ${ROUNDS}`);
    for (const name of turned(NAMES, Math.max(round, 0))) {
      // The default gets faster for some 12 seconds: too long to look at here.
      const made = await start(browser, server, name, round >= 0 && name !== DEFAULT);
      if (round >= 0) found[name].push(made);
    }
  }
  const last = (name) => found[name].at(-1);
  for (const name of NAMES) {
    const cosine = last("simd128").vector.reduce((sum, value, at) => sum + value * last(name).vector[at], 0);
    if (!(cosine >= ALIKE)) {
      throw new Error(`vectors of simd128 and ${name} differ: cosine ${cosine.toFixed(4)}, at least ${ALIKE} expected`);
    }
  }
  for (const build of BUILDS) {
    for (const peer of [PLAIN, DEFAULT]) {
      const [ours, theirs] = [build, peer].map((name) => found[name].map((made) => made.coldMs));
      raced({ name: "cold-start", build, peer, unit: "ms", ours, theirs }, 1 / BARS[peer]);
    }
  }
  for (const build of BUILDS) {
    const [ours, theirs] = [build, PLAIN].map((name) => found[name].map((made) => made.firstMs / made.steadyMs));
    const met = median(ours) <= WARM_UP_BAR;
    row({ name: "warm-up", build, peer: PLAIN, unit: "x steady", ours, theirs, bar: `ours ≤ ${WARM_UP_BAR}`, met });
  }
  const middle = (name, what) => median(found[name].map(what));
  return {
    files: Object.fromEntries(NAMES.map((name) => [name, last(name).files])),
    version: last(PLAIN).version,
    /** Milliseconds: until it is loaded, then the first embed, then each. */
    stages: NAMES.map((name) => ({
      name,
      loaded: middle(name, (made) => made.coldMs - made.firstMs),
      first: middle(name, (made) => made.firstMs),
      steady: name === DEFAULT ? null : middle(name, (made) => made.steadyMs),
    })),
  };
}
