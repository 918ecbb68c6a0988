// Runs: the list with its filters and pages, and a run with its lessons, outcome and feedback; ids of any kind.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, recommend, url, visit, withApp } from "./app.mjs";

after(close);

const QUERY = "idempotency keys on writes";
const IDEMPOTENCY = "pattern-idempotency-keys-on-writes";

const rows = (page) => page.getByTestId("run");
const total = (page, text) => page.getByTestId("runs-total").filter({ hasText: text }).waitFor();

/** Walks a run in which the lesson is applied; its words hold markup. */
async function walk(page) {
  await recommend(page, QUERY);
  await page.getByTestId("track-input").fill(`<img src=x onerror=window.hit=1> I am applying '${IDEMPOTENCY}' to <b>payments</b>.`);
  await page.getByTestId("track-submit").click();
  await page.getByTestId("detection").first().waitFor();
  await page.getByTestId("outcome-submit").click();
  await page.getByTestId("outcome-given").waitFor();
  await page.getByTestId("feedback-submit").click();
  await page.getByTestId("feedback-given").waitFor();
  const opinion = page.locator(`[data-testid=opinion][data-slug="${IDEMPOTENCY}"]`);
  await opinion.getByTestId("run-rate-helpful").click();
  await opinion.getByTestId("rating-given").waitFor();
}

test("an empty list says how runs come about", async () => {
  await withApp(async (page) => {
    await page.goto(`${url}/runs`);
    await ready(page);
    const empty = page.getByTestId("empty");
    await empty.filter({ hasText: "No runs yet" }).waitFor();
    await empty.getByRole("link", { name: "Recommend lessons" }).click();
    await page.getByRole("heading", { level: 1, name: "Recommend" }).waitFor();
    await page.goto(`${url}/runs?run=nobody%2Fknows`);
    await empty.filter({ hasText: "There is no run by this name" }).waitFor();
    await empty.getByRole("link", { name: "All runs" }).click();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  });
});

test("the list is newest first, its filters are in the address, and a run shows what became of it", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await walk(page);
    await page.goto(`${url}/recommend?q=${encodeURIComponent("close a losing position")}&domain=perps`);
    await page.getByTestId("only-looked").waitFor();
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("track-input").waitFor();

    await visit(page, "Runs");
    await total(page, /^2 runs$/);
    await eventually(async () => {
      const texts = await rows(page).allTextContents();
      assert.equal(texts.length, 2);
      assert.match(texts[0], /close a losing position.*you.*, 0 applied.*Pending/s);
      assert.match(texts[1], /idempotency keys on writes.*you.*5, 1 applied.*Success/s);
    });

    await page.getByTestId("runs-outcome").selectOption("success");
    await page.waitForURL(/\/runs\?outcome=success$/);
    await total(page, /^1 run$/);
    await page.reload();
    await total(page, /^1 run$/);
    await eventually(async () => assert.equal(await page.getByTestId("runs-outcome").inputValue(), "success"));
    await page.getByTestId("runs-clear").click();
    await total(page, /^2 runs$/);
    await page.getByTestId("runs-domain").fill("perps");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\?domain=perps$/);
    await total(page, /^1 run$/);
    await page.getByTestId("runs-lesson").fill(IDEMPOTENCY);
    await page.keyboard.press("Enter");
    await page.getByTestId("empty").filter({ hasText: "No run fits" }).waitFor();
    await page.getByTestId("runs-clear").click();
    await total(page, /^2 runs$/);

    await rows(page).nth(1).getByRole("link").click();
    await page.getByTestId("run-situation").filter({ hasText: QUERY }).waitFor();
    const lesson = page.locator(`[data-testid=run-lesson][data-slug="${IDEMPOTENCY}"]`);
    await eventually(async () => assert.equal(await lesson.getAttribute("data-applied"), "true"));
    // The agent's words are text, whatever they hold.
    await lesson.getByTestId("run-quote").filter({ hasText: "<b>payments</b>" }).waitFor();
    await eventually(async () => assert.equal(await lesson.locator("img, blockquote b").count(), 0));
    assert.equal(await page.evaluate(() => window.hit), undefined);
    await lesson.getByTestId("run-opinion").filter({ hasText: "Rated helpful by you" }).waitFor();
    await page.getByTestId("run-outcome").filter({ hasText: "Success by you" }).waitFor();
    await page.getByTestId("run-feedback").filter({ hasText: "Delivered by you" }).waitFor();
    // Back and forth between a run, a lesson in it, and the list.
    await lesson.getByRole("link").first().click();
    await page.getByTestId("lesson-slug").filter({ hasText: IDEMPOTENCY }).waitFor();
    await page.goBack();
    await lesson.waitFor();
    await page.getByRole("link", { name: "All runs" }).click();
    await total(page, /^2 runs$/);
    await page.goBack();
    await lesson.waitFor();
    await page.getByTestId("run-steps").click();
    await page.getByTestId("outcome-given").filter({ hasText: "Recorded before: success" }).waitFor();
  });
});

test("a run is found by its address, whatever its id holds", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    const id = "key/run.1 50%2F&x=ü?#";
    await visit(page, "Recommend");
    await page.getByTestId("recommend-query").fill(QUERY);
    await page.getByTestId("decision-id").fill(id);
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("recommended-item").first().waitFor();
    await visit(page, "Runs");
    await eventually(async () => assert.equal(await rows(page).getAttribute("data-run"), id));
    await rows(page).getByRole("link").click();
    const found = page.getByTestId("run-situation").filter({ hasText: id });
    await found.waitFor();
    await page.reload();
    await found.waitFor();
  });
});

test("more runs are loaded page by page, and what comes meanwhile stands first", async () => {
  await withApp(async (page, context) => {
    await loadSamples(page);
    for (let n = 1; n <= 27; n += 1) await recommend(page, `${QUERY} ${n}`);
    await visit(page, "Runs");
    await total(page, /^27 runs$/);
    await eventually(async () => assert.equal(await rows(page).count(), 25));
    await page.getByTestId("runs-more").click();
    await eventually(async () => assert.equal(await rows(page).count(), 27));
    await page.getByTestId("runs-more").waitFor({ state: "detached" });
    const ids = await rows(page).evaluateAll((all) => all.map((one) => one.dataset.run));
    assert.equal(new Set(ids).size, 27);

    const second = await context.newPage();
    await second.goto(`${url}/recommend`);
    await recommend(second, "flaky tests that share state");
    await total(page, /^28 runs$/);
    await rows(page).first().filter({ hasText: "flaky tests" }).waitFor();
    await eventually(async () => assert.equal(await rows(page).count(), 27));
  });
});
