// The model on its way to the browser, and many lessons read by it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadModel, ready, recommend, url, visit, withApp } from "./app.mjs";
import { hold, release, watchEmbeddingWorkers } from "./embedding-workers.mjs";
import { servePack } from "./pack-server.mjs";
import { serveSite } from "./site.mjs";

after(close);

const PIECE = 2 * 1024 * 1024;
/** The browser's errors about a download that was cut on purpose. */
const CUT = { expected: [/minilm\.pack/, /net::ERR_/] };

const phase = (page, name) =>
  page.locator(`[data-testid=model-state][data-phase=${name}]`).waitFor({ timeout: 60_000 });
const card = (page) => page.getByTestId("model-card").textContent();

/** Lists the parts of a pack in the cache: "whole" or a piece's number. */
const kept = (page) =>
  page.evaluate(async () => {
    const cache = await caches.open("lessonloop-model");
    return (await cache.keys()).map(({ url }) => /&part=(\d+)$/.exec(url)?.[1] ?? "whole").sort();
  });

/** Waits until that many parts are in the cache. */
const keeps = (page, count) =>
  page.evaluate(async (count) => {
    const cache = await caches.open("lessonloop-model");
    for (const begun = Date.now(); (await cache.keys()).length !== count; ) {
      if (Date.now() - begun > 60_000) throw new Error(`the cache does not come to hold ${count} parts`);
      await new Promise(requestAnimationFrame);
    }
  }, count);

const ONE = "row-policies";

/** Puts one lesson into an empty store. */
async function importOne(page) {
  await page.goto(`${url}/settings`);
  await ready(page);
  await page.getByTestId("import-files").setInputFiles({
    name: `${ONE}.md`,
    mimeType: "text/markdown",
    buffer: Buffer.from("# Row policies on every table\n\nKeep tenants apart: a policy for the rows of each table.\n"),
  });
  await page.getByTestId("import-added").filter({ hasText: "1" }).waitFor();
}

async function withPack(walk, options) {
  await withApp(
    async (page, context) => {
      const server = await servePack(context);
      try {
        await walk(page, server);
      } finally {
        server.close();
      }
    },
    { ...options, intercepted: true },
  );
}

test("a download that was stopped, cut and reloaded goes on where it was", async () => {
  await withPack(async (page, { how, size, cut }) => {
    await importOne(page);
    how.stallAt = 2.5 * PIECE;
    await page.getByTestId("download-model").click();
    await keeps(page, 2);
    await page.getByTestId("cancel-model").click();
    await phase(page, "absent");

    how.stallAt = 5.5 * PIECE;
    await page.getByTestId("download-model").click();
    // Bytes that were sent but not read yet are lost with the connection.
    await keeps(page, 5);
    cut();
    await phase(page, "failed");
    await eventually(async () =>
      assert.match(await card(page), /stopped at \d+\.\d of \d+\.\d MB.*try again to go on/),
    );
    assert.deepEqual(await kept(page), ["0", "1", "2", "3", "4"]);

    how.stallAt = Infinity;
    await page.reload();
    await ready(page);
    await phase(page, "absent");
    await page.getByTestId("download-model").click();
    await phase(page, "ready");
    assert.deepEqual(how.asked, [
      { range: null, status: 200 },
      { range: `bytes=${2 * PIECE}-`, status: 206 },
      { range: `bytes=${5 * PIECE}-`, status: 206 },
    ]);
    // Told before it is kept: the ready state does not wait for the cache.
    await keeps(page, 1);
    assert.deepEqual(await kept(page), ["whole"]);
    const length = await page.evaluate(async () => {
      const cache = await caches.open("lessonloop-model");
      const [key] = await cache.keys();
      return (await (await cache.match(key)).arrayBuffer()).byteLength;
    });
    assert.equal(length, size);

    await page.reload();
    await phase(page, "ready");
    assert.equal(how.asked.length, 3, "the kept pack is not fetched again");
  }, CUT);
});

test("a server that knows no ranges, or has another file now, sends all of it again", async () => {
  await withPack(async (page, { how, cut }) => {
    await page.goto(`${url}/settings`);
    await ready(page);
    how.stallAt = 1.5 * PIECE;
    await page.getByTestId("download-model").click();
    await keeps(page, 1);
    cut();
    await phase(page, "failed");
    assert.deepEqual(await kept(page), ["0"]);

    // Pieces of a pack that is no longer offered are in nobody's way.
    await page.evaluate(async () => {
      const cache = await caches.open("lessonloop-model");
      await cache.put("/engine/minilm.pack?sha256=0&part=0", new Response("old"));
      await cache.put("/engine/minilm.pack?sha256=0", new Response("old"));
    });
    how.stallAt = Infinity;
    how.ranges = false;
    await page.getByTestId("download-model").click();
    await phase(page, "ready");
    assert.deepEqual(how.asked.slice(1), [{ range: `bytes=${PIECE}-`, status: 200 }]);
    await keeps(page, 1);
    assert.deepEqual(await kept(page), ["whole"]);
  }, CUT);
});

test("a damaged pack is refused, nothing of it is kept, and the right one works", async () => {
  await withPack(async (page, { how }) => {
    await importOne(page);
    how.damaged = 12_000_000;
    await page.getByTestId("download-model").click();
    await phase(page, "failed");
    await eventually(async () =>
      assert.match(await card(page), /refused and thrown away.*damaged.*found by their words/),
    );
    assert.deepEqual(await kept(page), []);
    assert.deepEqual(await recommend(page, "rows of tenants"), [ONE]);

    how.damaged = -1;
    await loadModel(page);
    assert.deepEqual(how.asked[1], { range: null, status: 200 });
  }, CUT);
});

test("without room for the model it works from memory", async () => {
  await withApp(
    async (page, context) => {
      await page.goto(`${url}/icons/icon.svg`);
      const devtools = await context.newCDPSession(page);
      await devtools.send("Storage.overrideQuotaForOrigin", { origin: url, quotaSize: 12_000_000 });
      await importOne(page);
      await loadModel(page);
      await keeps(page, 0);
      assert.deepEqual(await recommend(page, "rows of tenants"), [ONE]);
      // Beside the bare icon of the first step the browser asks for a favicon, which there is none of.
    },
    { expected: [/404 \(Not Found\)/] },
  );
});

/** Enough that workers are started beside the engine. */
const LESSONS = 500;
const WORDS =
  "index policy retry tenant cache queue token form render deploy rollback secret latency timeout schema migration fixture snapshot funding margin".split(
    " ",
  );

/** Lessons of 10 to 60 words, the same each time. */
function manyLessons() {
  let seed = 1;
  const draw = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  const words = (count) => Array.from({ length: count }, () => WORDS[draw(WORDS.length)]).join(" ");
  return Array.from({ length: LESSONS }, (_, at) => ({
    slug: `pattern-many-${at}`,
    title: `Lesson ${at} on ${words(4)}`,
    recommendation: words(10 + draw(50)),
  }));
}

async function importMany(page, at = url) {
  await page.goto(`${at}/settings`);
  await ready(page);
  await page.getByTestId("import-files").setInputFiles({
    name: "many.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(manyLessons())),
  });
  await page
    .getByTestId("import-added")
    .filter({ hasText: /^[1-9]/ })
    .waitFor();
}

/** Returns the number of stored vectors, and one hash of all. */
const vectors = (page) =>
  page.evaluate(async () => {
    const settled = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open("lessonloop"));
    const store = database.transaction("vectors").objectStore("vectors");
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    database.close();
    const bytes = await new Blob(keys.flatMap((key, at) => [key, values[at]])).arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return { count: keys.length, hash: [...hash].join() };
  });

test("many lessons are read by several workers, stopped and resumed, as one alone reads them", async () => {
  let together = null;
  await withApp(async (page) => {
    const embeddingWorkers = watchEmbeddingWorkers(page);
    await importMany(page);
    await hold(page, { cores: 3, slices: true, batches: true });
    await page.getByTestId("download-model").click();
    await phase(page, "indexing");
    await eventually(() => assert.equal(embeddingWorkers.started, 2), 60_000);
    await page.getByTestId("stop-indexing").click();
    await phase(page, "paused");
    await eventually(() => assert.equal(embeddingWorkers.gone, 2), 60_000);
    const stopped = await page.getByTestId("model-state").textContent();
    // Requests are answered meanwhile, and nothing is read behind the person's back.
    await release(page);
    assert.equal((await recommend(page, `Lesson ${LESSONS - 1} on`))[0], `pattern-many-${LESSONS - 1}`);
    await visit(page, "Settings");
    await eventually(async () => assert.match(await card(page), new RegExp(`Paused: \\d+ of ${LESSONS} lessons`)));
    await eventually(async () => assert.equal(await page.getByTestId("model-state").textContent(), stopped));
    assert.ok((await vectors(page)).count < LESSONS);

    // The workers read them, as the engine rests after a slice.
    await hold(page, { cores: 3, slices: true });
    await page.getByTestId("resume-indexing").click();
    await eventually(() => assert.equal(embeddingWorkers.started, 4), 60_000);
    await eventually(async () => assert.ok((await vectors(page)).count > LESSONS / 2), 60_000);
    await release(page);
    await phase(page, "ready");
    await eventually(() => assert.equal(embeddingWorkers.gone, 4), 60_000);
    together = await vectors(page);
    assert.equal(together.count, LESSONS);
  });
  await withApp(async (page) => {
    const embeddingWorkers = watchEmbeddingWorkers(page);
    await importMany(page);
    // None beside it.
    await hold(page, { cores: 1 });
    await loadModel(page);
    assert.equal(embeddingWorkers.started, 0);
    assert.deepEqual(await vectors(page), together);
  });
});

test("workers that fail are given up, and every lesson has its vector all the same", async () => {
  // Served, not intercepted: not every Chromium lets the debugger see what a worker of a worker loads.
  const site = await serveSite();
  try {
    // Each traps at its first batch.
    await site.deploy({
      "/embed-worker.js": (text) => {
        const embeds = "engine.embed(texts)";
        assert.ok(text.includes(embeds));
        return text.replace(embeds, '(() => { throw new WebAssembly.RuntimeError("unreachable"); })()');
      },
    });
    await withApp(
      async (page) => {
        const embeddingWorkers = watchEmbeddingWorkers(page);
        await importMany(page, site.url);
        await hold(page, { cores: 3, slices: true });
        await page.getByTestId("download-model").click();
        // Two on three cores, and two in their places.
        await eventually(() => assert.deepEqual(embeddingWorkers, { started: 4, gone: 4 }), 120_000);
        assert.ok((await vectors(page)).count < LESSONS);
        await release(page);
        await phase(page, "ready");
        assert.equal((await vectors(page)).count, LESSONS);
        assert.equal(embeddingWorkers.started, 4);
      },
      { origin: site.url },
    );
  } finally {
    site.close();
  }
});
