// A space that is read by parts says the same as one that is held: its numbers, words, lists and what a search finds.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fill, record, situation } from "../benches/scale/corpus.mjs";
import { sql } from "../stack/stack.mjs";
import { agent, edge, refused, space, until } from "./edge.mjs";

const LESSONS = 400;
/** Without the model's pack, so that both rank by words. */
const assets = mkdtempSync(join(tmpdir(), "lessonloop-bare-"));
after(() => rmSync(assets, { recursive: true, force: true }));

let home, held, parts;
before(async () => {
  home = await space();
  await fill(home.id, { to: LESSONS });
  // Standings of every kind, told apart by their slugs.
  sql(
    `update lessons set
       times_surfaced = n.a % 20, times_helpful = n.b % 4, times_not_helpful = n.c % 4, effectiveness = (n.d % 101) / 100.0,
       causal_hits = n.b % 9, use_count = n.b % 9 + n.c % 5, times_applied = n.a % 7, success_count = (n.a % 7) * (n.d % 3) / 2,
       lift_mean = (array[0.2, -0.2, 0.03])[n.b % 3 + 1], lift_variance = (array[0.0004, 0.0004, 0.0144])[n.b % 3 + 1], lift_at = now(),
       consecutive_failures = n.c % 7, proven_effective = n.a % 7 >= 3 and n.d % 3 = 2, archived = n.d % 9 = 0,
       trust = (array['approved', 'approved', 'unreviewed', 'quarantined'])[n.c % 4 + 1]
     from (select slug as s, abs(hashtext(slug)) as a, abs(hashtext(slug || 'b')) as b, abs(hashtext(slug || 'c')) as c,
             abs(hashtext(slug || 'd')) as d from lessons where space = :'space') n
     where space = :'space' and slug = n.s`,
    { space: home.id },
  );
  const { key } = await home.agent();
  held = agent(await edge({ assets }), key);
  // A few decisions, so that there is something of everything to count.
  for (let n = 0; n < 6; n++) {
    const decision_id = `d${n}`;
    const { recommended } = await held.post("/v1/recommend", { query: situation(n, LESSONS), decision_id });
    const [first] = recommended.map(({ slug }) => slug);
    await held.post("/v1/track", { decision_id, reasoning: `Applying '${first}' here.` });
    if (n < 4) await held.post("/v1/outcome", { decision_id, outcome: n % 2 ? "failure" : "success" });
    await held.post("/v1/feedback", {
      decision_id,
      outcome: "delivered",
      lessons: [first],
      causal: n % 2 ? [first] : [],
    });
  }
  parts = agent(await edge({ assets, bindings: { REPLICA_BYTES: "0" } }), key);
});

test("stats, health and tags are counted by the database as a replica counts them", async () => {
  const [mine, theirs] = [await held.get("/v1/stats"), await parts.get("/v1/stats")];
  for (const list of ["top", "pruning", "never_rated", "activity"]) assert.ok(mine[list].length > 0, list);
  assert.ok(mine.disqualified > 0 && mine.archived > 0 && mine.quarantined > 0 && mine.proven > 0);
  assert.deepEqual(theirs, mine);
  const told = async (me) => {
    const { store, sync, ...health } = await me.get("/v1/health");
    return health;
  };
  const health = await told(held);
  assert.deepEqual([health.funnel.applied, health.funnel.outcome, health.feedback_last_7_days], [6, 4, 6]);
  assert.deepEqual(await told(parts), health);
  assert.deepEqual(await parts.get("/v1/tags"), await held.get("/v1/tags"));
});

test("numbers move at once, and constants that the space has set hold", async () => {
  const before = await parts.get("/v1/stats");
  const { slug } = record(0);
  const open = sql(
    `select slug from lessons where space = :'space' and not archived and trust <> 'quarantined' and slug like '%-scale-%'
     order by slug limit 1`,
    {
      space: home.id,
    },
  );
  await parts.post("/v1/rate", { lesson: open || slug, helpful: true });
  assert.equal((await parts.get("/v1/stats")).total_rated, before.total_rated + 1);
  sql(
    `with moved as (update spaces set version = version + 1 where id = :'space' returning version)
     insert into settings (space, name, value, version) select :'space', 'rank.max_consecutive_failures', '2', version from moved`,
    { space: home.id },
  );
  sql(
    `with moved as (update spaces set version = version + 1 where id = :'space' returning version)
     insert into settings (space, name, value, version) select :'space', 'rank.standing', '"seeds"', version from moved`,
    { space: home.id },
  );
  const strict = await parts.get("/v1/stats");
  assert.ok(strict.disqualified > before.disqualified, `${strict.disqualified} of ${before.disqualified}`);
  const same = await until(
    async () => {
      const mine = await held.get("/v1/stats");
      return mine.disqualified === strict.disqualified ? mine : null;
    },
    { what: "the replica's own refresh" },
  );
  assert.deepEqual(strict, same);
});

test("lists are filtered, ordered and paged by the database", async () => {
  for (const query of [
    "sort=title",
    "sort=confidence&domain=perps",
    "sort=updated&category=security&trust=unreviewed",
    "sort=title&archived=true",
    "sort=effectiveness&badge=proven",
    "sort=surfaced&badge=testing&reverse=true",
    "sort=created&domain=Billing&badge=new",
    "trust=quarantined",
  ]) {
    const all = async (me) => {
      const slugs = [];
      let total;
      for (let cursor = ""; ; ) {
        const page = await me.get(`/v1/lessons?limit=40&${query}${cursor ? `&cursor=${cursor}` : ""}`);
        total ??= page.total;
        slugs.push(...page.lessons.map(({ slug }) => slug));
        if (!page.next_cursor) return { slugs, total };
        cursor = encodeURIComponent(page.next_cursor);
      }
    };
    const mine = await all(held);
    assert.equal(mine.slugs.length > 0, query !== "trust=quarantined", query);
    assert.deepEqual(await all(parts), mine, query);
  }
  refused(await parts.send("GET", "/v1/lessons?limit=100000"), 400, "invalid_request", "limit");
});

test("a search in a list finds what fits its filters, archived lessons too", async () => {
  const [word] = record(3).tags;
  for (const filters of [
    "",
    "&archived=true",
    "&trust=unreviewed",
    "&badge=testing",
    "&domain=perps",
    "&category=testing",
  ]) {
    const path = `/v1/lessons?limit=200&q=${word}${filters}`;
    const [mine, theirs] = [await held.get(path), await parts.get(path)];
    const slugs = ({ lessons }) => lessons.map(({ slug }) => slug);
    assert.deepEqual(slugs(theirs), slugs(mine), filters);
  }
  const found = await parts.get(`/v1/lessons?limit=200&q=${word}`);
  assert.ok(found.lessons.length > 3);
  assert.deepEqual((await parts.get("/v1/lessons?q=qqqqq")).lessons, []);
});

test("a lesson's history comes by cursor", async () => {
  for (let n = 0; n < 5; n++) await parts.post("/v1/rate", { lesson: "bounded-queues", helpful: n % 2 === 0 });
  const told = [];
  for (let before = ""; ; ) {
    const page = await parts.get(`/v1/lessons/bounded-queues/history?limit=2${before}`);
    assert.equal(page.total, 6);
    assert.ok(page.events.length <= 2);
    told.unshift(...page.events);
    if (!page.next_before) break;
    before = `&before=${page.next_before}`;
  }
  const whole = await held.get("/v1/lessons/bounded-queues/history");
  assert.equal(whole.events.length, 6);
  assert.deepEqual(told, whole.events);
});
