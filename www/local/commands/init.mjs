// `lessonloop init`: makes the store and writes a client's entries, after it has shown what changes, and says what the
// client will ask.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { changes, writeAll } from "../clients/changes.mjs";
import { CLIENT } from "../clients/clients.mjs";
import { setUps, startsUs } from "../clients/entries.mjs";
import { keep, kept, program } from "../clients/registered.mjs";
import { untracked, worktreesOf } from "../clients/worktrees.mjs";
import { foundIn } from "../found.mjs";
import { line, spelled, typed } from "../invocation.mjs";
import { version } from "../main.mjs";
import { colour, out, UsageError } from "../print.mjs";
import { FOLDER, findProject, isStore, isTrusted, makeStore, personalPath, projectRoot, trust } from "../store.mjs";
import { importFiles } from "./carry.mjs";
import { agreed, asked, show, uninterrupted } from "./consent.mjs";

/** Words that a store may end up in git for: whoever commits it shares its lessons with all who clone it. */
const SHARED =
  "Commit it to share its lessons with everybody who clones the project, or ignore it to keep them yours. Of prompts a store that is not ignored keeps only words that its lessons have.";

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function init({ values, positionals }) {
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageError("one client at a time");
  if (name !== undefined && !Object.hasOwn(CLIENT, name)) {
    throw new UsageError(`no client is called ${name}: ${Object.keys(CLIENT).join(", ")}`);
  }
  const client = name === undefined ? undefined : CLIENT[name];
  if (values.remove && !client) return (await import("./erase.mjs")).removeAll(values);
  const cwd = process.cwd();
  const root = projectRoot(cwd);
  const isProject = values.project || (!values.personal && !process.env.LESSONLOOP_HOME && resolve(root) !== homedir());
  const store = isProject ? (findProject(cwd) ?? join(root, FOLDER)) : personalPath();

  const isAsked = !values.yes && !values["dry-run"] && !values.remove && process.stdin.isTTY;
  const isHome = client && isProject && !values.project && isAsked ? await prefersHome(client, root) : false;
  const project = isProject && !isHome ? root : null;

  await askTrust(store, isProject && !values.remove && !values["dry-run"], isAsked);
  const copy = kept(version());
  const setting = { project, program: program(copy !== null), remove: Boolean(values.remove) };
  const removals = values.remove ? null : (client?.edits({ ...setting, remove: true }) ?? []);
  const edits = await changes(client?.edits(setting) ?? [], removals);
  const makes = !values.remove && !isStore(store);
  const keeps = !values.remove && copy !== null && !copy.isThere;

  if (makes) out(`${colour("green", "new")}  ${store}  (the store)`);
  for (const edit of edits) show(edit);
  if (keeps) out(`${colour("green", "new")}  ${copy.folder}  (the program: npx keeps it for a while only)`);
  if (!makes && !keeps && edits.length === 0) {
    out(values.remove ? "Nothing of ours is there." : `Everything is in place. The store: ${store}`);
    if (client && !values.remove) out(`Whether it works: ${typed("doctor")}`);
    return 0;
  }
  if (values["dry-run"]) return 0;
  if (!values.yes && edits.length > 0 && !(await agreed())) {
    out("Nothing was changed.");
    return 1;
  }
  uninterrupted(() => {
    if (keeps) keep(version());
    if (makes) makeStore(store);
    writeAll(edits);
  });
  if (values.remove) {
    out(`Removed. The store stays: ${store}`);
    for (const path of await shared(client, project)) out(`${path} keeps our entry, which another client needs.`);
    return 0;
  }
  out(`\nReady. The store: ${store}`);
  if (makes && isProject && existsSync(join(dirname(store), ".git"))) out(SHARED);
  if (makes && isProject) await offer(root, isAsked);
  await next(name, client, project, edits);
  return 0;
}

/**
 * Asks about a store that is there already and that this person did not make here. `--yes` agrees to what is shown, and
 * not to what others wrote.
 * @param {string} store
 * @param {boolean} matters
 * @param {boolean} isAsked whether there is somebody to ask
 */
async function askTrust(store, matters, isAsked) {
  if (!matters || !isStore(store) || isTrusted(store)) return;
  out(`${colour("yellow", "there")}  ${store}  (a store that came with this repository: agents would get its lessons)`);
  if (isAsked && /^y(es)?$/i.test(await asked("Do you trust it? [y/N] "))) return trust(store);
  out(`Agents get nothing of it until you say so: ${typed("trust")}`);
}

/**
 * Offers what a project's tools have written down already: rules, skills, memories, playbooks.
 * @param {string} root
 * @param {boolean} isAsked whether there is somebody to ask
 */
async function offer(root, isAsked) {
  const { paths, kinds } = foundIn(root);
  if (paths.length === 0) return;
  const near = paths.map((path) => relative(process.cwd(), join(root, path)) || ".");
  out(`\nFound in this project: ${kinds.join(", ")}.`);
  if (isAsked && /^(y(es)?)?$/i.test(await asked("Import them? They wait in Review then. [Y/n] "))) {
    await importFiles({ values: { project: true }, positionals: near });
    return;
  }
  out(`What would come in: ${typed(`import ${line(near)} --dry-run`)}`);
}

/**
 * Prints the questions that the client will ask, and the next steps.
 * @param {string | undefined} name
 * @param {import("../clients/entry.mjs").Client | undefined} client
 * @param {string | null} project
 * @param {import("../clients/changes.mjs").Change[]} edits
 */
async function next(name, client, project, edits) {
  if (!client) {
    out(`\nNext: ${typed("init claude")}   (or ${others("claude")})`);
    return;
  }
  const asks = client.asks(project);
  out(`\nStart a new session of ${client.title}${project ? " in this project" : ""}. What it asks, and the answer:`);
  for (const ask of asks) out(`  - ${spelled(ask)}`);
  if (project && existsSync(join(project, ".git"))) inGit(name, project, edits);
  const root = projectRoot(process.cwd());
  const here = project || resolve(root) === homedir() ? [] : await setUps(root, () => undefined);
  if (here.some((it) => it.name === name)) {
    out(`\nThis project has entries of its own, which are not needed now: ${typed(`init ${name} --project --remove`)}`);
  }
  out(`\nWhether it works: ${typed("doctor")}`);
}

/**
 * A client's files that start us after its own entries are out: another client reads the same ones.
 * @param {import("../clients/entry.mjs").Client | undefined} client
 * @param {string | null} project
 */
async function shared(client, project) {
  const edits = client?.edits({ project, program: program(false), remove: false }) ?? [];
  const found = [];
  for (const { path } of edits) if (existsSync(path) && (await startsUs(path))) found.push(path);
  return found;
}

/** @param {string} name */
const others = (name) =>
  Object.keys(CLIENT)
    .filter((it) => it !== name)
    .join(", ");

/**
 * Warns of a path of this machine in files that git has, and of files that it does not have.
 * @param {string | undefined} name
 * @param {string} project
 * @param {import("../clients/changes.mjs").Change[]} edits
 */
function inGit(name, project, edits) {
  const paths = edits.filter(({ after }) => after !== null).map(({ path }) => path);
  const alone = untracked(project, paths);
  const named = (/** @type {string[]} */ all) => all.map((path) => relative(project, path)).join(", ");
  const home = typed(`init ${name} --personal`);
  const shared = paths.filter((path) => !alone.includes(path));
  if (alone.length > 0) {
    const where = worktreesOf(project) ? "another worktree of this repository" : "a worktree or another clone";
    const it = alone.length === 1 ? "it" : "them";
    out(`\n${named(alone)}: not in git, so ${where} lacks ${it}. For all of yours: ${home}`);
  }
  if (shared.length > 0 && program(kept(version()) !== null)[0] !== "lessonloop") {
    const [verb, it] = shared.length === 1 ? ["names", "it"] : ["name", "them"];
    out(
      `\n${named(shared)}: in git, and ${verb} a path of this machine now: don't commit that. In place of ${it}: ${home}`,
    );
  }
}

/**
 * True if a person with several worktrees wants the client set up in the home: what is not committed, such as a path of
 * this machine, is in one worktree alone.
 * @param {import("../clients/entry.mjs").Client} client
 * @param {string} root
 */
async function prefersHome(client, root) {
  const trees = worktreesOf(root);
  if (!trees) return false;
  const paths = client.edits({ project: root, program: program(kept(version()) !== null), remove: false });
  const alone = untracked(
    root,
    paths.map(({ path }) => path),
  );
  if (alone.length === 0) return false;
  const names = alone.map((path) => relative(root, path)).join(", ");
  out(
    `${trees.isLinked ? `This is a worktree of ${trees.main ?? "a bare repository"}` : "This repository has other worktrees"}, and ${names} would not be in git: only this worktree would have ${client.title} set up. In your home it is set up for all of them; the lessons stay with the project.`,
  );
  return /^(y(es)?)?$/i.test(await asked("Set it up in your home? [Y/n] "));
}
