// `lessonloop backfill`: reads the transcripts that clients keep on this machine for what their sessions learned.
//
// A session is taken only where its folder is sure. Clients flatten a folder's path to a name (`/srv/shop` and `/srv-shop`
// become one), so the name tells nothing: what a transcript says itself does.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { pieces } from "../hook.mjs";
import { Host, hostOf } from "../host.mjs";
import { spelled } from "../invocation.mjs";
import { colour, counted, Failure, json, note, out, plain } from "../print.mjs";
import { findProject, makeStore } from "../store.mjs";
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
  { client: "gemini", folder: join(homedir(), ".gemini", "tmp") },
  { client: "copilot", folder: join(process.env.COPILOT_HOME || join(homedir(), ".copilot"), "session-state") },
];

/** Parts of a store that a copy of it does without. */
const NOT_COPIED = /[\\/](hooks|lock|lock\.[^\\/]*|[^\\/]*\.(sock|tmp))$/;

/** @param {string} path */
const clientOf = (path) =>
  /[\\/]\.codex[\\/]|[\\/]rollout-/.test(path)
    ? "codex"
    : /[\\/]\.gemini[\\/]/.test(path)
      ? "gemini"
      : /[\\/]session-state[\\/]/.test(path)
        ? "copilot"
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
  // Lessons learned in other projects are none of this one's, unless a person names the files.
  const project = path ? undefined : host.places.project?.path;
  const done = {
    transcripts: found.length,
    sessions: 0,
    elsewhere: 0,
    unsure: 0,
    headless: 0,
    skipped: 0,
    insights: /** @type {string[]} */ ([]),
    added: 0,
    failed: /** @type {string[]} */ ([]),
  };
  const take = (/** @type {Host} */ to) => takeAll(to, found, project, done);
  // A dry run does the same to a copy: what it says is what then happens.
  if (dry) await withCopy(host, take);
  else await take(host);
  if (dry) done.added = 0;
  if (values.json) json(done);
  else tell(done, dry);
  return done.failed.length > 0 ? 1 : 0;
}

/**
 * @typedef {{ transcripts: number, sessions: number, elsewhere: number, unsure: number, headless: number, skipped: number,
 *   insights: string[], added: number, failed: string[] }} Done
 */

/**
 * @param {Done} done
 * @param {boolean} dry
 */
function tell(done, dry) {
  for (const insight of done.insights) out(`  ${plain(insight)}`);
  out(
    `${counted(done.transcripts, "transcript")}, ${counted(done.sessions, "session")} with something to learn; ${dry ? `${counted(done.insights.length, "lesson")} would be added` : `${counted(done.added, "lesson")} added`}`,
  );
  const left = (/** @type {number} */ count, /** @type {string} */ text) => count && out(colour("dim", spelled(text)));
  left(
    done.elsewhere,
    `${counted(done.elsewhere, "session")} of other projects left out; \`lessonloop backfill PATH\` takes what you name`,
  );
  left(
    done.unsure,
    `${counted(done.unsure, "session")} left out whose transcript does not say for sure that it is of this project; \`lessonloop backfill PATH\` takes what you name`,
  );
  left(
    done.headless,
    `${counted(done.headless, "headless run")} left out: a transcript does not say whether a person started it`,
  );
  left(done.skipped, `${counted(done.skipped, "line")} of unknown shapes left out`);
  for (const failure of done.failed) note(colour("red", failure));
}

/**
 * Works on a copy of the stores, which is gone afterwards; on an empty store where there is none.
 * @param {Host} host
 * @param {(copy: Host) => Promise<void>} work
 */
async function withCopy(host, work) {
  const folder = mkdtempSync(join(tmpdir(), "lessonloop-dry-"));
  try {
    /** @type {import("../store.mjs").Places} */
    const places = {};
    for (const kind of /** @type {const} */ (["project", "personal"])) {
      const place = host.places[kind];
      if (!place) continue;
      const path = join(folder, kind);
      cpSync(place.path, path, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (from) => from === place.path || !NOT_COPIED.test(from),
      });
      places[kind] = { ...place, path };
    }
    if (!places.project && !places.personal) {
      const path = join(folder, "personal");
      makeStore(path);
      places.personal = { kind: "personal", path, label: "personal" };
    }
    const copy = new Host({ places, indexing: false });
    await work(copy);
    await copy.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Host} host
 * @param {Found[]} found
 * @param {string | undefined} project the store that sessions have to belong to
 * @param {Done} done
 */
async function takeAll(host, found, project, done) {
  await host.use(async (local) => {
    const count = async () => (await local.handle({ method: "GET", path: "/v1/stats", headers: {} })).body.lessons;
    const before = await count();
    /** @type {Set<string>} */
    const taken = new Set();
    for (const [client, paths] of sessions(found)) {
      for (const [session, files] of paths) await one(local, { client, session, files, project, taken }, done);
    }
    await local.flush();
    // A session that was read before is answered as it was then, so the answers don't tell.
    done.added = (await count()) - before;
  });
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
 * The store of the project that a folder belongs to, or did while it was there; null for none.
 * @param {string} store the one that is asked about
 * @param {string} folder
 */
function storeOf(store, folder) {
  if (existsSync(folder)) {
    const real = findProject(realpathSync(folder));
    return real === store ? store : (findProject(folder) ?? real);
  }
  const root = dirname(store);
  if (folder === root || folder.startsWith(root + sep)) return store;
  return findProject(folder);
}

/**
 * True if a session was about the project of a store: it began in a folder of it, and worked in no other project's.
 * @param {string} store
 * @param {string} cwd
 * @param {string[]} folders
 */
function isOf(store, cwd, folders) {
  return storeOf(store, cwd) === store && folders.every((folder) => [store, null].includes(storeOf(store, folder)));
}

/**
 * The folder that a transcript says by a hash alone (Gemini CLI), where the file beside it names it.
 * @param {string | null | undefined} hash
 * @param {string} path
 * @param {string | undefined} store
 */
function folderOfHash(hash, path, store) {
  if (!hash) return null;
  /** @type {string[]} */
  const named = store ? [dirname(store)] : [];
  try {
    named.push(readFileSync(join(dirname(dirname(path)), ".project_root"), "utf8").trim());
  } catch {
    // Older versions write none.
  }
  return named.find((folder) => createHash("sha256").update(folder).digest("hex") === hash) ?? null;
}

/**
 * @param {Local} local
 * @param {{ client: string, session: string, files: string[], project: string | undefined, taken: Set<string> }} which
 * `session`: its folder and name; `project`: the store that it has to belong to; `taken`: the lessons that this run added
 * @param {Done} done
 */
async function one(local, { client, session, files, project, taken }, done) {
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
  const own = files.at(-1) ?? "";
  const cwd = summary.cwd ?? folderOfHash(summary.project_hash, own, project);
  if (project && !cwd) {
    done.unsure += 1;
    return;
  }
  if (project && cwd && !isOf(project, cwd, summary.folders)) {
    done[storeOf(project, cwd) === project ? "unsure" : "elsewhere"] += 1;
    return;
  }
  done.sessions += 1;
  if (!summary.session) summary.session = session.split("\0")[1];
  const began = Date.now();
  for (const request of local.backfill_requests(summary)) {
    const { status, body } = await local.handle(request);
    if (status >= 400) {
      done.failed.push(`${own}: ${body?.error?.message ?? status}`);
      continue;
    }
    for (const { slug } of body.insights.filter((/** @type {any} */ it) => it.added)) {
      if (taken.has(slug)) continue;
      const path = `/v1/lessons/${encodeURIComponent(slug)}`;
      const lesson = (await local.handle({ method: "GET", path, headers: {} })).body;
      // The answer of a request that was sent before is the one of then.
      if (!(Date.parse(lesson?.created_at) >= began)) continue;
      taken.add(slug);
      done.insights.push(lesson.title);
    }
  }
}
