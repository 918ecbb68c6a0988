// Runs: the list with its filters and pages, and a run with its lessons, outcome and feedback; ids of any kind.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
  await page
    .getByTestId("track-input")
    .fill(`<img src=x onerror=window.hit=1> I am applying '${IDEMPOTENCY}' to <b>payments</b>.`);
  await page.getByTestId("track-submit").click();
  await page.getByTestId("detection").first().waitFor();
  await page.getByTestId("outcome-success").check();
  await page.getByTestId("outcome-submit").click();
  await page.getByTestId("outcome-given").waitFor();
  await page.getByTestId("feedback-delivered").check();
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
    await empty.getByRole("link", { name: "Open the Playground" }).click();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
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
    await page.goto(`${url}/playground?q=${encodeURIComponent("close a losing position")}&domain=perps`);
    await page.getByTestId("record-run").click();
    await page.getByTestId("track-input").waitFor();

    await visit(page, "Runs");
    await total(page, /^2 runs$/);
    await eventually(async () => {
      const texts = await rows(page).allTextContents();
      assert.equal(texts.length, 2);
      assert.match(texts[0], /close a losing position\s*you\s*\d+\s*0\s*–\s*[\d,]+\s*–\s*Pending/);
      assert.match(texts[1], /idempotency keys on writes\s*you\s*\d\s*1\s*\d+ (s|min)\s*[\d,]+\s*–\s*Success/);
    });

    // By words of the task, as one types; by days; and both kinds of files.
    await page.getByTestId("runs-q").fill("LOSING pos");
    await page.waitForURL(/\/runs\?q=LOSING%20pos$/);
    await total(page, /^1 run$/);
    for (const [name, lines] of [
      ["csv", 2],
      ["jsonl", 1],
    ]) {
      const download = page.waitForEvent("download");
      await page.getByTestId(`runs-${name}`).click();
      const file = await download;
      assert.equal(file.suggestedFilename(), `runs.${name}`);
      const text = readFileSync(await file.path(), "utf8");
      assert.equal(text.trim().split("\n").length, lines);
      assert.match(text, /close a losing position/);
    }
    await page.getByTestId("runs-clear").click();
    await total(page, /^2 runs$/);
    // By a column, the greatest first, then the least; as many are on the page.
    const first = () => rows(page).first().getAttribute("data-outcome");
    const sort = page.getByTestId("runs-sort-applied");
    await sort.click();
    await page.waitForURL(/\/runs\?sort=applied$/);
    await eventually(async () => assert.equal(await first(), "success"));
    await sort.click();
    await page.waitForURL(/\/runs\?sort=applied&reverse=true$/);
    await eventually(async () => assert.equal(await first(), "pending"));
    await total(page, /^2 runs$/);
    await sort.click();
    await page.waitForURL(/\/runs$/);
    await page.getByTestId("run-filters-button").click();
    await page.getByTestId("runs-to").fill("2020-01-01");
    await page.getByTestId("empty").filter({ hasText: "No run fits" }).waitFor();
    await page.getByTestId("runs-clear").click();
    await total(page, /^2 runs$/);

    await page.getByTestId("run-filters-button").click();
    await page.getByTestId("runs-outcome").selectOption("success");
    await page.waitForURL(/\/runs\?outcome=success$/);
    await total(page, /^1 run$/);
    await page.reload();
    await total(page, /^1 run$/);
    await eventually(async () => assert.match(await page.getByTestId("chip-outcome").textContent(), /success/));
    // A view of it is saved under a name, kept, renamed and deleted.
    await page.getByTestId("views-button").click();
    await page.getByTestId("view-name").fill("What went well");
    await page.getByTestId("view-save").click();
    await page.getByTestId("view").filter({ hasText: "What went well" }).waitFor();
    await page.getByTestId("chip-outcome").click();
    await total(page, /^2 runs$/);
    await page.reload();
    await total(page, /^2 runs$/);
    await page.getByTestId("views-button").click();
    await page.getByTestId("view").click();
    await page.waitForURL(/\/runs\?outcome=success$/);
    await page.getByTestId("views-button").filter({ hasText: "View: What went well" }).click();
    await page.getByTestId("view-rename").click();
    await page.getByTestId("view-name").fill("Well");
    await page.getByTestId("view-save").click();
    await page.getByTestId("views-button").filter({ hasText: "View: Well" }).waitFor();
    await page.getByTestId("view-delete").click();
    await eventually(async () => assert.equal(await page.getByTestId("view").count(), 0));
    await page.keyboard.press("Escape");
    await page.getByTestId("runs-clear").click();
    await total(page, /^2 runs$/);
    await page.getByTestId("run-filters-button").click();
    await page.getByTestId("runs-domain").fill("perps");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\?domain=perps$/);
    await total(page, /^1 run$/);
    await page.getByTestId("runs-lesson").fill("pattern-of-no-run");
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
    await visit(page, "Playground");
    await page.getByTestId("recommend-query").fill(QUERY);
    await page.getByTestId("decision-id").fill(id);
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("record-run").click();
    await page.getByTestId("track-input").waitFor();
    await visit(page, "Runs");
    await eventually(async () => assert.equal(await rows(page).getAttribute("data-run"), id));
    await rows(page).getByRole("link").click();
    const found = page.getByTestId("run-details").filter({ hasText: id });
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
    await second.goto(`${url}/playground`);
    await recommend(second, "flaky tests that share state");
    await total(page, /^28 runs$/);
    await rows(page).first().filter({ hasText: "flaky tests" }).waitFor();
    await eventually(async () => assert.equal(await rows(page).count(), 27));
  });
});

/** Lets a page, while `window.deaf`, not hear what was stored elsewhere, and counts the answers that refuse a request. */
function listenIn() {
  window.refused = 0;
  window.Worker = class extends window.Worker {
    /** @param {ConstructorParameters<typeof Worker>} words */
    constructor(...words) {
      super(...words);
      this.addEventListener("message", (event) => {
        if (event.data?.type === "changed" && window.deaf) event.stopImmediatePropagation();
        if (event.data?.response?.status === 409) window.refused += 1;
      });
    }
  };
}

test("what was said of a run in another tab stands: saying another thing shows the first, and locks", async () => {
  await withApp(async (page, context) => {
    await page.addInitScript(listenIn);
    await loadSamples(page);
    const id = "run/1 50%2F";
    await visit(page, "Playground");
    await page.getByTestId("recommend-query").fill(QUERY);
    await page.getByTestId("decision-id").fill(id);
    await page.getByTestId("recommend-submit").click();
    await page.getByTestId("record-run").click();
    await page.waitForURL(({ searchParams }) => searchParams.get("decision") === id);
    await page.getByTestId("outcome-submit").waitFor();
    const opinion = (tab) => tab.locator(`[data-testid=opinion][data-slug="${IDEMPOTENCY}"]`);
    await opinion(page).getByTestId("run-vote-up").waitFor();
    await page.evaluate(() => (window.deaf = true));

    const other = await context.newPage();
    await other.goto(page.url());
    await eventually(async () => assert.equal(await other.getByTestId("decision-id").inputValue(), id));
    await other.getByTestId("outcome-failure").check();
    await other.getByTestId("outcome-submit").click();
    await other
      .getByTestId("outcome-given")
      .filter({ hasText: /^Recorded: failure$/ })
      .waitFor();
    await other.getByTestId("feedback-blocked").check();
    await other.getByTestId("feedback-submit").click();
    await other
      .getByTestId("feedback-given")
      .filter({ hasText: /^Recorded: blocked$/ })
      .waitFor();
    await opinion(other).getByTestId("run-rate-not-helpful").click();
    await opinion(other)
      .getByTestId("rating-given")
      .filter({ hasText: /^Recorded: not helpful$/ })
      .waitFor();
    await opinion(other).getByTestId("run-vote-down").click();
    await opinion(other)
      .getByTestId("vote-given")
      .filter({ hasText: /^Recorded: down$/ })
      .waitFor();

    // The first tab knows nothing of it, and says another thing.
    await page.getByTestId("outcome-success").check();
    await page.getByTestId("feedback-delivered").check();
    for (const name of ["outcome-submit", "feedback-submit"]) {
      assert.equal(await page.getByTestId(name).isDisabled(), false, name);
    }
    await page.getByTestId("outcome-submit").click();
    await page
      .getByTestId("outcome-given")
      .filter({ hasText: /^Recorded before: failure, by you, / })
      .waitFor();
    await page.getByTestId("feedback-submit").click();
    await page
      .getByTestId("feedback-given")
      .filter({ hasText: /^Recorded before: .*blocked/ })
      .waitFor();
    await opinion(page).getByTestId("run-rate-helpful").click();
    await opinion(page)
      .getByTestId("rating-given")
      .filter({ hasText: /^Recorded before: .*not helpful/ })
      .waitFor();
    await opinion(page).getByTestId("run-vote-up").click();
    await opinion(page)
      .getByTestId("vote-given")
      .filter({ hasText: /^Recorded before: .*down/ })
      .waitFor();
    assert.equal(await page.evaluate(() => window.refused), 4, "each was refused by the engine");
    const locked = async (tab) => {
      for (const name of ["outcome-submit", "feedback-submit"]) {
        await eventually(async () => assert.equal(await tab.getByTestId(name).isDisabled(), true, name));
      }
      for (const name of ["run-rate-helpful", "run-rate-not-helpful", "run-vote-up", "run-vote-down"]) {
        await eventually(async () => assert.equal(await opinion(tab).getByTestId(name).isDisabled(), true, name));
      }
    };
    await locked(page);

    // It stays so after a reload, and the run has each thing once.
    await page.reload();
    await page
      .getByTestId("outcome-given")
      .filter({ hasText: /^Recorded before: failure, by you, / })
      .waitFor();
    await page
      .getByTestId("feedback-given")
      .filter({ hasText: /^Recorded before: blocked$/ })
      .waitFor();
    await locked(page);
    await visit(page, "Runs");
    await rows(page).getByRole("link").click();
    await page.getByTestId("run-outcome").filter({ hasText: "Failure by you" }).waitFor();
    await eventually(async () => assert.equal(await page.getByTestId("run-feedback").count(), 1));
    await page.getByTestId("run-feedback").filter({ hasText: "Blocked by you" }).waitFor();
    const said = page.locator(`[data-testid=run-lesson][data-slug="${IDEMPOTENCY}"]`).getByTestId("run-opinion");
    await eventually(async () => assert.equal(await said.count(), 2));
    await said.filter({ hasText: "Rated not helpful by you" }).waitFor();
    await said.filter({ hasText: "Voted down by you" }).waitFor();
  });
});

test("outcome and feedback are given on the run's page, once, in the words of its domain", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await page.goto(`${url}/playground?q=${encodeURIComponent("close a losing position")}&domain=perps`);
    await page.getByTestId("record-run").click();
    await page.getByTestId("track-input").waitFor();
    await visit(page, "Runs");
    await rows(page).getByRole("link").click();
    const form = page.getByTestId("run-give-outcome");
    await form.waitFor();
    assert.match(await form.textContent(), /Profit.*Loss.*Pending/s);
    // Nothing is chosen for a person.
    for (const name of ["run-outcome-submit", "run-feedback-submit"]) {
      assert.equal(await page.getByTestId(name).isDisabled(), true, name);
    }
    await page.getByTestId("run-outcome-failure").check();
    await page.getByTestId("run-pnl").fill("many");
    await page.getByTestId("run-outcome-submit").click();
    await form.getByTestId("error").filter({ hasText: "“many” is not a number" }).waitFor();
    await page.getByTestId("run-pnl").fill("-2");
    const cause = page.getByTestId("run-cause").first();
    await cause.check();
    await page.getByTestId("run-outcome-submit").dblclick();
    await page.getByTestId("run-outcome").filter({ hasText: "Loss (-2%)" }).waitFor();
    await form.waitFor({ state: "detached" });
    // The run was drawn anew with its outcome.
    assert.equal(await cause.isChecked(), true, "what is ticked stays");
    const slug = await cause.getAttribute("data-slug");
    await page.getByTestId("run-feedback-delivered").check();
    await page.getByTestId("run-feedback-submit").dblclick();
    await page
      .getByTestId("run-feedback")
      .filter({ hasText: `made a difference: ${slug}` })
      .waitFor();
    await page.getByTestId("run-give-feedback").waitFor({ state: "detached" });
    await page.reload();
    await page.getByTestId("run-feedback").waitFor();
    await eventually(async () => assert.equal(await page.getByTestId("run-feedback").count(), 1));
    assert.equal(await form.count(), 0);
    await page.goto(`${url}/lessons/${slug}`);
    await page.getByTestId("history").waitFor();
    for (const event of ["OutcomeRecorded", "FeedbackGiven"]) {
      const told = page.locator(`[data-testid=history-event][data-event=${event}]`);
      await eventually(async () => assert.equal(await told.count(), event === "FeedbackGiven" ? 1 : 0, event));
    }
  });
});

test("agents: what each did, and the command that sets one up", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Agents");
    await page.getByTestId("activity-none").waitFor();
    await walk(page);
    await visit(page, "Agents");
    const row = page.getByTestId("agents-row");
    await row.waitFor();
    await eventually(async () => assert.match(await row.textContent(), /^you\s*1\s*1 of 1\s*0\s*0\s*1/));
    await page
      .getByTestId("agent-init")
      .filter({ hasText: /^npx --package \S+\/lessonloop-[\d.]+\.tgz lessonloop init claude$/ })
      .waitFor();
    for (const [word, command] of [
      ["codex", "init codex"],
      ["vs-code", "init vscode"],
      ["copilot", "init copilot"],
      ["opencode", "init opencode"],
      ["http", "mcp"],
    ]) {
      await page.getByTestId(`agent-${word}`).check();
      await page
        .getByTestId("agent-init")
        .filter({ hasText: new RegExp(` lessonloop ${command}$`) })
        .waitFor();
    }
    await page.getByTestId("agent-way-Over HTTP").click();
    await page.getByTestId("empty").filter({ hasText: "agents need a server" }).waitFor();
  });
});
