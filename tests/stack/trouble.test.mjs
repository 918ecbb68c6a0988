// Servers that are not what they should be: a message that says what to do, and a store that stays as it was.
// Alone: it breaks what all are served by.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Devices, added, converged, helpful, person, rated } from "./device.mjs";
import { passing, serving } from "./proxy.mjs";
import { key, sql, url } from "./stack.mjs";

let devices;
let who;
before(async () => {
  devices = new Devices();
  who = await person();
});
after(() => devices.end());

/** A server that gives every request the same answer. */
const answering = (status, type, body) =>
  serving((asked, answer) => {
    asked.resume();
    answer.writeHead(status, { "content-type": type }).end(body);
  });
const PAGE = "<!doctype html><title>Sign in to the network</title>";

/** Servers and keys that are wrong, with the phase they lead to and what the message has to say. */
const TROUBLE = /** @type {any[][]} */ ([
  [
    "a page instead of an answer",
    () => answering(200, "text/html", PAGE),
    {},
    "Trouble",
    /web page.*[Cc]heck the address/,
  ],
  [
    "a page that says 404",
    () => answering(404, "text/html", PAGE),
    {},
    "Blocked",
    /no Supabase project at this address.*Check it/,
  ],
  [
    "JSON of something else",
    () => answering(200, "application/json", '{"hello":1}'),
    {},
    "Trouble",
    /can't be read.*supabase\/migrations/,
  ],
  ["a server in trouble", () => answering(502, "text/html", PAGE), {}, "Trouble", /502.*tried again/],
  ["a server that is busy", () => answering(429, "application/json", "{}"), {}, "Trouble", /busy.*tried again/],
  [
    "answers that are cut",
    () =>
      passing(url, (response, body, answer) => {
        answer
          .writeHead(response.statusCode, { "content-type": "application/json" })
          .end(body.subarray(0, body.length / 2));
      }),
    {},
    "Trouble",
    /cut off.*tried again/,
  ],
  [
    "nobody there",
    async () => ({ url: "http://127.0.0.1:9", end: () => {} }),
    {},
    "Offline",
    /can't be reached.*kept here/,
  ],
  [
    "the key of another project",
    async () => ({ url, end: () => {} }),
    { key: `${key}x` },
    "Blocked",
    /key is not this project's.*Copy it/,
  ],
]);

for (const [what, start, more, phase, says] of TROUBLE) {
  test(`${what}: says what to do, and nothing here changes`, async (t) => {
    const space = await who.space();
    const device = await devices.device(what);
    await device.append([...added(["a"]), ...rated("a", 2)]);
    await device.connect(space);
    await device.settle();
    await device.append(rated("a", 3));
    const before = await device.space();
    const there = await start();
    t.after(there.end);
    await device.ask("relink", { url: there.url, ...more });
    for (let round = 0; round < 3; round++) {
      const status = await device.sync();
      assert.equal(status.phase, phase, JSON.stringify(status));
      assert.match(status.message, says);
      assert(status.next_at > Date.now() - 1000, "it is tried again by itself");
    }
    assert.deepStrictEqual(await device.space(), before);
    await device.ask("relink", { url, key });
    assert.equal(helpful(await converged(space, [device]), "a"), 5);
  });

  test(`${what}, when connecting: says what to do, and there is no link`, async (t) => {
    const there = await start();
    t.after(there.end);
    const device = await devices.device(`connecting: ${what}`);
    await assert.rejects(
      device.connect("00000000-0000-0000-0000-000000000000", { url: there.url, ...more }),
      (/** @type {any} */ error) => {
        assert(error.message.length > 20 && /check|copy|try|tried|again|apply/i.test(error.message), error.message);
        return true;
      },
    );
    await assert.rejects(device.state(), /not connected/);
  });
}

test("no such space, and a wrong password: each says so", async () => {
  const device = await devices.device("nowhere");
  await assert.rejects(device.connect("x", { password: "wrong" }), /password is wrong/);
  await device.append(added(["a"]));
  await device.connect("00000000-0000-0000-0000-000000000000");
  const status = await device.sync();
  assert.equal(status.phase, "Blocked");
  assert.match(status.message, /space is not there/);
  assert.equal((await device.state()).events, 1);
});

test("a database without the schema, or with another one, is told from a wrong address", async () => {
  const space = await who.space();
  const device = await devices.device("unmigrated");
  await device.append(added(["a"]));
  await device.connect(space);
  await device.settle();
  await device.append(rated("a", 2));
  /** Rounds until one ends in this phase and says so: PostgREST notices a change in its own time, and is in trouble meanwhile. */
  const ends = async (phase, says = /(?:)/) => {
    for (let tries = 0; ; tries++) {
      const status = await device.sync();
      assert.equal(helpful(await device.space(), "a"), 2);
      if (status.phase === phase && says.test(status.message)) return;
      assert(tries < 240, JSON.stringify(status));
      await wait(250);
    }
  };
  const loaded = () => sql("notify pgrst, 'reload schema'");
  sql("alter function public.pull_changes(uuid, integer, bigint, integer) rename to pull_changes_away");
  try {
    // Before PostgREST noticed, and after.
    for (const notice of [() => {}, loaded]) {
      notice();
      await ends("Blocked", /supabase\/migrations/);
    }
    // Another one, whose answer lacks what this client reads, and one of 0.1.0-pre, which tells no version of its schema.
    const lists = [
      "lessons",
      "recommendations",
      "decisions",
      "settings",
      "agents",
      "bases",
      "tools",
      "feedback",
      "days",
    ];
    const page = {
      ...Object.fromEntries(lists.map((name) => [name, []])),
      next_cursor: 9,
      version: 9,
      has_more: false,
    };
    for (const [answer, phase, says] of /** @type {any[][]} */ ([
      [{}, "Trouble", /can't be read.*version 1 of the schema.*supabase\/migrations/],
      [{ ...page, acked_seq: {}, epoch: "e", ledger_version: 4 }, "Blocked", /0\.1\.0-pre.*supabase\/migrations/],
    ])) {
      sql(`create or replace function public.pull_changes(p_space uuid, p_ledger_version integer, p_cursor bigint, p_limit integer)
        returns json language sql as $$ select '${JSON.stringify(answer)}'::json $$`);
      loaded();
      await ends(phase, says);
    }
  } finally {
    sql(
      "set client_min_messages = warning; drop function if exists public.pull_changes(uuid, integer, bigint, integer)",
    );
    sql("alter function public.pull_changes_away(uuid, integer, bigint, integer) rename to pull_changes");
    loaded();
  }
  // Now and then it still reads what was there before.
  for (let tries = 0; ; tries++) {
    await ends("Idle");
    const wanted = await converged(space, [device]).catch((error) => error);
    if (!(wanted instanceof Error)) {
      assert.equal(helpful(wanted, "a"), 2);
      break;
    }
    assert(tries < 20, wanted);
  }
});
