// `init` writes all of it or nothing: files that can't or must not be written are told by name and left alone.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { folder, machine, start, until } from "./installed.mjs";

const isWindows = process.platform === "win32";

function prepared() {
  const on = machine();
  on.git("init", "-q");
  return on;
}

/** A refusal that names the file and leaves the project without anything of ours. */
function refused(on, words, path, reason) {
  const { code, err } = on.run(["init", ...words, "--yes"]);
  assert.equal(code, 1, err);
  assert.ok(err.includes(path), err);
  assert.match(err, reason);
  const left = readdirSync(on.project).filter((name) => name !== ".git");
  return left;
}

test("a file that is read-only is somebody else's to write", { skip: isWindows }, () => {
  const on = prepared();
  const at = join(on.project, ".mcp.json");
  writeFileSync(at, "{}");
  chmodSync(at, 0o444);
  assert.deepEqual(refused(on, ["claude"], ".mcp.json", /is read-only.*Nothing was changed/), [".mcp.json"]);
  assert.equal(readFileSync(at, "utf8"), "{}");
});

test("a link is followed and shown; one to nothing is left alone", { skip: isWindows }, () => {
  const on = prepared();
  const dotfiles = folder("dotfiles");
  const target = join(dotfiles, "mcp.json");
  writeFileSync(target, '{ "mcpServers": {} }\n');
  symlinkSync(target, join(on.project, ".mcp.json"));
  const done = on.run(["init", "claude", "--yes"]);
  assert.equal(done.code, 0, done.err);
  assert.ok(done.out.includes(`.mcp.json → ${target}`), done.out);
  assert.ok(lstatSync(join(on.project, ".mcp.json")).isSymbolicLink());
  assert.ok(readFileSync(target, "utf8").includes("lessonloop"));
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  assert.ok(lstatSync(join(on.project, ".mcp.json")).isSymbolicLink());
  assert.equal(readFileSync(target, "utf8"), '{ "mcpServers": {} }\n');

  const other = prepared();
  symlinkSync(join(dotfiles, "none.json"), join(other.project, ".mcp.json"));
  assert.deepEqual(refused(other, ["claude"], ".mcp.json", /a link to nothing/), [".mcp.json"]);
  assert.ok(!existsSync(join(dotfiles, "none.json")));
});

test("what is no text, and what is a folder, is told and left alone", () => {
  const on = prepared();
  const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
  writeFileSync(join(on.project, ".mcp.json"), bytes);
  refused(on, ["claude"], ".mcp.json", /is not UTF-8/);
  assert.deepEqual(readFileSync(join(on.project, ".mcp.json")), bytes);
  const other = prepared();
  mkdirSync(join(other.project, "opencode.json"));
  refused(other, ["opencode"], "opencode.json", /is a folder/);
});

const isRoot = process.getuid?.() === 0;
const mayBeNobody = isRoot && spawnSync("setpriv", ["--reuid=65534", "--clear-groups", "true"]).status === 0;

test("a home that can't be written: told before anything is", { skip: !isRoot || !mayBeNobody }, () => {
  const on = machine();
  for (const at of [on.home, dirname(dirname(on.bin))]) {
    for (let up = at; dirname(up) !== up && up !== realpathSync(tmpdir()); up = dirname(up)) chmodSync(up, 0o755);
  }
  chmodSync(on.home, 0o555);
  const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", on.node, on.bin];
  const done = spawnSync(nobody[0], [...nobody.slice(1), "init", "claude", "--personal", "--yes"], {
    cwd: "/",
    env: on.env,
    encoding: "utf8",
  });
  assert.equal(done.status, 1, done.stdout);
  assert.match(done.stderr, /\.claude.*can't be written \(EACCES\); check the owner and permissions/);
  assert.deepEqual(readdirSync(on.home), ["run"]);
  chmodSync(on.home, 0o755);
});

test("a disk that is full in the middle: what was written is put back", { skip: !isRoot }, (t) => {
  const at = folder("disk");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", at], { stdio: "pipe" });
  } catch {
    t.skip("this machine mounts no file system");
    return;
  }
  try {
    // The hooks go to the disk that is full, the server's entry before them to one that is not.
    const on = prepared();
    mkdirSync(join(on.project, ".claude"));
    const before = '{ "mcpServers": { "other": { "command": "x" } } }';
    writeFileSync(join(on.project, ".mcp.json"), before);
    writeFileSync(join(at, "settings.json"), "{}");
    symlinkSync(join(at, "settings.json"), join(on.project, ".claude/settings.local.json"));
    spawnSync("dd", ["if=/dev/zero", `of=${join(at, "filler")}`, "bs=4k"], { stdio: "ignore" });
    const { code, err } = on.run(["init", "claude", "--yes"]);
    assert.equal(code, 1, err);
    assert.match(err, /settings\.local\.json: can't be written \(ENOSPC\).*Clients' files are as they were/);
    assert.equal(readFileSync(join(on.project, ".mcp.json"), "utf8"), before);
    assert.deepEqual(readdirSync(at).sort(), ["filler", "settings.json"]);
    assert.equal(readFileSync(join(at, "settings.json"), "utf8"), "{}");
  } finally {
    execFileSync("umount", ["-l", at], { stdio: "pipe" });
  }
});

test("files that git does not have are named, with what serves every worktree", () => {
  const on = prepared();
  const said = on.run(["init", "claude", "--yes"]).out;
  assert.match(
    said,
    /\.mcp\.json, \.claude\/settings\.local\.json: not in git, so a worktree or another clone lacks them/,
  );
  assert.match(said, /lessonloop\.mjs init claude --personal$/m);
  assert.equal(on.run(["init", "claude", "--remove", "--yes"]).code, 0);
  writeFileSync(join(on.project, ".mcp.json"), "{}");
  on.git("add", ".mcp.json");
  const part = on.run(["init", "claude", "--yes"]).out;
  assert.match(part, /^\.claude\/settings\.local\.json: not in git/m);
  assert.match(part, /^\.mcp\.json: in git, and names a path of this machine now: don't commit that\./m);
});

test("in a worktree the home is offered, and the lessons stay with the project", {
  skip: process.platform !== "linux" || spawnSync("script", ["--version"]).status !== 0,
}, async () => {
  for (const [answer, isHome] of /** @type {const} */ ([
    ["", true],
    ["n", false],
  ])) {
    const on = prepared();
    on.git("commit", "-q", "--allow-empty", "-m", "one");
    assert.equal(on.run(["init"]).code, 0);
    const tree = join(folder("trees"), "two");
    on.git("worktree", "add", "-q", tree);
    const line = [on.node, on.bin, "init", "claude"].join(" ");
    const child = start("script", ["-qec", line, "/dev/null"], {
      cwd: tree,
      env: { ...on.env, NO_COLOR: "1", PATH: `/usr/bin${delimiter}/bin` },
    });
    let out = "";
    child.stdout.on("data", (piece) => (out += piece));
    await until(() => out.includes("Set it up in your home? [Y/n]"), "the offer");
    assert.ok(out.includes(`This is a worktree of ${on.project}`), out);
    child.stdin.write(`${answer}\n`);
    await until(() => out.includes("Write this? [y/N]"), "the question");
    child.stdin.write("y\n");
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(code, 0, out);
    assert.equal(existsSync(join(on.home, ".claude/settings.json")), isHome, out);
    assert.equal(existsSync(join(tree, ".mcp.json")), !isHome, out);
    assert.ok(out.includes(`The store: ${join(on.project, ".lessonloop")}`), out);
    assert.ok(!existsSync(join(on.home, ".local/share/lessonloop")), "a store of one's own");
  }
});
