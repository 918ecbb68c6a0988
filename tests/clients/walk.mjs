// The walk through a client: each step as a person does it, seen in what the model gets and in what the store holds.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Place, programOf, versionOf } from "./driver.mjs";
import { startModel } from "./model.mjs";
import { recorded } from "./recorded.mjs";
import { CALLS, LESSONS, MOMENT, prompt, SLUG, scripts, TEXT } from "./scripts.mjs";
import { Column } from "./table.mjs";
import { until } from "./until.mjs";

/** Time limit, in milliseconds, for the record of a session's end, which a process that is left behind makes. */
const RECORDED = 25_000;

/** @typedef {import("./model.mjs").Asked} Asked */

/** True if a request holds the lesson outside of what tools answered. @param {Asked} asked @param {string} [text] */
const holds = ({ talk }, text = TEXT) => talk.turns.some((turn) => turn.text.includes(text));

/** Counts how often the text stands in a request. @param {Asked} asked @param {string} text */
const times = ({ body }, text) => JSON.stringify(body).split(text).length - 1;

/** @param {any} value */
const lower = (value) => JSON.stringify(value ?? "").toLowerCase();

/** @param {import("./driver.mjs").Driver} driver */
export function walk(driver) {
  test(driver.title, { timeout: 900_000 }, async (t) => {
    const model = await startModel({
      scripts: scripts((prompt) => driver.nested(programOf(driver), prompt)),
      folder: process.env.LESSONLOOP_KEEP,
      version: versionOf(driver),
    });
    t.after(() => model.close());
    const project = new Place(driver, { url: model.url, name: "project" });
    const column = new Column(driver.title);

    /** @param {string} name @param {() => Promise<void>} act */
    async function step(name, act) {
      const reason = driver.cannot[name];
      if (reason) return column.cannot(name, reason);
      const from = model.requests.length;
      await t.test(name, async () => {
        try {
          await act();
          column.works(name);
        } catch (error) {
          const asked = model.requests
            .slice(from)
            .map(({ talk, answer }) => `${talk.walk}: ${lower(answer).slice(0, 160)}`);
          /** @type {Error} */ (error).message +=
            `\nThe model was asked:\n${asked.join("\n")}\n${project.log().slice(-1_500)}`;
          throw error;
        }
      });
    }

    /** The outcomes that a session leaves, once there are so many. @param {() => any[]} news @param {number} [many] */
    const outcomes = async (news, many = 1) => {
      const of = () => news().filter(({ kind }) => kind === "OutcomeRecorded");
      await until(
        () => of().length >= many,
        () => `an outcome is recorded: ${news().map(({ kind }) => kind)}`,
        RECORDED,
      );
      return of().map(({ outcome }) => lower(outcome));
    };

    /** Runs a prompt headless, which has to go well. @param {string} walk @param {{ resume?: boolean }} [given] */
    const headless = async (walk, given) => {
      const { code, out } = await project.headless(prompt(walk), given);
      assert.equal(code, 0, out.slice(-2_000));
      const asked = model.of(walk);
      assert.ok(asked.length > 0, `the model was not asked: ${out.slice(-2_000)}`);
      return asked;
    };

    /** @type {Map<string, string | null>} */
    const before = files(project);
    await step("init, project", async () => {
      const { code, out } = project.npx("init", driver.name, "--project", "--yes");
      assert.equal(code, 0, out);
      for (const lesson of LESSONS) add(project, lesson);
      assert.match(
        project.npx("init", driver.name, "--project", "--yes").out,
        /in place/,
        "the second time changes nothing",
      );
    });
    await step("accepted, and the server listed", async () => {
      const window = await project.open();
      window.close();
      const { code, out } = await project.run(driver.list, { patience: 60_000 });
      assert.equal(code, 0, out);
      assert.match(out, driver.listed);
    });
    await step("lessons in the model's context", async () => {
      const news = project.watch();
      const [first] = await headless("delivered");
      assert.ok(holds(first), "the first request holds the lesson's text");
      assert.equal(times(first, TEXT), 1, "once");
      // The next steps look at the same session.
      await outcomes(news);
    });
    await step("applied, delivered", async () => {
      const { standing } = project.json("show", SLUG);
      assert.deepEqual([standing.times_applied, standing.success_count], [1, 1]);
    });
    await step("insight", async () => {
      const found = project
        .events()
        .filter((event) => event.kind === "LessonAdded" && lower(event).includes("without its values"));
      assert.equal(found.length, 1);
    });
    await step("blocked", async () => {
      const news = project.watch();
      await headless("blocked");
      assert.match((await outcomes(news)).join(), /^"failure"$/);
    });
    await step("passing tests without a word wait in Review", async () => {
      const news = project.watch();
      await headless("passing");
      await until(() => suggestions(project).includes("success"), "a success is suggested", RECORDED);
      assert.deepEqual(
        news().filter(({ kind }) => kind === "OutcomeRecorded"),
        [],
        "it counts nothing by itself",
      );
    });
    await step("failing tests without a word wait in Review", async () => {
      await headless("failing");
      await until(() => suggestions(project).includes("failure"), "a failure is suggested", RECORDED);
    });
    await step("every tool of the server", async () => {
      const news = project.watch();
      const asked = await headless("tools");
      const said = JSON.stringify(asked.at(-1)?.body ?? {});
      assert.doesNotMatch(said, /MODEL: no tool/);
      for (const { tool } of CALLS) assert.ok(said.includes(tool), `${tool} was called`);
      const answers = asked.at(-1)?.talk.turns.flatMap(({ results }) => results) ?? [];
      assert.ok(answers.length >= CALLS.length, `${answers.length} answers`);
      assert.ok(
        answers.some((answer) => answer.includes(TEXT)),
        "the model reads the lesson's text",
      );
      const kinds = new Set(news().map(({ kind }) => kind));
      for (const kind of [
        "UsageTracked",
        "OutcomeRecorded",
        "FeedbackGiven",
        "Rated",
        "Voted",
        "LessonAdded",
        "ToolSucceeded",
      ]) {
        assert.ok(
          kinds.has(kind),
          `${kind}: ${[...kinds]}\n${answers.map((answer) => answer.slice(0, 200)).join("\n---\n")}`,
        );
      }
    });
    await step("odd arguments of a tool", async () => {
      const asked = await headless("odd");
      const answers = asked.at(-1)?.talk.turns.flatMap(({ results }) => results) ?? [];
      assert.ok(
        answers.some((answer) => answer.includes(TEXT)),
        `a number as a text is taken: ${answers}`,
      );
      assert.ok(
        answers.some((answer) => /limit/.test(answer) && !answer.includes(TEXT)),
        `a fault names the argument: ${answers}`,
      );
    });
    await step("a subagent's words are its own", async () => {
      const news = project.watch();
      await headless("agent");
      await until(() => model.of("subagent").length > 0, "the subagent asks the model");
      assert.deepEqual(await outcomes(news), ['"success"']);
    });
    await step("resumed", async () => {
      const news = project.watch();
      await headless("first");
      await headless("second", { resume: true });
      assert.deepEqual(await outcomes(news), ['"success"']);
      const used = news().filter(({ kind }) => kind === "UsageTracked");
      assert.equal(new Set(used.map(({ decision_id }) => decision_id)).size, 1, "one session, one decision");
    });
    await step("two sessions at once", async () => {
      const news = project.watch();
      await Promise.all([headless("one-at-once"), headless("two-at-once")]);
      assert.deepEqual((await outcomes(news, 2)).sort(), ['"failure"', '"success"']);
    });
    await step("a run that the agent started", async () => {
      const news = project.watch();
      await headless("nested");
      const [inner] = model.of("inner");
      assert.ok(inner, "it ran");
      assert.ok(!holds(inner), "it gets no lessons");
      assert.deepEqual(await outcomes(news), ['"success"'], "it records no outcome");
      assert.deepEqual(
        news().filter(({ kind }) => kind === "LessonAdded"),
        [],
        "it teaches nothing",
      );
    });

    /** @type {import("./terminal.mjs").Terminal | undefined} */
    let window;
    /** Types a prompt and waits for the model's answer. @param {string} walk @param {RegExp} answer */
    const say = async (walk, answer) => {
      assert.ok(window, "the window was not opened");
      await window.say(prompt(walk), () => model.of(walk).length > 0);
      await window.shows(answer, 45_000);
      return model.of(walk);
    };
    const news = project.watch();
    await step("interactive, lessons in the model's context", async () => {
      window = await project.open();
      const [first] = await say("window", /I begin\./);
      assert.ok(holds(first), "the first request holds the lesson's text");
    });
    await step("interactive, said once", async () => {
      const asked = await say("again", /It failed; I go on\./);
      assert.equal(times(asked[0], TEXT), 1, "the text of the first prompt alone");
    });
    await step("interactive, a failed command asks", async () => {
      const asked = model.of("again");
      assert.ok(asked.length > 1 && times(asked[1], MOMENT) >= 1, "the request after the failure holds the lesson");
    });
    await step("interactive, compaction", async () => {
      assert.ok(window && driver.compact);
      const { command, shows } = driver.compact;
      await window.say(command, () => shows.test(window?.screen() ?? ""));
      await window.shows(shows);
      const [after] = await say("after", /After the compaction\./);
      assert.ok(times(after, TEXT) >= 1, "what was compacted away is said again");
    });
    await step("interactive, delivered", async () => {
      await say("last", /DELIVERED: the statement/);
      await window?.say(driver.quit, () => window?.isOver());
      assert.deepEqual(await outcomes(news), ['"success"']);
      const used = news().filter(({ kind }) => kind === "UsageTracked");
      assert.ok(used.length > 0, "what was applied in the first turn counts");
    });
    window?.close();
    await step("interactive, window closed", async () => {
      const news = project.watch();
      window = await project.open();
      await say("closed", /DELIVERED: before/);
      await window.idle();
      window.close();
      assert.deepEqual(await outcomes(news), ['"success"']);
    });
    await step("package gone", async () => {
      const { app } = project;
      renameSync(app, `${app}.gone`);
      try {
        const { code, out } = await project.headless(prompt("gone"));
        assert.equal(code, 0, out);
        assert.match(out, /Answered without the package/);
      } finally {
        renameSync(`${app}.gone`, app);
      }
    });
    await step("--remove, project", async () => {
      const { code, out } = project.npx("init", driver.name, "--project", "--remove", "--yes");
      assert.equal(code, 0, out);
      asBefore(project, before);
    });

    const personal = new Place(driver, { url: model.url, name: "personal" });
    const untouched = files(personal);
    await step("init, personal", async () => {
      const { code, out } = personal.npx("init", driver.name, "--personal", "--yes");
      assert.equal(code, 0, out);
      for (const lesson of LESSONS) add(personal, lesson);
      (await personal.open()).close();
      const from = model.of("delivered").length;
      const done = await personal.headless(prompt("delivered"));
      assert.equal(done.code, 0, done.out);
      const first = model.of("delivered")[from];
      assert.ok(first && holds(first), "the first request holds the lesson's text");
      await until(
        () => personal.events().some(({ kind }) => kind === "OutcomeRecorded"),
        "an outcome is recorded",
        RECORDED,
      );
    });
    await step("--remove, personal", async () => {
      const { code, out } = personal.npx("init", driver.name, "--personal", "--remove", "--yes");
      assert.equal(code, 0, out);
      asBefore(personal, untouched);
    });
    await t.test("hooks and transcripts are as in the corpus", () => recorded(driver, model));
    await t.test("docs/agents.md says it", () => column.check());
  });
}

/** @param {Place} place @param {any} lesson */
function add(place, { title, ...more }) {
  const file = join(place.root, "lesson.json");
  writeFileSync(file, JSON.stringify([{ title, ...more }]));
  place.json("import", file);
}

/** The outcomes that wait in Review. @param {Place} place @returns {string[]} */
const suggestions = (place) => (place.json("review").outcomes ?? []).map((/** @type {any} */ { outcome }) => outcome);

/** The files of a project and a home, by content; not those of the store, of git and of caches. @param {Place} place */
function files({ project, home }) {
  const found = new Map();
  /** @param {string} folder */
  const enter = (folder) => {
    for (const file of readdirSync(folder, { withFileTypes: true })) {
      const at = join(folder, file.name);
      if (/^(\.git|\.gitignore|\.lessonloop|\.npm|\.cache|\.local|node_modules)$/.test(file.name)) continue;
      // Files that a client installs for plugins.
      if (/^(package(-lock)?\.json|bun\.lock)$/.test(file.name)) continue;
      if (file.isDirectory()) enter(at);
      else if (file.isFile()) found.set(at, readFileSync(at, "utf8"));
    }
  };
  enter(project);
  enter(home);
  return found;
}

/**
 * Nothing of ours is left: files that were there are as they were, except those that the client writes itself.
 * @param {Place} place
 * @param {Map<string, string | null>} before
 */
function asBefore(place, before) {
  const now = files(place);
  const own = place.driver.rewrites.map((path) => join(place.home, path));
  for (const [path, text] of before) if (!own.includes(path)) assert.equal(now.get(path), text, `${path} is as before`);
  for (const [path, text] of now) {
    // A client's memory of a session, and its logs.
    if (
      !before.has(path) &&
      path.startsWith(place.home) &&
      !/(settings|config|hooks|mcp|opencode)[^/]*\.(json|jsonc|toml|js)$/.test(path)
    )
      continue;
    if (before.has(path) ? !own.includes(path) : own.includes(path)) continue;
    if (path.startsWith(place.project) && !before.has(path)) assert.fail(`${path} was left`);
    assert.doesNotMatch(text ?? "", /lessonloop(-app|\.mjs| hook| mcp)/, `${path} names us`);
  }
  assert.equal(statSync(join(place.project, "readme.txt")).isFile(), true);
}
