// A first visit over slow connections: first paint, the page, the engine's first answer, and the bytes transferred by then.
// Run by `cargo xtask bench web`.
import { launch } from "../browser/chromium.mjs";
import { median } from "./embed/stats.mjs";
import { slowLine } from "./slow_line.mjs";

const url = process.env.LESSONLOOP_URL;
const ROUNDS = 3;
const LINES = [
  { name: "9 Mbit/s, 60 ms", bits: 9e6, delay: 60 },
  { name: "1.6 Mbit/s, 150 ms", bits: 1.6e6, delay: 150 },
];

/** Runs in the page before its scripts. Records times there, as polling from the driver would add its own delay. */
function noted() {
  const seen = {};
  globalThis.__seen = seen;
  const note = (name, is) => {
    if (seen[name] === undefined && is) seen[name] = performance.now();
  };
  const look = () => {
    const state = document.querySelector("[data-testid=model-state]");
    note("page", document.querySelector("[data-testid=empty], h1"));
    note("engine", state && !state.textContent?.includes("Starting"));
    if (seen.engine === undefined) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function visited(browser, line) {
  const slow = await slowLine(url, line);
  const context = await browser.newContext();
  await context.addInitScript(noted);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(slow.url, { waitUntil: "commit" });
  await page.waitForFunction(() => globalThis.__seen.engine !== undefined);
  const bytes = slow.bytes();
  const seen = await page.evaluate(() => ({
    ...globalThis.__seen,
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  }));
  await context.close();
  await slow.end();
  return { ...seen, bytes };
}

const seconds = (spent) => {
  const [middle, least, most] = [median(spent), Math.min(...spent), Math.max(...spent)].map((ms) =>
    (ms / 1000).toFixed(2),
  );
  return `${middle} (${least}–${most})`;
};

const browser = await launch(process.env.LESSONLOOP_CHROMIUM);
try {
  console.log(`\nA first visit, seconds: median (fastest to slowest of ${ROUNDS})\n`);
  const row = (cells) => console.log(cells[0].padEnd(24), ...cells.slice(1).map((cell) => cell.padStart(20)));
  row(["connection, round trip", "first paint", "page", "engine answers", "MB by then"]);
  for (const line of LINES) {
    const visits = [];
    for (let round = 0; round < ROUNDS; round += 1) visits.push(await visited(browser, line));
    const all = (name) => visits.map((visit) => visit[name]);
    row([
      line.name,
      seconds(all("paint")),
      seconds(all("page")),
      seconds(all("engine")),
      (median(all("bytes")) / 1e6).toFixed(2),
    ]);
  }
} finally {
  await browser.close();
}
