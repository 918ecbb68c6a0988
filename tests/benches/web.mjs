// The built app in Chromium by the number of lessons: import, export, first paint, reload, scrolling, search, recommend, the model
// on its way, and how long the main thread was ever held. Run by `cargo xtask bench web`; LESSONLOOP_WEB_SIZES chooses others, such as `1000,100000`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../browser/chromium.mjs";
import { longest, making, watch } from "./long_tasks.mjs";
import { WORDS, record } from "./corpus.mjs";
import { quantile } from "./embed/stats.mjs";

const url = process.env.LESSONLOOP_URL;
const SIZES = (process.env.LESSONLOOP_WEB_SIZES ?? "1000,10000,100000").split(",").map(Number);
const ROUNDS = 5;
const SEARCHES = 60;
/** From the last key to the search, as the page waits. */
const PAUSE = 120;
/** Records in a file: below what one request takes. */
const PER_FILE = 25_000;

function shown(spent) {
  spent.sort((a, b) => a - b);
  return `${spent[spent.length >> 1].toFixed(0)} (${spent[0].toFixed(0)}–${spent.at(-1).toFixed(0)})`;
}

async function timed(rounds, act) {
  const spent = [];
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now();
    await act(round);
    if (round > 0) spent.push(performance.now() - begun);
  }
  return shown(spent);
}

/** In the page: types into the search and gives the time until the row is there, without what a driver adds. */
function typed([text, slug]) {
  return new Promise((done) => {
    const input = document.querySelector("[data-testid=search-input]");
    const begun = performance.now();
    const seen = new MutationObserver(() => {
      if (!document.querySelector(`[data-testid=lesson-row][data-slug=${slug}]`)) return;
      seen.disconnect();
      done(performance.now() - begun);
    });
    seen.observe(document.body, { subtree: true, childList: true, attributes: true });
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Scrolls to a part of the list, until a row is there. */
async function scrolled(page, round) {
  await page.evaluate((part) => scrollTo(0, document.documentElement.scrollHeight * part), (round + 1) / (ROUNDS + 3));
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll(".lesson-row")].filter(
      (row) => row.getBoundingClientRect().bottom > 100,
    );
    return (
      rows.length > 0 && rows[0].getBoundingClientRect().top < innerHeight && rows[0].dataset.testid === "lesson-row"
    );
  });
}

/** Searches for one lesson by its words and number; the milliseconds until it is there, the page's pause included. */
function searched(page, size, round) {
  const at = Math.floor((size * (round + 1)) / (SEARCHES + 3));
  return page.evaluate(typed, [`${WORDS[round % WORDS.length]} ${at}`, `pattern-bench-${at}`]);
}

async function visit(page, name) {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

async function run(browser, size, folder) {
  const context = await browser.newContext({ acceptDownloads: true });
  await watch(context);
  const page = await context.newPage();
  page.setDefaultTimeout(600_000);
  const files = [];
  for (let from = 0; from < size; from += PER_FILE) {
    const path = join(folder, `${size}-${from}.json`);
    const records = Array.from({ length: Math.min(PER_FILE, size - from) }, (_, at) => record(from + at));
    writeFileSync(path, JSON.stringify(records));
    files.push(path);
  }
  await page.goto(`${url}/`);
  await page.getByTestId("model-state").filter({ hasNotText: "Starting" }).waitFor();
  await visit(page, "Settings");
  await longest(page);
  const begun = performance.now();
  await page.getByTestId("import-files").setInputFiles(files);
  await page.getByTestId("import-report").waitFor();
  const imported = performance.now() - begun;
  const longestImport = await longest(page);

  const exported = await timed(1, async () => {
    const download = page.waitForEvent("download");
    await page.getByTestId("export-jsonl").click();
    await (await download).path();
    await page.getByTestId("export-jsonl").isEnabled();
  });
  const longestExport = await longest(page);

  let [longestReload, longestMaking] = [0, 0];
  const reload = await timed(ROUNDS, async () => {
    await page.goto(`${url}/lessons`);
    await page.getByTestId("lesson-row").first().waitFor();
    // The tasks of a page are forgotten with it.
    longestReload = Math.max(longestReload, await longest(page));
    longestMaking = Math.max(longestMaking, await making(page));
  });
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
  const scroll = await timed(ROUNDS, (round) => scrolled(page, round));
  const longestScroll = await longest(page);
  await page.evaluate(() => scrollTo(0, 0));
  const spent = [];
  for (let round = 0; round <= SEARCHES; round += 1) {
    const ms = await searched(page, size, round);
    if (round > 0) spent.push(ms - PAUSE);
  }
  const search = `${shown(spent)}, p95 ${quantile(spent, 0.95).toFixed(0)}`;
  const longestSearch = await longest(page);
  await visit(page, "Playground");
  const recommend = await timed(ROUNDS, async (round) => {
    await page.getByTestId("new-decision").click();
    await page.getByTestId("recommend-query").fill(`tenant policy and ${WORDS[round]}`);
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("recommended-item").first().waitFor();
  });
  const longestRecommend = await longest(page);
  await visit(page, "Settings");
  await longest(page);
  const asked = performance.now();
  await page.getByTestId("download-model").click();
  await page.locator("[data-testid=model-state]:is([data-phase=indexing], [data-phase=ready])").waitFor();
  const loaded = performance.now() - asked;
  // Lessons are read by it from here on; what a person does meanwhile is done besides.
  await visit(page, "Lessons");
  for (let round = 0; round <= ROUNDS; round += 1) {
    await scrolled(page, round);
    await page.evaluate(() => scrollTo(0, 0));
    await searched(page, size, round);
    await page.getByTestId("search-input").fill("");
    await page
      .getByText(`${size.toLocaleString("en")} lessons`)
      .first()
      .waitFor();
  }
  const longestModel = await longest(page);
  await context.close();
  return [
    size.toLocaleString("en"),
    `${(imported / 1000).toFixed(1)} s · ${longestImport}`,
    `${exported.split(" ")[0]} · ${longestExport}`,
    paint.toFixed(0),
    `${reload} · ${longestReload} (${longestMaking})`,
    `${scroll} · ${longestScroll}`,
    `${search} · ${longestSearch}`,
    `${recommend} · ${longestRecommend}`,
    `${loaded.toFixed(0)} · ${longestModel}`,
  ];
}

const folder = mkdtempSync(join(tmpdir(), "lessonloop-web-"));
const browser = await launch(process.env.LESSONLOOP_CHROMIUM);
try {
  console.log(
    `\nThe app in Chromium ${browser.version()}, milliseconds: median (fastest to slowest of ${ROUNDS}) · longest task of the main thread, 0 when none took 50; in brackets the browser's own, in which it makes the page\n`,
  );
  const line = (cells) => console.log(cells[0].padStart(8), ...cells.slice(1).map((cell) => cell.padStart(26)));
  line([
    "lessons",
    "import",
    "export",
    "first paint",
    "reload to first row",
    "scroll anywhere",
    "search after its pause",
    "recommend",
    "model loaded, then used",
  ]);
  for (const size of SIZES) line(await run(browser, size, folder));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
