// The server as a whole: killed while it takes events, and given its migrations again.
// Alone: others would meet a server that is down.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Devices, added, converged, helpful, person, rated } from "./device.mjs";
import { passing } from "./proxy.mjs";
import { author, edge, env, killServer, spaceWith, sql, url } from "./stack.mjs";

let devices;
let who;
before(async () => {
  devices = new Devices();
  who = await person();
});
after(() => devices.end());

const help = (by, slug) => by.event("Rated", { lesson: slug, helpful: true });

test("the server is killed in the middle of pushes: sent again, nothing is lost or doubled", async () => {
  const slugs = ["a", "b", "c", "d"];
  const { space } = await spaceWith(who, slugs);
  const [actors, batches, each] = [8, 12, 5];
  let answered = 0;
  let failed = 0;
  let killed = false;
  await Promise.all(
    Array.from({ length: actors }, async (_, n) => {
      const by = author();
      for (let batch = 0; batch < batches; batch++) {
        const events = Array.from({ length: each }, (_, i) => help(by, slugs[(n + i) % slugs.length]));
        for (let tries = 0; ; tries++) {
          assert(tries < 600, "the server did not come back");
          const { status, body } = await who
            .rpc("push_events", { p_space: space, p_ledger_version: 1, p_actor: by.actor, p_events: events })
            .catch(() => ({ status: 0 }));
          if (status === 200) {
            assert.deepEqual([body.status, body.acked_seq], ["ok", events.at(-1).seq]);
            break;
          }
          failed += 1;
          await wait(100); // As a client backs off.
        }
        answered += 1;
        if (!killed && answered > (actors * batches) / 2) {
          killed = true;
          killServer();
        }
      }
    }),
  );
  assert(failed > 0, "nothing failed: the server was not killed in the middle");
  const { lessons } = await who.pull(space);
  assert.equal(
    lessons.reduce((sum, held) => sum + held.times_helpful, 0),
    actors * batches * each,
  );
});

test("the server is killed while a device sends: it goes on by itself, and every act counts once", async (t) => {
  const space = await who.space();
  const device = await devices.device("sender");
  await device.append([...added(["a"]), ...rated("a", 4000)]);
  // It is killed when it has taken the first batch, before the device hears of that.
  let killed = false;
  const proxy = await passing(url, (response, body, answer, asked) => {
    if (!killed && asked.url.includes("/rpc/push_events")) {
      killed = true;
      killServer();
    }
    answer.writeHead(response.statusCode, { "content-type": response.headers["content-type"] ?? "" }).end(body);
  });
  t.after(() => proxy.end());
  await device.connect(space, { url: proxy.url });
  const status = await device.sync();
  assert(killed, "nothing was sent");
  assert.notEqual(status.phase, "Idle", "there was more to send, and nobody to take it");
  assert.equal(helpful(await device.space(), "a"), 4000, "what is shown does not depend on the server");
  for (let tries = 0; (await device.sync()).phase !== "Idle"; tries++) {
    assert(tries < 100, "the server did not come back");
    await wait(200); // As a device backs off.
  }
  const wanted = await converged(space, [device]);
  assert.equal(helpful(wanted, "a"), 4000);
});

test("migrations run again, over a database with data, and keep it", async () => {
  const { space, by } = await spaceWith(who, ["a", "b"]);
  await who.push(space, by.actor, [help(by, "a"), by.event("ToolSucceeded", { query: "q", server: "s" })]);
  const [{ slug, embedded_hash }] = (await who.get(`/lessons?select=slug,embedded_hash&space=eq.${space}&limit=1`))
    .body;
  const vector = { content_hash: embedded_hash, packed: Buffer.alloc(384, 7).toString("base64") };
  await who.call("put_embeddings", { p_space: space, p_model: "m", p_rows: [{ slug, ...vector }] });
  const kept = await who.pull(space);
  const count = () =>
    sql("select (select count(*) from events), (select count(*) from members), (select count(*) from lessons)");
  const counted = count();
  const folder = env("LESSONLOOP_STACK_MIGRATIONS");
  const files = readdirSync(folder).sort();
  assert(files.length >= 6);
  for (let times = 0; times < 2; times++) {
    for (const file of files) {
      execFileSync(
        env("LESSONLOOP_STACK_PSQL"),
        ["-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-f", join(folder, file)],
        {
          // As the role that hosted Supabase applies migrations as: it is no superuser.
          env: { ...process.env, PGUSER: "postgres", PGOPTIONS: "-c client_min_messages=warning" },
        },
      );
    }
  }
  assert.equal(sql("select rolsuper from pg_roles where rolname = 'postgres'"), "f");
  assert.equal(count(), counted);
  assert.deepEqual(await who.pull(space), kept);
  assert.deepEqual((await who.call("pull_embeddings", { p_space: space, p_model: "m" })).vectors, [vector]);
  assert.equal((await edge(space).pull(space)).lessons.length, 2, "an edge is known as before");
  assert.equal((await who.push(space, by.actor, [help(by, "b")])).status, "ok");
});
