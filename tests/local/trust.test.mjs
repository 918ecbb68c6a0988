// Stores that come with a repository: nothing of them is given to an agent, and nothing in them connects anywhere, until the
// person says that they trust them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { folder, kept, LESSON, machine, PROMPT, SLUG, start } from "./installed.mjs";

/** Somebody's repository with a store in it: a lesson that they approved themselves. */
function theirs() {
  const author = machine();
  author.git("init", "-q");
  assert.equal(author.run(["init", "--project", "--yes"]).code, 0);
  author.json(["add", "-"], { input: JSON.stringify(LESSON) });
  author.json(["review", SLUG, "approve"]);
  author.git("add", "-A");
  author.git("commit", "-qm", "a project with lessons");
  return author;
}

/** The machine of a person who has cloned it. */
function cloned(author) {
  const project = folder("clone");
  execFileSync("git", ["clone", "-q", author.project, project], { env: author.env });
  return machine({ project });
}

const prompted = (on, session_id = "s", event = "prompt") =>
  on.run(["hook", event, "--client", "claude"], {
    input: JSON.stringify({ session_id, cwd: on.project, prompt: PROMPT }),
  });
const ledgerOf = (on) => {
  const at = join(on.project, ".lessonloop/ledger");
  return readdirSync(at).map((name) => [name, readFileSync(join(at, name), "utf8")]);
};

/** `serve`, and what its port answers. */
async function served(on) {
  const child = start(on.node, [on.bin, "serve", "--json", "--port", "0"], { cwd: on.project, env: on.env });
  const { url, token, untrusted } = await new Promise((resolve) => {
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
      try {
        resolve(JSON.parse(text));
      } catch {
        // Not whole yet.
      }
    });
  });
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  return { child, untrusted, ask };
}

test("hooks and commands give nothing of a cloned store until it is trusted, and say so once", () => {
  const on = cloned(theirs());
  const before = ledgerOf(on);
  const first = prompted(on);
  assert.equal(first.code, 0);
  assert.match(JSON.parse(first.out).systemMessage, /came with this repository.* trust/);
  assert.ok(!first.out.includes(SLUG));
  for (const event of ["prompt", "session-start", "stop", "session-end"]) {
    assert.deepEqual([prompted(on, "t", event).out, prompted(on, "t", event).err], ["", ""], event);
  }
  for (const words of [
    ["recommend", PROMPT],
    ["search", "SQL"],
    ["show", SLUG],
    ["add", "Mine", "-r", "Do it."],
    ["rate", SLUG, "helpful"],
    ["export", "--format", "agents-md"],
    ["sync", "--project"],
    ["stats", "--project"],
  ]) {
    const { code, out, err } = on.run(words);
    assert.equal(code, 1, words.join(" "));
    assert.match(err, /came with its repository.*trust/s, words.join(" "));
    assert.ok(!out.includes("parameter"), out);
  }
  assert.match(on.run(["doctor"]).out, /came with its repository: agents get nothing of it/);
  assert.deepEqual(ledgerOf(on), before, "nothing is written to it");
  // The person's own store goes on.
  on.json(["add", "A lesson of my own", "-r", "Do it.", "--personal"]);
  assert.equal(on.json(["stats", "--personal"]).lessons, 1);

  const { store, trusted } = on.json(["trust"]);
  assert.deepEqual([store, trusted], [join(on.project, ".lessonloop"), true]);
  assert.match(prompted(on, "u").out, new RegExp(SLUG));
  assert.equal(on.json(["stats", "--project"]).lessons, 1);
  assert.equal(on.json(["trust", "--remove"]).trusted, false);
  assert.ok(!prompted(on, "v").out.includes(SLUG));
});

test("an agent's server gives nothing of it, and a page shows it without changing it", async () => {
  const on = cloned(theirs());
  const client = await on.client();
  const found = await client.callTool({ name: "playbook_search_lessons", arguments: { query: "SQL parameters" } });
  assert.ok(!JSON.stringify(found).includes(SLUG));
  await client.close();

  const { child, untrusted, ask } = await served(on);
  assert.equal(untrusted, true);
  const before = ledgerOf(on);
  assert.equal((await ask("GET", "/v1/lessons")).body.total, 1);
  assert.equal((await ask("POST", "/v1/search", { query: "SQL" })).status, 200);
  for (const [path, body] of /** @type {[string, object][]} */ ([
    ["/v1/recommend", { query: "SQL" }],
    ["/v1/lessons", LESSON],
    [`/v1/lessons/${SLUG}/archive`, {}],
    ["/v1/sync/connect", { url: "https://example.org" }],
    ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
  ])) {
    const { status, body: said } = await ask("POST", path, body);
    assert.equal(status, 403, path);
    assert.match(said.error.message, /only shown.*trust/);
  }
  const request = { method: "POST", path: `/v1/lessons/${SLUG}/archive`, headers: {}, body: null };
  assert.equal((await ask("POST", "/local/request", request)).body.status, 403);
  assert.deepEqual(ledgerOf(on), before);
  child.kill("SIGTERM");
});

test("another store in the place of a trusted one is shown without being trusted", async () => {
  const on = cloned(theirs());
  on.json(["trust"]);
  const store = join(on.project, ".lessonloop");
  rmSync(store, { recursive: true });
  cpSync(join(theirs().project, ".lessonloop"), store, { recursive: true });
  const { child, untrusted, ask } = await served(on);
  assert.equal(untrusted, true);
  assert.equal((await ask("POST", `/v1/lessons/${SLUG}/archive`, {})).status, 403);
  assert.ok(!prompted(on).out.includes(SLUG));
  child.kill("SIGTERM");
});

test("a link, a cache and marks that come with a store are never looked at, trusted or not", async (t) => {
  const author = theirs();
  // The author links their store to a server of theirs, and commits what belongs to their machine.
  /** @type {string[]} */
  const heard = [];
  const server = createServer((asked, answer) => {
    heard.push(`${asked.method} ${asked.url}`);
    answer.writeHead(500);
    answer.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const store = join(author.project, ".lessonloop");
  cpSync(join(kept(author), "cache"), join(store, "cache"), { recursive: true });
  mkdirSync(join(store, "link"), { recursive: true });
  const link = {
    revision: 1,
    url: `http://127.0.0.1:${port}`,
    key: "k",
    user: { id: "u", name: "u" },
    space: { id: "s", name: "s" },
    actor: "01a20260-5f40-7000-8000-000000000000",
    session: { access_token: "a", refresh_token: "r", expires_at: 4_000_000_000_000 },
    epoch: "e",
  };
  writeFileSync(join(store, "link/link.json"), JSON.stringify({ shape: 1, link }));
  writeFileSync(join(store, "link/actors.json"), JSON.stringify([link.actor]));
  cpSync(join(kept(author), "store.json"), join(store, "store.json"));
  author.git("add", "-Af");
  author.git("commit", "-qm", "and what is ours");

  const on = cloned(author);
  assert.ok(existsSync(join(on.project, ".lessonloop/link/link.json")));
  assert.match(on.run(["doctor"]).out, /link that came with files is never followed/);
  assert.ok(!prompted(on).out.includes(SLUG));
  assert.equal(on.run(["trust"]).code, 0);
  assert.match(prompted(on, "u").out, new RegExp(SLUG));
  assert.match(on.run(["sync"]).err, /not connected/);
  const client = await on.client();
  await client.callTool({ name: "playbook_search_lessons", arguments: { query: "SQL parameters" } });
  await client.close();
  assert.deepEqual(heard, []);
});

test("a store with another id at the path, or a link to another store, asks again", () => {
  const on = cloned(theirs());
  on.json(["trust"]);
  const config = join(on.project, ".lessonloop/config.json");
  writeFileSync(config, JSON.stringify({ version: 1, id: "another" }));
  assert.ok(!prompted(on).out.includes(SLUG), "the remote changed hands");
  assert.equal(on.json(["trust"]).before, false);
  assert.match(prompted(on, "u").out, new RegExp(SLUG));
  // A repository that points at a store which this person trusts.
  const other = folder("other");
  symlinkSync(join(on.project, ".lessonloop"), join(other, ".lessonloop"));
  const there = on.run(["recommend", PROMPT], { cwd: other });
  assert.deepEqual([there.code, there.out], [1, ""]);
});

test("init asks about a store that is there, and --yes is no answer to that", () => {
  const on = cloned(theirs());
  const { code, out } = on.run(["init", "claude", "--project", "--yes"]);
  assert.equal(code, 0);
  assert.match(out, /came with this repository.*Agents get nothing of it until you say so: .* trust/s);
  assert.ok(!prompted(on).out.includes(SLUG));
  // One that this person made needs no word.
  const own = machine();
  assert.equal(own.run(["init", "--project", "--yes"]).code, 0);
  assert.equal(own.json(["stats", "--project"]).lessons, 0);
  // A working tree of theirs has the store by the checkout, and the same id.
  own.git("init", "-q");
  own.git("add", "-A");
  own.git("commit", "-qm", "mine");
  const tree = join(folder("trees"), "tree");
  own.git("worktree", "add", "-q", tree);
  appendFileSync(join(tree, "file"), "");
  assert.equal(own.json(["stats", "--project"], { cwd: tree }).lessons, 0);
});
