// The same engine on three hosts: native code, Chromium (both builds) and Node. Answers are equal
// byte for byte, vectors within 1e-4.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "../browser/chromium.mjs";
import { embed, walk } from "./engine.mjs";

const env = (name) => {
  assert.ok(process.env[name], `${name} is not set: run \`cargo xtask test parity\``);
  return process.env[name];
};
const corpus = (name) => readFileSync(new URL(`../corpus/${name}`, import.meta.url), "utf8");
const scenario = JSON.parse(corpus("scenario.json"));
const recorded = corpus("scenario.expected.json");
const texts = JSON.parse(corpus("vector_texts.json"));
const engine = join(env("LESSONLOOP_DIST"), "engine");
const scratch = mkdtempSync(join(tmpdir(), "lessonloop-parity-"));

/** Runs cargo on what the other suites have compiled. */
function cargo(command, more, variables = {}) {
  const packages = [...env("LESSONLOOP_NATIVE").split(" "), "-p", "tests"];
  execFileSync("cargo", [command, "--quiet", ...packages, ...more], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** Runs a native test that writes its results to a file, and reads that. */
function native(target, variable) {
  const out = join(scratch, target);
  cargo("test", ["--test", target], { [variable]: out });
  return readFileSync(out, "utf8");
}

let browser;
let nativeVectors;
before(async () => {
  browser = await launch(env("LESSONLOOP_CHROMIUM"));
  nativeVectors = JSON.parse(native("vectors", "LESSONLOOP_VECTORS_OUT"));
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/**
 * Runs `part` of engine.mjs in a page of the served app, with the named build of the module. The
 * page takes the function as source, which its content policy would refuse.
 */
async function inPage(part, build, argument) {
  const page = await browser.newPage({ bypassCSP: true });
  try {
    await page.goto(env("LESSONLOOP_URL"));
    return await page.evaluate(
      async ([source, name, file, value]) => {
        const glue = await import(`/engine/${file}.js`);
        await glue.default({ module_or_path: `/engine/${file}_bg.wasm` });
        const run = new Function(`return ${source}`)();
        if (name === "walk") return run(glue, value);
        const pack = new Uint8Array(await (await fetch("/engine/minilm.pack")).arrayBuffer());
        return run(glue, pack, value);
      },
      [part.toString(), part.name, build, argument],
    );
  } finally {
    await page.close();
  }
}

/** A fresh module scope in Node with the named build. */
async function inNode(build) {
  const glue = await import(pathToFileURL(join(engine, `${build}.js`)).href);
  await glue.default({ module_or_path: readFileSync(join(engine, `${build}_bg.wasm`)) });
  return glue;
}

function near(vectors, host) {
  assert.equal(vectors.length, nativeVectors.length);
  let worst = 0;
  vectors.forEach((vector, at) => {
    assert.equal(vector.length, nativeVectors[at].length);
    vector.forEach((value, axis) => {
      worst = Math.max(worst, Math.abs(value - nativeVectors[at][axis]));
    });
  });
  console.log(`${host}: vectors within ${worst.toExponential(1)} of native`);
  assert.ok(worst <= 1e-4, `${host}: a vector differs by ${worst}`);
}

const PLAIN = "lessonloop";
const RELAXED = "lessonloop_relaxed";

test("native answers are the recorded ones", () => {
  assert.equal(native("parity", "LESSONLOOP_PARITY_OUT"), recorded);
});

test("Node answers as native does", async () => {
  assert.equal(await walk(await inNode(PLAIN), scenario), recorded);
});

test("Node embeds as native does", async () => {
  const pack = new Uint8Array(readFileSync(env("LESSONLOOP_MODEL_PACK")));
  near(await embed(await inNode(PLAIN), pack, texts), "Node, simd128");
});

test("1,000 random ledgers fold to the same bits in wasm and natively", async () => {
  cargo("build", ["--profile", "test", "--example", "ledgers", "--example", "walk"]);
  const run = (example, more, input) =>
    execFileSync(join(env("CARGO_TARGET_DIR"), "debug/examples", example), more, {
      input,
      encoding: "utf8",
      maxBuffer: 1 << 30,
      stdio: ["pipe", "pipe", "inherit"],
    });
  const glue = await inNode(PLAIN);
  const fresh = await glue.Engine.open({ store: { kind: "memory" } });
  const { body: header } = await fresh.handle({ method: "GET", path: "/v1/export?format=jsonl" });
  // The first ledger is one of tools only, and long.
  const ledgers = run("ledgers", ["1001", "29"]).trim().split("\n").slice(1);
  assert.equal(ledgers.length, 1_000);
  let events = 0;
  const scenarios = ledgers.map((line) => {
    // The events' own text: to parse it here would lose the sign of a zero.
    const texts = JSON.parse(line).batches.flatMap(({ events: batch }) => batch.slice(1, -1).split(/,(?=\{"op_id":)/));
    events += texts.length;
    const get = (path) => ({ method: "GET", path: `/v1/${path}` });
    return {
      steps: [
        {
          method: "POST",
          path: "/v1/import",
          body: { files: [{ path: "ledger.jsonl", content: header + texts.join("\n") }] },
        },
        get("lessons?archived=false&limit=1000"),
        get("lessons?archived=true&limit=1000"),
        ...["strategy-a", "warning-b", "evolved-c", "pattern-d-2", "plain"].map((slug) =>
          get(`lessons/${slug}/history`),
        ),
        get("stats"),
        get("health"),
      ],
    };
  });
  const answers = run("walk", [], scenarios.map((one) => JSON.stringify(one)).join("\n"));
  const native = answers
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(native.length, scenarios.length);
  for (const [at, scenario] of scenarios.entries()) {
    assert.equal(await walk(glue, scenario), native[at], `ledger ${at}`);
  }
  assert.ok(events > 20_000, `only ${events} events`);
  const taken = native.filter((text) => !text.includes('"added":0,')).length;
  assert.ok(taken > 900, `only ${taken} ledgers had lessons`);
  console.log(`${native.length} ledgers of ${events} events: equal`);
});

for (const [build, name] of [
  [PLAIN, "simd128"],
  [RELAXED, "relaxed SIMD"],
]) {
  test(`Chromium answers as native does, ${name}`, async () => {
    assert.equal(await inPage(walk, build, scenario), recorded);
  });
  test(`Chromium embeds as native does, ${name}`, async () => {
    near(await inPage(embed, build, texts), `Chromium, ${name}`);
  });
}
