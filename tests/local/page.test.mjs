// The dashboard of `lessonloop serve` in a browser: it asks the process in place of an engine of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { launch } from "../browser/chromium.mjs";
import { LESSON, machine, SLUG, TITLE, serving } from "./installed.mjs";

test("the dashboard shows the store's lessons, hears of new ones, and knows nothing without the token", async () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const child = on.start(["serve", "--port", "0", "--json"]);
  const served = await serving(child);
  const browser = await launch(process.env.LESSONLOOP_CHROMIUM);
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(served.address.replace(/\/(#|$)/, "/lessons$1"));
    await page.getByText(TITLE).first().waitFor({ timeout: 30_000 });
    assert.ok(!page.url().includes(served.token), page.url());
    on.json(["add", "Said while the page is open", "-r", "Do it."]);
    await page.goto(`${served.url}/lessons`);
    await page.getByText("Said while the page is open").first().waitFor({ timeout: 15_000 });
    on.json(["add", "And once more without a reload", "-r", "Do it."]);
    await page.getByText("And once more without a reload").first().waitFor({ timeout: 15_000 });

    // Every place works over HTTP, loaded anew.
    for (const [path, name] of [
      ["/", "Overview"],
      ["/lessons", "Lessons"],
      ["/lessons/new", "New lesson"],
      ["/review", "Review"],
      ["/playground", "Playground"],
      ["/runs", "Runs"],
      ["/insights", "Insights"],
      ["/tools", "Tools"],
      ["/agents", "Agents"],
      ["/settings", "Settings"],
    ]) {
      await page.goto(`${served.url}${path}`);
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      await page.locator("[data-testid=skeleton], .loading").first().waitFor({ state: "detached" });
      assert.equal(await page.getByTestId("error").count(), 0, `${path} has an error`);
    }
    // A run from its task to its outcome.
    await page.goto(`${served.url}/playground`);
    await page.getByTestId("recommend-query").fill(TITLE);
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("recommended-item").first().waitFor();
    await page.getByTestId("record-run").click();
    await page.getByTestId("track-input").fill(`Using \`${SLUG}\`.`);
    await page.getByTestId("track-submit").click();
    await page.locator(`[data-testid=detection][data-slug="${SLUG}"][data-applied=true]`).waitFor();
    await page.getByTestId("outcome-success").check();
    await page.getByTestId("outcome-submit").click();
    await page.getByTestId("outcome-given").filter({ hasText: "Recorded: success" }).waitFor();
    await page.goto(`${served.url}/runs`);
    await page.locator("[data-testid=run][data-outcome=success]").waitFor();
    assert.deepEqual(faults, []);

    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(served.url);
    await stranger.getByText("does not know the token").first().waitFor({ timeout: 15_000 });
    assert.equal(await stranger.getByText(TITLE).count(), 0);
  } finally {
    await browser.close();
    child.kill();
  }
});
