// The first sync of a large space: page by page, all of it, and then only what changed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Devices, added, person, rated } from "./device.mjs";
import { author, sql } from "./stack.mjs";

// Several pages, and a part of one.
const LESSONS = 5_500;

let devices;
let who;
before(async () => {
  devices = new Devices();
  who = await person();
});
after(() => devices.end());

test("2,000 lessons made before connecting are sent, and another device has them all", async () => {
  const space = await who.space();
  const one = await devices.device("one");
  assert.equal(await one.ask("lessons", { count: 2_000 }), 2_000);
  await one.connect(space);
  await one.settle();
  const two = await devices.device("two", space);
  await two.settle();
  assert.deepStrictEqual(await two.space(), await one.space());
  assert.equal((await two.ask("summary")).lessons, 2_000);
});

test(`${LESSONS} lessons come in whole, and nothing comes twice`, async () => {
  const space = await who.space();
  const first = await devices.device("first");
  await first.append([...added(["a"]), ...rated("a", 1)]);
  await first.connect(space);
  await first.settle();
  // Copies of one that was folded: to send as many takes minutes, and is the same page by page.
  const { version } = await who.pull(space);
  sql(
    `select format(
       'insert into public.lessons (slug, version, %1$s) select ''copy-'' || n, version + n, %1$s
        from public.lessons, generate_series(1, %2$s) n where space = %3$L', string_agg(quote_ident(column_name), ', '), :many, :'space')
     from information_schema.columns
     where table_schema = 'public' and table_name = 'lessons' and column_name not in ('slug', 'version') \\gexec
     update public.spaces set version = :version + :many where id = :'space';`,
    { space, version, many: LESSONS - 1 },
  );
  const late = await devices.device("late", space);
  await late.settle();
  assert.deepEqual(await late.ask("summary"), { lessons: LESSONS, helpful: LESSONS, not_helpful: 0, tools: 0 });
  const before = await late.state();
  const by = author();
  await who.push(space, by.actor, [by.event("Rated", { lesson: "copy-7", helpful: true })]);
  await late.settle();
  assert.equal((await late.ask("summary")).helpful, LESSONS + 1);
  const after = await late.state();
  assert(
    after.requests - before.requests <= 2 && after.bytes - before.bytes < 10_000,
    JSON.stringify({ before, after }),
  );
});
