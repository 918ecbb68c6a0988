// `lessonloop backfill`: reads the transcripts that clients keep on this machine for what their sessions learned.
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pieces } from "../hook.mjs";
import { hostOf } from "../host.mjs";
import { colour, counted, Failure, json, note, out, plain } from "../print.mjs";
import { onlyOf } from "./mcp.mjs";

/** @typedef {{ client: string, path: string }} Found */

/** So many characters at the end of a piece are kept: more than the engine takes of a session, which is 800,000 bytes. */
const SAID = 1_000_000;

/** Where clients keep transcripts. @returns {{ client: string, folder: string }[]} */
const places = () => [
  { client: "claude", folder: join(process.env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude"), "projects") },
  { client: "codex", folder: join(process.env.CODEX_HOME || join(homedir(), ".codex"), "sessions") },
  { client: "codex", folder: join(process.env.CODEX_HOME || join(homedir(), ".codex"), "archived_sessions") },
  { client: "cursor", folder: join(homedir(), ".cursor", "projects") },
];

/** @param {string} path */
const clientOf = (path) =>
  /[\\/]\.codex[\\/]|[\\/]rollout-/.test(path)
    ? "codex"
    : /[\\/]agent-transcripts[\\/]|[\\/]\.cursor[\\/]/.test(path)
      ? "cursor"
      : "claude";

/** @param {string} folder @returns {string[]} */
function transcripts(folder) {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return [folder];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function backfill({ values, positionals }) {
  const [path] = positionals;
  if (path && !statSync(path, { throwIfNoEntry: false })) throw new Failure(`${path}: there is no such file or folder`);
  /** @type {Found[]} */
  const found = path
    ? transcripts(resolve(path)).map((at) => ({ client: clientOf(at), path: at }))
    : places().flatMap(({ client, folder }) => transcripts(folder).map((at) => ({ client, path: at })));
  const dry = Boolean(values["dry-run"]);
  const host = hostOf({ only: onlyOf(values), create: !dry });
  const done = {
    transcripts: found.length,
    sessions: 0,
    headless: 0,
    skipped: 0,
    insights: /** @type {string[]} */ ([]),
    added: 0,
    failed: /** @type {string[]} */ ([]),
  };
  await host.use(async (local) => {
    const count = async () => (await local.handle({ method: "GET", path: "/v1/stats", headers: {} })).body.lessons;
    const before = await count();
    for (const [client, paths] of sessions(found)) {
      for (const [session, files] of paths) await one(local, client, session, files, dry, done);
    }
    await local.flush();
    // A session that was read before is answered as it was then, so the answers don't tell.
    done.added = (await count()) - before;
  });
  if (values.json) json(done);
  else {
    for (const insight of done.insights) out(`  ${plain(insight)}`);
    out(
      `${counted(done.transcripts, "transcript")}, ${counted(done.sessions, "session")} with something to learn; ${dry ? `${counted(done.insights.length, "insight")} would be added` : `${counted(done.added, "lesson")} added`}`,
    );
    if (done.headless) out(colour("dim", `${counted(done.headless, "headless run")} left out`));
    if (done.skipped) out(colour("dim", `${counted(done.skipped, "line")} of unknown shapes left out`));
    for (const failure of done.failed) note(colour("red", failure));
  }
  return done.failed.length > 0 ? 1 : 0;
}

/**
 * The files by client and session: subagents' beside their parent's.
 * @param {Found[]} found
 */
function sessions(found) {
  /** @type {Map<string, Map<string, string[]>>} */
  const all = new Map();
  for (const { client, path } of found) {
    const [, parent] = /^(.*)[\\/]subagents[\\/]/.exec(path) ?? [];
    const session = parent ? basename(parent) : basename(path, ".jsonl");
    const key = `${dirname(parent ?? path)}\0${session}`;
    const of = all.get(client) ?? new Map();
    all.set(client, of);
    // A session's own transcript last: what it says of the outcome is said of the whole.
    const files = of.get(key) ?? [];
    of.set(key, parent ? [path, ...files] : [...files, path]);
  }
  return all;
}

/**
 * @param {Local} local
 * @param {string} client
 * @param {string} key
 * @param {string[]} files
 * @param {boolean} dry
 * @param {{ sessions: number, headless: number, skipped: number, insights: string[], added: number, failed: string[] }} done
 */
async function one(local, client, key, files, dry, done) {
  const reads = [];
  for (const path of files) {
    let headless = false;
    for (const read of pieces(local, client, path, {})) {
      done.skipped += read.skipped;
      headless ||= read.headless;
      // Of a long session the end of what was said counts; the rest of it would fill the memory.
      reads.push({ ...read, said: read.said.slice(-SAID) });
    }
    if (headless) done.headless += 1;
  }
  const summary = local.backfill(reads);
  if (!summary) return;
  done.sessions += 1;
  if (!summary.session) summary.session = key.split("\0")[1];
  for (const { title } of summary.insights) done.insights.push(title);
  if (dry) return;
  for (const request of local.backfill_requests(summary)) {
    const { status, body } = await local.handle(request);
    if (status >= 400) done.failed.push(`${files.at(-1)}: ${body?.error?.message ?? status}`);
  }
}
