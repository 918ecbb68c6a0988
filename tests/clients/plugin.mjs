// The plugin in the real client: installed from the marketplace of this clone into a fresh home, it gets the program, and a
// session is given a lesson, within a minute of the first command.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { archive, Place, versionOf } from "./driver.mjs";
import { startModel } from "./model.mjs";
import { LESSONS, prompt, scripts, TEXT } from "./scripts.mjs";
import { until } from "./until.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** From the first command to the lesson. */
const WITHIN_MS = 60_000;
const TOOLS = "mcp__plugin_lessonloop_lessonloop__";

/**
 * @param {import("./driver.mjs").Driver} driver
 * @param {{ validate: string[][], install: string[][], headless: (prompt: string) => string[] }} given
 */
export function plugin(driver, { validate, install, headless }) {
  test(`${driver.title}, plugin`, { timeout: 300_000 }, async (t) => {
    const model = await startModel({
      scripts: scripts(() => "true"),
      folder: process.env.LESSONLOOP_KEEP,
      version: versionOf(driver),
    });
    t.after(() => model.close());
    const place = new Place(driver, { url: model.url, name: "plugin" });
    Object.assign(place.env, { LESSONLOOP_PACKAGE: archive });
    const run = async (/** @type {string[]} */ words) => {
      const { code, out } = await place.run(words);
      assert.equal(code, 0, `${words.join(" ")}: ${out.slice(-2_000)}`);
      return out;
    };
    for (const words of validate) await run(words.map((word) => word.replace("ROOT", ROOT)));

    const began = Date.now();
    for (const words of install) await run(words.map((word) => word.replace("ROOT", ROOT)));
    // The server of the first session gets the program, and makes the person's store.
    await run(headless(prompt("delivered")));
    await until(
      () => existsSync(join(place.home, ".local/share/lessonloop-app/lessonloop.mjs")),
      "the program is kept",
    );
    const file = join(place.root, "lessons.json");
    writeFileSync(file, JSON.stringify(LESSONS));
    place.json("import", file);
    const from = model.of("delivered").length;
    await run(headless(prompt("delivered")));
    const took = Date.now() - began;
    const asked = model.of("delivered").slice(from);
    assert.ok(
      asked[0]?.talk.turns.some(({ text }) => text.includes(TEXT)),
      `the request holds the lesson: ${place.log().slice(-1_500)}`,
    );
    assert.ok(took < WITHIN_MS, `${took} ms from the first command to the lesson`);
    t.diagnostic(`${took} ms from the first command to the lesson`);
    const names = (asked[0].body.tools ?? []).map((/** @type {any} */ { name }) => name);
    assert.ok(
      names.some((/** @type {string} */ name) => name.startsWith(TOOLS)) ||
        JSON.stringify(asked[0].body).includes(TOOLS),
      `the server's tools are there: ${names}`,
    );
    await until(() => place.events().some(({ kind }) => kind === "OutcomeRecorded"), "an outcome is recorded", 25_000);
  });
}

/**
 * The client takes the plugin of this clone, and says so.
 * @param {import("./driver.mjs").Driver} driver
 * @param {string[][]} commands
 * @param {RegExp} listed what the last one prints
 * @param {(home: string, root: string) => void} [prepare] what a person said before
 */
export function taken(driver, commands, listed, prepare = () => undefined) {
  test(`${driver.title}, plugin`, { timeout: 120_000 }, async () => {
    const place = new Place(driver, { url: "http://127.0.0.1:9", name: "plugin" });
    prepare(place.home, ROOT);
    let said = "";
    for (const words of commands) {
      const { code, out } = await place.run(words.map((word) => word.replace("ROOT", ROOT)));
      assert.equal(code, 0, `${words.join(" ")}: ${out.slice(-2_000)}`);
      said = out;
    }
    assert.match(said, listed);
  });
}
