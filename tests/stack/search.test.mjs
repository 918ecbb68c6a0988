// Search by meaning: the exact order, and what is left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { author, lesson, user } from "./stack.mjs";

const SIZE = 384;

/** Numbers between -1 and 1 from a seed, as single precision. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.fround(state / 2 ** 31 - 1);
  };
}

function cosine(a, b) {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < SIZE; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / Math.sqrt(aa * bb);
}

test("matches come in the exact order, whatever was stored, edited and taken away before", async () => {
  const who = user();
  const space = await who.space();
  const by = author();
  const slugs = Array.from({ length: 300 }, (_, i) => `lesson-${String(i).padStart(3, "0")}`);
  await who.push(
    space,
    by.actor,
    slugs.map((slug) => by.event("LessonAdded", lesson(slug))),
  );
  const hashes = new Map(
    (await who.get(`/lessons?select=slug,embedded_hash&space=eq.${space}`)).body.map((row) => [
      row.slug,
      row.embedded_hash,
    ]),
  );
  const next = numbers(7);
  const query = Array.from({ length: SIZE }, next);
  // Near and far from the query, so that similarities cover the whole range.
  const vectors = new Map(slugs.map((slug, i) => [slug, query.map((x) => Math.fround((x * i) / 150 + next()))]));
  // Two of the same vector: the slugs decide.
  vectors.set(slugs[11], vectors.get(slugs[250]));
  const row = (slug, more = {}) => ({ slug, content_hash: hashes.get(slug), embedding: vectors.get(slug), ...more });
  const put = (p_rows, p_model = "model-1") => who.rpc("put_embeddings", { p_space: space, p_model, p_rows });
  assert.deepEqual((await put(slugs.map((slug) => row(slug)))).body, { stored: 300, stale: [], unknown: [] });
  assert.deepEqual((await put(slugs.map((slug) => row(slug)))).body.stored, 300, "again: they are replaced");

  const match = (more = {}) => who.call("match_lessons", { query_embedding: query, match_team_id: space, ...more });
  const wanted = (threshold, out = []) =>
    slugs
      .filter((slug) => !out.includes(slug))
      .map((slug) => ({ slug, similarity: cosine(query, vectors.get(slug)) }))
      .filter((one) => one.similarity >= threshold)
      .sort((a, b) => b.similarity - a.similarity || (a.slug < b.slug ? -1 : 1));
  const same = (found, expected) => {
    assert.deepEqual(
      found.map((one) => one.slug),
      expected.map((one) => one.slug),
    );
    found.forEach((one, i) => assert(Math.abs(one.similarity - expected[i].similarity) < 1e-5));
  };
  const all = wanted(0.3);
  assert(all.length > 100 && all.length < 290, String(all.length));
  same(await match({ match_count: 1000 }), all);
  same(await match(), all.slice(0, 10));
  same(await match({ match_count: 3, match_threshold: 0 }), wanted(0).slice(0, 3));
  same(await match({ match_count: 1000, match_threshold: -1 }), wanted(-1));
  assert.deepEqual(await match({ match_threshold: 1.1 }), []);
  assert.equal((await match())[0].title, `About ${all[0].slug}`);

  // An archived lesson, a quarantined one, and one whose text has changed since it was embedded.
  const [archived, quarantined, edited] = all.slice(0, 3).map((one) => one.slug);
  const content = (await who.pull(space)).lessons.find((one) => one.slug === quarantined);
  assert(content);
  const edit = { lesson: edited, base_rev: 1, changes: { title: "New" }, trust: "unreviewed" };
  const answer = await who.push(space, by.actor, [
    by.event("LessonArchived", { lesson: archived }),
    by.event("LessonEdited", {
      ...edit,
      lesson: quarantined,
      changes: { context: "not embedded" },
      trust: "quarantined",
    }),
    by.event("LessonEdited", edit),
  ]);
  assert.deepEqual(answer.rejected, []);
  same(await match({ match_count: 1000 }), wanted(0.3, [archived, quarantined, edited]));
  assert.deepEqual((await put([row(edited), row("nowhere", { content_hash: "", embedding: query })])).body, {
    stored: 0,
    stale: [edited],
    unknown: ["nowhere"],
  });

  // Vectors of another model are kept beside these and compared with none of them: the model that most lessons have counts.
  await put([row(slugs[5])], "model-2");
  same(await match({ match_count: 1000 }), wanted(0.3, [archived, quarantined, edited]));
  const renewed = (await who.get(`/lessons?select=slug,embedded_hash&space=eq.${space}`)).body;
  for (const one of renewed) hashes.set(one.slug, one.embedded_hash);
  for (const [i, slug] of slugs.entries())
    vectors.set(
      slug,
      query.map((x) => Math.fround((x * (300 - i)) / 150 + next())),
    );
  assert.equal(
    (
      await put(
        slugs.map((slug) => row(slug)),
        "model-2",
      )
    ).body.stored,
    300,
  );
  same(await match({ match_count: 1000, match_threshold: -1 }), wanted(-1, [archived, quarantined]));

  for (const [status, rows] of [
    [400, [row(slugs[0], { embedding: query.slice(1) })]],
    [400, [row(slugs[0], { embedding: Array(SIZE).fill(0) })]],
    [400, [row(slugs[0], { embedding: ["x", ...query.slice(1)] })]],
    [400, [row(slugs[0], { embedding: [1e300, ...query.slice(1)] })]],
    [400, [{ slug: slugs[0] }]],
    [400, {}],
    [413, Array(1001).fill({})],
  ]) {
    assert.equal((await put(rows)).status, status);
  }
  assert.equal((await who.rpc("match_lessons", { query_embedding: [1, 2], match_team_id: space })).status, 400);
});
