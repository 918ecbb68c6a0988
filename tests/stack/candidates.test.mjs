// Parts of a space that no isolate holds: its size, candidates by words and meaning, rows by name, pages, the index.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fill } from "../benches/scale/corpus.mjs";
import { AT, author, client, edge, env, lesson, sql, user } from "./stack.mjs";

/** A space with these lessons, each with an axis of its own as vector. */
async function space(lessons) {
  const who = user();
  const id = await who.space();
  const by = author();
  const answer = await who.push(
    id,
    by.actor,
    lessons.map(({ slug, ...more }) => by.event("LessonAdded", lesson(slug, more))),
  );
  assert.deepEqual(answer.rejected, []);
  const hashes = new Map(
    (await who.get(`/lessons?select=slug,embedded_hash&space=eq.${id}`)).body.map((row) => [
      row.slug,
      row.embedded_hash,
    ]),
  );
  const put = (rows, p_model = "m") =>
    who.call("put_embeddings", {
      p_space: id,
      p_model,
      p_rows: rows.map(([slug, packed]) => ({ slug, content_hash: hashes.get(slug), packed })),
    });
  const ask = (p_ask) => who.call("lesson_candidates", { p_space: id, p_ask });
  return { who, id, by, put, ask, hashes };
}

/** A vector that points along some axes. */
const axes = (...of) => {
  const bytes = Buffer.alloc(384);
  for (const [at, value] of of) bytes.writeInt8(value, at);
  return bytes.toString("base64");
};
const slugs = (answer) => answer.page.lessons.map((one) => one.slug).sort();

test("candidates are found by words and by meaning, and how common words are is said of the whole space", async () => {
  const many = Array.from({ length: 30 }, (_, n) => ({
    slug: `other-${n}`,
    title: `Filler ${n}`,
    recommendation: "Common words.",
  }));
  const { ask, put } = await space([
    ...many,
    { slug: "by-word", title: "Cached row-level tenants", description: "Don't use localStorage" },
    { slug: "by-meaning", title: "Nothing of it" },
    { slug: "away", title: "Archived tenants" },
  ]);
  await put([
    ["by-meaning", axes([3, 100])],
    ["other-1", axes([9, 100])],
  ]);
  const asked = { words: ["caching", "row-level", "localstorage", "dont", "common", "nowhere"], count: 2 };
  const words = await ask(asked);
  assert.deepEqual(words.counted.having, [1, 1, 1, 1, 30, 0]);
  assert.deepEqual([words.counted.lessons, words.counted.with_vector, words.counted.index], [33, 0, "exact"]);
  assert.ok(slugs(words).includes("by-word"), `${slugs(words)}`);
  const both = await ask({ ...asked, model: "m", packed: axes([3, 90], [4, 10]) });
  assert.deepEqual(slugs(both), ["by-meaning", "by-word"]);
  assert.equal(both.counted.with_vector, 2);
  assert.equal(both.vectors.length, 1);
  assert.equal(both.vectors[0].packed, axes([3, 100]));
  // Ranking reads the same fields of each as a replica has.
  const row = both.page.lessons.find((one) => one.slug === "by-word");
  assert.equal(row.description, "Don't use localStorage");
  assert.ok(row.version > 0 && row.confidence === 0.5);
});

test("cosines are read as those of the model that they are of", async () => {
  const { ask, put } = await space([
    { slug: "nearer", title: "One", confidence: 0.5 },
    { slug: "further", title: "Two", confidence: 0.9 },
  ]);
  // Cosines to the first axis: 0.92 and 0.85.
  await put([
    ["nearer", axes([1, 92], [2, 39])],
    ["further", axes([1, 85], [3, 53])],
  ]);
  const best = async (more) => slugs(await ask({ words: [], count: 1, model: "m", packed: axes([1, 100]), ...more }));
  assert.deepEqual(await best({}), ["further"], "both say the same, so confidence decides");
  assert.deepEqual(await best({ meaning: [0.1, 0.8] }), ["further"]);
  assert.deepEqual(await best({ meaning: [0.8, 0.95] }), ["nearer"], "in a model whose cosines lie close together");
});

test("lessons are found by other forms of their words in their own language", async () => {
  const rows = JSON.parse(await readFile(new URL("../corpus/languages.json", import.meta.url), "utf8"));
  const { who, id, by, ask } = await space([
    ...rows.map(({ slug, title }) => ({ slug, title, description: "", context: "", recommendation: "" })),
    {
      slug: "odd",
      title: "Die Datei und der Rest",
      recommendation: `${"数据".repeat(2000)} שלום مرحبا 👩‍💻 ${"x".repeat(3000)}`,
    },
  ]);
  for (const { slug, query, asked } of rows) {
    const found = await ask({ words: asked, count: 20 });
    assert.ok(slugs(found).includes(slug), `${query}: ${slugs(found)}`);
    // A word may be of another language than its query's.
    const having = found.counted.having.filter((many) => many > 0).length;
    assert.ok(having >= Math.ceil(asked.length / 2), `${query}: ${found.counted.having}`);
  }
  const count = async (word) => (await ask({ words: [word], count: 5 })).counted.having[0];
  assert.deepEqual([await count("datenbank"), await count("datei"), await count("שלום")], [1, 1, 1]);
  // A title's part names its lesson in any language.
  const named = await who.call("space_rows", { p_space: id, p_ask: { names: [rows[0].title] } });
  assert.deepEqual(slugs(named), ["de"]);
  const changes = { title: "Run it before the tests of the servers" };
  await who.push(id, by.actor, [by.event("LessonEdited", { lesson: "de", base_rev: 1, changes, trust: "unreviewed" })]);
  assert.deepEqual([await count("datenbank"), await count("server")], [0, 1], "an edit changes a lesson's language");
});

test("an edit, an archive, a review and another vector are followed at once", async () => {
  const { who, id, by, ask, put, hashes } = await space([
    { slug: "one", title: "Zebras graze", domain: "Fields" },
    { slug: "two", title: "Quokkas smile" },
  ]);
  await put([
    ["one", axes([1, 50])],
    ["two", axes([2, 50])],
  ]);
  const find = async (words, more = {}) => slugs(await ask({ words, count: 5, ...more }));
  const near = async (axis) => slugs(await ask({ words: [], count: 1, model: "m", packed: axes([axis, 50]) }));
  assert.deepEqual(await find(["zebras"]), ["one"]);
  assert.deepEqual(await near(1), ["one"]);
  const push = async (...events) => assert.deepEqual((await who.push(id, by.actor, events)).rejected, []);
  await push(
    by.event("LessonEdited", { lesson: "one", base_rev: 1, changes: { title: "Okapis graze" }, trust: "unreviewed" }),
  );
  assert.deepEqual(await find(["okapis"]), ["one"]);
  const after = await ask({ words: ["zebras"], count: 5 });
  assert.deepEqual(after.counted.having, [0], "the word is gone with the text");
  assert.equal((await ask({ words: ["graze"], count: 5, model: "m", packed: axes([1, 50]) })).counted.with_vector, 1);
  await push(
    by.event("LessonEdited", { lesson: "one", base_rev: 2, changes: { title: "Zebras graze" }, trust: "unreviewed" }),
  );
  assert.deepEqual(await near(1), ["one"], "the text that the vector is of is back, and so is the vector");
  assert.deepEqual(await find(["zebras"], { domain: "fields" }), ["one"]);
  assert.ok(!(await find(["zebras"], { domain: "woods" })).includes("one"));
  assert.deepEqual(await find(["zebras"], { approved: true }), []);
  const ofContent = sql("select lessonloop.content_hash(l) from lessons l where space = :'id' and slug = 'one'", {
    id,
  });
  await push(by.event("LessonReviewed", { lesson: "one", verdict: "approve", content_hash: ofContent }));
  assert.deepEqual(await find(["zebras"], { approved: true }), ["one"]);
  await push(by.event("LessonArchived", { lesson: "one" }));
  assert.ok(!(await find(["zebras"])).includes("one"));
  assert.ok(!(await near(1)).includes("one"));
  assert.ok(hashes.get("one"));
});

test("a wrong question is refused by its field, and nobody reads another's space", async () => {
  const { who, id, ask } = await space([{ slug: "one", title: "One" }]);
  const rpc = (p_ask) => who.rpc("lesson_candidates", { p_space: id, p_ask });
  for (const [status, field, wrong] of [
    [413, "p_ask.words", { words: Array(65).fill("x") }],
    [413, "p_ask.words", { words: ["x".repeat(65)] }],
    [400, "p_ask.packed", { packed: "AAAA", model: "m" }],
    [400, "p_ask.packed", { packed: axes([1, 5]) }],
    [400, "p_ask.packed", { packed: axes(), model: "m" }],
    [400, "p_ask.meaning", { meaning: [0.8, 0.1] }],
    [400, "p_ask.meaning", { meaning: [0.1] }],
    [400, "p_ask.meaning", { meaning: ["0", "1"] }],
    [400, "p_ask.meaning", { meaning: 0.5 }],
  ]) {
    const answer = await rpc(wrong);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.details, field);
  }
  assert.deepEqual(slugs(await ask({ words: [], count: 9 })), ["one"], "with nothing to go by, those that stand best");
  const other = user();
  /** @type {[string, Record<string, any>][]} */
  const calls = [
    ["lesson_candidates", { p_ask: {} }],
    ["space_rows", { p_ask: {} }],
    ["space_size", {}],
    ["space_lessons", { p_ask: {} }],
    ["space_decisions", { p_ask: {} }],
  ];
  const nowhere = "00000000-0000-4000-8000-000000000000";
  for (const [name, args] of calls) {
    for (const who of [other, edge(nowhere), client(undefined)]) {
      const answer = await who.rpc(name, { p_space: id, ...args });
      assert.ok([401, 403, 404].includes(answer.status), `${name}: ${answer.status}`);
      assert.deepEqual(
        answer.body,
        (await who.rpc(name, { p_space: nowhere, ...args })).body,
        "as of a space that is not there",
      );
    }
    assert.equal((await edge(id).rpc(name, { p_space: id, ...args })).status, 200, name);
  }
});

test("sizes and pages", async () => {
  const lessons = Array.from({ length: 7 }, (_, n) => ({
    slug: `l-${n}`,
    title: `T ${9 - n}`,
    confidence: n / 10,
    created_at: `2026-11-0${n + 1}T00:00:00Z`,
  }));
  const { who, id, by } = await space(lessons);
  const size = await who.call("space_size", { p_space: id });
  assert.deepEqual([size.lessons, size.records, size.index], [7, 0, "exact"]);
  assert.ok(size.bytes > 50 && size.bytes < 500, `${size.bytes}`);
  const page = (p_ask) => who.call("space_lessons", { p_space: id, p_ask });
  const all = [];
  for (let after; ; ) {
    const { listed, page: rows } = await page({ limit: 3, sort: "title", ...(after ? { after } : {}) });
    assert.deepEqual(new Set(rows.lessons.map((one) => one.slug)), new Set(listed.slugs));
    all.push(...listed.slugs);
    after = listed.slugs.at(-1);
    if (!listed.more) break;
  }
  assert.deepEqual(all, ["l-6", "l-5", "l-4", "l-3", "l-2", "l-1", "l-0"]);
  const turned = [];
  for (let after; ; ) {
    const { listed } = await page({ limit: 3, sort: "title", reverse: true, ...(after ? { after } : {}) });
    turned.push(...listed.slugs);
    after = listed.slugs.at(-1);
    if (!listed.more) break;
  }
  assert.deepEqual(turned, all.slice().reverse());
  assert.deepEqual((await page({ limit: 2, reverse: true })).listed.slugs, ["l-0", "l-1"]);
  assert.deepEqual((await page({ limit: 2 })).listed, { slugs: ["l-6", "l-5"], more: true, total: 7 });
  await who.push(id, by.actor, [
    by.event("Surfaced", {
      retrieval_id: "r",
      purpose: "recommend",
      context: { decision_id: "d" },
      items: [{ lesson: "l-1", rank: 1, score: 0.5, relevance: 0.5 }],
      policy: "p",
    }),
  ]);
  assert.equal((await who.call("space_size", { p_space: id })).records, 1);
  const rows = await who.call("space_rows", {
    p_space: id,
    p_ask: { decisions: ["d"], names: ["t 9"], beginnings: ["l"] },
  });
  assert.deepEqual(
    slugs(rows),
    ["l-0", "l-1", "l-2", "l-3", "l-4", "l-5", "l-6"].filter((slug) => slugs(rows).includes(slug)),
  );
  assert.ok(slugs(rows).includes("l-0") && slugs(rows).includes("l-1"));
  assert.equal(rows.page.recommendations.length, 1);
  const decisions = await who.call("space_decisions", { p_space: id, p_ask: { limit: 5 } });
  assert.deepEqual(decisions.listed.slugs, ["d"]);
});

test("a page of decisions ends where its lessons' texts are too many bytes, and the next goes on", async () => {
  const many = Array.from({ length: 60 }, (_, n) => `long-${n}`);
  const { who, id, by } = await space(many.map((slug) => ({ slug })));
  // 180,000 bytes each: 23 of them are more than 4 MB.
  sql("update lessons set recommendation = repeat('word ', 36000) where space = :'id'", { id });
  await who.push(
    id,
    by.actor,
    many.map((slug, n) =>
      by.event("Surfaced", {
        retrieval_id: `r${n}`,
        purpose: "recommend",
        context: { decision_id: `d${n}` },
        items: [{ lesson: slug, rank: 1, score: 0.5, relevance: 0.5 }],
        policy: "p",
      }),
    ),
  );
  const [pages, seen] = [[], []];
  for (let more = {}; ; ) {
    const { listed, page } = await who.call("space_decisions", { p_space: id, p_ask: { limit: 50, ...more } });
    pages.push(listed.slugs.length);
    seen.push(...listed.slugs);
    if (!listed.more) break;
    // The first of the next page is there, too: by it a reader sees that there is one.
    assert.equal(page.decisions.length, listed.slugs.length + 1);
    const last = page.decisions.find((one) => one.decision_id === listed.slugs.at(-1));
    more = { before: Date.parse(last.at), before_id: last.decision_id };
  }
  assert.deepEqual(pages, [23, 23, 14]);
  // Rows by name are given whole or not at all.
  const named = (count) => who.rpc("space_rows", { p_space: id, p_ask: { slugs: many.slice(0, count) } });
  const much = await named(23);
  assert.deepEqual([much.status, much.body.details], [413, "p_ask.slugs"]);
  assert.equal((await named(22)).body.page.lessons.length, 22);
  assert.deepEqual(seen.toSorted(), many.map((_, n) => `d${n}`).toSorted());
});

test("an index is built beside what goes on, takes over whole, follows, and goes with its space", async () => {
  const who = user();
  const id = await who.space("Indexed");
  await fill(id, { to: 1500, model: "m" });
  // A vector as queries have them: near to those of a topic.
  const packed = () =>
    sql(
      "select replace(encode(packed, 'base64'), chr(10), '') from lesson_embeddings where space = :'id' order by slug limit 1",
      { id },
    );
  const question = { words: [], count: 20, model: "m", packed: packed() };
  const ask = async (more = {}) => who.call("lesson_candidates", { p_space: id, p_ask: { ...question, ...more } });
  const exact = await ask();
  assert.equal(exact.counted.index, "exact");
  const built = JSON.parse(sql("select lessonloop.index_space(:'id')", { id }));
  assert.equal(built.indexed, 1500);
  const indexed = await ask();
  assert.equal(indexed.counted.index, "ready");
  const same = slugs(indexed).filter((slug) => slugs(exact).includes(slug)).length;
  assert.ok(same >= 18, `${same} of 20 as by exact search`);
  // `match_lessons` goes by the same index, and gives the same order.
  const numbers = [...Buffer.from(question.packed, "base64")].map((byte) => (byte << 24) >> 24);
  const matched = await who.call("match_lessons", {
    query_embedding: numbers,
    match_team_id: id,
    match_threshold: -1,
    match_count: 5,
  });
  assert.equal(matched.length, 5);
  assert.ok(matched.every((one, at) => at === 0 || matched[at - 1].similarity >= one.similarity));
  const [nearest] = matched;
  const by = author();
  await who.push(id, by.actor, [by.event("LessonArchived", { lesson: nearest.slug })]);
  assert.ok(!slugs(await ask()).includes(nearest.slug));
  await who.push(id, by.actor, [by.event("LessonRestored", { lesson: nearest.slug })]);
  assert.ok(slugs(await ask()).includes(nearest.slug));
  // Built again: the one before is dropped.
  sql("select lessonloop.index_space(:'id')", { id });
  const tables =
    "select count(*) from pg_class where relkind = 'r' and relname in (select relation from lessonloop.near_indexes where space = :'id')";
  assert.equal(sql(tables, { id }), "1");
  const relation = sql("select relation from lessonloop.near_indexes where space = :'id'", { id });
  const { code } = await who.call("delete_space", { p_space: id, p_name: "Indexed" });
  await who.call("delete_space", { p_space: id, p_name: "Indexed", p_code: code });
  assert.equal(sql("select count(*) from pg_class where relname = :'relation'", { relation }), "0");
  for (const table of ["lesson_words", "word_counts", "space_sizes", "vectors", "vector_counts"]) {
    assert.equal(sql(`select count(*) from lessonloop.${table} where space = :'id'`, { id }), "0", table);
  }
  assert.ok(AT);
});

test("while an index is built, the space is answered exactly and others write on", async () => {
  const who = user();
  const [id, other] = [await who.space("Built"), await who.space("Other")];
  await fill(id, { to: 600, model: "m" });
  const building = spawn(env("LESSONLOOP_STACK_PSQL"), ["-X", "-q", "-v", "ON_ERROR_STOP=1"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(building, "exit");
  let said = "";
  building.stdout.setEncoding("utf8").on("data", (piece) => (said += piece));
  building.stdin.write(`begin;\nselect lessonloop.index_space('${id}');\n\\echo built\n`);
  const packed = Buffer.alloc(384, 5).toString("base64");
  const ask = () => who.call("lesson_candidates", { p_space: id, p_ask: { words: [], count: 5, model: "m", packed } });
  const by = author();
  // From before it is built to after: until it is committed, nobody goes by it.
  for (let [during, built] = [0, false]; !built; during += 1) {
    built = said.includes("built");
    const answer = await ask();
    assert.equal(answer.page.lessons.length, 5);
    assert.equal(answer.counted.index, "exact");
    assert.deepEqual(
      (await who.push(other, by.actor, [by.event("LessonAdded", lesson(`meanwhile-${during}`))])).rejected,
      [],
    );
    assert.equal(building.exitCode, null, "psql goes on");
  }
  building.stdin.end("commit;\n");
  assert.deepEqual(await ended, [0, null]);
  assert.equal((await ask()).counted.index, "ready");
});
