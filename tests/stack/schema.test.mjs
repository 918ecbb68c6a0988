// The schema as a whole: on an empty database, again, in part, over another schema, and with apps of another ledger.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { database, files, folder } from "./database.mjs";
import { author, lesson, sql, user } from "./stack.mjs";

test("every file applies to an empty database, and again, and each function is defined once", () => {
  const empty = database();
  for (const file of files) assert.equal(empty.apply(file), "", file);
  assert.equal(empty.run("select lessonloop.schema_version()"), "1");
  const whole = empty.whole();
  for (const file of files) assert.equal(empty.apply(file), "", file);
  assert.equal(empty.whole(), whole);

  assert(files.length <= 9, files.join());
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  assert(text.split("\n").length <= 5000);
  const names = [...text.matchAll(/^create or replace function ([\w.]+)/gm)].map(([, name]) => name);
  assert.deepEqual(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
  );
});

test("what was applied in part goes on from where it ended", () => {
  for (const many of [1, 4]) {
    const part = database();
    for (const file of files.slice(0, many)) assert.equal(part.apply(file), "");
    for (const file of files) assert.equal(part.apply(file), "", file);
    const id = randomUUID();
    const space = part.run(`insert into auth.users (id) values ('${id}');
      select set_config('request.jwt.claims', '{"sub": "${id}"}', false) \\g /dev/null
      select public.create_space('x')`);
    assert.match(space, /^[0-9a-f-]{36}$/);
  }
});

/** Databases that these files are not for: what is in them, and the words of the refusal. */
const strangers = {
  "tables of 0.1.0-pre": [
    `create schema lessonloop; create table public.spaces (id uuid primary key, name text, version bigint);
     insert into public.spaces values ('00000000-0000-0000-0000-000000000001', 'mine', 7);
     create table public.events (space uuid, version bigint, payload json);
     create function lessonloop.ledger_version() returns integer language sql as 'select 4';`,
    /public\.events is in this database already.*0\.1\.0-pre.*nothing was changed/,
  ],
  "the inner tables alone": [
    "create schema lessonloop; create table lessonloop.lesson_words (space uuid);",
    /lessonloop\.lesson_words is in this database already/,
  ],
  "the inner schema alone": ["create schema lessonloop;", /the schema lessonloop is in this database already/],
  "another application's table": [
    "create table public.lessons (id serial primary key, teacher text); insert into public.lessons (teacher) values ('Ada');",
    /public\.lessons is in this database already.*of another application/,
  ],
  "another application's view": ["create view public.activity as select 1 as one;", /public\.activity is in this/],
  "a later version": [
    "create schema lessonloop; create function lessonloop.schema_version() returns integer language sql as 'select 2';",
    /has version 2 of the schema.*these files are version 1/,
  ],
};
for (const [name, [state, says]] of Object.entries(strangers)) {
  test(`a database with ${name} is refused, and nothing of it is changed`, () => {
    const old = database();
    old.run(/** @type {string} */ (state), "postgres");
    const whole = old.whole();
    const refusal = old.apply(files[0]);
    assert.match(refusal, /** @type {RegExp} */ (says));
    if (name !== "a later version") assert.match(refusal, /empty it or begin anew.*nothing was released/);
    // Whoever goes on all the same gets no further.
    if (name !== "a later version") {
      for (const file of files.slice(1))
        assert.match(old.apply(file), /(schema_version\(\)|schema "lessonloop") does not exist/, file);
    }
    assert.equal(old.whole(), whole);
  });
}

test("an app of another ledger is told which side to update, and nothing of it is read", async () => {
  const ada = user();
  const space = await ada.space();
  const by = author();
  const events = [by.event("LessonAdded", lesson("a"))];
  const count = () => sql("select count(*) from events where space = :'space'", { space });
  const counted = count();
  for (const version of [null, 0, 2, 4]) {
    for (const [name, args] of /** @type {any[][]} */ ([
      ["push_events", { p_actor: by.actor, p_events: events }],
      ["pull_changes", {}],
    ])) {
      const { status, body } = await ada.rpc(name, { p_space: space, p_ledger_version: version, ...args });
      assert.deepEqual([status, body.code, body.details], [426, "PT426", "p_ledger_version"], `${name} ${version}`);
      assert.match(body.message, /keeps version 1: update the one that is older; nothing is lost/);
    }
  }
  assert.equal(count(), counted);
  // As the first apps of 0.1.0-pre called, without a version: there is no such function.
  assert.equal((await ada.rpc("pull_changes", { p_space: space, p_cursor: 0, p_limit: 10 })).status, 404);
  const page = await ada.pull(space);
  assert.deepEqual([page.schema_version, "ledger_version" in page], [1, false]);
});
