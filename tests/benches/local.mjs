// The package for Node beside @modelcontextprotocol/server-memory, which keeps notes in one file: start, one recall at
// 1,000 notes, ten sessions at once; and the prompt hook, alone and beside an open session; a start with 100,000 events on
// record; ten writers that are killed a hundred times while they write 1,000 lessons each. Both in turn, so that what
// else the machine does falls on both; medians with the quarters below and above and the slowest
// of twenty, and their ratio.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "../local/node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js";
import { StdioClientTransport } from "../local/node_modules/@modelcontextprotocol/sdk/dist/esm/client/stdio.js";
import { archive, folder, installed, machine, until } from "../local/installed.mjs";

const NOTES = 1_000;
const ROUNDS = Number(process.env.LESSONLOOP_ROUNDS ?? 15);
const RECALLS = 40;
const SESSIONS = 10;
/** Lessons of a project after some months, and calls of each hook: enough for the slowest of twenty. */
const PROJECT = 146;
const HOOKS = Number(process.env.LESSONLOOP_ROUNDS ?? 40);
const WRITES = 5;
const EVENTS = 100_000;

const PEER = fileURLToPath(
  new URL("../local/node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url),
);
const AREAS = ["queue", "cache", "parser", "migration", "socket", "index", "ledger", "worker", "schema", "session"];
const ACTS = ["bound", "retry", "drain", "pin", "split", "merge", "replay", "seal", "warm", "probe"];
/** Notes that differ in their words, as lessons do. */
const note = (at) => {
  const [area, act, other] = [AREAS[at % 10], ACTS[Math.floor(at / 10) % 10], AREAS[Math.floor(at / 100) % 10]];
  return {
    title: `${act} the ${area} before the ${other} (${at})`,
    text: `When the ${area} meets the ${other}, ${act} it first and say so in the log; case ${at} failed without it.`,
  };
};

const on = machine();
assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
const lessons = Array.from({ length: NOTES }, (_, at) => ({ title: note(at).title, recommendation: note(at).text }));
const file = join(on.project, "notes.json");
writeFileSync(file, JSON.stringify(lessons));
assert.equal(on.json(["import", file, "--format", "json"]).added, NOTES);

const memory = join(folder("peer"), "memory.jsonl");
const entity = (at) => ({ type: "entity", name: note(at).title, entityType: "lesson", observations: [note(at).text] });
const filled = Array.from({ length: NOTES }, (_, at) => JSON.stringify(entity(at))).join("\n");

async function connect(command, args, env, cwd = on.project) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, cwd, env, stderr: "ignore" }));
  return client;
}
const ours = {
  name: "lessonloop",
  open: () => connect(on.node, [on.bin, "mcp"], on.env),
  recall: (client, query) => client.callTool({ name: "playbook_search_lessons", arguments: { query } }),
  write: (client, title) =>
    client.callTool({ name: "playbook_add_lesson", arguments: { title, recommendation: title } }),
  stored: () => on.run(["export", "--format", "jsonl", "--project"]).out,
};
const peer = {
  name: "server-memory",
  open: () => connect(on.node, [PEER], { ...on.env, MEMORY_FILE_PATH: memory }),
  recall: (client, query) => client.callTool({ name: "search_nodes", arguments: { query } }),
  write: (client, name) =>
    client.callTool({
      name: "create_entities",
      arguments: { entities: [{ name, entityType: "lesson", observations: [name] }] },
    }),
  stored: () => readFileSync(memory, "utf8"),
};
const both = [ours, peer];

/** The time of some work in milliseconds. */
async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
const quantile = (times, share) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const shown = (times) =>
  `${quantile(times, 0.5).toFixed(1)} (${quantile(times, 0.25).toFixed(1)}–${quantile(times, 0.75).toFixed(1)}; ${quantile(times, 0.95).toFixed(1)})`;

/** The floor of every command: Node that does nothing. */
async function bare() {
  const times = [];
  for (let round = 0; round < HOOKS; round += 1) times.push(await timed(() => spawnSync(on.node, ["-e", "0"])));
  return times;
}

const rows = [];
/** A row with both, and how much of the peer's time ours takes. */
function row(what, a, b) {
  const ratio = b ? (quantile(a, 0.5) / quantile(b, 0.5)).toFixed(2) : "";
  rows.push([what, shown(a), b ? shown(b) : "", ratio]);
}

writeFileSync(memory, filled);
const start = both.map(() => []);
const first = both.map(() => []);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [at, side] of both.entries()) {
    /** @type {any} */
    let client;
    start[at].push(await timed(async () => (client = await side.open()).listTools()));
    first[at].push(await timed(() => side.recall(client, "bound")));
    await client.close();
  }
}
row("start to the list of tools, ms", ...start);
row("first recall after it, ms", ...first);

const recall = both.map(() => []);
const open = await Promise.all(both.map((side) => side.open()));
// Vectors are made in the background after the model has come in.
await until(
  async () => {
    const { structuredContent } = await open[0].callTool({ name: "playbook_health", arguments: {} });
    const { loaded, pending } = /** @type {any} */ (structuredContent).model;
    return loaded && pending === 0;
  },
  "every lesson has its vector",
  180_000,
);
for (let round = 0; round < RECALLS; round += 1) {
  for (const [at, side] of both.entries()) recall[at].push(await timed(() => side.recall(open[at], ACTS[round % 10])));
}
row(`one recall at ${NOTES} notes, ms`, ...recall);

// Hooks as clients call them: by npm's own entry, with as many lessons as a project has after some months.
const small = machine();
assert.equal(small.run(["init", "--project", "--yes"]).code, 0);
writeFileSync(join(small.project, "notes.json"), JSON.stringify(lessons.slice(0, PROJECT)));
assert.equal(small.json(["import", join(small.project, "notes.json"), "--format", "json"]).added, PROJECT);
const shim = join(installed(), "..", ".bin", "lessonloop");
/** A call of a hook, which has to print something or, for what is only handed on, nothing. */
const called = (at, event, payload, prints, more = []) =>
  timed(() => {
    const input = JSON.stringify({ cwd: at.project, ...payload });
    const words = ["hook", event, "--client", "claude", ...more];
    const done = spawnSync(shim, words, { cwd: at.project, env: at.env, input, encoding: "utf8" });
    assert.deepEqual([done.status, done.stdout !== ""], [0, prints], done.stderr);
  });
let calls = 0;
const prompted = () => {
  calls += 1;
  return { session_id: `call-${calls}`, prompt: `Please ${note((calls * 37) % PROJECT).title}, and say why.` };
};
for (const [at, size] of /** @type {const} */ ([
  [small, PROJECT],
  [on, NOTES],
])) {
  const server = at === on ? null : await connect(on.node, [on.bin, "mcp"], at.env, at.project);
  if (server) {
    await until(
      async () => {
        const { structuredContent } = await server.callTool({ name: "playbook_health", arguments: {} });
        const { loaded, pending } = /** @type {any} */ (structuredContent).model;
        return loaded && pending === 0;
      },
      "every lesson has its vector",
      180_000,
    );
  }
  await until(() => at.run(["doctor", "--json"]).out.includes("answers hooks"), "the socket is open");
  /** @type {number[][]} */
  const [beside, stop, end, alone, model] = [[], [], [], [], []];
  for (let round = 0; round < HOOKS; round += 1) {
    beside.push(await called(at, "prompt", prompted(), true));
    stop.push(await called(at, "stop", { session_id: `call-${calls}`, last_assistant_message: "Done." }, false));
    end.push(await called(at, "session-end", { session_id: `call-${calls}` }, true));
  }
  if (server) await server.close();
  else for (const client of open) await client.close();
  for (let round = 0; round < HOOKS; round += 1) {
    alone.push(await called(at, "prompt", prompted(), true, ["--no-model"]));
    model.push(await called(at, "prompt", prompted(), true));
  }
  row(`hook prompt beside an open session, ${size} lessons, ms`, beside);
  row(`hook stop beside an open session, ${size} lessons, ms`, stop);
  row(`hook session-end beside an open session, ${size} lessons, ms`, end);
  row(`hook prompt by itself, by words, ${size} lessons, ms`, alone);
  row(`hook prompt by itself, with the model, ${size} lessons, ms`, model);
}
row("node by itself, ms", await bare());

// A project with a history: the runs of the demo again and again, each time by another machine, as git brings them.
const grown = machine();
assert.equal(grown.run(["init", "--project", "--yes"]).code, 0);
const ledger = join(grown.project, ".lessonloop", "ledger");
const [version, ...lines] = readFileSync(
  fileURLToPath(new URL("demo/ledger.jsonl", `${pathToFileURL(process.env.LESSONLOOP_DIST)}/`)),
  "utf8",
)
  .trim()
  .split("\n");
const told = lines.map((line) => JSON.parse(line));
const RUNS = ["Surfaced", "UsageTracked", "OutcomeRecorded", "FeedbackGiven", "Rated"];
let events = 0;
for (let copy = 0; events < EVENTS; copy += 1) {
  const some = copy === 0 ? told : told.filter(({ event }) => RUNS.includes(Object.keys(event)[0]));
  const actor = told[0].actor.replace(/.{4}$/, String(copy).padStart(4, "0"));
  const number = (at) => `-${String(copy).padStart(4, "0")}${String(at).padStart(8, "0")}`;
  mkdirSync(ledger, { recursive: true });
  const text = some.slice(0, EVENTS - events).map((one, at) => {
    const event = JSON.parse(JSON.stringify(one.event), (key, value) =>
      ["retrieval_id", "decision_id"].includes(key) && typeof value === "string" ? `${value}-${copy}` : value,
    );
    return JSON.stringify({ ...one, op_id: one.op_id.replace(/-[^-]*$/, number(at)), actor, seq: at + 1, event });
  });
  events += text.length;
  writeFileSync(join(ledger, `${actor}.jsonl`), `${[version, ...text].join("\n")}\n`);
}
// Each run of the demo is some four events, one of which shows a lesson or more.
const read = await timed(() => assert.ok(grown.json(["stats"]).total_surfaced > EVENTS / 5));
const late = [];
for (let round = 0; round < ROUNDS; round += 1) {
  /** @type {any} */
  let client;
  late.push(
    await timed(async () =>
      (client = await connect(grown.node, [grown.bin, "mcp"], grown.env, grown.project)).callTool({
        name: "playbook_health",
        arguments: {},
      }),
    ),
  );
  await client.close();
}
row(`start to the first answer with ${EVENTS} events on record, ms`, late);
rows.push(["the same before there is a snapshot, ms", read.toFixed(0), "", ""]);

const lost = [];
const ten = both.map(() => []);
for (let round = 0; round < 3; round += 1) {
  for (const [at, side] of both.entries()) {
    if (side === peer) writeFileSync(memory, filled);
    const titles = Array.from({ length: SESSIONS }, (_, session) =>
      Array.from({ length: WRITES }, (_, write) => `round ${round} session ${session} write ${write}`),
    );
    ten[at].push(
      await timed(async () => {
        const clients = await Promise.all(titles.map(() => side.open()));
        await Promise.all(
          clients.map(async (client, session) => {
            for (const title of titles[session]) await side.write(client, title);
          }),
        );
        await Promise.all(clients.map((client) => client.close()));
      }),
    );
    const text = side.stored();
    lost.push([side.name, titles.flat().filter((title) => !text.includes(`"${title}"`)).length]);
  }
}
row(`${SESSIONS} sessions at once, ${WRITES} writes each, ms`, ...ten);
const lostBy = (side) =>
  lost
    .filter(([name]) => name === side.name)
    .map(([, count]) => count)
    .join(", ");
rows.push([`of those ${SESSIONS * WRITES} writes lost, each round`, lostBy(ours), lostBy(peer), ""]);

// The suite's own test, whole: it fails where anything is lost, doubled or torn.
const KILLS = "100";
const killed = spawnSync(
  process.execPath,
  ["--test", "--test-name-pattern=writers", fileURLToPath(new URL("../local/sessions.test.mjs", import.meta.url))],
  { encoding: "utf8", env: { ...process.env, LESSONLOOP_KILLS: KILLS } },
);
const acknowledged = killed.stdout.split("\n").find((line) => line.includes("writes acknowledged"));
assert.equal(killed.status, 0, killed.stdout);
rows.push([
  `10 writers of 1,000 lessons each, killed ${KILLS} times`,
  acknowledged?.replace(/^[# ]+/, "") ?? "",
  "",
  "",
]);

const head = ["median (quarters; 95 %)", ours.name, peer.name, "ratio"];
const widths = head.map((name, at) => Math.max(name.length, ...rows.map((cells) => cells[at].length)));
for (const cells of [head, ...rows])
  console.log(
    cells
      .map((cell, at) => cell.padEnd(widths[at]))
      .join("  ")
      .trimEnd(),
  );
console.log(`\nNode ${process.versions.node}; the archive: ${(readFileSync(archive).length / 1e6).toFixed(1)} MB`);
