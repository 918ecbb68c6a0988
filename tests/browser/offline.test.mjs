// The installed app: without a network, and from one build to the next.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, recommend, url, visit, withApp } from "./app.mjs";
import { serveSite } from "./site.mjs";

after(close);

const ROWS = "pattern-row-policies-on-every-table";

/** Waits until the service worker is in force, and goes on under it. */
async function keptOffline(page) {
  await ready(page);
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
  await page.reload();
  await ready(page);
  assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null));
}

/** The app's caches, one for each build. */
const builds = (page) =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("lessonloop-app-")));

/** Has the browser look for a new version, and waits until it has come or has been refused. */
const lookForUpdate = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update().catch(() => undefined);
    while (registration.installing) await new Promise(requestAnimationFrame);
    return registration.waiting !== null;
  });

async function withSite(walk, options) {
  const site = await serveSite();
  try {
    await withApp((page, context) => walk(page, context, site), { ...options, origin: site.url });
  } finally {
    site.close();
  }
}

/** Another build: a page and a worker that say so. */
const TWO = {
  "/": (html) => html.replace("<head>", '<head><meta name="build" content="two">'),
  "/engine-worker.js": (code) => `${code}\n// two\n`,
};
const pageIsTwo = (page) => page.locator('meta[name="build"][content="two"]').count();
const workerIsTwo = (page) =>
  page.evaluate(async () => (await (await fetch("/engine-worker.js")).text()).endsWith("// two\n"));

/** Settings asks the site which models it has, and shows nothing where that can't be told; a browser that is offline by its driver alone
 * does not say so to the page. */
const OFFLINE = { expected: [/\/engine\/manifest\.json net::ERR_INTERNET_DISCONNECTED/] };

test("every page opens without a network, after a reload and by its address", async () => {
  await withApp(async (page, context) => {
    await loadSamples(page);
    await keptOffline(page);
    await context.setOffline(true);
    await page.reload();
    await page.getByTestId("lesson-row").first().waitFor();
    for (const [path, heading] of [
      [`/lessons/${ROWS}`, /./],
      ["/playground", "Playground"],
      ["/tools", "Tools"],
      ["/insights", "Insights"],
      ["/settings", "Settings"],
      ["/lessons?q=tenant", "Lessons"],
    ]) {
      await page.goto(url + path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await ready(page);
    }
    // A rating that is written offline is there after another reload.
    await page.goto(`${url}/lessons/${ROWS}`);
    await page.getByTestId("rate-helpful").click();
    await page.locator("[data-testid=history-event][data-event=Rated]").waitFor();
    await page.reload();
    await page.locator("[data-testid=history-event][data-event=Rated]").waitFor();
    await visit(page, "Playground");
    assert.ok((await recommend(page, "tenants in postgres")).length > 0);
    assert.equal((await builds(page)).length, 1);
  }, OFFLINE);
});

test("what agents call, and files that are no part of the app, are left to the network", async () => {
  await withApp(
    async (page) => {
      await page.goto(`${url}/`);
      await keptOffline(page);
      const kept = await page.evaluate(async () => {
        const [name] = (await caches.keys()).filter((name) => name.startsWith("lessonloop-app-"));
        return (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
      });
      assert.ok(kept.includes("/") && kept.includes("/engine-worker.js"), String(kept));
      const modules = kept.filter((path) => path.startsWith("/engine/") && path.endsWith(".wasm"));
      assert.equal(modules.length, 1, "one module is enough for one browser");
      for (const path of ["/sw.js", "/precache.js", "/engine/minilm.pack", "/samples.json", "/edge/worker.js"]) {
        assert.ok(!kept.includes(path), path);
      }
      // This host has no agents' paths; the app must not stand in for them.
      const answer = await page.goto(`${url}/engine/none.wasm`);
      assert.equal(answer.status(), 404);
    },
    { expected: [/404 \(Not Found\)/] },
  );
});

test("a new version is offered, taken when a person says so, and no tab ever mixes two", async () => {
  await withSite(async (page, context, site) => {
    await page.goto(`${site.url}/`);
    await keptOffline(page);
    const other = await context.newPage();
    await other.goto(`${site.url}/playground`);
    await ready(other);
    await other.getByTestId("recommend-query").fill("half a thought");

    await site.deploy(TWO);
    assert.ok(await lookForUpdate(page));
    await page.getByTestId("update-ready").waitFor();
    // Nothing has changed yet, not even after a reload.
    await page.reload();
    await ready(page);
    assert.deepEqual([await pageIsTwo(page), await workerIsTwo(page)], [0, false]);

    await page.getByTestId("update-reload").click();
    await page.locator('meta[name="build"][content="two"]').waitFor({ state: "attached" });
    await ready(page);
    assert.ok(await workerIsTwo(page));

    // The other tab was not reloaded, and goes on with the files that it was loaded with.
    await other.getByTestId("update-ready").filter({ hasText: "Another tab" }).waitFor();
    await eventually(async () =>
      assert.equal(await other.getByTestId("recommend-query").inputValue(), "half a thought"),
    );
    assert.deepEqual([await pageIsTwo(other), await workerIsTwo(other)], [0, false]);
    assert.equal((await builds(other)).length, 2);

    await other.getByTestId("update-reload").click();
    await other.locator('meta[name="build"][content="two"]').waitFor({ state: "attached" });
    await ready(other);
    assert.ok(await workerIsTwo(other));
    // Nobody runs the old one any more: the next page that is opened finds it gone.
    await page.reload();
    await ready(page);
    await page.waitForFunction(
      async () => (await caches.keys()).filter((name) => name.startsWith("lessonloop-app-")).length === 1,
    );
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    assert.equal(await pageIsTwo(page), 1);
  });
});

test("files of two builds are never kept together", async () => {
  await withSite(
    async (page, context, site) => {
      await page.goto(`${site.url}/`);
      await keptOffline(page);
      const before = await builds(page);
      // The list is of the new build, one file still of the old: a host in the middle of an upload.
      await site.deploy(TWO, { fitting: false });
      assert.equal(await lookForUpdate(page), false);
      assert.deepEqual(await builds(page), before);
      await context.setOffline(true);
      await page.reload();
      await ready(page);
      assert.equal(await pageIsTwo(page), 0);
      await context.setOffline(false);
      await site.deploy(TWO, { version: "build-three" });
      // The page is on the network again; the browser's own look for a worker may still be off it.
      await eventually(async () => assert.ok(await lookForUpdate(page)));
    },
    { expected: [/integrity/] },
  );
});

test("a page has the headers that its host sends now", async () => {
  await withSite(async (page, _, site) => {
    await page.goto(`${site.url}/`);
    await keptOffline(page);
    site.headers = { "x-policy": "tighter" };
    const answer = await page.reload();
    assert.ok(answer.fromServiceWorker());
    assert.equal((await answer.allHeaders())["x-policy"], "tighter");
  });
});
