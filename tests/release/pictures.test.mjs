// The pictures of the README's first screen, made of what is built: the dashboard over the demo, and ten seconds of the loop
// on the command line. `LESSONLOOP_WRITE=1` writes them into docs/.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ready } from "../browser/app.mjs";
import { launch } from "../browser/chromium.mjs";
import { folder, piece, ROOT } from "./pieces.mjs";
import { animated } from "./terminal.mjs";

const writes = Boolean(process.env.LESSONLOOP_WRITE);
const docs = (/** @type {string} */ name) => join(ROOT, "docs", name);

/** A session as a person types it; what is printed is what the command prints. */
function session() {
  const place = folder("picture");
  const [home, project] = ["home", "shop"].map((name) => join(place, name));
  for (const at of [home, project]) mkdirSync(at);
  writeFileSync(join(place, "package.json"), "{}");
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", piece(/^lessonloop-\d.*\.tgz$/)], {
    cwd: place,
    stdio: "pipe",
    env: { ...process.env, npm_config_cache: join(place, ".npm") },
  });
  const bin = join(place, "node_modules/lessonloop/local/bin/lessonloop.mjs");
  // As after `npm install -g`: what is printed then names the command alone.
  mkdirSync(join(place, "bin"));
  symlinkSync(bin, join(place, "bin/lessonloop"));
  const env = { PATH: `${join(place, "bin")}:${process.env.PATH}`, HOME: home, XDG_RUNTIME_DIR: home, COLUMNS: "100" };
  const run = (/** @type {string[]} */ ...words) => {
    const done = spawnSync(process.execPath, [bin, ...words], { cwd: project, env, encoding: "utf8" });
    assert.equal(done.status, 0, `${words.join(" ")}: ${done.stdout}${done.stderr}`);
    return done.stdout.trimEnd().split("\n");
  };
  run("init", "--project", "--yes");
  const quoted = (/** @type {string} */ word) => (/[\s']/.test(word) ? `"${word}"` : word);
  const typed = (/** @type {string[]} */ ...words) => ({
    command: ["lessonloop", ...words].map(quoted).join(" "),
    lines: run(...words),
  });
  const SLUG = "bind-values-never-splice-them";
  return [
    typed("add", "Bind values, never splice them", "-r", "Use placeholders.", "--tech", "sql"),
    typed("recommend", "bind the values of a SQL statement", "--decision", "run-1"),
    typed("track", `Applying '${SLUG}': the query takes its values as parameters.`, "--decision", "run-1"),
    typed("outcome", "run-1", "success"),
    typed("show", SLUG),
  ];
}

test("ten seconds of the loop", () => {
  const steps = session();
  const [, asked, tracked, , shown] = steps.map(({ lines }) => lines.join("\n"));
  assert.match(asked, /bind-values-never-splice-them/);
  assert.match(tracked, /applied/i);
  assert.match(shown, /1/);
  const picture = animated(steps, "Ten seconds of the loop: a lesson is added, asked for, applied and counted");
  if (writes) writeFileSync(docs("loop.svg"), picture);
  // The output of commands may change; the picture is made anew then.
  assert.ok(existsSync(docs("loop.svg")), "LESSONLOOP_WRITE=1 cargo xtask test release --only pictures");
  const commands = (/** @type {string} */ svg) => [...svg.matchAll(/class="c"[^>]*>([^<]+)</g)].map(([, text]) => text);
  assert.deepEqual(
    commands(readFileSync(docs("loop.svg"), "utf8")),
    commands(picture),
    "docs/loop.svg is of other commands",
  );
});

test("the dashboard over the demo", { timeout: 120_000 }, async () => {
  const browser = await launch(process.env.LESSONLOOP_CHROMIUM);
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 1,
      colorScheme: "light",
      reducedMotion: "reduce",
    });
    await page.goto(`${process.env.LESSONLOOP_URL}/lessons`);
    await page.getByTestId("open-demo").click();
    await page.getByTestId("demo-banner").waitFor();
    await page.goto(`${process.env.LESSONLOOP_URL}/`);
    await page.getByTestId("demo-banner").waitFor();
    await ready(page);
    for (const card of ["headline", "movers", "activity"]) await page.getByTestId(card).waitFor();
    await page.getByTestId("skeleton").waitFor({ state: "detached" });
    await page.evaluate(() => document.fonts.ready);
    const picture = await page.screenshot({ type: "png" });
    assert.ok(picture.length > 20_000, `${picture.length} bytes: an empty page`);
    if (writes) writeFileSync(docs("dashboard.png"), picture);
    assert.ok(existsSync(docs("dashboard.png")), "LESSONLOOP_WRITE=1 cargo xtask test release --only pictures");
  } finally {
    await browser.close();
  }
});
