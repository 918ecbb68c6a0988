// A cache that is deleted, a clock that jumps back, and Ctrl-C at any moment: nothing that was told as done is lost.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kept, LESSON, machine, PROMPT, SLUG } from "./installed.mjs";

const MEANING = "How do I prevent injection attacks against the database?";
const YEAR_MS = 365 * 24 * 3_600_000;

test("a deleted cache costs time alone", () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  on.json(["recommend", MEANING, "--decision", "d1"]);
  on.json(["track", "--decision", "d1", `Applying '${SLUG}': bound.`]);
  on.json(["outcome", "d1", "success"]);
  const all = () => [on.json(["stats"]), on.json(["show", SLUG]), on.run(["export", "--format", "jsonl"]).out];
  const before = all();
  const cache = join(kept(on), "cache");
  for (let round = 0; round < 2; round += 1) {
    assert.ok(existsSync(cache));
    rmSync(cache, { recursive: true });
    assert.deepEqual(all(), before);
    assert.equal(on.json(["search", MEANING]).results[0].slug, SLUG);
    on.json(["add", `After the cache was deleted (${round})`, "-r", "Do it."]);
    assert.equal(on.json(["stats"]).lessons, before[0].lessons + 1);
    before.splice(0, 3, ...all());
  }
  const names = readdirSync(join(on.project, ".lessonloop", "ledger"));
  const lines = names.flatMap((name) =>
    readFileSync(join(on.project, ".lessonloop", "ledger", name), "utf8").split("\n"),
  );
  const ids = lines.map((line) => /"op_id":"([^"]+)"/.exec(line)?.[1]).filter(Boolean);
  assert.equal(new Set(ids).size, ids.length, "no event is there twice");
});

test("a clock that jumps back makes no edit come before its lesson", () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const back = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()-${YEAR_MS}`)}`,
  };
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  on.json(["recommend", MEANING, "--decision", "d1", "--no-model"], { env: back });
  on.json(["rate", SLUG, "helpful"], { env: back });
  on.json(["review", SLUG, "approve"], { env: back });
  on.json(["add", "Added a year ago", "-r", "Do it."], { env: back });
  on.json(["rate", "added-a-year-ago", "helpful"]);
  const events = readdirSync(join(on.project, ".lessonloop", "ledger")).flatMap((name) =>
    readFileSync(join(on.project, ".lessonloop", "ledger", name), "utf8")
      .split("\n")
      .filter((line) => line.includes('"op_id"'))
      .map((line) => JSON.parse(line)),
  );
  const times = events.map(({ at }) => Date.parse(at));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  for (const env of [{}, back]) {
    rmSync(join(kept(on), "cache"), { recursive: true, force: true });
    const lesson = on.json(["show", SLUG], { env });
    assert.deepEqual([lesson.standing.times_helpful, lesson.trust], [1, "approved"]);
    assert.equal(on.json(["show", "added-a-year-ago"], { env }).standing.times_helpful, 1);
  }
  // A hook that fired before the clock was set back fires again.
  const payload = JSON.stringify({ session_id: "s", cwd: on.project, prompt: PROMPT });
  const hook = (/** @type {Record<string, string>} */ env) => {
    const done = on.run(["hook", "prompt", "--client", "claude"], { input: payload, env });
    assert.deepEqual([done.code, done.err], [0, ""]);
    return done.out;
  };
  assert.match(hook({}), new RegExp(SLUG));
  assert.match(hook(back), new RegExp(SLUG));
});

test("Ctrl-C at any moment loses nothing that was told as done, and is in nobody's way", {
  timeout: 180_000,
}, async () => {
  const on = machine();
  on.git("init", "-q");
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  const settings = join(on.project, ".mcp.json");
  const many = Array.from({ length: 200 }, (_, n) => ({ title: `Lesson ${n} of many`, recommendation: "Do it." }));
  const file = join(on.project, "many.json");
  writeFileSync(file, JSON.stringify(many));
  const done = [];
  const ROUNDS = 30;
  for (let round = 0; round < ROUNDS; round += 1) {
    const title = `Said in round ${round}`;
    const words = [
      ["add", title, "-r", "Do it.", "--json"],
      ["import", file, "--format", "json"],
      ["init", "claude", "--yes"],
    ][round % 3];
    const child = on.start(words);
    child.stdin.end();
    let out = "";
    child.stdout.on("data", (piece) => (out += piece));
    const ended = new Promise((resolve) => child.on("close", resolve));
    // From before the program runs to after its end.
    await new Promise((resolve) => setTimeout(resolve, (round * 700) / ROUNDS));
    child.kill("SIGINT");
    await ended;
    if (words[0] === "add" && out.includes(`"${title}"`)) done.push(title);
    if (existsSync(settings)) JSON.parse(readFileSync(settings, "utf8"));
    const { lessons } = on.json(["stats"]);
    // An import is there whole, or not at all.
    const rest = lessons - (lessons >= many.length ? many.length : 0);
    assert.ok(rest >= done.length && rest <= round + 1, `${lessons} lessons, ${done.length} told`);
  }
  on.json(["add", "And after all of them", "-r", "Do it."]);
  const text = on.run(["export", "--format", "jsonl"]).out;
  for (const title of done) assert.ok(text.includes(`"${title}"`), title);
  assert.equal(on.run(["init", "claude", "--yes"]).code, 0);
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  assert.ok(!existsSync(settings) && !existsSync(join(on.project, ".claude")));
});
