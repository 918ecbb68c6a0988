// Drives the dashboard at random, by a seed, and holds what has to be so whatever was looked at: no fault, going back
// works, and what two pages count is the same. Only what looks is pressed, so that nothing may be written either.
import assert from "node:assert/strict";
import { dice } from "../benches/scale/dice.mjs";

/** The elements that are pressed: links of the app, tabs, choices, filters, columns to sort by, and what opens. */
const LOOKS = [
  "a[href^='/']",
  "[role=tab]",
  "[aria-pressed]",
  "button.sort",
  "summary",
  "[data-testid^=chip-]",
  "[data-testid$=-table]",
  "[data-testid=runs-more]",
  "[data-testid=queue-row]",
  "[data-testid=filters-button]",
  "[data-testid=run-filters-button]",
  "[data-testid=views-button]",
].join(",");
/** Parts of the page whose presses act, or lead out of it. */
const ACTS =
  "dialog, .space-menu, [data-testid=demo-banner], [data-testid=model-state], .review-acts, .lesson-acts, .toasts, fieldset";
/** Words that are typed into searches. */
const WORDS = ["test", "retry", "the", "zebra", "%", "a b", "ü", "'; --"];
const SEARCHES = "#search-input, #runs-q, #review-q";
/** The longest that a page may take to be there. */
const PATIENCE = 15_000;

/** A page that is read: its heading is there, and nothing is on its way. @param {import("playwright-core").Page} page */
async function settled(page) {
  const waits = page.locator("main").locator("[data-testid=skeleton], .loading").first();
  await page.locator("main h1").first().waitFor({ timeout: PATIENCE });
  await waits.waitFor({ state: "detached", timeout: PATIENCE });
}

/** The numbers in a text. @param {string | null} text */
const numbers = (text) => [...(text ?? "").matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));

/** The first number of a part of the page, once it has one; 0 where the part is not there. */
async function counted(page, testid) {
  const part = page.getByTestId(testid);
  for (const until = Date.now() + PATIENCE; ; ) {
    if ((await part.count()) === 0) return 0;
    const [first] = numbers(await part.first().textContent());
    if (first !== undefined) return first;
    assert.ok(Date.now() < until, `${testid} tells no number`);
    await new Promise((later) => setTimeout(later, 50));
  }
}

/** @param {import("playwright-core").Page} page @param {string} address */
async function look(page, address) {
  await page.goto(address);
  await settled(page);
}

/** The events that the store holds, as Settings says. */
export async function events(page, origin) {
  await look(page, `${origin}/settings`);
  const told = page.getByText(/[\d,]+ events? in the ledger/).first();
  await told.waitFor({ timeout: PATIENCE });
  return numbers(await told.textContent())[0];
}

/** Checks that two pages count the same. @param {import("playwright-core").Page} page */
export async function agree(page, origin) {
  const until = async (what, read) => {
    for (const end = Date.now() + PATIENCE; ; ) {
      const [a, b] = await read();
      if (a === b) return;
      assert.ok(Date.now() < end, `${what}: ${a} and ${b}`);
      await new Promise((later) => setTimeout(later, 100));
    }
  };
  await look(page, `${origin}/lessons`);
  await until("lessons, listed and in the navigation", async () => [
    await counted(page, "list-status"),
    await counted(page, "lesson-count"),
  ]);

  await look(page, `${origin}/runs`);
  const runs = await counted(page, "runs-total");
  if (runs > 0) {
    for (const by of ["domain", "agent", "project"]) {
      await look(page, `${origin}/insights?range=all&by=${by}`);
      await page.getByTestId("by-group-row").first().waitFor({ timeout: PATIENCE });
      const all = page.getByTestId("by-group-all");
      if ((await all.count()) > 0) await all.click();
      await until(`runs, listed and by ${by}`, async () => {
        const cells = await page.locator("[data-testid=by-group-row] td[data-label=Runs]").allTextContents();
        return [runs, cells.reduce((sum, cell) => sum + (numbers(cell)[0] ?? 0), 0)];
      });
    }
  }

  await look(page, `${origin}/review`);
  const waiting = await counted(page, "review-progress");
  assert.equal(await counted(page, "review-count"), waiting, "waiting, on the page and in the navigation");
  for (const [reason, trust] of [
    ["unreviewed", "unreviewed"],
    ["quarantined", "quarantined"],
  ]) {
    await look(page, `${origin}/review`);
    const of = await counted(page, `review-only-${reason}`);
    await look(page, `${origin}/lessons?trust=${trust}`);
    await until(`${reason} lessons, in Review and in Lessons`, async () => [of, await counted(page, "list-status")]);
  }
  if (waiting > 0) {
    await look(page, `${origin}/`);
    const line = page.getByTestId("week").getByText(/ to review/);
    await line.waitFor({ timeout: PATIENCE });
    assert.equal(numbers(await line.textContent())[0], waiting, "waiting, in Review and this week");
  }
}

/** Presses something that looks; nothing where the page has none. */
async function press(page, roll) {
  const found = page.locator(LOOKS);
  // In one question for all: a page may have hundreds.
  const fit = await found.evaluateAll(
    (nodes, acts) =>
      nodes.flatMap((node, place) =>
        node.closest(acts) === null && node.checkVisibility() && !("download" in node.attributes) ? [place] : [],
      ),
    ACTS,
  );
  const place = fit[Math.floor(roll() * fit.length)];
  if (place === undefined) return "nothing to press";
  const chosen = found.nth(place);
  const name = (await chosen.innerText({ timeout: 2_000 }).catch(() => "")).trim().split("\n")[0].slice(0, 40);
  // It may be gone, or lie below something, by now.
  const pressed = await chosen.click({ timeout: 2_000 }).then(
    () => true,
    () => false,
  );
  return `${pressed ? "press" : "miss"} “${name}”`;
}

/** Goes to another page and back: the same page is there again. */
async function thereAndBack(page, roll) {
  const from = { path: new URL(page.url()).pathname, title: await page.locator("main h1").first().innerText() };
  const links = page.getByRole("navigation", { name: "Main" }).locator("a[href^='/']");
  const to = links.nth(Math.floor(roll() * (await links.count())));
  if (!(await to.isVisible())) return "no way there";
  const href = (await to.getAttribute("href")) ?? "/";
  if (new URL(href, page.url()).pathname === from.path) return "already there";
  await to.click();
  await page.waitForURL((url) => url.pathname === new URL(href, page.url()).pathname, { timeout: PATIENCE });
  await settled(page);
  await page.goBack();
  await page.waitForURL((url) => url.pathname === from.path, { timeout: PATIENCE });
  await settled(page);
  await page.locator("main h1").filter({ hasText: from.title }).first().waitFor({ timeout: PATIENCE });
  return `to ${href} and back`;
}

/** Types words into a search of the page. */
async function type(page, roll) {
  const search = page.locator(SEARCHES).first();
  if ((await search.count()) === 0 || !(await search.isVisible())) return press(page, roll);
  const words = WORDS[Math.floor(roll() * WORDS.length)] ?? "";
  await search.fill(words, { timeout: 2_000 }).catch(() => undefined);
  return `type “${words}”`;
}

/**
 * Drives a page until `goesOn` says no, and tells what was done, the latest last, where something does not hold.
 *
 * @param {import("playwright-core").Page} page
 * @param {{ origin: string, seed: number, goesOn: (steps: number) => boolean, faults?: string[] }} options `faults` are those
 *   that the page has shown so far
 */
export async function drive(page, { origin, seed, goesOn, faults = [] }) {
  const roll = dice(seed);
  const done = [];
  try {
    const before = await events(page, origin);
    await agree(page, origin);
    await look(page, origin);
    for (let steps = 0; goesOn(steps); steps += 1) {
      const kind = roll();
      const at = new URL(page.url());
      if (kind < 0.15) done.push(await thereAndBack(page, roll));
      else if (kind < 0.25) done.push(await type(page, roll));
      else if (kind < 0.3) {
        await page.goBack({ timeout: PATIENCE }).catch(() => undefined);
        // Before the first page there is none of the app.
        if (!page.url().startsWith(origin)) await look(page, origin);
        done.push("back");
      } else done.push(await press(page, roll));
      done[done.length - 1] = `${at.pathname}${at.search}: ${done.at(-1)}`;
      await page.keyboard.press("Escape");
      await settled(page);
      assert.equal(await page.locator("main").getByTestId("error").count(), 0, "an error on the page");
      assert.deepEqual(faults, []);
    }
    await agree(page, origin);
    assert.equal(await events(page, origin), before, "looking wrote something");
  } catch (cause) {
    const steps = done.slice(-40).join("\n  ");
    throw new Error(`seed ${seed}, after ${done.length} steps at ${page.url()}: ${cause.message}\n  ${steps}`, {
      cause,
    });
  }
}

/** The seed, `LESSONLOOP_SEED` or 1. */
export const seed = Number(process.env.LESSONLOOP_SEED ?? 1);

/** Returns the test for going on: up to forty steps, or for as many minutes as `LESSONLOOP_RANDOM_MINUTES` says. */
export function length() {
  const minutes = Number(process.env.LESSONLOOP_RANDOM_MINUTES ?? 0);
  const end = Date.now() + minutes * 60_000;
  return (/** @type {number} */ steps) => (minutes > 0 ? Date.now() < end : steps < 40);
}
