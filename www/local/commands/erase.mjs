// `lessonloop erase` and `lessonloop init --remove` without a client: takes Lessonloop off a machine. It shows what goes
// first; a store that a process has open, and what a server keeps, are told of.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { changes, writeAll } from "../clients/changes.mjs";
import { CLIENT } from "../clients/clients.mjs";
import { program } from "../clients/registered.mjs";
import { untracked } from "../clients/worktrees.mjs";
import { keptFolder } from "../invocation.mjs";
import { machineFolder, ownFolder, RECORD, recordFolder } from "../places.cjs";
import { colour, counted, Failure, out } from "../print.mjs";
import { addressOf, ask } from "../socket.mjs";
import { distrust, findProject, findStores, isStore, personalPath, projectRoot } from "../store.mjs";
import { agreed, show, uninterrupted } from "./consent.mjs";

/** @typedef {{ client: import("../clients/entry.mjs").Client, project: string | null }} Place */

/**
 * Where clients may have entries of ours: in the project, in the home, or in both.
 * @param {Record<string, any>} values
 * @returns {Place[]}
 */
function places(values) {
  const root = projectRoot(process.cwd());
  const all = [...(values.personal || resolve(root) === homedir() ? [] : [root]), ...(values.project ? [] : [null])];
  return all.flatMap((project) => Object.values(CLIENT).map((client) => ({ client, project })));
}

/** Plans the changes that take the entries of a client out. @param {Place} place */
const removal = ({ client, project }) =>
  changes(client.edits({ project, program: program(false), remove: true }), null);

/** Takes them out, one client after the other, as some share a file. @param {Place[]} all */
async function takeOut(all) {
  for (const place of all) {
    const edits = await removal(place);
    uninterrupted(() => writeAll(edits));
  }
}

/** The entries of all clients, shown; how many files change. @param {Place[]} all */
async function showEntries(all) {
  const shown = new Set();
  for (const place of all) {
    for (const edit of await removal(place)) {
      if (shown.has(edit.path)) continue;
      shown.add(edit.path);
      show(edit);
    }
  }
  return shown.size;
}

/** `init --remove` for every client at once. @param {Record<string, any>} values */
export async function removeAll(values) {
  const all = places(values);
  if ((await showEntries(all)) === 0) {
    out("Nothing of ours is there.");
    return 0;
  }
  if (values["dry-run"]) return 0;
  if (!values.yes && !(await agreed())) {
    out("Nothing was changed.");
    return 1;
  }
  await takeOut(all);
  out("Removed, for every client. Stores stay: `lessonloop erase` deletes them.");
  return 0;
}

/** @param {{ values: Record<string, any> }} given */
export async function erase({ values }) {
  const isAll = !values.project && !values.personal;
  const project = values.personal ? null : findProject(process.cwd());
  const own = values.project || !isStore(personalPath()) ? null : personalPath();
  const stores = [project, own].filter((path) => path !== null);
  const others = isAll ? elsewhere(stores) : [];
  // Of other projects' stores it holds whether they are trusted.
  const records = others.length > 0 ? [] : [dirname(machineFolder())];
  const beside = isAll ? [...records, keptFolder()].filter((path) => existsSync(path)) : [];
  const all = isAll ? places(values) : [];
  await refuseOpen();

  const files = isAll ? await showEntries(all) : 0;
  for (const path of stores) out(`${colour("red", "gone")}  ${path}  (${whatOf(path)})`);
  for (const path of beside) out(`${colour("red", "gone")}  ${path}  (what is kept beside your store)`);
  if (files + stores.length + beside.length === 0) {
    out("Nothing of ours is there.");
    return 0;
  }
  for (const path of stores) warn(path);
  for (const path of others) out(`stays: ${path}, a store of another project: run erase there`);
  if (values["dry-run"]) return 0;
  if (!values.yes && !(await agreed("Delete this? It can't be taken back."))) {
    out("Nothing was changed.");
    return 1;
  }
  await takeOut(all);
  uninterrupted(() => {
    for (const path of stores) {
      // This user's record of it goes first: its folder is found by the store.
      if (path !== personalPath()) distrust(path);
      gone(path);
    }
    for (const path of beside) gone(path);
  });
  out("Erased.");
  return 0;
}

/** @param {string} path */
function gone(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Failure(`${path}: can't be deleted (${code}); check its owner and permissions, then run erase again`);
  }
}

/** A store that a session has open would be written to again. */
async function refuseOpen() {
  const found = findStores(process.cwd());
  for (const at of [found, { project: found.project }, { personal: found.personal }]) {
    if (!at.project && !at.personal) continue;
    const answer = await ask(addressOf(at), { do: "ping" }, 1_000);
    if (answer) {
      throw new Failure(
        `a process has the store open (${answer.pid}): end the sessions of your clients and \`lessonloop serve\`, then run this again. Nothing was changed.`,
      );
    }
  }
}

/** @param {string} path */
function whatOf(path) {
  try {
    const writers = readdirSync(join(path, "ledger")).filter((name) => name.endsWith(".jsonl")).length;
    return `a store with ${counted(writers, "writer")}`;
  } catch {
    return "a store without lessons";
  }
}

/** Warns of what a deleted store leaves elsewhere. @param {string} path */
function warn(path) {
  const root = dirname(path);
  if (existsSync(join(root, ".git")) && untracked(root, [join(path, "config.json")]).length === 0) {
    out(`${path} is in git: its lessons stay in the history, and come back with a checkout.`);
  }
  try {
    const { url } = JSON.parse(readFileSync(join(ownFolder(path), "link", "link.json"), "utf8"));
    out(`${path} is synced with ${url ?? "a server"}: what the server has stays there; its owner deletes the space.`);
  } catch {
    // It is not connected.
  }
}

/** Stores of other projects that this user has a record of. @param {string[]} here */
function elsewhere(here) {
  const known = here.filter((path) => path !== personalPath()).map((path) => recordFolder(path));
  /** @type {string[]} */
  const found = [];
  if (!existsSync(machineFolder())) return found;
  for (const name of readdirSync(machineFolder())) {
    const folder = join(machineFolder(), name);
    if (known.includes(folder)) continue;
    try {
      const { path } = JSON.parse(readFileSync(join(folder, RECORD), "utf8"));
      if (typeof path === "string" && path !== personalPath() && isStore(path)) found.push(path);
    } catch {
      // A record of a store that is gone.
    }
  }
  return found;
}
