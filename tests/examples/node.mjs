// The engine in Node: a lesson in, a situation asked about, the outcome told. `node node.mjs DIST`, where DIST is the
// folder that `cargo xtask build` wrote.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const engineDir = join(resolve(process.argv[2] ?? "dist"), "engine");
const { default: init, Engine } = await import(pathToFileURL(join(engineDir, "lessonloop.js")).href);

await init({ module_or_path: await readFile(join(engineDir, "lessonloop_bg.wasm")) });
const engine = await Engine.open({ store: { kind: "memory" } });
// Without a model ranking goes by words, and says so.
await engine.load_model(await readFile(join(engineDir, "minilm.pack")));

/** One request; an answer that is an error ends the example. */
async function ask(method, path, body) {
  const answer = await engine.handle({ method, path, body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.body.error.message}`);
  return answer.body;
}

await ask("POST", "/v1/lessons", {
  title: "Bind values, never splice them",
  recommendation: "Use placeholders; the driver sends values apart from the statement.",
  tags: ["database", "security"],
});
// Everything is stored, and the lesson has its vector.
await engine.idle();

const { recommended, prompt } = await ask("POST", "/v1/recommend", {
  query: "keep user input out of SQL statements",
  decision_id: "example-1",
});
console.log(`recommended: ${recommended.map(({ slug }) => slug).join(", ")}`);
console.log(prompt);

// The agent's text: a lesson counts as applied where it is named by its slug, as the prompt asks.
const { detections } = await ask("POST", "/v1/track", {
  decision_id: "example-1",
  reasoning: `Applying '${recommended[0].slug}': the query takes its values as parameters.`,
});
await ask("POST", "/v1/outcome", { decision_id: "example-1", outcome: "success" });

const lesson = await ask("GET", `/v1/lessons/${recommended[0].slug}`);
console.log(`applied: ${detections.filter(({ applied }) => applied).length}`);
console.log(`successes: ${lesson.standing.success_count}`);
