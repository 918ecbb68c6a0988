// A space that is worked on on the server: an engine and a browser ask before they copy it, read it by parts, send what they
// make, and change to a copy and back.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, url, visit, withApp } from "../browser/app.mjs";
import { fill, record, situation } from "../benches/scale/corpus.mjs";
import { between } from "../edge/faults.mjs";
import { sql, url as server } from "../stack/stack.mjs";
import { device } from "./engine.mjs";
import { signIn } from "./sign_in.mjs";

const LESSONS = 1_500;
const LIMIT = 1_000;

const proxies = [];
after(async () => {
  await close();
  await Promise.all(proxies.map((proxy) => proxy.end()));
});
/** A proxy to the stack that ends with the tests. */
const through = async () => {
  const proxy = await between(server);
  proxies.push(proxy);
  return proxy;
};

/** A space of this many lessons, of the stack's person. */
async function large(name, to = LESSONS) {
  const owner = await device();
  const id = await owner.create(name);
  await fill(id, { to });
  return { id, owner };
}

/** The functions that were called through a proxy since the last look. */
const called = (proxy) => proxy.seen.splice(0).map(({ url }) => url.split("?")[0].split("/").pop());

const held = (space, slug, what) =>
  sql(`select ${what} from lessons where space = :'space' and slug = :'slug'`, { space, slug });

test("a large space is not copied unasked; on the server it is listed, searched, ranked, changed and counted", async () => {
  const { id, owner } = await large("Large for engines");
  const proxy = await through();
  const me = await device();
  const asked = { url: proxy.url, space: id, large_above: LIMIT };
  const told = await me.connect(asked);
  assert.equal(told.connected, false);
  assert.equal(told.large.lessons, LESSONS);
  assert.ok(told.large.megabytes >= 3, `${told.large.megabytes}`);
  assert.deepEqual(told.spaces, [{ id, name: "Large for engines" }]);
  assert.equal((await me.status()).phase, "off");
  assert.deepEqual((await me.connect({ ...asked, hold: "server" })).connected, true);
  assert.equal((await me.sync()).on_server, true);

  const first = await me.get("/v1/lessons?limit=20&sort=title");
  assert.equal(first.lessons.length, 20);
  assert.equal(first.total, LESSONS);
  const next = await me.get(`/v1/lessons?limit=20&sort=title&cursor=${encodeURIComponent(first.next_cursor)}`);
  assert.ok(next.lessons[0].title >= first.lessons.at(-1).title);
  const one = record(7);
  const filtered = await me.get(`/v1/lessons?limit=50&domain=${encodeURIComponent(one.domain)}`);
  assert.ok(filtered.lessons.length > 0);
  assert.ok(filtered.lessons.every(({ domain }) => domain === one.domain));
  const found = await me.post("/v1/search", { query: one.title });
  assert.ok(found.results.length > 0);
  const page = await me.get(`/v1/lessons/${one.slug}`);
  assert.equal(page.title, one.title);
  assert.equal((await me.get("/v1/stats")).lessons, LESSONS);
  assert.equal((await me.get("/v1/health")).store.kind, "memory");
  assert.ok((await me.get("/v1/tags")).domains.words.length > 0);
  assert.ok((await me.get("/v1/policy")).constants.length > 0);
  await me.get(`/v1/lessons/${one.slug}/standing`);

  const answer = await me.post("/v1/recommend", { query: situation(1, LESSONS), decision_id: "one", limit: 3 });
  assert.equal(answer.candidates_of, LESSONS);
  const [best, second] = answer.recommended.map(({ slug }) => slug);
  assert.equal((await me.get("/v1/decisions/one")).id, "one");
  await me.post("/v1/track", { decision_id: "one", reasoning: `Applying '${best}' here.` });
  await me.post("/v1/outcome", { decision_id: "one", outcome: "success" });
  await me.post("/v1/feedback", { outcome: "delivered", lessons: [best], causal: [best], decision_id: "one" });
  await me.post("/v1/rate", { lesson: second, helpful: true });
  assert.equal(held(id, best, "success_count"), "1");
  assert.equal((await me.get("/v1/decisions?limit=5")).decisions.length, 1);

  const edited = await me.patch(`/v1/lessons/${one.slug}`, { base_rev: 1, title: "Another title of seven" });
  assert.equal(edited.title, "Another title of seven");
  assert.equal(held(id, one.slug, "title"), "Another title of seven");
  assert.equal((await me.get(`/v1/lessons/${one.slug}`)).title, "Another title of seven");
  await me.post(`/v1/lessons/${one.slug}/archive`);
  assert.equal(held(id, one.slug, "archived"), "t");
  await me.post(`/v1/lessons/${one.slug}/restore`);
  const added = await me.post("/v1/lessons", { title: "Feed quokkas at noon", recommendation: "Only then." });
  assert.equal(held(id, added.slug, "title"), "Feed quokkas at noon");
  const bulk = await me.post("/v1/lessons/bulk", { act: "archive", lessons: [{ slug: added.slug }, { slug: second }] });
  assert.equal(bulk.changed, 2);
  await me.patch("/v1/policy", { measure: { withhold: 0.1 } });
  assert.equal((await me.get("/v1/policy")).measure.withhold, 0.1);
  assert.equal((await me.status()).unsent, 0);
  assert.equal((await me.get(`/v1/lessons/${added.slug}/history`)).total, 2);

  assert.ok(!called(proxy).includes("pull_changes"), "nothing was pulled");
  // Another device sees it.
  await owner.sync();
  assert.equal((await owner.get(`/v1/lessons/${one.slug}`)).title, "Another title of seven");
});

test("what needs all of a space says so, and never answers from nothing", async () => {
  const { id } = await large("Refusals", 20);
  const me = await device();
  await me.connect({ space: id, hold: "server" });
  for (const [method, path, body] of [
    ["GET", "/v1/export?format=jsonl"],
    ["POST", "/v1/import", { files: [{ name: "a.md", content: "# A" }] }],
    ["GET", "/v1/review"],
    ["GET", "/v1/lift"],
    ["GET", "/v1/insights"],
    ["GET", "/v1/lessons?sort=trend"],
  ]) {
    const { status, body: told } = await me.send(method, path, body);
    assert.deepEqual([status, told.error.code, told.error.field], [409, "conflict", "on_server"], String(path));
    assert.match(told.error.message, /you work on this space on the server/);
  }
  // A space that is small may be worked on there, too, and the same lesson is not found twice over.
  assert.equal((await me.get("/v1/lessons")).total, 20);
  assert.equal((await me.send("GET", "/v1/lessons/none-such")).status, 404);
});

test("what can't be sent stays and is sent later; while it waits nothing more is made", async () => {
  const { id } = await large("Waiting", 20);
  const proxy = await through();
  const me = await device();
  await me.connect({ url: proxy.url, space: id, hold: "server" });
  await me.sync();
  const { slug } = record(3);
  proxy.choose = ({ url }) => (url.endsWith("/push_events") ? "down" : null);
  await me.patch(`/v1/lessons/${slug}`, { base_rev: 1, title: "Made while sending fails" });
  const waits = await me.status();
  assert.deepEqual([waits.unsent, waits.phase], [1, "offline"]);
  const refused = await me.send("PATCH", `/v1/lessons/${slug}`, { base_rev: 2, title: "Too early" });
  assert.equal(refused.status, 503);
  assert.match(refused.body.error.message, /1 change that you made before could not be sent yet/);
  proxy.choose = () => "down";
  assert.equal((await me.send("GET", "/v1/lessons")).status, 503);
  proxy.choose = null;
  await me.sync();
  assert.equal(held(id, slug, "title"), "Made while sending fails");
  assert.equal(held(id, slug, "rev"), "2");
});

test("a session that has expired is renewed, also where there is nothing to send", async () => {
  const { id } = await large("Expired", 20);
  const proxy = await through();
  const me = await device();
  await me.connect({ url: proxy.url, space: id, hold: "server" });
  await me.sync();
  called(proxy);
  let once = true;
  proxy.choose = ({ url }) => {
    const expired = once && url.endsWith("/space_lessons");
    if (expired) once = false;
    return expired ? "expired" : null;
  };
  assert.equal((await me.get("/v1/lessons")).total, 20);
  assert.deepEqual(called(proxy), ["space_lessons", "token", "space_lessons"]);
  assert.equal((await me.status()).phase, "idle");
});

test("a copy becomes work on the server and a copy again; what waits keeps the copy", async () => {
  const { id } = await large("There and back");
  const proxy = await through();
  const me = await device();
  await me.connect({ url: proxy.url, space: id, hold: "copy" });
  await me.sync();
  const shown = await me.shown();
  assert.equal(shown.lessons.length, LESSONS);

  await me.post("/v1/rate", { lesson: record(1).slug, helpful: true });
  const early = await me.send("POST", "/v1/sync/hold", { hold: "server" });
  assert.deepEqual([early.status, early.body.error.field], [409, "hold"]);
  await me.sync();
  assert.equal((await me.post("/v1/sync/hold", { hold: "server" })).on_server, true);
  await me.sync();
  called(proxy);
  assert.equal((await me.get("/v1/lessons?limit=1")).total, LESSONS);
  await me.post("/v1/rate", { lesson: record(1).slug, helpful: true });
  assert.deepEqual(called(proxy).includes("pull_changes"), false);

  assert.equal((await me.post("/v1/sync/hold", { hold: "copy" })).on_server, false);
  await me.sync();
  const again = await me.shown();
  assert.equal(again.lessons.length, LESSONS);
  assert.equal(again.lessons.find(({ slug }) => slug === record(1).slug).standing.times_helpful, 2);
  assert.equal((await me.get("/v1/insights")).lessons.length >= 0, true);
});

test("a server that lacks functions: small spaces are copied as usual, and work on the server names the schema that it needs", async () => {
  const { id } = await large("Older server", 20);
  const proxy = await through();
  const lacks = (name) => {
    proxy.choose = ({ url }) => (url.endsWith(`/${name}`) ? "lacks" : null);
  };
  const me = await device();
  lacks("space_size");
  const { status, body } = await me.send(
    "POST",
    "/v1/sync/connect",
    me.asked({ url: proxy.url, space: id, hold: "server" }),
  );
  assert.equal(status, 503);
  assert.match(body.error.message, /lacks the function space_size, which is part of version 1 of the schema/);
  for (const name of ["space_lessons", "space_report"]) {
    lacks(name);
    const told = await me.send("POST", "/v1/sync/connect", me.asked({ url: proxy.url, space: id, hold: "server" }));
    assert.equal(told.status, 503);
    assert.match(told.body.error.message, new RegExp(`${name}, which is part of version 1 of the schema`));
  }
  assert.equal((await me.status()).phase, "off");
  lacks("space_size");
  assert.equal((await me.connect({ url: proxy.url, space: id, large_above: 1 })).connected, true);
  await me.sync();
  assert.equal((await me.shown()).lessons.length, 20);
});

/** A picture, when somebody wants to look. */
const shoot = async (page, name) => {
  const folder = process.env.LESSONLOOP_SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};

/** Rows that the browser keeps. */
const rows = (page) =>
  page.evaluate(async () => {
    const asked = indexedDB.open("lessonloop");
    await new Promise((done) => (asked.onsuccess = done));
    const count = asked.result.transaction("rows").objectStore("rows").count();
    await new Promise((done) => (count.onsuccess = done));
    asked.result.close();
    return count.result;
  });

const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("on a phone: the choice, work on the server, a copy and back", async () => {
  const name = "Large for phones";
  const { id, owner } = await large(name);
  const called = [];
  const expected = [new RegExp(`^request to another host: ${server}$`)];
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await withApp(
    async (page, context) => {
      context.on("request", (request) => called.push(new URL(request.url()).pathname.split("/").pop()));
      page.on("request", (request) => called.push(new URL(request.url()).pathname.split("/").pop()));
      await page.addInitScript((limit) => {
        const send = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (message, ...more) {
          if (message?.request?.path === "/v1/sync/connect") {
            const body = JSON.parse(message.request.body);
            message.request.body = JSON.stringify({ ...body, large_above: limit });
          }
          return send.call(this, message, ...more);
        };
      }, LIMIT);
      await page.goto(`${url}/settings`);
      await signIn(page);
      await page.getByLabel(name, { exact: true }).check();
      await page.getByTestId("sync-submit").click();
      const choice = page.getByTestId("sync-large");
      await choice.filter({ hasText: "1,500 lessons" }).waitFor();
      assert.ok(await page.getByTestId("sync-large-server").isChecked());
      assert.equal(await wide(page), 0);
      await shoot(page, "large-choice");
      assert.equal(await rows(page), 0);
      await page.getByTestId("sync-submit").click();
      await page.getByTestId("sync-hold").filter({ hasText: "You work on the server" }).waitFor();
      await page.getByTestId("sync-state").filter({ hasText: "On the server" }).waitFor({ state: "attached" });
      assert.equal(await wide(page), 0);
      await shoot(page, "on-server-settings");

      await visit(page, "Lessons");
      await page.getByTestId("lesson-row").first().waitFor();
      await shoot(page, "on-server-lessons");
      const one = record(7);
      await page.getByTestId("search-input").fill(one.title);
      await page.locator(`[data-testid=lesson-row][data-slug="${one.slug}"] a`).first().click();
      await page.getByTestId("lesson-slug").filter({ hasText: one.slug }).waitFor();
      await page.getByTestId("rate-helpful").click();
      await page.getByTestId("rate-helpful").filter({ hasText: "Helpful 1" }).waitFor();
      await eventually(async () => assert.equal(held(id, one.slug, "times_helpful"), "1"));
      assert.equal(await wide(page), 0);
      await shoot(page, "on-server-lesson");

      await visit(page, "Playground");
      await page.getByTestId("recommend-query").fill(situation(1, LESSONS));
      await page.getByTestId("recommend-submit").click();
      await page.getByTestId("recommended-item").first().waitFor();
      for (const [place, says] of [
        ["Review", "review queue is made of all lessons"],
        ["Insights", "reckoned from all runs"],
        ["Overview", "reckoned from all runs"],
      ]) {
        await visit(page, place);
        await page.getByTestId("on-server-note").filter({ hasText: says }).first().waitFor();
        assert.equal(await wide(page), 0, place);
        await shoot(page, `on-server-${place.toLowerCase()}`);
      }
      assert.ok(called.includes("space_lessons") && !called.includes("pull_changes"), called.join(" "));
      assert.equal(await rows(page), 0);
      // This page's writes are there for another device, and that device's writes are here when one comes back.
      await owner.sync();
      assert.equal((await owner.get(`/v1/lessons/${one.slug}`)).standing.times_helpful, 1);
      await owner.patch(`/v1/lessons/${one.slug}`, { base_rev: 1, title: "Renamed elsewhere" });
      await owner.sync();
      await page.goto(`${url}/lessons/${one.slug}`);
      await page.getByRole("heading", { level: 1, name: "Renamed elsewhere" }).waitFor();

      await page.goto(`${url}/settings#sync`);
      await page.getByTestId("sync-hold-change").click();
      await page.getByTestId("sync-hold").filter({ hasText: "A copy of the space is kept" }).waitFor();
      await eventually(async () => assert.ok((await rows(page)) >= LESSONS), 30_000);
      await page.getByTestId("sync-state").filter({ hasText: "Synced" }).waitFor({ state: "attached" });
      await page.getByTestId("sync-hold-change").click();
      await page.getByTestId("sync-hold").filter({ hasText: "You work on the server" }).waitFor();
      await eventually(async () => assert.equal(await rows(page), 0));
    },
    { expected, ...phone },
  );
});
