// `lessonloop init`: makes the store and writes a client's entries, after it has shown what changes.
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, unlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { CLIENT } from "../clients/clients.mjs";
import * as givenBack from "../clients/given_back.mjs";
import { ParseError } from "../clients/jsonc.mjs";
import { program, settle } from "../clients/registered.mjs";
import { replaceFile } from "../files.mjs";
import { version } from "../main.mjs";
import { colour, Failure, out, plain, UsageError } from "../print.mjs";
import { FOLDER, findProject, isStore, makeStore, personalPath, projectRoot } from "../store.mjs";

/** Words that a store may end up in git for: whoever commits it shares its lessons with all who clone it. */
const SHARED = "Commit it to share its lessons with everybody who clones the project, or ignore it to keep them yours.";

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function init({ values, positionals }) {
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageError("one client at a time");
  const client = name === undefined ? undefined : CLIENT[/** @type {keyof typeof CLIENT} */ (name)];
  if (name !== undefined && (!client || !Object.hasOwn(CLIENT, name))) {
    throw new UsageError(`no client is called ${name}: ${Object.keys(CLIENT).join(", ")}`);
  }
  if (values.remove && !client) throw new UsageError("--remove takes a client's entries out: name the client");
  const cwd = process.cwd();
  const root = projectRoot(cwd);
  const isProject = values.project || (!values.personal && !process.env.LESSONLOOP_HOME && resolve(root) !== homedir());
  const store = isProject ? (findProject(cwd) ?? join(root, FOLDER)) : personalPath();
  const project = isProject ? dirname(store) : null;

  const settled = settle(version(), values["dry-run"] || values.remove);
  const setting = { project: isProject ? root : null, program: program(settled.root), remove: Boolean(values.remove) };
  const removals = values.remove ? null : (client?.edits({ ...setting, remove: true }) ?? []);
  const edits = await changes(client?.edits(setting) ?? [], removals);
  const makes = !values.remove && !isStore(store);

  if (makes) out(`${colour("green", "new")}  ${store}  (the store)`);
  for (const { path, about, before, after } of edits) show(path, about, before, after);
  if (settled.copied) out(`${colour("green", "new")}  ${settled.root}  (the program: npx keeps it for a while only)`);
  if (!makes && edits.length === 0) {
    out(values.remove ? "Nothing of ours is there." : `Everything is in place. The store: ${store}`);
    return 0;
  }
  if (values["dry-run"]) return 0;
  if (!values.yes && edits.length > 0 && !(await agreed())) {
    out("Nothing was changed.");
    return 1;
  }
  uninterrupted(() => {
    if (makes) makeStore(store);
    for (const edit of edits) write(edit);
    // The folder of several files goes with the last of them.
    givenBack.removeFolders(edits.flatMap(({ after, folders }) => (after === null ? (folders ?? []) : [])));
  });
  if (values.remove) out(`Removed. The store stays: ${store}`);
  else {
    out(`\nReady. The store: ${store}`);
    if (makes && project && existsSync(join(project, ".git"))) out(SHARED);
    if (client?.after) out(client.after);
  }
  return 0;
}

/**
 * What the edits change. Nothing is written before all files are known to parse.
 * @typedef {import("../clients/clients.mjs").Edit} Edit
 * @typedef {Edit & { before: string | null, after: string | null, first?: string | null, folders?: string[] }} Change
 * `first`: what the file was before ours came into it, where that is known; `folders`: those that were made for it
 * @param {Edit[]} edits
 * @param {Edit[] | null} removals the edits that take ours out again; null when these do so
 * @returns {Promise<Change[]>}
 */
async function changes(edits, removals) {
  /** @type {Change[]} */
  const changed = [];
  for (const edit of edits) {
    const before = read(edit.path);
    const known = givenBack.before(edit.path, before);
    if (!removals && known) {
      changed.push({ ...edit, before, after: known.before, folders: known.folders });
      continue;
    }
    const after = await edited(edit, edit.whole ? "" : (before ?? edit.empty));
    const isEmpty = after.trim() === "" || after.replace(/\s/g, "") === "{}" || after === edit.empty;
    if (before === null && isEmpty) continue;
    if (after === before) continue;
    const first = known ? known.before : removals && (await untouched(removals, edit, before));
    changed.push({
      ...edit,
      before,
      after: isEmpty && before !== null ? null : after,
      ...(first === undefined ? {} : { first }),
      ...(known ? { folders: known.folders } : {}),
    });
  }
  return changed;
}

/**
 * @param {Edit} edit
 * @param {string} text
 */
async function edited(edit, text) {
  try {
    return await edit.edit(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Failure(`${edit.path}: ${error.message}. The file was left as it is; mend it, then run this again.`);
  }
}

/**
 * A file in which nothing is ours yet; undefined for one in which something is.
 * @param {Edit[]} removals
 * @param {Edit} edit
 * @param {string | null} before
 */
async function untouched(removals, edit, before) {
  if (before === null) return null;
  const removal = removals.find(({ path }) => path === edit.path);
  if (edit.whole || !removal) return undefined;
  return (await edited(removal, before)) === before ? before : undefined;
}

/** @param {string} path */
function read(path) {
  try {
    const bytes = readFileSync(path);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOENT") return null;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      throw new Failure(`${path}: is not UTF-8 text; it was left as it is`);
    throw new Failure(`${path}: can't be read (${code}); check its owner and permissions`);
  }
}

/**
 * Does what is soon done, whole: Ctrl-C in the middle would leave files or folders of which nothing says that they are
 * ours. It counts afterwards.
 * @param {() => void} act
 */
function uninterrupted(act) {
  /** @type {NodeJS.Signals | null} */
  let asked = null;
  const hold = (/** @type {NodeJS.Signals} */ signal) => {
    asked = signal;
  };
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, hold);
  const release = () => {
    for (const signal of signals) process.off(signal, hold);
    if (asked) process.kill(process.pid, asked);
  };
  try {
    act();
  } finally {
    // A signal that came meanwhile is heard once others get their turn.
    setImmediate(release);
  }
}

/** @param {Change} change */
function write({ path, after, first, folders }) {
  try {
    // A file that is a link into a folder of settings stays one.
    const at = existsSync(path) ? realpathSync(path) : path;
    if (after === null) {
      unlinkSync(path);
      givenBack.forget(path);
      return;
    }
    const made = missing(dirname(at));
    mkdirSync(dirname(at), { recursive: true });
    const mode = (statSync(at, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
    replaceFile(at, after, mode);
    if (process.platform !== "win32") chmodSync(at, mode);
    if (first === undefined) givenBack.forget(path);
    else givenBack.keep(path, first, after, folders ?? made);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Failure(
      `${path}: can't be written (${code}); check its owner and permissions. What came before it was written.`,
    );
  }
}

/** The folders of a path that are not there, the deepest first. @param {string} folder @returns {string[]} */
function missing(folder) {
  return existsSync(folder) ? [] : [folder, ...missing(dirname(folder))];
}

/**
 * @param {string} path
 * @param {string} about
 * @param {string | null} before
 * @param {string | null} after
 */
function show(path, about, before, after) {
  const near = relative(process.cwd(), path);
  const name = near.startsWith("..") ? path : near;
  const what =
    before === null ? colour("green", "new") : after === null ? colour("red", "gone") : colour("yellow", "edit");
  out(`${what}  ${name}  (${about})`);
  const old = (before ?? "").split("\n");
  const now = (after ?? "").split("\n");
  const { head, tail } = givenBack.commonEnds(old, now);
  for (const line of old.slice(head, old.length - tail)) if (before !== null) out(colour("red", `  - ${plain(line)}`));
  for (const line of now.slice(head, now.length - tail)) if (after !== null) out(colour("green", `  + ${plain(line)}`));
}

async function agreed() {
  if (!process.stdin.isTTY) throw new UsageError("nobody can be asked here: say --yes, or --dry-run to look only");
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const said = await reader.question("\nWrite this? [y/N] ");
  reader.close();
  return /^y(es)?$/i.test(said.trim());
}
