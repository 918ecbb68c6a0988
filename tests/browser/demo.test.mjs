// The demo: a space of its own beside one's own, with a history up to today, ranked by meaning with the vectors that the
// build made.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadModel, ready, slugs, url, visit, withApp } from "./app.mjs";

after(close);

const DAY = 86_400_000;
const databases = (page) => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).sort());

async function openDemo(page) {
  await page.goto(`${url}/lessons`);
  await ready(page);
  await page.getByTestId("open-demo").click();
  await page.getByTestId("demo-banner").waitFor();
  await ready(page);
}

test("the demo has a history of ninety days up to today, and one's own space stays empty", () =>
  withApp(async (page) => {
    await openDemo(page);
    await page.goto(`${url}/lessons`);
    await page.getByTestId("lesson-row").first().waitFor();
    await visit(page, "Settings");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("export-jsonl").click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const events = Buffer.concat(chunks)
      .toString("utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line));
    const times = events.map(({ at }) => Date.parse(at));
    const [first, last] = [Math.min(...times), Math.max(...times)];
    assert.ok(last <= Date.now(), "nothing lies ahead");
    assert.ok(Date.now() - last < 2 * DAY, "it goes up to today");
    assert.ok(Date.now() - first > 88 * DAY && Date.now() - first < 92 * DAY, "it goes back ninety days");
    assert.ok(events.filter(({ event }) => event.OutcomeRecorded).length > 1_000, "most runs have an outcome");

    await page.getByTestId("leave-demo").click();
    await page.getByTestId("demo-banner").waitFor({ state: "detached" });
    await ready(page);
    await page.goto(`${url}/lessons`);
    await page.getByTestId("open-demo").waitFor();
    assert.equal(await page.getByTestId("lesson-row").count(), 0);
  }));

test("what is done in the demo stays there until it is removed with its store", () =>
  withApp(async (page) => {
    await openDemo(page);
    assert.deepEqual(
      await databases(page),
      ["lessonloop-demo"]
        .concat(await databases(page))
        .filter((name, at, all) => all.indexOf(name) === at)
        .sort(),
    );
    // Opened again it is not made anew.
    await page.reload();
    await page.getByTestId("demo-banner").waitFor();
    await ready(page);
    await page.getByTestId("remove-demo").click();
    await page.getByTestId("demo-banner").waitFor({ state: "detached" });
    await ready(page);
    await eventually(async () => assert.ok(!(await databases(page)).includes("lessonloop-demo")));
  }));

test("the demo tells whether the loop helps, and which lessons do", () =>
  withApp(async (page) => {
    await openDemo(page);
    const headline = page.getByTestId("headline");
    await headline.filter({ hasText: "Runs with lessons succeed more often" }).waitFor();
    assert.match(await headline.innerText(), /\+\d+(\.\d)? points/);
    await visit(page, "Insights");
    await page.getByTestId("effect-badge").filter({ hasText: "Helps" }).first().waitFor();
    await page.getByTestId("lift-cell").first().waitFor();
  }));

test("a server can't be connected to in the demo", () =>
  withApp(async (page) => {
    await openDemo(page);
    const refused = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const worker = new Worker("/engine-worker.js", { type: "module", name: "demo" });
          worker.onmessage = ({ data }) => data.type === "response" && resolve(data.response);
          worker.postMessage({ type: "request", id: 1, request: { method: "POST", path: "/v1/sync/now" } });
        }),
    );
    assert.equal(refused.status, 409);
    assert.match(JSON.parse(refused.body).error.message, /never synced/);
  }));

test("with the model the demo ranks by meaning at once: its vectors came with it", () =>
  withApp(async (page) => {
    await openDemo(page);
    await loadModel(page);
    // Nothing is withheld: a recommendation that an address leads to is never measured.
    const task = "the requirements are ambiguous";
    await page.goto(`${url}/playground?q=${encodeURIComponent(task)}`);
    await page.getByTestId("recommend-summary").filter({ hasText: "Ranked by words and meaning" }).waitFor();
    const items = page.getByTestId("recommended-item");
    await items.first().waitFor();
    await eventually(async () => {
      const found = await slugs(items);
      assert.ok(found.includes("strategy-ask-one-blocking-question"), found.join(", "));
    });
  }));
