// `lessonloop import` and `lessonloop export`: files of lessons in and out. The formats are the module's.
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { replaceFile } from "../files.mjs";
import { stdin } from "../input.mjs";
import { colour, counted, Failure, json, note, out, plain, UsageError } from "../print.mjs";
import { send } from "./ask.mjs";

/** What is taken out of a folder; a file that is named is read whatever it is called. */
const READ = /\.(md|markdown|json|jsonl|ndjson|txt|yaml|yml|csv)$/i;
const SKIPPED = new Set(["node_modules", "target"]);
/** How the block's first line begins; the module writes it, and what follows in that line. */
const BEGIN = "<!-- lessonloop:begin";
const END = "<!-- lessonloop:end -->";

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function importFiles(given) {
  const { values, positionals } = given;
  if (positionals.length === 0) throw new UsageError("say which files or folders; - is standard input");
  /** @type {{ path: string, content: string }[]} */
  const files = [];
  const unread = [];
  for (const path of positionals) {
    if (path === "-") {
      files.push({ path: "standard-input", content: await stdin() });
      continue;
    }
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new UsageError(`${path}: there is no such file`);
    for (const at of found.isDirectory() ? walk(path) : [path]) {
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
  const done = await send(given, { method: "POST", path: "/v1/import", body }, { create: !values["dry-run"] });
  done.rejected.unshift(...unread);
  if (values.json) json(done);
  else {
    const would = values["dry-run"] ? "would be " : "";
    out(
      `${would}added ${done.added}, ${would}updated ${done.updated}, unchanged ${done.unchanged}${done.events ? `, events ${done.events}` : ""}`,
    );
    for (const { path, line, message } of done.warnings)
      note(colour("yellow", `${path}${line ? `:${line}` : ""}: ${plain(message)}`));
    for (const { path, line, message } of done.rejected)
      note(colour("red", `${path}${line ? `:${line}` : ""}: ${plain(message)}`));
  }
  return done.rejected.length > 0 ? 1 : 0;
}

/** @param {string} folder @returns {string[]} */
function walk(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const at = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith(".") ? [] : walk(at);
      return entry.isFile() && READ.test(entry.name) ? [at] : [];
    });
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
  const answer = await ask(given, "agents-md");
  const block = String(answer).trim();
  let before = "";
  try {
    before = readFileSync(path, "utf8");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
  }
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (from < 0 !== to < 0 || (from >= 0 && to < from) || before.indexOf(BEGIN, from + 1) > 0) {
    throw new Failure(
      `${path}: the marks ${BEGIN} … --> and ${END} are not there once each, in this order; mend that by hand`,
    );
  }
  const after =
    from < 0
      ? `${before}${before && !before.endsWith("\n") ? "\n" : ""}${before ? "\n" : ""}${block}\n`
      : before.slice(0, from) + block + before.slice(to + END.length);
  if (after !== before) replaceFile(resolve(path), after);
  note(after === before ? `${path}: is up to date` : `${path}: written`);
  return 0;
}

/**
 * @param {string} folder
 * @param {{ path: string, content: string }[]} files
 */
function written(folder, files) {
  const root = resolve(folder);
  for (const { path, content } of files) {
    const at = resolve(root, path);
    if (relative(root, at).startsWith("..")) throw new Failure(`${path}: lies outside of the folder`);
    mkdirSync(dirname(at), { recursive: true });
    replaceFile(at, content);
  }
  note(`${folder}: ${counted(files.length, "file")}`);
  return 0;
}
