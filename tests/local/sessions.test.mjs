// Many processes on one store at once: ten sessions over MCP, and writers that are killed at any moment.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { call, folder, installed, kept, machine, until } from "./installed.mjs";

const SESSIONS = 10;
const EACH = 8;

test("ten sessions over MCP write to one store and see each other's lessons", async () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const clients = await Promise.all(Array.from({ length: SESSIONS }, () => on.client()));
  await Promise.all(
    clients.map(async (client, session) => {
      for (let at = 0; at < EACH; at += 1) {
        await call(client, "playbook_add_lesson", {
          title: `Session ${session} learned thing ${at}`,
          recommendation: `Do ${session} and ${at}.`,
        });
      }
    }),
  );
  for (const client of clients) {
    const { structuredContent } = await call(client, "playbook_lesson_stats", {});
    assert.equal(/** @type {any} */ (structuredContent).lessons, SESSIONS * EACH);
  }
  const embedded = async (client) => {
    const { structuredContent } = await call(client, "playbook_health", {});
    const { loaded, pending } = /** @type {any} */ (structuredContent).model;
    return loaded && pending === 0;
  };
  // Each session reads the others' vectors with its answers.
  await until(
    async () => {
      const all = await Promise.all(clients.map(embedded));
      return all.every(Boolean);
    },
    "every session has every vector",
    120_000,
  );
  await Promise.all(clients.map((client) => client.close()));
  assert.equal(on.json(["stats"]).lessons, SESSIONS * EACH);
  assert.ok(!existsSync(join(on.project, ".lessonloop", "lock")));
  const cache = join(kept(on), "cache");
  assert.ok(!existsSync(join(cache, "embedding.lock")));
  const vectors = readdirSync(cache).find((name) => name.startsWith("vectors-"));
  const texts = hashes(readFileSync(join(cache, /** @type {string} */ (vectors))));
  assert.equal(texts.length, SESSIONS * EACH, "a text was embedded twice");
  assert.equal(new Set(texts).size, texts.length);
});

/** The hash of each text in a file of vectors: two parts a row, each after its length. @param {Buffer} bytes */
function hashes(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at);
    found.push(bytes.toString("latin1", at + 4, end));
    at = end + 4 + bytes.readUInt32LE(end);
  }
  return found;
}

const WRITERS = 10;
/** The whole of it is `LESSONLOOP_KILLS=100`: then they write on until there are 1,000 events of each. */
const KILLS = Number(process.env.LESSONLOOP_KILLS ?? 40);
const APPENDS = KILLS >= 100 ? WRITERS * 1_000 : KILLS;

test(`${WRITERS} writers, killed ${KILLS} times at random: nothing lost, doubled or torn`, {
  timeout: KILLS >= 100 ? 1_800_000 : 300_000,
}, async () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const script = join(folder("writer"), "writer.mjs");
  writeFileSync(
    script,
    `import { hostOf } from ${JSON.stringify(pathToFileURL(join(installed(), "local/host.mjs")).href)};
const host = hostOf();
for (let at = 0; ; at += 1) {
  const title = process.argv[2] + " number " + at;
  const { status, body } = await host.handle({ method: "POST", path: "/v1/lessons", headers: {}, body: { title, recommendation: title } });
  if (status >= 400) { process.stderr.write(JSON.stringify(body)); process.exit(1); }
  process.stdout.write(title + "\\n");
}`,
  );
  /** Titles that writers said were stored. */
  const acked = [];
  const failures = [];
  let begun = 0;
  const begin = () => {
    const name = `writer ${(begun += 1)}`;
    const child = spawn(on.node, [script, name], { cwd: on.project, env: on.env });
    let rest = "";
    child.stdout.on("data", (piece) => {
      const lines = (rest + piece).split("\n");
      rest = lines.pop();
      acked.push(...lines);
    });
    child.stderr.on("data", (piece) => failures.push(`${piece}`));
    const ended = new Promise((resolve) => child.on("close", resolve));
    return { child, ended };
  };
  const writers = Array.from({ length: WRITERS }, begin);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400));
    const at = Math.floor(Math.random() * WRITERS);
    writers[at].child.kill("SIGKILL");
    await writers[at].ended;
    writers[at] = begin();
  }
  await until(() => acked.length > APPENDS || failures.length > 0, `${APPENDS} writes`, 1_200_000);
  for (const { child, ended } of writers) {
    child.kill("SIGKILL");
    await ended;
  }
  assert.deepEqual(failures, []);

  const titles = on
    .run(["export", "--format", "jsonl", "--project"])
    .out.trim()
    .split("\n")
    .map((line) => JSON.parse(line).event?.LessonAdded?.lesson.title)
    .filter(Boolean);
  const found = new Set(titles);
  assert.deepEqual(
    acked.filter((title) => !found.has(title)),
    [],
    "lost",
  );
  assert.equal(found.size, titles.length, "doubled");
  // A writer that died with a line half written leaves it to the next one to cut off.
  const ledger = join(on.project, ".lessonloop", "ledger");
  for (const name of readdirSync(ledger)) {
    for (const line of readFileSync(join(ledger, name), "utf8").split("\n").filter(Boolean)) JSON.parse(line);
  }
  console.log(
    `${acked.length} writes acknowledged, ${titles.length} stored, ${begun} writers, ${readdirSync(ledger).length} files`,
  );
});

test("the lock of a dead owner is taken over by one process at a time", { timeout: 120_000 }, async () => {
  const at = folder("lock");
  const trail = join(at, "trail");
  const script = join(at, "holder.mjs");
  writeFileSync(
    script,
    `import { appendFileSync } from "node:fs";
import { Lock } from ${JSON.stringify(pathToFileURL(join(installed(), "local/lock.mjs")).href)};
const lock = new Lock(${JSON.stringify(join(at, "lock"))});
for (;;) {
  if (lock.take() !== null) { await new Promise((resolve) => setTimeout(resolve, 1)); continue; }
  appendFileSync(${JSON.stringify(trail)}, "+" + process.pid + "\\n");
  const end = performance.now() + Math.random() * 2;
  while (performance.now() < end);
  appendFileSync(${JSON.stringify(trail)}, "-" + process.pid + "\\n");
  lock.release();
}`,
  );
  const dead = new Set();
  const begin = () => spawn(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"] });
  const holders = Array.from({ length: 6 }, begin);
  for (let kill = 0; kill < 60; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60));
    const index = Math.floor(Math.random() * holders.length);
    const holder = holders[index];
    const ended = new Promise((resolve) => holder.on("close", resolve));
    holder.kill("SIGKILL");
    dead.add(holder.pid);
    await ended;
    holders[index] = begin();
  }
  for (const holder of holders) {
    const ended = new Promise((resolve) => holder.on("close", resolve));
    holder.kill("SIGKILL");
    dead.add(holder.pid);
    await ended;
  }
  let inside = null;
  let turns = 0;
  for (const line of readFileSync(trail, "utf8").trim().split("\n")) {
    const pid = Number(line.slice(1));
    if (line.startsWith("+")) {
      // Whoever was in there before has left or died.
      assert.ok(inside === null || dead.has(inside), `${inside} and ${pid} hold the lock`);
      inside = pid;
      turns += 1;
    } else {
      assert.equal(inside, pid, "the lock was taken from one that lives");
      inside = null;
    }
  }
  assert.ok(turns > 100, `${turns} turns`);
});
