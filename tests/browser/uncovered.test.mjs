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
    await page.getByTestId("record-run").click();
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

test("what is typed into a constant stays when another one is saved", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Settings");
    const section = page.locator("details").filter({ has: page.getByTestId("constant") });
    await section.first().locator("summary").click();
    const rows = section
      .first()
      .getByTestId("constant")
      .filter({ has: page.locator("input") });
    const [one, other] = [rows.nth(0), rows.nth(1)];
    const name = await other.getAttribute("data-name");
    await other.locator("input").fill("0.123");
    await one.locator("input").fill("0.25");
    await one.getByTestId("constant-save").click();
    await one.getByTestId("constant-reset").waitFor();
    assert.equal(await other.locator("input").inputValue(), "0.123", name);
    assert.equal(await section.first().getAttribute("open"), "");
  });
});
