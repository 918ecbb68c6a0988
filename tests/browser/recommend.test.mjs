// Why these lessons and not others: waterfalls, what was left out, other weights, and addresses that hold it all.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadModel, loadSamples, ready, recommend, slugs, url, visit, withApp } from "./app.mjs";

after(close);

const QUERY = "idempotency keys on writes";
const items = (page) => page.getByTestId("recommended-item");

/** The number behind a rounded one. */
const number = async (locator) => Number(await locator.getAttribute("data-value"));

test("each lesson has a waterfall that ends at its score", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await recommend(page, QUERY);
    const scores = [];
    for (let at = 0; at < (await items(page).count()); at += 1) {
      const item = items(page).nth(at);
      // By keyboard.
      // The first one is open already.
      if (at > 0) {
        await item.getByTestId("why").locator("summary").focus();
        await page.keyboard.press("Enter");
      }
      await item.getByTestId("waterfall").waitFor();
      scores.push(await number(item.getByTestId("waterfall-score")));
      const last = await item.getByTestId("waterfall-row").last().locator("td.num").last().textContent();
      assert.ok(Math.abs(Number(last) - scores.at(-1)) < 0.0001, `${last} is the score ${scores.at(-1)}`);
      await eventually(async () =>
        assert.match(await item.getByTestId("waterfall-said").textContent(), /Most of it comes from/),
      );
      const score = await item.locator(".hit-score").textContent();
      assert.ok(Math.abs(Number(score) - scores.at(-1)) < 0.006, `${score} beside the title is ${scores.at(-1)}`);
    }
    assert.ok(scores.length > 1);
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
  });
});

test("what was left out is grouped, counted, paged and can be searched", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await recommend(page, QUERY);
    const total = Number.parseInt(await page.getByTestId("left-out-total").textContent(), 10);
    const counts = await page.getByTestId("left-out").locator(".count").allTextContents();
    assert.equal(
      counts.reduce((sum, count) => sum + Number(count), 0),
      total,
    );
    assert.equal(total, 85 - (await items(page).count()));
    await page.getByTestId("left-out-all").locator("summary").first().click();
    const group = page.locator("[data-testid=left-out][data-reason=low_relevance]");
    const all = Number(await group.locator(".count").textContent());
    assert.ok(all > 20, `${all} lessons are not relevant`);
    await group.locator("summary").first().click();
    await eventually(async () => assert.equal(await group.getByTestId("left-out-item").count(), 10));
    while (await group.getByTestId("left-out-more").count()) {
      const before = await group.getByTestId("left-out-item").count();
      await group.getByTestId("left-out-more").click();
      await group.getByTestId("left-out-item").nth(before).waitFor();
    }
    const shown = await slugs(group.getByTestId("left-out-item"));
    assert.equal(shown.length, all);
    assert.equal(new Set(shown).size, all);
    // The one that is missed.
    await page.getByTestId("left-out-search").fill("POLYMARKET-NEWS");
    const found = page.locator("[data-testid=left-out-item][data-slug=warning-polymarket-news-latency]");
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=left-out-item]").length === 1);
    await found.waitFor();
    await page.getByTestId("left-out-search").fill("there is no such lesson");
    await page.getByTestId("left-out-none").waitFor();
  });
});

test("other weights are shown side by side and put back, and nothing is recorded", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    // The effect of ratings on a lesson's place is part of the sources' rule.
    await visit(page, "Settings");
    await page.getByTestId("standing-rule-seeds").click();
    await page.getByText("ranked by the rules from now on").waitFor();
    const first = await recommend(page, QUERY);
    // A standing that the weights can forgive: four people found the first one not helpful.
    // The page takes one of each person; they come as from another tab.
    const answers = await page.evaluate(
      (lesson) =>
        new Promise((resolve) => {
          const worker = new Worker("/engine-worker.js", { type: "module" });
          const statuses = [];
          worker.onmessage = ({ data }) => {
            if (data.type === "response") statuses.push(data.response.status);
            if (statuses.length === 4) {
              worker.terminate();
              resolve(statuses);
            }
          };
          for (const id of [1, 2, 3, 4]) {
            const request = { method: "POST", path: "/v1/rate", body: { lesson, helpful: false } };
            worker.postMessage({ type: "request", id, request });
          }
        }),
      first[0],
    );
    assert.deepEqual(answers, [200, 200, 200, 200]);
    await page.reload();
    await items(page).first().waitFor();
    const before = await slugs(items(page));
    await page.getByTestId("replay").locator("summary").first().click();
    await page.getByTestId("replay-status").filter({ hasText: "those of the space" }).waitFor();
    // By keyboard: the end key brings the slider to 1.
    await page.getByTestId("weight-low_score_factor").focus();
    await page.keyboard.press("End");
    await page
      .getByTestId("replay-status")
      .filter({ hasText: /moved|stays/ })
      .waitFor();
    await page.getByTestId("order-after").first().waitFor();
    await eventually(async () => assert.deepEqual(await slugs(page.getByTestId("order-before")), before));
    const after = await slugs(page.getByTestId("order-after"));
    // Few are wanted for a decision: a poorly rated lesson may have fallen out of them.
    const place = (list) => (list.includes(first[0]) ? list.indexOf(first[0]) : list.length);
    assert.ok(place(after) < place(before) || place(before) === 0);
    await page.waitForURL(/w\.low_score_factor=1/);
    // Each that moved says why.
    const moved = page.getByTestId("moved");
    for (const text of await moved.allTextContents()) assert.match(text, /score/);
    await page.getByTestId("weights-reset").click();
    await page.getByTestId("replay-status").filter({ hasText: "those of the space" }).waitFor();
    await eventually(async () => assert.equal(await page.getByTestId("order-after").count(), 0));
    await page.waitForURL((address) => !address.search.includes("w."));
    // One recommendation was made, the rest was looking.
    await page.goto(`${url}/lessons/${first[0]}?tab=runs`);
    await page
      .getByTestId("shown-total")
      .filter({ hasText: /^1 time/ })
      .waitFor();
  });
});

test("the address holds the situation: links, back, forward and reload find it", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    const one = await recommend(page, QUERY);
    await page.waitForURL(/\/playground\?q=idempotency%20keys%20on%20writes&decision=/);
    const address = page.url();
    const run = new URL(address).searchParams.get("decision");
    await page.getByTestId("recommend-query").fill("flaky tests that share state");
    await page.getByTestId("recommend-submit").click();
    // A changed task leaves the run, and is one of its own if it is recorded.
    await page.waitForURL(({ search, searchParams }) => /flaky/.test(search) && !searchParams.has("decision"));
    await page.getByTestId("record-run").click();
    await page.waitForURL(({ searchParams }) => ![null, run].includes(searchParams.get("decision")));
    await page.waitForFunction(
      (slug) => document.querySelector("[data-testid=recommended-item]")?.dataset.slug !== slug,
      one[0],
    );
    const two = await slugs(items(page));
    await page.goBack();
    await page.goBack();
    await page.waitForFunction(
      (slug) => document.querySelector("[data-testid=recommended-item]")?.dataset.slug === slug,
      one[0],
    );
    await eventually(async () => assert.deepEqual(await slugs(items(page)), one));
    await eventually(async () => assert.equal(await page.getByTestId("recommend-query").inputValue(), QUERY));
    await page.goForward();
    await page.goForward();
    await page.waitForFunction(
      (slug) => document.querySelector("[data-testid=recommended-item]")?.dataset.slug === slug,
      two[0],
    );
    // A reload in the middle of a walk: the decision is still at hand.
    await page.reload();
    await items(page).first().waitFor();
    await eventually(async () => assert.deepEqual(await slugs(items(page)), two));
    await page.getByTestId("track-input").fill(`Using \`${two[0]}\`.`);
    await page.getByTestId("track-submit").click();
    await page.locator(`[data-testid=detection][data-slug="${two[0]}"][data-applied=true]`).waitFor();
    // A link without a decision is looked at; the button makes it one.
    await page.goto(`${url}/playground?q=${encodeURIComponent(QUERY)}&limit=1`);
    await page.getByTestId("only-looked").waitFor();
    await eventually(async () => assert.equal(await items(page).count(), 1));
    await eventually(async () => assert.equal(await page.getByTestId("track-input").count(), 0));
    await page.getByTestId("record-run").click();
    await page.getByTestId("track-input").waitFor();
    await eventually(async () => assert.equal(await page.getByTestId("only-looked").count(), 0));
    // Weights come with a link too.
    await page.goto(
      `${url}/playground?q=${encodeURIComponent(QUERY)}&w.unhelpful_factor=0.25&w.causal_weight=nonsense`,
    );
    await page.getByTestId("order-after").first().waitFor();
    await eventually(async () => assert.equal(await page.getByTestId("weight-unhelpful_factor").inputValue(), "0.25"));
    await eventually(async () => assert.equal(await page.getByTestId("weight-causal_weight").inputValue(), "0.5"));
  });
});

test("a situation that can't be ranked says what to do, and an empty one is an empty form", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await page.goto(`${url}/playground?q=x&phase=lunch`);
    await page.getByTestId("error").filter({ hasText: "there is no phase" }).waitFor();
    await visit(page, "Playground");
    await page.getByTestId("error").waitFor({ state: "detached" });
    await ready(page);
    await eventually(async () => assert.equal(await page.getByTestId("recommend-query").inputValue(), ""));
    await eventually(async () => assert.equal(await items(page).count(), 0));
  });
});

test("what was pasted is never lost, Ctrl+Enter submits, and nothing is named where it can't be", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Playground");
    await page.getByTestId("playground-empty").waitFor();
    await page.getByTestId("recommend-query").fill(QUERY);
    await page.keyboard.press("Control+Enter");
    await items(page).first().waitFor();
    await page.getByTestId("record-run").click();
    await page.getByTestId("track-input").waitFor();
    const [first] = await slugs(items(page));
    const words = `Using \`${first}\` for the payments.`;
    const typed = () => page.getByTestId("track-input").inputValue();
    await page.getByTestId("track-input").fill(words);
    // Elsewhere and back, and a reload in between.
    await visit(page, "Lessons");
    await page.goBack();
    await page.getByTestId("track-input").waitFor();
    await eventually(async () => assert.equal(await typed(), words));
    await page.reload();
    await page.getByTestId("track-input").waitFor();
    await eventually(async () => assert.equal(await typed(), words));
    await page.getByTestId("track-input").focus();
    await page.keyboard.press("Control+Enter");
    await page.locator(`[data-testid=detection][data-slug="${first}"][data-applied=true]`).waitFor();
    // Tracked text is stored: the draft is gone.
    await page.reload();
    await page.getByTestId("track-input").waitFor();
    await eventually(async () => assert.equal(await typed(), ""));
    // Another run has a draft of its own.
    await page.getByTestId("new-decision").click();
    await page.getByTestId("playground-empty").waitFor();
    await recommend(page, "flaky tests");
    await eventually(async () => assert.equal(await typed(), ""));
    const named = await page
      .locator("span[aria-label], div[aria-label]:not([role]), p[aria-label]")
      .evaluateAll((all) => all.filter((one) => !one.getAttribute("role")).map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(named, []);
  });
});

test("the prompt says how many tokens it takes, and both buttons copy it", async () => {
  await withApp(async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await loadSamples(page);
    await recommend(page, QUERY);
    await copies(page);
    const bytes = Buffer.byteLength(await page.getByTestId("prompt-text").textContent());
    const tokens = `${Math.ceil(bytes / 4).toLocaleString("en-US")} tokens`;
    assert.match(await page.getByTestId("copy-prompt").textContent(), new RegExp(tokens));
    await eventually(async () => assert.equal(await page.getByTestId("prompt-tokens").textContent(), tokens));
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await page.getByTestId("copy-prompt-text").click();
    const shown = await page.getByTestId("prompt-text").textContent();
    await eventually(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown));
  });
});

test("stats and tools show where numbers come from", async () => {
  await withApp(async (page) => {
    await page.goto(`${url}/insights`);
    await page.getByTestId("empty").filter({ hasText: "Nothing to count yet" }).waitFor();
    await loadSamples(page);
    const shown = await recommend(page, QUERY);
    await visit(page, "Insights");
    const steps = page.getByTestId("funnel-step");
    await eventually(async () =>
      assert.deepEqual(await steps.locator("td.num").allTextContents(), [`${shown.length}`, "0", "0", "0"]),
    );
    await eventually(async () =>
      assert.deepEqual(await page.getByTestId("band").locator("td.num:not(.muted)").allTextContents(), [
        "0",
        "0",
        "85",
        "0",
      ]),
    );
    await page.getByTestId("feedback-health").filter({ hasText: "No feedback on a session" }).waitFor();

    await visit(page, "Tools");
    await page.getByTestId("tool-query").fill("take a screenshot of a page");
    await page.getByTestId("tool-server").fill("browser");
    await page.getByTestId("tool-submit").click();
    const record = page.locator("[data-testid=tool-record][data-server=browser]");
    await record.waitFor();
    await eventually(async () => assert.match(await record.textContent(), /counts 100%/));
    await eventually(async () =>
      assert.match(await record.getByRole("img").getAttribute("aria-label"), /just now, counts 100%/),
    );
    await page.getByTestId("decay").filter({ hasText: "Every 3 days" }).waitFor();
    await page.getByTestId("records-search").fill("postgres");
    await page.getByTestId("no-records").waitFor();

    // A server that the space calls a core server is not recorded any more.
    await visit(page, "Settings");
    const core = page.getByTestId("core-server");
    await page.getByTestId("core-server-name").fill("Browser");
    await page.getByTestId("core-server-add").click();
    await page.locator("[data-testid=core-server][data-server=Browser]").waitFor();
    const held = await core.count();
    await visit(page, "Tools");
    await page.getByTestId("tool-query").fill("open another page");
    await page.getByTestId("tool-server").fill("browser");
    await page.getByTestId("tool-submit").click();
    await page.getByTestId("tool-result").filter({ hasText: "core servers are always available" }).waitFor();
    await visit(page, "Settings");
    await page.getByRole("button", { name: "Remove Browser" }).click();
    await eventually(async () => assert.equal(await core.count(), held - 1));
  });
});

const summary = (page, words) => page.getByTestId("recommend-summary").filter({ hasText: words }).waitFor();

/** Checks that *Copy* takes what is shown, and that the prompt is that of the lessons shown. */
async function copies(page) {
  let shown = "";
  await eventually(async () => {
    shown = await page.getByTestId("prompt-text").textContent();
    const named = [...shown.matchAll(/^### (\S+)$/gm)].map(([, slug]) => slug);
    assert.deepEqual(named, await slugs(items(page)));
  });
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByTestId("copy-prompt").click();
  await eventually(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown));
}

/** A gate that requests wait at while it is shut. */
function gate() {
  let [opened, open] = [Promise.resolve(), () => undefined];
  return {
    shut: () => (opened = new Promise((done) => (open = done))),
    open: () => open(),
    wait: () => opened,
  };
}

test("a link waits for the model that the browser keeps; what came before it says so, and is ranked anew", async () => {
  await withApp(
    async (page, context) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
      // The manifest of the pack is held back while the gate is shut, and the page's patience is the test's.
      const manifest = gate();
      await context.route("**/engine/manifest.json", async (route) => {
        await manifest.wait();
        await route.continue();
      });
      await page.addInitScript(() => {
        const start = globalThis.setTimeout;
        const held = [];
        /** @type {any} */ (globalThis).setTimeout = (act, after, ...more) =>
          after === 5_000 ? -held.push(act) : start(act, after, ...more);
        globalThis.losePatience = () => held.splice(0).forEach((act) => act());
      });
      await loadSamples(page);
      await loadModel(page);
      const kept = () =>
        page.evaluate(
          async () =>
            (await (await caches.open("lessonloop-model")).keys()).filter(({ url }) => !url.includes("&part=")).length,
        );
      await eventually(async () => assert.equal(await kept(), 1), 60_000);

      manifest.shut();
      await page.goto(`${url}/playground?q=database%20security`);
      await page.getByText("Waiting for the model…").waitFor();
      assert.equal(await items(page).count(), 0);
      manifest.open();
      await summary(page, "Ranked by words and meaning");
      await page.locator("[data-testid=model-state]").filter({ hasText: "Semantic" }).waitFor();
      await page.getByText("Waiting for the model…").waitFor({ state: "detached" });
      await copies(page);
      const meaning = await slugs(items(page));

      manifest.shut();
      await page.reload();
      await page.getByText("Waiting for the model…").waitFor();
      await page.evaluate(() => globalThis.losePatience());
      await summary(page, "Ranked by words: no model is loaded");
      assert.doesNotMatch(await page.getByTestId("model-state").textContent(), /Semantic/);
      await copies(page);
      manifest.open();
      await summary(page, "Ranked by words and meaning");
      await copies(page);
      assert.deepEqual(await slugs(items(page)), meaning);
      await page.getByTestId("only-looked").waitFor();
    },
    { intercepted: true },
  );
});

test("a decision that came before the model is left as it is, and ranked anew on demand", async () => {
  await withApp(
    async (page, context) => {
      const pack = gate();
      pack.shut();
      await context.route("**/engine/minilm.pack?*", async (route) => {
        await pack.wait();
        await route.continue();
      });
      await loadSamples(page);
      await visit(page, "Settings");
      await page.getByTestId("download-model").click();
      await page.locator("[data-testid=model-state][data-phase=downloading]").waitFor();
      const words = await recommend(page, "database security");
      await summary(page, "Ranked by words:");
      pack.open();
      await page.locator("[data-testid=model-state][data-phase=ready]").waitFor({ timeout: 180_000 });
      await page.getByTestId("outdone").waitFor();
      assert.deepEqual(await slugs(items(page)), words);
      await page.getByTestId("rank-anew").click();
      await summary(page, "Ranked by words and meaning");
      await page.getByTestId("outdone").waitFor({ state: "detached" });
      await page.getByTestId("track-input").waitFor();
      assert.equal(await page.getByTestId("only-looked").count(), 0);
    },
    { intercepted: true },
  );
});
