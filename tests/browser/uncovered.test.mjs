// Tasks that no lesson fits on Insights, and what each constant does.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, visit, withApp } from "./app.mjs";

after(close);

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
