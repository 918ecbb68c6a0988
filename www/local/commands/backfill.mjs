// `lessonloop backfill`: reads the transcripts that clients keep on this machine for what their sessions learned.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { pieces } from "../hook.mjs";
import { hostOf } from "../host.mjs";
import { colour, counted, Failure, json, note, out, plain } from "../print.mjs";
import { findProject } from "../store.mjs";
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
  if (!host.places.project && !host.places.personal)
    throw new Failure("there is no store here yet: run `lessonloop init`");
  // What was learned in other projects is none of this one's, unless a person names the files.
  const project = path ? undefined : host.places.project?.path;
  const done = {
    transcripts: found.length,
    sessions: 0,
    elsewhere: 0,
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
      for (const [session, files] of paths) await one(local, { client, session, files, project, dry }, done);
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
    if (done.elsewhere)
      out(
        colour(
          "dim",
          `${counted(done.elsewhere, "session")} of other projects left out; \`lessonloop backfill PATH\` takes what you name`,
        ),
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

/** A folder's path as clients write it in the names of theirs. @param {string} path */
const flat = (path) => path.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-|-$/g, "");

/**
 * Whether a session was about the project of a store: its folder belongs to it, or did while it was there. Of a transcript
 * that names no folder, the folder that it lies in says so.
 * @param {string} store
 * @param {string | null} cwd
 * @param {string} file
 */
function isOf(store, cwd, file) {
  const root = dirname(store);
  if (!cwd) return file.split(/[\\/]/).some((name) => flat(name) === flat(root));
  if (existsSync(cwd)) return findProject(realpathSync(cwd)) === store || findProject(cwd) === store;
  return cwd === root || cwd.startsWith(root + sep);
}

/**
 * @param {Local} local
 * @param {{ client: string, session: string, files: string[], project: string | undefined, dry: boolean }} which `session`: its
 * folder and name; `project`: the store that it has to belong to
 * @param {{ sessions: number, elsewhere: number, headless: number, skipped: number, insights: string[], added: number,
 *   failed: string[] }} done
 */
async function one(local, { client, session, files, project, dry }, done) {
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
  if (project && !isOf(project, summary.cwd, files.at(-1) ?? "")) {
    done.elsewhere += 1;
    return;
  }
  done.sessions += 1;
  if (!summary.session) summary.session = session.split("\0")[1];
  for (const { title } of summary.insights) done.insights.push(title);
  if (dry) return;
  for (const request of local.backfill_requests(summary)) {
    const { status, body } = await local.handle(request);
    if (status >= 400) done.failed.push(`${files.at(-1)}: ${body?.error?.message ?? status}`);
  }
}
