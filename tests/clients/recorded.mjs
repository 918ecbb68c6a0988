// A client's words to its hooks, and the shape of its transcripts, with made-up content: kept in `tests/corpus/clients`, which
// the crate `lesson-clients` reads. A difference in shape fails here, so that nothing is assumed where something was seen.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Place } from "./driver.mjs";
import { until } from "./until.mjs";

const CORPUS = fileURLToPath(new URL("../corpus/clients/", import.meta.url));
const HOOK = fileURLToPath(new URL("record.mjs", import.meta.url));
/** The variables of a hook that tell of the client. */
const OF_CLIENTS = /^(AGENT$|AI_AGENT|CLAUDE|CODEX|COPILOT|GEMINI|OPENCODE)/;
/** Ours, and those of which the walk has set the values. */
const OF_THE_WALK = /(API_KEY|BASE_URL|PROVIDER|DISABLE|TELEMETRY|AUTO_UPDATE|OFFLINE|TOKEN|COPILOT_MODEL)/;

/**
 * @typedef {{ run: string, event: string, payload: any, environment: Record<string, string> }} Seen `run`: the kind of
 * run, and the number of the session in it
 */

/**
 * Walks a client of its own through every event, and holds what it tells against the corpus.
 * @param {import("./driver.mjs").Driver} driver
 * @param {Awaited<ReturnType<typeof import("./model.mjs").startModel>>} model
 */
export async function recorded(driver, model) {
  const place = new Place(driver, { url: model.url, name: "record" });
  const file = join(place.root, "hooks.jsonl");
  driver.record(place.home, place.project, (name) => `${process.execPath} ${HOOK} ${file} ${name}`, file);
  /** @param {string} run */
  const mark = (run) => appendFileSync(file, `${JSON.stringify({ run })}\n`);
  /** @param {string} name */
  const prompt = (name) => `Look at the statement. [walk:${name}]`;
  const asked = (/** @type {string} */ name) => model.of(name).length;

  mark("before");
  (await place.open()).close();
  for (const [run, walk] of [
    ["headless", "record"],
    ["agent", "agent"],
    ["nested", "record-nested"],
  ]) {
    mark(run);
    const { code, out } = await place.headless(prompt(walk));
    assert.equal(code, 0, out);
  }
  mark("resumed");
  assert.equal((await place.headless(prompt("plain"), { resume: true })).code, 0);
  mark("interactive");
  const window = await place.open();
  const say = async (/** @type {string} */ name, /** @type {RegExp} */ answer) => {
    const before = asked(name);
    await window.say(prompt(name), () => asked(name) > before);
    await window.shows(answer);
  };
  await say("record", /All is recorded\./);
  if (driver.compact) {
    const { command, shows } = driver.compact;
    await window.say(command, () => shows.test(window.screen()));
    await say("plain", /Understood plainly\./);
  }
  await window.say(driver.quit, () => window.isOver());

  const seen = read(file, place);
  await until(() => read(file, place).length >= seen.length, "the last hooks are through");
  const at = join(CORPUS, `${driver.name}.json`);
  const written = `${JSON.stringify({ client: driver.name, hooks: seen }, null, 2)}\n`;
  if (process.env.LESSONLOOP_WRITE) {
    mkdirSync(CORPUS, { recursive: true });
    writeFileSync(at, written);
    const transcript = longest(driver, place);
    if (transcript) writeFileSync(join(CORPUS, `${driver.name}.jsonl`), transcript);
    return;
  }
  const kept = JSON.parse(readFileSync(at, "utf8"));
  assert.deepEqual(
    shapes(seen),
    shapes(kept.hooks),
    `${driver.title} tells its hooks something else: run with LESSONLOOP_WRITE=1`,
  );
}

/**
 * Lists the names of the fields and of the variables with which each event of each kind of run came.
 * @param {Seen[]} hooks
 */
function shapes(hooks) {
  /** @type {Record<string, { fields: string[], variables: string[] }>} */
  const found = {};
  for (const { run, event, payload, environment } of hooks) {
    // Of those that come in any number and order, once.
    found[`${run}: ${event}`] ??= { fields: [], variables: [] };
    const shape = found[`${run}: ${event}`];
    shape.fields = [...new Set([...shape.fields, ...Object.keys(payload)])].sort();
    shape.variables = [...new Set([...shape.variables, ...Object.keys(environment)])].sort();
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {string} file @param {Place} place @returns {Seen[]} */
function read(file, place) {
  const made = madeUp(place);
  /** @type {Seen[]} */
  const seen = [];
  let run = "before";
  /** @type {string[]} */
  let sessions = [];
  /** Those of the window in which the folder was trusted. */
  const others = new Set();
  const known = new Set();
  for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const record = JSON.parse(line);
    if (record.run) {
      run = record.run;
      sessions = [];
    } else {
      const payload = record.input ? JSON.parse(record.input) : {};
      const session =
        payload.session_id ??
        payload.sessionId ??
        payload.sessionID ??
        payload.input?.sessionID ??
        payload.info?.id ??
        "";
      // A window that was closed tells its end a moment later.
      if (run === "before" || (!known.has(session) && /^session.?end$/i.test(record.name))) others.add(session);
      known.add(session);
      if (others.has(session)) continue;
      if (session && !sessions.includes(session)) sessions.push(session);
      const number = Math.max(sessions.indexOf(session) + 1, 1);
      const environment = Object.entries(record.env)
        .filter(([name]) => OF_CLIENTS.test(name) && !OF_THE_WALK.test(name))
        .map(([name, value]) => [name, made(String(value)).replace(/^\d{3,}$/, "1")])
        .sort();
      seen.push({
        run: number > 1 ? `${run}, session ${number}` : run,
        event: record.name,
        payload: JSON.parse(made(JSON.stringify(payload))),
        environment: Object.fromEntries(environment),
      });
    }
  }
  return seen;
}

/** The home of nobody, as it stands in recordings. */
const PERSON = ["", "home", "person"].join("/");

/**
 * Ids, paths, times and process numbers as made-up ones, each the same wherever it stands.
 * @param {Place} place
 */
function madeUp(place) {
  /** @type {Map<string, string>} */
  const ids = new Map();
  const flat = (/** @type {string} */ path) => path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const id = (/** @type {string} */ found, /** @type {(number: string) => string} */ make) => {
    if (!ids.has(found)) ids.set(found, make(String(ids.size + 1)));
    return ids.get(found) ?? found;
  };
  return (/** @type {string} */ text) =>
    text
      .replaceAll(HOOK, "/usr/lib/record.mjs")
      .replaceAll(place.project, `${PERSON}/shop`)
      .replaceAll(flat(place.project), "-home-person-shop")
      .replaceAll(place.home, PERSON)
      .replaceAll(place.root, "/home")
      .replaceAll(place.bin, `/usr/bin/${place.driver.bin}`)
      .replaceAll(/\/[^"\s:]*\/node_modules\/(?=[@a-z])/g, "/usr/lib/node_modules/")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (found) =>
        id(found, (number) => `00000000-0000-4000-8000-${number.padStart(12, "0")}`),
      )
      .replaceAll(/\b(toolu|call|msg|ses|prt|evt|fc|resp|chatcmpl)_[0-9a-zA-Z]{16,}/g, (found, kind) =>
        id(found, (number) => `${kind}_${number}`),
      )
      .replaceAll(/\b[0-9a-f]{40}\b/g, (found) => id(found, (number) => number.padStart(40, "0")))
      .replaceAll(/\b[0-9a-f]{32}\b/g, (found) => id(found, (number) => number.padStart(32, "0")))
      .replaceAll(/\ba[0-9a-f]{16}\b/g, (found) => id(found, (number) => `a${number.padStart(16, "0")}`))
      .replaceAll(/20\d\d-\d\d-\d\dT\d\d[:-]\d\d([:-]\d\d)?(\.\d+)?Z?/g, (found) =>
        found.includes(":") ? "2026-01-01T00:00:00.000Z" : "2026-01-01T00-00-00",
      )
      .replaceAll(/\/20\d\d\/\d\d\/\d\d\//g, "/2026/01/01/")
      .replaceAll(/\b1[789]\d{11}\b/g, "1767225600000")
      .replaceAll(/("?(?:duration_ms|CLAUDE_PID|PGID|OPENCODE_PID)"?[:=] ?"?)\d+/g, "$11")
      .replaceAll(/\/\d+\.sock\b/g, "/1.sock")
      .replaceAll(/(\/tmp\/)(claude|cc)-[^"\s]*/g, "$1$2");
}

/**
 * The longest transcript of the client's: the session with all that was done.
 * @param {import("./driver.mjs").Driver} driver
 * @param {Place} place
 */
function longest(driver, place) {
  /** @type {string[]} */
  const found = [];
  /** @param {string} folder */
  const enter = (folder) => {
    for (const file of statSync(folder, { throwIfNoEntry: false })
      ? readdirSync(folder, { withFileTypes: true })
      : []) {
      const at = join(folder, file.name);
      if (file.isDirectory()) enter(at);
      else if (/\.jsonl?$/.test(file.name) && /session|rollout|events|[0-9a-f]{8}-/.test(file.name)) found.push(at);
    }
  };
  for (const folder of driver.transcripts) enter(join(place.home, folder));
  const texts = found.map((at) => readFileSync(at, "utf8")).filter((text) => text.includes("All is recorded."));
  const text = texts.sort((a, b) => a.length - b.length)[0];
  return text && madeUp(place)(text);
}
