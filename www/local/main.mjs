// From the words of the command line to a command and back to an exit code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CLIENTS, COMMANDS, helpOf, overview } from "./command.mjs";
import { ROOT } from "./engine.mjs";
import { spelled, typed } from "./invocation.mjs";
import { colour, counted, Failure, isColoured, out, UsageError } from "./print.mjs";
import { findStores, isOff, personalPath } from "./store.mjs";

export const version = () => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

/**
 * @param {string | undefined} name
 * @param {string[]} rest
 * @returns {Promise<number>} the exit code
 */
export async function run(name, rest) {
  try {
    if (name === undefined) return await about();
    if (["--version", "-V", "version"].includes(name)) {
      out(version());
      return 0;
    }
    if (["--help", "-h", "help"].includes(name)) return help(rest[0]);
    const command = COMMANDS.find((it) => it.name === name);
    if (!command) throw new UsageError(`no command is called ${name}; \`lessonloop --help\` lists them`);
    /** @type {Record<string, any>} */
    const options = { help: { type: "boolean", short: "h" } };
    for (const [option, { type, short, multiple }] of Object.entries(command.options)) {
      options[option] = { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) };
    }
    const given = parse(rest, options);
    if (given.values.help) {
      out(spelled(helpOf(command)));
      return 0;
    }
    if (given.values.project && given.values.personal) throw new UsageError("--project or --personal, not both");
    return (await (await command.load())(given)) ?? 0;
  } catch (error) {
    return told(/** @type {any} */ (error), rest.includes("--json"));
  }
}

/**
 * @param {string[]} args
 * @param {Record<string, any>} options
 */
function parse(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {any} error
 * @param {boolean} asJson
 */
function told(error, asJson) {
  const message = spelled(error?.message ?? String(error));
  if (asJson) out(JSON.stringify({ error: { code: error?.code ?? "failed", message } }));
  const red = isColoured(process.stderr) ? "\x1b[31merror\x1b[39m" : "error";
  process.stderr.write(`${red}: ${message}\n`);
  if (process.env.LESSONLOOP_DEBUG && !(error instanceof UsageError) && !(error instanceof Failure)) {
    process.stderr.write(`${error?.stack}\n`);
  }
  return error instanceof UsageError ? 2 : 1;
}

/** @param {string | undefined} name */
function help(name) {
  const command = COMMANDS.find((it) => it.name === name);
  if (name && !command) throw new UsageError(`no command is called ${name}`);
  out(
    command
      ? spelled(helpOf(command))
      : `lessonloop COMMAND [options]\n\n${overview()}\n\n${typed("COMMAND --help")} says more.`,
  );
  return 0;
}

/** Prints what it is, where the store is, what to do next. */
async function about() {
  out(`${colour("bold", "Lessonloop")} ${version()}: lessons for coding agents, ranked by what came of them.\n`);
  const places = findStores(process.cwd());
  const found = [places.project, places.personal].filter((place) => place !== undefined);
  for (const place of found) {
    let lessons = "";
    try {
      const { hostOf } = await import("./host.mjs");
      const host = hostOf({ only: place.kind });
      const answer = await host.handle({ method: "GET", path: "/v1/stats", headers: {} });
      lessons = answer.status < 400 ? counted(answer.body.lessons, "lesson") : `can't be read: ${typed("doctor")}`;
    } catch (error) {
      lessons = `can't be read (${/** @type {Error} */ (error).message}): ${typed("doctor")}`;
    }
    out(`  ${place.kind.padEnd(8)}  ${place.path}  ${lessons}`);
  }
  if (places.untrusted) out(`  untrusted ${places.untrusted.path}  agents get nothing of it: ${typed("trust")}`);
  if (found.length === 0 && !places.untrusted) out(`  no store here yet; your own would be ${personalPath()}`);
  if (isOff(process.cwd())) out("  hooks are off here (.lessonloop/off)");
  if (found.length === 0) {
    const [first, ...others] = CLIENTS;
    out(`\nNext: ${typed(`init ${first}`)}   (or ${others.join(", ")})`);
  } else {
    out("\nNext:");
    for (const rest of ["recommend TEXT", "add TITLE", "serve --open", "doctor", "--help"]) out(`  ${typed(rest)}`);
  }
  return 0;
}
