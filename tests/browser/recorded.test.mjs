// The Playground's records, which it makes only on demand: a run, its outcome, feedback and opinions.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ask, close, eventually, loadSamples, recommend, url, visit, withApp } from "./app.mjs";

after(close);

const QUERY = "idempotency keys on writes";

test("asking records nothing; a run is recorded on demand, and nothing is chosen for a person", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    for (const query of [QUERY, "flaky tests", "tenants in postgres"]) await ask(page, query);
    await page.getByTestId("only-looked").filter({ hasText: "nothing is recorded" }).waitFor();
    assert.equal(await page.getByTestId("track-input").count(), 0);
    await visit(page, "Runs");
    await page.getByTestId("empty").filter({ hasText: "No runs yet" }).waitFor();
    await recommend(page, QUERY);
    for (const name of ["outcome-submit", "feedback-submit"]) {
      assert.equal(await page.getByTestId(name).isDisabled(), true, name);
    }
    // The same task asked again is about the same run; another one is not.
    const run = new URL(page.url()).search;
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("track-input").waitFor();
    assert.equal(new URL(page.url()).search, run);
    await ask(page, "flaky tests");
    await visit(page, "Runs");
    await page
      .getByTestId("runs-total")
      .filter({ hasText: /^1 run$/ })
      .waitFor();
  });
});

test("what is told of a run is told once, and stands in every tab", async () => {
  await withApp(async (page, context) => {
    await loadSamples(page);
    const [first] = await recommend(page, QUERY);
    await page.getByTestId("track-input").fill(`Using \`${first}\`.`);
    await page.getByTestId("track-submit").click();
    await page.locator(`[data-testid=detection][data-slug="${first}"][data-applied=true]`).waitFor();

    const opinion = (tab) => tab.locator(`[data-testid=opinion][data-slug="${first}"]`);
    const given = (tab, what, words) => tab.getByTestId(`${what}-given`).filter({ hasText: words }).first().waitFor();
    const rests = (control) => eventually(async () => assert.ok(await control.isDisabled()));
    // Pressed twice, as impatient people do.
    await page.getByTestId("outcome-success").check();
    await page.getByTestId("outcome-submit").dblclick();
    await given(page, "outcome", /^Recorded: success$/);
    await page.getByTestId("standing-moved").waitFor();
    await rests(page.getByTestId("outcome-submit"));
    await rests(page.getByTestId("outcome-failure"));
    await page.getByTestId("feedback-delivered").check();
    await page.getByTestId("feedback-submit").dblclick();
    await given(page, "feedback", /^Recorded: delivered$/);
    await rests(page.getByTestId("feedback-submit"));
    await opinion(page).getByTestId("run-rate-helpful").dblclick();
    await given(opinion(page), "rating", /^Recorded: helpful$/);
    await rests(opinion(page).getByTestId("run-rate-not-helpful"));
    await opinion(page).getByTestId("run-vote-up").dblclick();
    await given(opinion(page), "vote", /^Recorded: up$/);

    // The same run in another tab.
    const second = await context.newPage();
    await second.goto(page.url());
    await given(second, "outcome", /^Recorded before: success, by you, /);
    await given(second, "feedback", /^Recorded before: delivered$/);
    await given(opinion(second), "rating", /^Recorded before: helpful$/);
    await given(opinion(second), "vote", /^Recorded before: up$/);
    await rests(second.getByTestId("outcome-submit"));
    await rests(second.getByTestId("feedback-submit"));

    await page.goto(`${url}/lessons/${first}`);
    await page.getByTestId("history").waitFor();
    for (const event of ["OutcomeRecorded", "FeedbackGiven", "Rated", "Voted"]) {
      const told = page.locator(`[data-testid=history-event][data-event=${event}]`);
      await eventually(async () => assert.equal(await told.count(), 1, event));
      assert.match(await told.textContent(), / · by you/);
    }
  });
});

test("a pending outcome can be settled later, in the words of the domain", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await page.goto(`${url}/playground?q=${encodeURIComponent("close a losing position")}&domain=perps`);
    await page.getByTestId("record-run").click();
    const controls = page.getByTestId("outcome-controls");
    await controls.waitFor();
    await eventually(async () => assert.match(await controls.textContent(), /Profit.*Loss.*Pending/s));
    assert.doesNotMatch(await controls.textContent(), /Success|Failure/);
    const given = (words) => page.getByTestId("outcome-given").filter({ hasText: words }).waitFor();
    await page.getByTestId("outcome-pending").check();
    await page.getByTestId("outcome-submit").click();
    await given("Recorded: pending");
    await page.getByTestId("outcome-failure").check();
    await page.getByTestId("outcome-pnl").fill("-2");
    await page.getByTestId("outcome-submit").click();
    await given("Recorded: loss");
    await visit(page, "Runs");
    await page.locator("[data-testid=run][data-outcome=failure]").filter({ hasText: "Loss (-2%)" }).waitFor();
  });
});
