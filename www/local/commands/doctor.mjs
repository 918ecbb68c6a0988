// `lessonloop doctor`: looks at everything that can be wrong on this machine, and says what to do about each.
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { lookAtClients } from "../clients/doctor.mjs";
import { lookAtEdge } from "./edge_setup.mjs";
import { BUILD, load, loadModel, packPath } from "../engine.mjs";
import { StoreFiles } from "../files.mjs";
import { Host } from "../host.mjs";
import { spelled } from "../invocation.mjs";
import { logPath } from "../log.mjs";
import { chosen } from "../models.mjs";
import { version } from "../main.mjs";
import { colour, json, out, plain } from "../print.mjs";
import { ownFolder } from "../places.cjs";
import { addressOf, ask } from "../socket.mjs";
import { findStores, isOff } from "../store.mjs";

/** @typedef {{ level: "ok" | "note" | "fault", what: string, remedy?: string }} Finding */

/** @param {{ values: Record<string, any> }} given */
export async function doctor({ values }) {
  /** @type {Finding[]} */
  const found = [];
  /** @param {Finding["level"]} level @param {string} what @param {string} [remedy] */
  const say = (level, what, remedy) =>
    found.push({ level, what: spelled(what), ...(remedy ? { remedy: spelled(remedy) } : {}) });

  if (values.edge !== undefined) {
    await lookAtEdge(values.edge, values.dashboard, version(), say);
    return tell(found, values.json);
  }
  say("ok", `lessonloop ${version()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`);
  try {
    await load();
    say("ok", `the engine module runs (${BUILD})`);
  } catch (error) {
    say("fault", `the engine module does not load: ${message(error)}`, "install lessonloop again");
  }
  const { name } = chosen();
  const pack = packPath();
  const hasPack = existsSync(pack);
  if (!hasPack) {
    say(
      "fault",
      `the pack of the ${name} model is missing (${pack}): lessons are ranked by their words`,
      name === "english"
        ? "install lessonloop again"
        : "run `lessonloop model multilingual` again, or `lessonloop model english`",
    );
  }

  const places = findStores(process.cwd());
  const stores = [places.project, places.personal].filter((place) => place !== undefined);
  if (places.untrusted) {
    say(
      "note",
      `${places.untrusted.path} came with its repository: agents get nothing of it`,
      "look at it with `lessonloop serve --open`; `lessonloop trust` lets agents use it",
    );
    if (existsSync(join(places.untrusted.path, "link")))
      say("note", `${places.untrusted.path}/link: a link that came with files is never followed`, "remove the folder");
  }
  if (stores.length === 0 && !places.untrusted) say("note", "there is no store here", "run `lessonloop init`");
  for (const place of stores) store(place, say);
  if (isOff(process.cwd())) say("note", "hooks are switched off here", "remove `.lessonloop/off` to switch them on");

  if (stores.length > 0) {
    try {
      const host = new Host({ places });
      const started = performance.now();
      const local = await host.local();
      const opened = performance.now();
      const health = await local.handle({ method: "GET", path: "/v1/health", headers: {} });
      say("ok", `the store opens in ${ms(opened - started)}`);
      if (health.body?.status === "failing")
        say(
          "fault",
          `the engine says: ${health.body.issues.map((/** @type {any} */ it) => it.message).join("; ")}`,
          "see `lessonloop serve --open`, page Health",
        );
      for (const { kind } of stores) {
        const asked = /** @type {const} */ ({ method: "GET", path: "/v1/sync", headers: {}, body: null });
        syncing(kind, (await local.handle_in(kind, asked)).body, say);
      }
      if (hasPack) {
        await loadModel(local);
        const loaded = performance.now();
        const answer = await local.handle({
          method: "POST",
          path: "/v1/search",
          headers: {},
          body: { query: "a round trip", limit: 1 },
        });
        if (answer.status >= 400)
          say("fault", `a search fails: ${answer.body?.error?.message}`, "report this with the log");
        else
          say(
            "ok",
            `the ${name} model loads in ${ms(loaded - opened)}; a search takes ${ms(performance.now() - loaded)}`,
          );
      }
    } catch (error) {
      say("fault", `the store can't be opened: ${message(error)}`, "mend what the message names; nothing was changed");
    }
    const answers = await ask(addressOf(places), { do: "ping" }, 500);
    say(
      answers ? "ok" : "note",
      answers
        ? `process ${answers.pid} answers hooks with a loaded model`
        : "no `mcp` or `serve` is up: hooks open the store and the model themselves, which takes longer",
      answers ? undefined : "none is needed; a client's session or `lessonloop serve` makes hooks quicker",
    );
  }
  await lookAtClients(places, say);

  return tell(found, values.json);
}

/**
 * Prints what was found; the exit status.
 * @param {Finding[]} found
 * @param {boolean} [asJson]
 */
function tell(found, asJson) {
  if (asJson) json(found);
  else {
    for (const { level, what, remedy } of found) {
      const sign =
        level === "ok"
          ? colour("green", "ok   ")
          : level === "note"
            ? colour("yellow", "note ")
            : colour("red", "fault");
      out(`${sign}  ${plain(what)}${remedy ? `\n       → ${remedy}` : ""}`);
    }
  }
  return found.some(({ level }) => level === "fault") ? 1 : 0;
}

/** @param {unknown} error */
const message = (error) => /** @type {Error} */ (error)?.message ?? String(error);
/** @param {number} time */
const ms = (time) => `${Math.round(time)} ms`;

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * @param {import("../store.mjs").Place} place
 * @param {(level: Finding["level"], what: string, remedy?: string) => void} say
 */
function store({ kind, path }, say) {
  say("ok", `the ${kind} store: ${path}`);
  try {
    accessSync(path, constants.W_OK);
  } catch {
    say("fault", `${path} can't be written`, "check its owner and permissions");
    return;
  }
  const { mode } = statSync(path);
  if (process.platform !== "win32" && (mode & 0o022) !== 0) {
    say("note", `${path} may be written by others`, `chmod go-w '${path}'`);
  }
  try {
    const files = new StoreFiles(path, ownFolder(path));
    const holder = files.try_lock();
    if (holder === null) files.unlock();
    else
      say(
        "note",
        `the lock is held by ${holder}`,
        "if it stays so and that process is gone, remove the file `lock` of the store",
      );
  } catch (error) {
    say("fault", message(error), "see the message");
  }
  const log = logPath(path);
  const lines = read(log).trim().split("\n").filter(Boolean);
  if (lines.length > 0) say("note", `the log has ${lines.length} lines; the last: ${lines.at(-1)}`, `read ${log}`);
}

/**
 * Where a store stands with its server.
 * @param {string} kind
 * @param {any} status
 * @param {(level: Finding["level"], what: string, remedy?: string) => void} say
 */
function syncing(kind, { phase, url, space, unsent, synced_at, conflicts }, say) {
  if (phase === "off") return;
  const what = `the ${kind} store is connected to ${space || url}; last the same: ${synced_at ?? "never"}; unsent: ${unsent}`;
  if (phase === "signed_out") say("fault", `${what}; signed out`, `run \`lessonloop connect ${url}\` again`);
  else if (unsent > 0) say("note", what, "run `lessonloop sync`; `mcp` and `serve` do so by themselves");
  else say("ok", what);
  if (conflicts > 0)
    say(
      "note",
      `${conflicts === 1 ? "1 conflicting edit" : `${conflicts} conflicting edits`}`,
      "decide about them in `lessonloop serve --open`, page Review",
    );
}
