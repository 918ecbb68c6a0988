// An agent in Node with the package: its tools are those of `lessonloop mcp`, its store the project's that it runs in.
//   npm install lessonloop @modelcontextprotocol/sdk && npx lessonloop init --project && node agent.mjs "TASK"
// `think` stands for your model: it gets the task, the tools and what was said, and answers with calls or a last word.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const task = process.argv[2];
if (!task) {
  process.stderr.write('say what the agent is to do: node agent.mjs "TASK"\n');
  process.exit(2);
}

const manifest = createRequire(import.meta.url).resolve("lessonloop/package.json");
const server = new StdioClientTransport({
  command: process.execPath,
  args: [join(dirname(manifest), "local/bin/lessonloop.mjs"), "mcp"],
  cwd: process.cwd(),
});
const client = new Client({ name: "example-agent", version: "1.0.0" });
await client.connect(server);

const { tools } = await client.listTools();
const decision = `agent-${Date.now()}`;
/** @type {{ role: string, content: any }[]} */
const talk = [{ role: "user", content: task }];

/**
 * Your model. This one asks for lessons, applies the first, and says what it applied and how it ended.
 * @param {typeof talk} said
 * @returns {{ call?: { name: string, arguments: any }, last?: string }}
 */
function think(said) {
  const results = said.filter(({ role }) => role === "tool").map(({ content }) => content);
  const call = (/** @type {string} */ name, /** @type {any} */ more) => ({
    call: { name, arguments: { decision_id: decision, ...more } },
  });
  const [lessons] = results;
  if (!lessons) return call("playbook_recommend_lessons", { query: task });
  // Texts of lessons lie under `untrusted`; slugs are the ledger's.
  const [slug] = JSON.stringify(lessons).match(/(?<="slug":")[a-z0-9-]+/) ?? [];
  const reasoning = slug ? `Applying '${slug}': it fits this task.` : "No lesson fits.";
  if (results.length === 1) return call("playbook_track_usage", { reasoning });
  if (results.length === 2) return call("playbook_record_outcome", { outcome: "success" });
  return { last: reasoning };
}

for (;;) {
  const { call, last } = think(talk);
  if (last !== undefined) {
    process.stdout.write(`${last}\n`);
    break;
  }
  if (!call || !tools.some(({ name }) => name === call.name)) throw new Error(`the server has no tool ${call?.name}`);
  const answer = await client.callTool(call);
  process.stdout.write(`${call.name}${answer.isError ? " failed" : ""}\n`);
  talk.push({ role: "tool", content: answer.structuredContent ?? answer.content });
}
await client.close();
