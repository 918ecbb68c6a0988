// A machine that is not as it should be: no permission, a full disk, a home that can't be written, an interruption.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { folder, LESSON, machine, PROMPT, SLUG, until } from "./installed.mjs";

const isRoot = process.getuid?.() === 0;

test("files are for this user alone", { skip: process.platform === "win32" }, () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const store = join(on.home, ".local/share/lessonloop");
  assert.equal(statSync(store).mode & 0o777, 0o700);
  const ledger = join(store, "ledger");
  for (const name of readdirSync(ledger)) assert.equal(statSync(join(ledger, name)).mode & 0o777, 0o600, name);
});

test("secrets are redacted on the way in", () => {
  const on = machine();
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  on.json(["add", "Mind the token", "-r", `Use ${token} for it.`]);
  const ledger = join(on.home, ".local/share/lessonloop/ledger");
  for (const name of readdirSync(ledger)) assert.ok(!readFileSync(join(ledger, name), "utf8").includes(token));
});

test("a home without write permission: a clear error, and hooks stay quiet", { skip: isRoot && !asNobody() }, () => {
  const on = machine();
  chmodSync(on.home, 0o555);
  const run = (/** @type {string[]} */ ...words) => {
    const [program, ...before] = isRoot
      ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", on.node]
      : [on.node];
    try {
      const out = execFileSync(program, [...before, on.bin, ...words], {
        cwd: "/",
        env: on.env,
        encoding: "utf8",
        stdio: "pipe",
        input: "{}",
      });
      return { code: 0, out, err: "" };
    } catch (error) {
      const { status, stdout, stderr } = /** @type {any} */ (error);
      return { code: status, out: stdout, err: stderr };
    }
  };
  for (const at of [on.home, join(on.bin, "../../..")]) openUp(at);
  const added = run("add", "A lesson", "-r", "Do it.");
  assert.equal(added.code, 1, added.err);
  assert.match(added.err, /EACCES|can't be made/);
  const hook = run("hook", "prompt", "--client", "claude");
  assert.deepEqual([hook.code, hook.out], [0, ""]);
  chmodSync(on.home, 0o755);
});

/** Folders of temporary files are this user's; another one has to get through. */
function openUp(path) {
  const top = realpathSync(tmpdir());
  for (let at = path; at !== top && dirname(at) !== at; at = dirname(at)) {
    chmodSync(at, at === path && path.includes("-home-") ? 0o555 : 0o755);
  }
}

function asNobody() {
  try {
    execFileSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("a full disk: the write is refused, nothing is half written, and all before is kept", { skip: !isRoot }, (t) => {
  const at = join(folder("disk"), "small");
  mkdirSync(at);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", at], { stdio: "pipe" });
  } catch {
    t.skip("this machine mounts no file system");
    return;
  }
  try {
    const on = machine();
    const env = { LESSONLOOP_HOME: join(at, "store") };
    let added = 0;
    let refused = null;
    for (; added < 60 && !refused; added += 1) {
      const recommendation = `Lesson ${added}: ${`words of lesson ${added} `.repeat(900)}`.slice(0, 9_000);
      const done = on.run(["add", `Lesson number ${added}`, "-r", recommendation], { env });
      if (done.code !== 0) refused = done;
    }
    assert.ok(refused, "the disk never filled");
    assert.equal(refused.code, 1);
    assert.match(refused.err, /ENOSPC|full/);
    const ledger = join(at, "store", "ledger");
    for (const name of readdirSync(ledger)) {
      const text = readFileSync(join(ledger, name), "utf8");
      for (const line of text.split("\n").filter(Boolean)) JSON.parse(line);
      assert.ok(text === "" || text.endsWith("\n"), "half a line");
    }
    assert.equal(on.json(["stats"], { env }).lessons, added - 1);
    execFileSync("mount", ["-o", "remount,size=4m", at], { stdio: "pipe" });
    on.json(["add", "There is room again", "-r", "Go on."], { env });
    assert.equal(on.json(["stats"], { env }).lessons, added);
  } finally {
    execFileSync("umount", ["-l", at], { stdio: "pipe" });
  }
});

test("a store that another machine writes to is refused with the reason, and read all the same", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const lock = join(on.home, ".local/share/lessonloop/lock");
  const owner = { pid: 7, host: "another-machine", space: "", started: "", since: "2026-11-24T00:00:00Z" };
  writeFileSync(lock, JSON.stringify({ ...owner, nonce: "0".repeat(24) }));
  const refused = on.run(["add", "Another lesson", "-r", "Do it."]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /another-machine/);
  assert.match(refused.err, /Two machines can't write to one folder over the network/);
  assert.ok(readFileSync(lock, "utf8").includes("another-machine"), "its lock was taken");
  assert.equal(on.json(["show", SLUG]).title, LESSON.title);
  unlinkSync(lock);
  on.json(["add", "Another lesson", "-r", "Do it."]);
});

test("a lock that another host or container left is taken over after its time", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const lock = join(on.home, ".local/share/lessonloop/lock");
  const since = "2026-11-24T00:00:00Z";
  for (const [at, owner] of [
    { pid: 7, host: "another-machine", space: "" },
    { pid: process.pid, host: hostname(), space: "pid:[1]" },
  ].entries()) {
    writeFileSync(lock, JSON.stringify({ ...owner, started: "", since, nonce: "0".repeat(24) }));
    const old = Date.now() / 1000 - 3600;
    utimesSync(lock, old, old);
    on.json(["add", `Another lesson ${at}`, "-r", "Do it."]);
  }
});

test("the lock of a process that has ended, and that nobody waited for, is taken over", {
  skip: process.platform !== "linux",
}, async () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  // The shell becomes a program that waits for no child.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
    const fields = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    await until(() => fields()[0] === "Z", "it has ended");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
    const owner = {
      pid,
      host: hostname(),
      space: readlinkSync("/proc/self/ns/pid"),
      started: `${boot}-${fields()[19]}`,
      since: "2026-11-24T00:00:00Z",
      nonce: "0".repeat(24),
    };
    writeFileSync(join(on.home, ".local/share/lessonloop/lock"), JSON.stringify(owner));
    on.json(["add", "Another lesson", "-r", "Do it."], { timeout: 20_000 });
  } finally {
    parent.kill("SIGKILL");
  }
});

test("a store by a newer version is refused with the remedy, and nothing of it is changed", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const store = join(on.home, ".local/share/lessonloop");
  const [name] = readdirSync(join(store, "ledger"));
  const file = join(store, "ledger", name);
  const newer = `${readFileSync(file, "utf8")}{"format":"lessonloop-ledger","version":99}\n{"new":"shape"}\n`;
  writeFileSync(file, newer);
  for (const words of [["stats"], ["add", "A lesson", "-r", "Do it."]]) {
    const { code, err } = on.run(words);
    assert.equal(code, 1, err);
    assert.match(err, /newer version of Lessonloop.*update this one/);
    assert.ok(err.includes(name), "the file is named");
  }
  assert.equal(readFileSync(file, "utf8"), newer);
  const hook = on.run(["hook", "prompt", "--client", "claude"], {
    input: JSON.stringify({ prompt: "x", cwd: on.project }),
  });
  assert.deepEqual([hook.code, hook.out, hook.err], [0, "", ""]);
});

test("a store of 0.1.0-pre is refused with the way out, whatever is asked, and nothing of it is changed", () => {
  const on = machine();
  on.json(["add", "-"], { input: JSON.stringify(LESSON) });
  const store = join(on.home, ".local/share/lessonloop");
  const [name] = readdirSync(join(store, "ledger"));
  const file = join(store, "ledger", name);
  const [, ...events] = readFileSync(file, "utf8").split("\n");
  for (const version of [1, 4]) {
    const old = [`{"lessonloop":"ledger","version":${version}}`, ...events].join("\n");
    writeFileSync(file, old);
    for (const words of [["stats"], ["search", "queue"], ["add", "A lesson", "-r", "Do it."], ["export"]]) {
      const { code, err } = on.run(words);
      assert.equal(code, 1, `${words}: ${err}`);
      assert.match(err, /0\.1\.0-pre made it.*export the lessons there as JSON or markdown/);
      assert.ok(err.includes(name), "the file is named");
    }
    assert.equal(readFileSync(file, "utf8"), old);
  }
});

test("a transcript of 500 MB is read piece by piece, with what was learned at its end", { timeout: 300_000 }, () => {
  const on = machine();
  assert.equal(on.run(["init", "--personal"]).code, 0);
  const at = join(folder("long"), "long.jsonl");
  const line = (/** @type {string} */ text) =>
    `${JSON.stringify({ type: "assistant", uuid: "a", sessionId: "long", cwd: on.project, entrypoint: "cli", message: { role: "assistant", content: [{ type: "text", text }] } })}\n`;
  const piece = line("x".repeat(60_000)).repeat(16);
  const file = openSync(at, "w");
  for (let bytes = 0; bytes < 500e6; bytes += piece.length) writeSync(file, piece);
  writeSync(file, line("INSIGHT: Read long files piece by piece."));
  closeSync(file);
  try {
    const done = on.json(["backfill", at], { timeout: 240_000 });
    assert.deepEqual([done.insights.length, done.added, done.failed], [1, 1, []]);
  } finally {
    unlinkSync(at);
  }
});

test("a symbolic link in a store is not followed, whichever file it stands for", {
  skip: process.platform === "win32",
}, () => {
  const actor = "01a20260-5f40-7000-8000-000000000000";
  /** Where the link is, and whether a command goes on without what lies there. @type {[string, boolean][]} */
  const links = [
    ["ledger", false],
    [`ledger/${actor}.jsonl`, false],
    // These lie outside of a project's store, so what is there in their place is never looked at.
    ["cache", true],
    ["cache/own.json", true],
    ["cache/snapshot.bin", true],
    ["cache/suggested.jsonl", true],
    ["cache/hooks", true],
    ["cache/lessonloop.log", true],
    ["cache/embedding.lock", true],
    ["link", true],
    ["link/link.json", true],
    [".gitignore", true],
    ["lock", false],
  ];
  for (const [name, goesOn] of links) {
    for (const isThere of [true, false]) {
      const on = machine();
      on.git("init", "-q");
      const target = folder("elsewhere");
      // A folder, a file with a person's text, or nothing at all.
      const isFolder = !name.includes(".") && name !== "lock";
      const aim = isFolder && isThere ? target : join(target, "theirs");
      if (!isFolder && isThere) writeFileSync(aim, "a person's text\n");
      const at = join(on.project, ".lessonloop", name);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(join(on.project, ".lessonloop", "config.json"), "{}");
      assert.equal(on.run(["trust"]).code, 0);
      symlinkSync(aim, at);
      const added = on.run(["add", "A lesson", "-r", "Do it."]);
      const what = `${name} → ${isThere ? "something" : "nothing"}: ${added.code} ${added.err}`;
      if (!goesOn) {
        assert.equal(added.code, 1, what);
        assert.match(added.err, /symbolic link/, what);
      }
      for (const event of ["prompt", "session-end"]) {
        const payload = { session_id: "s", cwd: on.project, prompt: PROMPT, transcript_path: "/nowhere.jsonl" };
        const hook = on.run(["hook", event, "--client", "claude"], { input: JSON.stringify(payload) });
        assert.deepEqual([hook.code, hook.err], [0, ""], what);
      }
      on.run(["doctor"]);
      assert.deepEqual(readdirSync(target), !isFolder && isThere ? ["theirs"] : [], what);
      if (!isFolder && isThere) assert.equal(readFileSync(aim, "utf8"), "a person's text\n", what);
    }
  }
});

test("an interruption ends a server and leaves no lock", async () => {
  const on = machine();
  assert.equal(on.run(["init", "--project", "--yes"]).code, 0);
  for (const words of [["mcp"], ["serve", "--port", "0"]]) {
    const child = on.start(words);
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
    if (words[0] === "serve") await new Promise((resolve) => child.stdout.once("data", resolve));
    else {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
      await new Promise((resolve) => child.stdout.once("data", resolve));
    }
    child.kill("SIGINT");
    const { code, signal } = await ended;
    assert.ok(code === 0 || signal === "SIGINT" || code === 130, `${words[0]}: ${code} ${signal}`);
    assert.ok(!readdirSync(join(on.project, ".lessonloop")).includes("lock"));
  }
});

test("mcp ends when its input ends, and writes nothing but the protocol", async () => {
  const on = machine();
  const messages = [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ];
  const input = `${messages.map((message) => JSON.stringify(message)).join("\n")}\nno json\n`;
  const { code, out } = on.run(["mcp"], { input });
  assert.equal(code, 0);
  const answers = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    answers.map(({ id }) => id ?? null),
    [1, 2, null],
  );
  assert.ok(answers[1].result.tools.some((/** @type {any} */ tool) => tool.name === "playbook_recommend_lessons"));
});
