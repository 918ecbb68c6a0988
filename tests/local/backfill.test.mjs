// Earlier sessions: taken where their folder is sure, once, and as a dry run says.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { PROMPT, SLUG } from "./installed.mjs";
import { session, settled } from "./session.mjs";

let rows = 0;
/** A line of Claude Code: the agent said this. */
const line = (sessionId, cwd, text, more = {}) => {
  rows += 1;
  const message = { role: "assistant", content: [{ type: "text", text }] };
  return `${JSON.stringify({ type: "assistant", uuid: `row-${rows}`, sessionId, cwd, entrypoint: "cli", message, ...more })}\n`;
};

const ledgerOf = (project) => {
  const at = join(project, ".lessonloop", "ledger");
  return readdirSync(at).map((name) => readFileSync(join(at, name), "utf8"));
};

/** Writes a transcript below a home. */
function keep(home, path, text) {
  const at = join(home, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
  return at;
}

test("earlier sessions are read for what they learned; a dry run says what is then added, and adds nothing", () => {
  const { on, home, project } = session();
  const past = `${line("past", project, "INSIGHT: Pin the clock in tests of time.")}${line("past", project, "DELIVERED: done.")}{"torn`;
  keep(home, ".claude/projects/x/past.jsonl", past);
  // The same said again, in another session: one lesson.
  keep(home, ".claude/projects/x/same.jsonl", line("same", project, "INSIGHT: Pin the clock in tests of time."));
  const gone = join(project, "sub", "gone");
  keep(home, ".claude/projects/x/gone.jsonl", line("gone", gone, "INSIGHT: Seal the log before every release."));
  const headless = line("auto", project, "INSIGHT: Nobody knows who started this run.", { entrypoint: "sdk-cli" });
  keep(home, ".claude/projects/x/auto.jsonl", headless);

  const before = ledgerOf(project);
  const dry = on.json(["backfill", "--dry-run"]);
  assert.deepEqual([dry.sessions, dry.headless, dry.added], [3, 1, 0]);
  assert.deepEqual(dry.insights.toSorted(), ["Pin the clock in tests of time", "Seal the log before every release"]);
  assert.deepEqual(ledgerOf(project), before);
  assert.equal(on.json(["stats"]).lessons, 1);
  const done = on.json(["backfill"]);
  assert.deepEqual([done.added, done.insights.toSorted()], [2, dry.insights.toSorted()]);
  for (const again of [on.json(["backfill", "--dry-run"]), on.json(["backfill"])])
    assert.deepEqual([again.added, again.insights], [0, []]);
  assert.equal(on.json(["stats"]).lessons, 3);
});

test("a session of another project is left out, whatever its folder's name is flattened to", () => {
  const { on, home, project } = session();
  const flat = project.replace(/[^a-zA-Z0-9]+/g, "-");
  // Flattened, `/a/shop` and `/a-shop` are the same.
  const twin = `/${flat.slice(1)}`;
  const learned = (text) => `INSIGHT: ${text} is learned in a project of somebody else.`;
  const at = keep(home, `.claude/projects/${flat}/twin.jsonl`, line("twin", twin, learned("This")));
  keep(home, `.claude/projects/${flat}/none.jsonl`, line("none", undefined, learned("That")));
  const cursor = { role: "assistant", message: { content: [{ type: "text", text: learned("The third thing") }] } };
  keep(home, `.cursor/projects/${flat.slice(1)}/agent-transcripts/c/c.jsonl`, `${JSON.stringify(cursor)}\n`);
  // One that began here and went on in another project's folder.
  const other = join(home, "other");
  mkdirSync(join(other, ".lessonloop", "ledger"), { recursive: true });
  keep(
    home,
    `.claude/projects/${flat}/mixed.jsonl`,
    line("mixed", project, "I look at the other one.") + line("mixed", other, learned("The last thing")),
  );
  for (const more of [["--dry-run"], []]) {
    const { added, elsewhere, unsure, insights } = on.json(["backfill", ...more]);
    assert.deepEqual({ added, elsewhere, unsure, insights }, { added: 0, elsewhere: 1, unsure: 3, insights: [] });
  }
  assert.equal(on.json(["backfill", at]).added, 1, "a file that a person names is theirs to give");
});

test("other clients' sessions are taken by what their transcripts say of the folder", () => {
  const { on, home, project } = session();
  const hash = (path) => createHash("sha256").update(path).digest("hex");
  const gemini = (path, text) =>
    [
      { sessionId: path, projectHash: hash(path) },
      { id: "m", type: "gemini", content: `INSIGHT: ${text}` },
    ]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join("");
  keep(home, ".gemini/tmp/a/chats/session-1.jsonl", gemini(project, "Round as the venue does, half up."));
  keep(home, ".gemini/tmp/a/chats/session-2.jsonl", gemini("/elsewhere", "Of another folder is this one here."));
  const copilot = (cwd, text) =>
    [
      { type: "session.start", id: "1", data: { sessionId: cwd, context: { cwd } } },
      { type: "assistant.message", id: "2", data: { content: `INSIGHT: ${text}` } },
    ]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join("");
  keep(home, ".copilot/session-state/one/events.jsonl", copilot(project, "Give each test of uploads a port."));
  keep(home, ".copilot/session-state/two/events.jsonl", copilot("/elsewhere", "Of another folder is that one there."));
  const done = on.json(["backfill"]);
  assert.deepEqual([done.added, done.elsewhere, done.unsure], [2, 1, 1]);
});

test("a fork is credited for nothing it inherited, live and backfilled, in either order and twice", async () => {
  /** @type {any[]} */
  const numbers = [];
  for (const order of ["first the past", "first the hooks", "the fork first"]) {
    const { on, home, project, hook } = session();
    const [own, fork] = ["11111111-2222-4333-8444-00000000000a", "11111111-2222-4333-8444-00000000000b"];
    const injected = {
      type: "attachment",
      uuid: "h1",
      sessionId: own,
      cwd: project,
      attachment: {
        type: "hook_additional_context",
        content: [`## Lessons learned\n\n### ${SLUG}\nNew\n\`\`\`\`text\nTitle: x\n\`\`\`\`\n`],
      },
    };
    const history =
      `${JSON.stringify(injected)}\n` +
      line(
        own,
        project,
        `Applying '${SLUG}': values are bound.\n\nINSIGHT: A job that runs twice needs a key of its own.`,
      ) +
      line(own, project, "DELIVERED: the job runs once.");
    const more = line(
      fork,
      project,
      "INSIGHT: The queue keeps its order per key only.\n\nBLOCKED: there are no keys here.",
    );
    const first = keep(home, `.claude/projects/x/${own}.jsonl`, history);
    const second = keep(home, `.claude/projects/x/${fork}.jsonl`, history + more);
    const ends = [
      { session_id: own, transcript_path: first, reason: "exit" },
      { session_id: fork, transcript_path: second, reason: "exit" },
    ];
    const live = async (events) => {
      for (const event of events) {
        hook("session-end", event);
        await settled(on);
      }
    };
    assert.match(hook("prompt", { session_id: own, transcript_path: first, prompt: PROMPT }), new RegExp(SLUG));
    if (order === "first the past") on.json(["backfill"]);
    await live(order === "the fork first" ? ends.toReversed() : ends);
    on.json(["backfill"]);
    await live(ends);
    const { standing } = on.json(["show", SLUG]);
    const times = Object.entries(standing).filter(([name]) => !name.endsWith("_at"));
    numbers.push({ lessons: on.json(["stats"]).lessons, ...Object.fromEntries(times) });
  }
  const { lessons, times_surfaced, times_applied, success_count, consecutive_failures } = numbers[0];
  assert.deepEqual(
    { lessons, times_surfaced, times_applied, success_count, consecutive_failures },
    { lessons: 3, times_surfaced: 1, times_applied: 1, success_count: 1, consecutive_failures: 0 },
  );
  assert.deepEqual(numbers[1], numbers[0]);
  assert.deepEqual(numbers[2], numbers[0]);
});
