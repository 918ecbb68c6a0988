// Policies side by side on Insights, tasks that no lesson fits, and what each constant does.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, recommend, visit, withApp } from "./app.mjs";

after(close);

test("another policy is compared on real runs, ended, gone on with and taken over", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Insights");
    const panel = page.getByTestId("policies");
    await panel.getByTestId("begin-comparison").locator("summary").click();
    await panel.getByTestId("second-constant").selectOption("match_weight");
    await eventually(async () => assert.equal(await panel.getByTestId("second-value").inputValue(), "0.5"));
    await panel.getByTestId("second-value").fill("0.9");
    await panel.getByTestId("comparison-begin").click();
    const comparison = panel.getByTestId("comparison");
    await comparison.filter({ hasText: "Running" }).waitFor();
    const row = comparison.locator("[data-name=match_weight]");
    await eventually(async () => assert.deepEqual(await row.locator("td").allTextContents(), ["0.5", "0.9"]));
    await comparison.getByTestId("comparison-none").waitFor();

    // A run gets lessons of both, and is counted.
    await recommend(page, "tenants in postgres");
    await visit(page, "Insights");
    await panel
      .getByTestId("preference")
      .filter({ hasText: /Of \d+ runs? with lessons of both/ })
      .waitFor();
    await panel.getByTestId("policies-table").click();
    await eventually(async () => assert.equal(await panel.getByRole("row").count(), 2));
    await panel.getByTestId("policies-table").click();

    await panel.getByTestId("comparison-end").click();
    await comparison.filter({ hasText: "Ended" }).waitFor();
    await panel.getByTestId("comparison-go-on").click();
    await comparison.filter({ hasText: "Running" }).waitFor();
    await panel.getByTestId("comparison-take").click();
    await page.getByTestId("toast").filter({ hasText: "in force" }).getByTestId("toast-act").click();
    await page.getByTestId("toast").filter({ hasText: "as they were" }).waitFor();
  });
});

test("tasks that no lesson fits are listed with their runs", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Playground");
    await page.getByTestId("recommend-query").fill("zymurgy");
    await page.getByTestId("recommend-submit").click();
    await page.waitForURL(/decision=/);
    await visit(page, "Insights");
    await page.getByTestId("by-no-lesson-fits").click();
    const row = page.getByTestId("uncovered-row").filter({ hasText: "zymurgy" });
    await row.getByRole("link").click();
    await page.waitForURL(/\/runs\?run=/);
  });
});

test("every constant says what it does", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Settings");
    const fixed = page.getByTestId("fixed-constant");
    await eventually(async () => assert.ok((await fixed.count()) > 40));
    const silent = await fixed.evaluateAll((rows) =>
      rows.filter((row) => !row.querySelector(".policy-about")).map((row) => row.dataset.name),
    );
    assert.deepEqual(silent, []);
    const about = await page
      .getByTestId("constant")
      .evaluateAll((rows) => rows.filter((row) => !/\w.*\./.test(row.querySelector(".hint").textContent)).length);
    assert.equal(about, 0);
  });
});
