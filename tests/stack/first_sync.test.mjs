// The first sync of a large space: page by page, all of it, and then only what changed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Devices, added, person, rated } from "./device.mjs";
import { sql } from "./stack.mjs";

const LESSONS = 100_000;

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
    `insert into public.lessons select (jsonb_populate_record(l, jsonb_build_object('slug', 'copy-' || n, 'version', :version + n))).*
       from public.lessons l, generate_series(1, :many) n where l.space = :'space';
     update public.spaces set version = :version + :many where id = :'space';`,
    { space, version, many: LESSONS - 1 },
  );
  const late = await devices.device("late", space);
  await late.settle();
  assert.deepEqual(await late.ask("summary"), { lessons: LESSONS, helpful: LESSONS, not_helpful: 0, tools: 0 });
  const before = await late.state();
  await first.append(rated("copy-7", 1));
  await first.settle();
  await late.settle();
  assert.equal((await late.ask("summary")).helpful, LESSONS + 1);
  const after = await late.state();
  assert(after.requests - before.requests <= 2 && after.bytes - before.bytes < 10_000, JSON.stringify({ before, after }));
});
