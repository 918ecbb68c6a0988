// The third kind of device: a store in files, connected by the command line, beside an engine of its own kind and the server.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { env, key, url } from "../stack/stack.mjs";
import { counted, device, EMAIL } from "./engine.mjs";

const BIN = join(env("LESSONLOOP_DIST"), "npm/local/bin/lessonloop.mjs");
const folders = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A person's machine with a store of its own. */
function machine() {
  const home = mkdtempSync(join(tmpdir(), "lessonloop-replica-"));
  folders.push(home);
  const store = join(home, "store");
  const options = {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LESSONLOOP_HOME: store,
      LESSONLOOP_KEY: key,
      LESSONLOOP_PASSWORD: env("LESSONLOOP_STACK_PASSWORD"),
    },
  };
  /** Starts a command that stays. */
  const start = (...words) =>
    spawn(process.execPath, [BIN, ...words], { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const run = async (words, { code = 0 } = {}) => {
    const ran = await promisify(execFile)(process.execPath, [BIN, ...words, "--json"], options).catch((error) => error);
    assert.equal(ran.code ?? 0, code, `${words.join(" ")}: ${ran.stdout}${ran.stderr}`);
    return JSON.parse(ran.stdout);
  };
  return { home, store, run, start };
}

const connect = (space) => ["connect", url, "--email", EMAIL, ...space];

test("a store in files is a device like the others, and keeps its link between commands", async () => {
  const one = machine();
  await one.run(["add", "Pin the base image", "-r", "By its digest."]);
  const joined = await one.run(connect(["--create", "Files"]));
  assert.deepEqual([joined.phase, joined.unsent], ["idle", 0]);

  const two = await device();
  await two.connect({ space: joined.space_id });
  await two.sync();
  assert.equal((await two.get("/v1/lessons/pin-the-base-image")).recommendation, "By its digest.");
  await two.post("/v1/lessons", {
    slug: "bound-every-queue",
    title: "Bound every queue",
    recommendation: "Say its bound.",
  });
  await two.post("/v1/rate", { lesson: "pin-the-base-image", helpful: true });
  await two.sync();

  const after = await one.run(["sync"]);
  assert.deepEqual([after.phase, after.unsent], ["idle", 0]);
  assert.equal((await one.run(["show", "bound-every-queue"])).title, "Bound every queue");
  assert.equal((await one.run(["show", "pin-the-base-image"])).standing.times_helpful, 1);
  await one.run(["rate", "bound-every-queue", "helpful"]);
  await one.run(["sync"]);
  await one.run(["sync"]);
  await two.sync();
  assert.equal((await two.get("/v1/lessons/bound-every-queue")).standing.times_helpful, 1);
  // The server has each event once.
  const events = Number(await counted(joined.space_id, "count(*) from events"));
  assert.equal(events, 4);

  // The session's tokens are this user's alone, and no file that git shares holds them.
  const link = join(one.store, "link");
  for (const name of readdirSync(link)) assert.equal(statSync(join(link, name)).mode & 0o077, 0, name);
  for (const name of readdirSync(join(one.store, "ledger"))) {
    assert.doesNotMatch(readFileSync(join(one.store, "ledger", name), "utf8"), /eyJ|refresh_token/);
  }
});

test("a machine that joins a space with lessons gets them, and says which space when there are several", async () => {
  const here = await device();
  const space = await here.create("Several");
  await here.post("/v1/lessons", {
    slug: "name-the-owner",
    title: "Name the owner",
    recommendation: "Of every table.",
  });
  await here.sync();
  const late = machine();
  await late.run(["add", "Mine before", "-r", "Stays."]);
  const asked = await late.run(connect([]), { code: 1 });
  assert.ok(
    asked.spaces.some((one) => (one.id ?? one.space) === space),
    JSON.stringify(asked),
  );
  await late.run(connect(["--space", space]));
  assert.equal((await late.run(["show", "name-the-owner"])).title, "Name the owner");
  await here.sync();
  assert.equal((await here.get("/v1/lessons/mine-before")).recommendation, "Stays.");
});

test("while an agent's session or the dashboard is up, a connected store syncs by itself", async () => {
  const here = await device();
  const space = await here.create("By itself");
  const there = machine();
  await there.run(connect(["--space", space]));
  const until = async (what, look) => {
    for (const end = Date.now() + 40_000; ; ) {
      if (await look()) return;
      assert.ok(Date.now() < end, `${what}: not within 40 s`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  const arrives = (slug) =>
    until(`${slug} arrives at the server`, async () => {
      await here.sync();
      return (await here.send("GET", `/v1/lessons/${slug}`)).status === 200;
    });
  for (const words of [["mcp"], ["serve", "--port", "0"]]) {
    const child = there.start(...words);
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdout.resume();
    try {
      // Written by another process, sent by the one that stays.
      await there.run(["add", `Said beside ${words[0]}`, "-r", "Do it."]);
      await arrives(`said-beside-${words[0]}`);
      const title = `Said elsewhere during ${words[0]}`;
      await here.post("/v1/lessons", { title, recommendation: "Do it." });
      await here.sync();
      await until("the lesson of the other device comes here", async () => {
        const { lessons } = await there.run(["stats"]);
        return lessons === (words[0] === "mcp" ? 2 : 4);
      });
      if (words[0] === "mcp") child.stdin.end();
      else child.kill("SIGINT");
      assert.equal(await ended, 0);
    } finally {
      child.kill("SIGKILL");
    }
  }
  const found = await there.run(["doctor"]);
  assert.ok(
    found.some(({ level, what }) => level === "ok" && /connected to By itself/.test(what)),
    JSON.stringify(found),
  );
});
