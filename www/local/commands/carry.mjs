// `lessonloop import` and `lessonloop export`: files of lessons in and out. The formats are the module's.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { load } from "../engine.mjs";
import { replaceFile } from "../files.mjs";
import { hostOf } from "../host.mjs";
import { noteImport } from "../imports.mjs";
import { stdin } from "../input.mjs";
import { typed } from "../invocation.mjs";
import { lessonFiles } from "../lesson_files.mjs";
import { findStores } from "../places.cjs";
import { colour, counted, Failure, json, note, out, plain, UsageError } from "../print.mjs";
import { send } from "./ask.mjs";
import { onlyOf } from "./mcp.mjs";

/** Problems of one kind that are told one by one; more are told by the first and their files. */
const TOLD = 3;
/** Files that are named for those that are not told one by one. */
const NAMED = 4;

/** @typedef {{ path: string, line?: number, code: string, message: string }} Problem */

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function importFiles(given) {
  const { values, positionals } = given;
  if (positionals.length === 0) throw new UsageError("say which files or folders; - is standard input");
  /** @type {{ path: string, content: string }[]} */
  const files = [];
  const unread = [];
  /** @type {Problem[]} */
  const beside = [];
  for (const path of positionals) {
    if (path === "-") {
      files.push({ path: "standard-input", content: await stdin() });
      continue;
    }
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new UsageError(`${path}: there is no such file`);
    const walked = found.isDirectory() ? lessonFiles(path) : { files: [path], beside: new Map() };
    for (const [skill, names] of walked.beside) beside.push(besideSkill(relative(".", skill) || skill, names));
    for (const at of walked.files) {
      try {
        files.push({
          path: relative(".", at) || at,
          content: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(at)),
        });
      } catch (error) {
        const { code } = /** @type {NodeJS.ErrnoException} */ (error);
        unread.push({
          path: at,
          code: "unreadable",
          message: code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not UTF-8 text" : `can't be read (${code})`,
        });
      }
    }
  }
  if (files.length === 0) throw new Failure("no file of lessons was found there");
  const body = {
    files,
    ...(values.format ? { format: values.format } : {}),
    ...(values["dry-run"] ? { dry_run: true } : {}),
  };
  const taken = () => send(given, { method: "POST", path: "/v1/import", body }, { create: true });
  const only = onlyOf(values);
  const { project, personal, untrusted } = findStores(process.cwd(), only);
  const isOnlyLook = values["dry-run"] && only !== "project" && !(project ?? personal ?? untrusted);
  const done = await (isOnlyLook ? withoutStore(taken) : taken());
  const isNoted = !values["dry-run"] && remembered(done.lessons, positionals, only);
  done.rejected.unshift(...unread);
  done.warnings.push(...beside);
  if (values.json) json(done);
  else {
    const would = values["dry-run"] ? "would be " : "";
    tell(done.warnings, "yellow");
    tell(done.rejected, "red");
    out(
      `${would}added ${done.added}, ${would}updated ${done.updated}, unchanged ${done.unchanged}${done.events ? `, events ${done.events}` : ""}`,
    );
    const formats = Object.entries(done.formats ?? {});
    if (formats.length > 0) out(`by format: ${formats.map(([format, count]) => `${format} ${count}`).join(", ")}`);
    const left = byCode(done.rejected);
    if (left) out(`left out: ${left}`);
    if (isNoted) out(colour("dim", `undo: ${typed("imports 1 undo")}`));
  }
  return done.rejected.length > 0 ? 1 : 0;
}

/**
 * Takes an import down, so that it can be undone later. One that can't be is no fault of the import.
 * @param {import("../imports.mjs").ImportedLesson[]} lessons
 * @param {string[]} paths
 * @param {"project" | "personal" | undefined} only
 */
function remembered(lessons, paths, only) {
  if (lessons.length === 0) return false;
  // A folder is remembered by its name, whatever it was called by.
  const nameOf = (/** @type {string} */ path) => (/^[./\\]+$/.test(path) ? basename(resolve(path)) || path : path);
  const names = paths.map((path) => (path === "-" ? "standard input" : nameOf(path)));
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  try {
    noteImport(hostOf({ only }).main.path, plain(names.slice(0, NAMED).join(", ") + more), lessons);
    return true;
  } catch (error) {
    note(colour("yellow", `the import can't be remembered for its undo: ${/** @type {Error} */ (error).message}`));
    return false;
  }
}

/** Files of a skill that are named. */
const BESIDE = 8;

/**
 * Returns the problem that the module reports of files beside a skill that were sent.
 * @param {string} path
 * @param {string[]} names
 * @returns {Problem}
 */
function besideSkill(path, names) {
  const more = names.length > BESIDE ? ` and ${names.length - BESIDE} more` : "";
  const message = `files beside the skill belong to it and were not read: ${names.slice(0, BESIDE).join(", ")}${more}`;
  return { path, code: "beside", message };
}

/** Counts the refused by code, the most first. @param {Problem[]} problems */
function byCode(problems) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${code} ${count}`)
    .join(", ");
}

/**
 * Looks at an import without a store: one that is made for it, and taken away.
 * @template T
 * @param {() => Promise<T>} look
 * @returns {Promise<T>}
 */
async function withoutStore(look) {
  const folder = mkdtempSync(join(tmpdir(), "lessonloop-look-"));
  process.env.LESSONLOOP_HOME = join(folder, "store");
  try {
    return await look();
  } finally {
    delete process.env.LESSONLOOP_HOME;
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Tells of files what was not taken as it stands, each kind together.
 * @param {Problem[]} problems
 * @param {"yellow" | "red"} ink
 */
function tell(problems, ink) {
  /** @type {Map<string, Problem[]>} */
  const kinds = new Map();
  for (const problem of problems) {
    const kind = kinds.get(problem.code);
    if (kind) kind.push(problem);
    else kinds.set(problem.code, [problem]);
  }
  for (const kind of kinds.values()) {
    const isMany = kind.length > TOLD;
    for (const { path, line, message } of isMany ? kind.slice(0, 1) : kind)
      note(colour(ink, `${path}${line ? `:${line}` : ""}: ${plain(message)}`));
    if (!isMany) continue;
    const others = [...new Set(kind.slice(1).map(({ path }) => path))];
    const names = others.slice(0, NAMED).join(", ");
    const more = others.length > NAMED ? ", …; --json lists all" : "";
    note(colour(ink, `  and ${kind.length - 1} more of this kind: ${plain(names)}${more}`));
  }
}

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function exportFiles(given) {
  const { values } = given;
  if (values["agents-md"]) return agentsMd(given, values["agents-md"]);
  if (values.skills) {
    const { files } = await ask(given, "skills");
    return written(values.skills, files);
  }
  const format = values.format ?? "jsonl";
  const answer = await ask(given, format);
  if (typeof answer === "string") {
    if (values.out) {
      replaceFile(resolve(values.out), answer);
      note(`${values.out}: ${counted(Buffer.byteLength(answer), "byte")}`);
    } else process.stdout.write(answer);
    return 0;
  }
  if (!values.out) throw new UsageError(`${format} is several files: name a folder with --out`);
  return written(values.out, answer.files);
}

/**
 * @param {{ values: Record<string, any>, positionals: string[] }} given
 * @param {string} format
 */
const ask = (given, format) =>
  send(given, { method: "GET", path: `/v1/export?format=${encodeURIComponent(format.replaceAll("-", "_"))}` });

/**
 * Keeps what is between the marks; the rest of the file is a person's.
 * @param {{ values: Record<string, any>, positionals: string[] }} given
 * @param {string} path
 */
async function agentsMd(given, path) {
  refuseLinks(resolve(path));
  const answer = await ask(given, "agents-md");
  const before = textOf(path);
  const { merge_block } = await load();
  let after;
  try {
    after = merge_block(before, String(answer));
  } catch (error) {
    throw new Failure(`${path}: ${/** @type {Error} */ (error).message}; nothing was written`);
  }
  if (after !== before) replaceFile(resolve(path), after);
  note(after === before ? `${path}: is up to date` : `${path}: written`);
  return 0;
}

/** A file's text to the byte, with its byte order mark; empty where there is none. @param {string} path */
function textOf(path) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "ENOENT") return "";
    if (code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw error;
    throw new Failure(`${path}: is not UTF-8 text; save it as UTF-8 first, as nothing else of it may change`);
  }
}

/**
 * Refuses a path that leads through a symbolic link of this folder: a repository may bring one that leads elsewhere.
 * @param {string} path
 */
function refuseLinks(path) {
  const inside = relative(".", path);
  const isBelow = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  const parts = isBelow ? inside.split(/[/\\]/) : [];
  const places = isBelow ? parts.map((_, at) => join(...parts.slice(0, at + 1))) : [path];
  const link = places.find((at) => lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link === undefined) return;
  throw new Failure(
    `${link}: is a symbolic link, which may lead out of this folder; name the place that it leads to, or remove it`,
  );
}

/**
 * @param {string} folder
 * @param {{ path: string, content: string }[]} files
 */
function written(folder, files) {
  const root = resolve(folder);
  refuseLinks(root);
  // All are looked at before one is written; a skill's own folder may be a link, too.
  for (const { path } of files) {
    const parts = path.split("/");
    for (const at of parts.keys()) refuseLinks(resolve(root, ...parts.slice(0, at + 1)));
  }
  for (const { path, content } of files) {
    const at = resolve(root, path);
    if (relative(root, at).startsWith("..")) throw new Failure(`${path}: lies outside of the folder`);
    mkdirSync(dirname(at), { recursive: true });
    replaceFile(at, content);
  }
  note(`${folder}: ${counted(files.length, "file")}`);
  return 0;
}
