// The part of `doctor` about clients: which are set up here, whether their entries start what is there, whether the person has
// let them run it, what the client itself says, and whether its hooks come.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { version } from "../main.mjs";
import { counted } from "../print.mjs";
import { ownFolder } from "../places.cjs";
import { spools } from "../spool.cjs";
import { projectRoot } from "../store.mjs";
import { again, looked, setUps } from "./entries.mjs";
import { ParseError } from "./jsonc.mjs";
import { listed } from "./listed.mjs";
import { keptFolder } from "../invocation.mjs";
import { trust } from "./trust.mjs";
import { worktreesOf } from "./worktrees.mjs";

/**
 * @typedef {import("./entries.mjs").Say} Say
 * @typedef {import("./entries.mjs").SetUp} SetUp
 */

/**
 * @param {import("../store.mjs").Places} places
 * @param {Say} say
 */
export async function lookAtClients(places, say) {
  const root = projectRoot(process.cwd());
  const project = resolve(root) === homedir() ? null : root;
  const here = project ? await setUps(project, say) : [];
  const home = await setUps(null, say);
  const trees = project ? worktreesOf(project) : null;
  const main = trees?.main && trees.main !== project ? trees.main : null;
  if (main) await lackOf(main, [...here, ...home], say);
  const all = [...here, ...home];
  const folders = [root, ...(main ? [main] : [])];
  // A client that is set up twice is asked once.
  const asked = new Map(all.map(({ name, client }) => [name, listed(name, client.program, process.cwd())]));
  const store = (places.project ?? places.personal)?.path;
  for (const setUp of all) {
    const { name, client, files } = setUp;
    say("ok", `${client.title} is set up in ${files.join(", ")}`);
    try {
      await looked(setUp, version(), say);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      say(
        "fault",
        `${client.title}: ${error.message} (${files.join(", ")})`,
        "mend it; nothing of ours can be written there",
      );
    }
    await trust(setUp, folders, say);
    const answer = await asked.get(name);
    asked.delete(name);
    if (answer) say(answer.level, `${client.title} itself ${answer.what}`, answer.remedy);
    if (answer !== undefined && store) came(store, name, client.title, say);
  }
  for (const { name, client } of here.filter(({ name }) => home.some((other) => other.name === name))) {
    say(
      "note",
      `${client.title} is set up in this project and in your home: each of its hooks starts twice, and counts once`,
      `run \`lessonloop init ${name} --project --remove\` if the home's is enough`,
    );
  }
  if (store) waiting(store, say);
  copies(say);
  if (all.length === 0)
    say("note", "no client is set up here", "run `lessonloop init claude`, or another client's name");
}

/**
 * Clients that are set up in the main worktree alone.
 * @param {string} main
 * @param {SetUp[]} there
 * @param {Say} say
 */
async function lackOf(main, there, say) {
  const names = new Set(there.map(({ name }) => name));
  for (const { name, client, files } of await setUps(main, () => undefined)) {
    if (names.has(name)) continue;
    say(
      "fault",
      `${client.title} is set up in the main worktree alone (${files.join(", ")}), and this one has none of it`,
      again(name, null),
    );
  }
}

/**
 * The time of a client's last hook that had a payload: a file for each event is touched by it.
 * @param {string} folder
 * @param {string[]} clients
 */
function lastOf(folder, clients) {
  const times = names(folder)
    .filter((name) => clients.includes(name.split(".")[0]))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtime.toISOString() ?? "");
  return times.sort().at(-1);
}

/**
 * Reports the marks that a client's hooks left behind: that they came, or that they came without a payload.
 * @param {string} store
 * @param {string} name
 * @param {string} title
 * @param {Say} say
 */
function came(store, name, title, say) {
  const folder = join(ownFolder(store), "cache", "hooks");
  // VS Code runs Copilot CLI's hooks where both are set up.
  const ours = name === "vscode" ? [name, "copilot"] : [name];
  const last = lastOf(join(folder, "came"), ours);
  const empty = emptyOnes(join(folder, "empty.jsonl")).filter(({ client }) => ours.includes(client));
  const latest = empty.at(-1);
  if (latest && latest.at > (last ?? "")) {
    say(
      "fault",
      `${title}: ${counted(empty.length, "hook")} came without a payload, the last at ${latest.at} (${latest.event}: ${latest.why})`,
      "update the client; it has to write JSON to its hooks' standard input",
    );
  } else if (last) {
    say("ok", `${title}: its last hook came at ${last}`);
    if (latest)
      say(
        "note",
        `${title}: ${counted(empty.length, "hook")} before it came without a payload, the last at ${latest.at}`,
      );
  } else {
    say(
      "note",
      `${title}: no hook of it has come yet`,
      "start a new session and send a prompt; then look at what is said of its trust",
    );
  }
}

/** @param {string} path @returns {{ at: string, client: string, event: string, why: string }[]} */
function emptyOnes(path) {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const it = JSON.parse(line);
      return typeof it?.at === "string" ? [it] : [];
    } catch {
      return [];
    }
  });
}

/** Sessions' ends that were handed over and not recorded yet. @param {string} store @param {Say} say */
function waiting(store, say) {
  const kept = spools(store).flatMap((folder) =>
    names(folder).flatMap((name) => (name.endsWith(".json") && !name.startsWith(".") ? [join(folder, name)] : [])),
  );
  const failed = kept.filter((file) => basename(file).startsWith("failed-"));
  const count = kept.length - failed.length;
  if (count > 0)
    say("note", `${counted(count, "event")} of sessions wait to be recorded`, "the next hook or `mcp` does it");
  if (failed.length > 0)
    say(
      "note",
      `${counted(failed.length, "event")} of sessions could not be recorded by this version: ${failed[0]}${failed.length > 1 ? ", …" : ""}`,
      "the log says why; remove the files, or keep them for a version that can",
    );
}

/** Copies of earlier versions, which nothing starts any more. @param {Say} say */
function copies(say) {
  const old = names(keptFolder()).filter((name) => /^\d+\.\d+\.\d+/.test(name) && name !== version());
  if (old.length > 0 && names(keptFolder()).includes(version())) {
    say(
      "note",
      `${counted(old.length, "copy", "copies")} of other versions lie in ${keptFolder()}: ${old.join(", ")}`,
      "remove them when no session runs",
    );
  }
}

/** @param {string} folder */
function names(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
