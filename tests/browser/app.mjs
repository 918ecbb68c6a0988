// The built app in real Chromium: one browser for a suite, a fresh profile for each test, and
// every console error, policy violation and request to another host counted as a failure.
import assert from "node:assert/strict";
import { launch } from "./chromium.mjs";

const need = (name, remedy) => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run \`cargo xtask test loop\`${remedy ?? ""}`);
  return value;
};

export const url = need("LESSONLOOP_URL");

let browser = null;
export const open = async () => (browser ??= await launch(need("LESSONLOOP_CHROMIUM")));
export const close = async () => {
  await browser?.close();
  browser = null;
};

/**
 * Runs `walk` in a fresh profile and then asserts that nothing went wrong unseen. `origin` is where the app is served, if
 * not at `url`. Files can be put in the place of others only where no service worker answers first: `intercepted`.
 *
 * @param {(page: import("playwright-core").Page, ...more: any[]) => any} walk
 * @param {Record<string, any>} options
 */
export async function withApp(walk, { expected = [], origin = url, intercepted = false, ...profile } = {}) {
  // The browser's own tries for icon and manifest fail offline, which is no fault of the app.
  const decoration = (request) => /\/(icons\/|manifest\.webmanifest|favicon)/.test(request.url());
  const context = await (await open()).newContext({
    acceptDownloads: true,
    serviceWorkers: intercepted ? "block" : "allow",
    ...profile,
  });
  const faults = [];
  const watch = (page) => {
    page.on("console", (message) => {
      const text = message.text();
      // Named with its address by `requestfailed`.
      if (message.type() === "error" && !/ERR_INTERNET_DISCONNECTED/.test(text)) faults.push(`console: ${text}`);
    });
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? "";
      if (why !== "net::ERR_ABORTED" && !decoration(request)) faults.push(`failed: ${request.url()} ${why}`);
    });
    page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
    page.on("request", (request) => {
      const target = new URL(request.url());
      if (["http:", "https:", "ws:"].includes(target.protocol) && target.origin !== origin) {
        faults.push(`request to another host: ${target.origin}`);
      }
    });
  };
  context.on("page", watch);
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await walk(page, context);
  } finally {
    await context.close();
  }
  const unseen = faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
  assert.deepEqual(unseen, []);
}

/** Asserts what the page is about to show: again and again, until it holds or `patience` ms are over. */
export async function eventually(check, patience = 10_000) {
  for (const until = Date.now() + patience; ; ) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until the engine answers. */
export async function ready(page) {
  await page.getByTestId("model-state").filter({ hasNotText: "Starting" }).waitFor();
}

/** Goes to a place by the app's own navigation, as a person would; works offline too. A phone has some behind *More*. */
export async function visit(page, name) {
  const link = page.getByRole("navigation", { name: "Main" }).locator("a", { hasText: name });
  await link.waitFor({ state: "attached" });
  if (!(await link.isVisible())) await page.getByTestId("more-places").click();
  await link.click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Loads the sample lessons into an empty store. */
export async function loadSamples(page) {
  await page.goto(`${url}/lessons`);
  await page.getByTestId("load-samples").click();
  await page.getByTestId("lesson-row").first().waitFor();
}

/** Downloads the model and waits until every lesson has its vector. */
export async function loadModel(page) {
  await visit(page, "Settings");
  await page.getByTestId("download-model").click();
  await page.locator("[data-testid=model-state][data-phase=ready]").waitFor({ timeout: 180_000 });
}

/** Asks about a task, which records nothing, and returns the slugs, best first. */
export async function ask(page, query) {
  await visit(page, "Playground");
  await page.getByTestId("new-decision").click();
  await page.getByTestId("recommend-query").fill(query);
  await page.getByTestId("recommend-limit").fill("5");
  await page.getByTestId("recommend-submit").click();
  await page.getByTestId("recommended-item").first().waitFor();
  return slugs(page.getByTestId("recommended-item"));
}

/** Asks about a task, records it as a run, and returns the slugs, best first. */
export async function recommend(page, query) {
  await ask(page, query);
  await page.getByTestId("record-run").click();
  // The test learns of an address after the page has it.
  await page.waitForURL(({ searchParams }) => searchParams.has("decision"));
  await page.getByTestId("track-input").waitFor();
  return slugs(page.getByTestId("recommended-item"));
}

export const slugs = (locator) => locator.evaluateAll((items) => items.map((item) => item.dataset.slug));
