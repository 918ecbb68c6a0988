// Accessibility by axe-core: every screen and state, light and dark, on a phone and on a wide screen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { close, loadSamples, ready, recommend, url, visit, withApp } from "./app.mjs";

after(close);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ROWS = "pattern-row-policies-on-every-table";
const WIDTHS = [
  [1440, 900],
  [390, 844],
];
const SCHEMES = /** @type {const} */ (["light", "dark"]);

/** Asserts that axe finds nothing on what is shown, light and dark. */
async function clean(page, where) {
  const loaded = await page.evaluate(() => "axe" in globalThis);
  // Run by the debugger, which the page's policy does not bind.
  if (!loaded) await page.evaluate(AXE);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    // Colours are judged as they are at rest.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => Promise.race([finished, 0]))));
    const found = await page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      return violations.map(
        ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
      );
    });
    assert.deepEqual(found, [], `${where}, ${colorScheme}`);
  }
}

/** A screen by its address, once it shows what it has. */
async function screen(page, path, settled) {
  await page.goto(url + path);
  await ready(page);
  await settled.first().waitFor();
  await clean(page, path);
}

for (const [width, height] of WIDTHS) {
  const look = { viewport: { width, height }, reducedMotion: "reduce" };
  const name = `${width} wide`;

  test(`nothing is found with an empty store: ${name}`, async () => {
    await withApp(async (page) => {
      const heading = page.getByRole("heading", { level: 1 });
      await screen(page, "/", page.getByTestId("empty"));
      await screen(page, "/lessons", page.getByTestId("empty"));
      await screen(page, "/lessons?q=nothing", page.getByTestId("empty"));
      await screen(page, "/lessons/none", heading);
      await screen(page, "/lessons/new", heading);
      await screen(page, "/playground", heading);
      await screen(page, "/runs", page.getByTestId("empty"));
      await screen(page, "/runs?run=none", page.getByTestId("empty"));
      await screen(page, "/tools", heading);
      await screen(page, "/insights", heading);
      await screen(page, "/settings", heading);
      await screen(page, "/settings/conflicts", heading);
      await screen(page, "/review", heading);
      await screen(page, "/agents", heading);
      await screen(page, "/no/such/page", heading);
      if (width < 500) {
        await page.getByTestId("more-places").click();
        await clean(page, "the other places");
      }
    }, look);
  });

  test(`nothing is found with lessons: ${name}`, async () => {
    await withApp(async (page) => {
      await loadSamples(page);
      await clean(page, "list");
      await page.getByTestId("pick").nth(1).check();
      await clean(page, "selected");
      await page.getByTestId("bulk-tag").click();
      await page.getByTestId("tagging").waitFor();
      await clean(page, "dialog");
      await page.keyboard.press("Escape");
      await page.getByTestId("bulk-archive").click();
      await page.getByTestId("toast-act").waitFor();
      await clean(page, "message with undo");

      await page.keyboard.press("Control+k");
      await page.getByTestId("palette-input").fill("tenant");
      await page
        .getByTestId("palette-option")
        .filter({ hasText: /tenant/i })
        .first()
        .waitFor();
      await clean(page, "palette");
      await page.keyboard.press("Escape");
      // Keys rest while it is open, and a slow machine closes it late.
      await page.getByTestId("palette-input").waitFor({ state: "hidden" });
      await page.keyboard.press("?");
      await page.getByTestId("single-keys").waitFor();
      await clean(page, "shortcuts");
      await page.keyboard.press("Escape");

      const found = page.getByTestId("lesson-row");
      await screen(page, "/lessons?q=tenant", found);
      await screen(page, "/lessons?archived=true", found);
      await screen(page, `/lessons/${ROWS}`, page.getByTestId("history-event"));
      await page.getByTestId("edit").click();
      await page.getByRole("heading", { level: 1, name: /^Edit/ }).waitFor();
      await clean(page, "edit");
      await recommend(page, "tenants in postgres");
      for (const part of await page.locator("details > summary").all()) await part.click();
      await clean(page, "recommended");
      await page.getByTestId("outcome-success").check();
      await page.getByTestId("outcome-submit").click();
      await page.getByTestId("outcome-given").waitFor();
      await page.getByTestId("feedback-delivered").check();
      await page.getByTestId("feedback-submit").click();
      await page.getByTestId("feedback-given").waitFor();
      await clean(page, "told");
      await visit(page, "Runs");
      await page.getByTestId("run").first().waitFor();
      await clean(page, "runs");
      await page.getByTestId("run").first().getByRole("link").click();
      await page.getByTestId("run-feedback").waitFor();
      await clean(page, "run");
      await visit(page, "Tools");
      await clean(page, "tools");
      await screen(page, "/", page.getByTestId("figures"));
      await page.getByTestId("spaces-button").click();
      await clean(page, "the spaces");
      await page.keyboard.press("Escape");
      // The focus goes back to the button first.
      await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "spaces-button");
      await page.getByTestId("success").getByTestId("plot").focus();
      await page.keyboard.press("End");
      await page.getByTestId("plot-tip").waitFor();
      await clean(page, "a chart that is read");
      await screen(page, "/insights", page.getByTestId("by-lesson-row"));
      await page.getByTestId("ends-table").click();
      await page.getByTestId("by-agents").click();
      await page.getByTestId("by-group-row").first().waitFor();
      await clean(page, "insights in tables");
      await screen(page, "/settings", page.getByTestId("storage"));
    }, look);
  });
}
