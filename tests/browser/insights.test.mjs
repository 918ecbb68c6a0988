// The first page and Insights: how one begins, what runs say over time, and charts that are read without a pointer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, recommend, url, visit, withApp } from "./app.mjs";
import { withClock } from "./clock.mjs";

after(close);

const QUERY = "a page that is slow to load on a phone";

/** A run with an outcome, told on the page. */
async function runWith(page, outcome) {
  await recommend(page, QUERY);
  await page.getByTestId(`outcome-${outcome}`).check();
  await page.getByTestId("outcome-submit").click();
  await page.getByTestId("outcome-given").waitFor();
}

test("an empty store says what this is for, and three steps begin it", async () => {
  await withApp(async (page) => {
    await page.goto(`${url}/`);
    await ready(page);
    const start = page.getByTestId("empty");
    await start.getByText("Lessonloop gives an agent the lessons that fit its task").waitFor();
    await start.getByRole("img", { name: /^The loop/ }).waitFor();
    await eventually(async () =>
      assert.deepEqual(await page.locator(".start-steps h2").allTextContents(), [
        "Look around",
        "Get the model",
        "Connect an agent",
      ]),
    );
    await page.getByTestId("load-samples").click();
    await page.getByTestId("headline").filter({ hasText: "No runs yet" }).waitFor();
    await page.getByTestId("activity").getByText("and others").waitFor();
    assert.equal(await page.getByTestId("empty").count(), 0);
  });
});

test("a week without runs is told as one, and what needs attention does not depend on the days that are looked at", () =>
  withApp(
    async (page, context) => {
      const jump = await withClock(context);
      await loadSamples(page);
      await page.goto(`${url}/`);
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const worker = new Worker("/engine-worker.js", { type: "module" });
            const post = (id, path, body) =>
              worker.postMessage({ type: "request", id, request: { method: "POST", path, body } });
            worker.onmessage = ({ data }) => {
              if (data.type !== "response") return;
              if (data.id === 1) return post(2, "/v1/outcome", { decision_id: "d", outcome: "profit" });
              worker.terminate();
              resolve(undefined);
            };
            post(1, "/v1/recommend", { query: "a slow query", decision_id: "d" });
          }),
      );
      const headline = page.getByTestId("headline");
      await headline.filter({ hasText: "1 of 1 run: too few to tell" }).waitFor();
      await jump(page, 8);
      await page.getByText("7d", { exact: true }).click();
      await headline.filter({ hasText: "No runs in the last 7 days" }).waitFor();
      await headline.getByRole("link", { name: "All runs" }).waitFor();
      const silent = page.getByTestId("attention").filter({ hasText: "has reported no outcome" });
      await page.getByText("30d", { exact: true }).click();
      await headline.filter({ hasText: "1 of 1 run" }).waitFor();
      const told = await silent.count();
      await page.getByText("7d", { exact: true }).click();
      await headline.filter({ hasText: "No runs in the last 7 days" }).waitFor();
      assert.equal(await silent.count(), told);
    },
    { intercepted: true },
  ));

test("the overview tells how runs end, and measuring is begun there once", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await runWith(page, "success");
    await visit(page, "Overview");
    const headline = page.getByTestId("headline");
    await headline
      .filter({ hasText: "1 of 1 run: too few to tell" })
      .filter({ hasText: "every run gets them" })
      .waitFor();
    assert.doesNotMatch(await headline.textContent(), /100%/);
    await page.getByTestId("success").getByTestId("plot").waitFor();
    const activity = page.getByTestId("activity");
    await activity.getByText(new RegExp(`got \\d lessons for ${QUERY}`)).waitFor();
    await activity.getByText(`reported success for ${QUERY}`).waitFor();

    const start = page.getByTestId("start-measuring");
    // A second press changes nothing.
    await start.dblclick();
    await headline.filter({ hasText: "isn't certain yet" }).waitFor();
    await headline.filter({ hasText: "with lessons · 0 control" }).waitFor();
    await eventually(async () => assert.equal(await start.count(), 0));
    assert.equal(await page.getByTestId("toast").filter({ hasText: "measured from now on" }).count(), 1);
    await page.reload();
    await headline.filter({ hasText: "isn't certain yet" }).waitFor();
  });
});

test("a chart is read by keyboard, as a table and as a file", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await runWith(page, "success");
    await runWith(page, "failure");
    await visit(page, "Insights");
    const chart = page.getByTestId("success");
    await chart.getByTestId("plot").focus();
    await page.keyboard.press("End");
    await chart
      .getByTestId("plot-tip")
      .filter({ hasText: /50%\s*\(\d+(\.\d)?%–\d+(\.\d)?%\)/ })
      .waitFor();
    await page.keyboard.press("Escape");
    await chart.getByTestId("plot-tip").waitFor({ state: "detached" });
    await chart.getByTestId("success-table").click();
    const row = chart.getByRole("row").last();
    await eventually(async () => assert.match(await row.textContent(), /50%/));

    const download = page.waitForEvent("download");
    await chart.getByTestId("success-csv").click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "success.csv");
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\r\n");
    assert.match(lines[0], /^Up to,with lessons,/);
    assert.equal(lines.length, 46, "a head, and ninety days in steps of two");
    assert.match(lines.at(-1), /,50%,/);

    // Another range asks anew; what is open stays open.
    await page.getByTestId("range-7d").click();
    await eventually(async () => assert.equal(await chart.getByRole("row").count(), 8));
  });
});

test("tables of Insights sort and lead to lessons, and nothing said contradicts itself", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    await visit(page, "Insights");
    await page.getByTestId("no-ratings").waitFor();
    const said = await page.locator("main").textContent();
    assert.doesNotMatch(said, /often gets rated|no lesson can rise/);
    await runWith(page, "success");
    await visit(page, "Insights");
    const rows = page.getByTestId("by-lesson-row");
    await eventually(async () => assert.ok((await rows.count()) > 1));
    const tokens = page.getByRole("columnheader", { name: "Tokens" });
    const column = async () =>
      (await rows.locator("td:nth-child(7)").allTextContents()).map((text) => Number(text.replace(/\D/g, "")));
    await tokens.getByRole("button").click();
    await eventually(async () => {
      const held = await column();
      assert.deepEqual(
        held,
        held.toSorted((a, b) => b - a),
      );
      assert.equal(await tokens.getAttribute("aria-sort"), "descending");
    });
    await tokens.getByRole("button").click();
    await eventually(async () => {
      const held = await column();
      assert.deepEqual(
        held,
        held.toSorted((a, b) => a - b),
      );
    });
    await page.getByTestId("by-agents").click();
    await page
      .getByTestId("by-group-row")
      .filter({ hasText: /^You|you/ })
      .waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByTestId("by-group-row").filter({ hasText: "Not said" }).waitFor();
    await page.getByTestId("by-lessons").click();
    await rows.first().getByRole("link").click();
    await page.getByTestId("lesson-slug").waitFor();
  });
});

test("addresses of before lead on, with their query", async () => {
  await withApp(async (page) => {
    await loadSamples(page);
    for (const [before, now] of [
      ["/?q=tenant", "/lessons?q=tenant"],
      ["/new", "/lessons/new"],
      ["/recommend?q=tenant&limit=3", "/playground?q=tenant&limit=3"],
      ["/stats", "/insights"],
      ["/data#sync", "/settings#sync"],
      ["/data/agents", "/agents"],
      ["/data/set-aside", "/settings/conflicts"],
    ]) {
      await page.goto(url + before);
      await page.waitForURL(url + now);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
  });
});
