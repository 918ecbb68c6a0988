// The model's next answer: a script of turns, chosen by the mark in the prompt, at the place that the talk has reached.

/**
 * A step of a script. `tool` is the end of an MCP tool's name; `agent` the prompt of a subagent; `many` are called at once.
 * @typedef {{ say?: string, text?: string, tool?: string, args?: any, shell?: string, agent?: string, status?: number, many?: Step[] }} Step
 * @typedef {Step[]} Script
 * @typedef {{ name: string, namespace?: string, kind?: string, about?: string, schema?: any }} Tool
 * @typedef {{ name: string, namespace?: string, kind?: string, args: any }} Call
 * @typedef {{ role: string, text: string, calls: string[], results: string[] }} Turn `results`: texts of tools' answers
 * @typedef {{ tools: Tool[], turns: Turn[], schema?: any, walk?: string }} Talk `schema`: of the answer that is asked for
 * @typedef {{ text?: string, calls: Call[], status?: number }} Answer
 */

const MARK = /\[walk:([a-z0-9-]+)\]/g;
const SHELLS = ["Bash", "exec_command", "shell_command", "shell", "local_shell", "run_shell_command", "bash"];
const AGENTS = ["Agent", "Task", "task", "spawn_agent", "invoke_agent", "generalist"];
const FINDER = /^tool_?search/i;
/** Of a client whose agents are waited for by a call of its own. */
const WAIT = "wait_agent";

/**
 * @param {Talk} talk
 * @param {Record<string, Script>} scripts
 * @returns {Answer}
 */
export function answerTo(talk, scripts) {
  if (talk.schema) return { text: JSON.stringify(smallest(talk.schema)), calls: [] };
  // A person's newest prompt with a mark. What tools answer is no prompt, and a mark in it is a quotation.
  let at = talk.turns.length - 1;
  for (; at >= 0; at -= 1) {
    const { role, text, results } = talk.turns[at];
    const mark = role === "user" && results.length === 0 && [...text.matchAll(MARK)].at(-1);
    if (mark && scripts[mark[1]]) {
      talk.walk = mark[1];
      break;
    }
  }
  // Titles are asked for without tools, summaries by a prompt of the client's own.
  const last = talk.turns.findLast(({ role, results }) => role === "user" && results.length === 0);
  if (talk.tools.length === 0 || (last && !last.text.includes("[walk:") && /summar/i.test(last.text.slice(-6_000))))
    return { text: "A summary of the talk: it is about SQL statements.", calls: [] };
  if (!talk.walk) return { text: "Understood.", calls: [] };
  const after = talk.turns.slice(at + 1);
  // Calls that were made at once are one turn in some APIs and several in others; looking for a tool is none.
  let done = 0;
  let searches = 0;
  let isInside = false;
  for (const turn of after) {
    if (turn.role !== "assistant") {
      isInside = false;
      continue;
    }
    if (turn.calls.length > 0 && turn.calls.every((name) => FINDER.test(name) || name === WAIT)) {
      searches += 1;
      continue;
    }
    if (turn.calls.length === 0 && !turn.text) continue;
    if (!isInside) done += 1;
    isInside = true;
  }
  const wait = talk.tools.find(({ name }) => name === WAIT);
  const began = after.findLast(({ role }) => role === "assistant")?.calls.includes("spawn_agent");
  if (wait && began) return { calls: [{ ...wait, args: waitFor(wait, after.at(-1)?.results[0] ?? "") }] };
  const script = scripts[talk.walk];
  const step = script[done];
  return step ? made(step, talk.tools, searches, script.length) : { text: "That is all.", calls: [] };
}

/** The arguments that wait for the agent of an answer. @param {Tool} wait @param {string} answer */
function waitFor(wait, answer) {
  const id = /"agent_id":\s*"([^"]+)"/.exec(answer)?.[1] ?? "";
  const properties = Object.entries(wait.schema?.properties ?? {});
  const [name, of] = properties.find(([name]) => /target|id/.test(name)) ?? ["targets", { type: "array" }];
  return { [name]: of.type === "array" ? [id] : id };
}

/**
 * @param {Step} step
 * @param {Tool[]} tools
 * @param {number} searches how often a tool was looked for already
 * @param {number} bound
 * @returns {Answer}
 */
function made(step, tools, searches, bound) {
  /** @type {Answer} */
  const answer = { text: step.text ?? step.say, calls: [], ...(step.status ? { status: step.status } : {}) };
  for (const one of step.many ?? [step]) {
    if (one.tool) {
      const name = one.tool;
      const tool = tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name.endsWith(name));
      const finder = tools.find(({ name }) => FINDER.test(name));
      if (tool) answer.calls.push({ ...tool, args: one.args ?? {} });
      else if (finder && searches < bound) {
        const args = finder.schema?.properties?.max_results
          ? { query: `select:mcp__lessonloop__${name}`, max_results: 5 }
          : { query: name, limit: 8 };
        return { calls: [{ ...finder, args }] };
      } else answer.text = `MODEL: no tool ${name} among ${tools.map(({ name }) => name).join(", ")}`;
    } else if (one.shell !== undefined) call(answer, tools, SHELLS, { shell: one.shell });
    else if (one.agent !== undefined) call(answer, tools, AGENTS, { agent: one.agent, ...one.args });
  }
  return answer;
}

/**
 * @param {Answer} answer
 * @param {Tool[]} tools
 * @param {string[]} names
 * @param {Record<string, any>} given
 */
function call(answer, tools, names, given) {
  const tool = names.flatMap((name) => tools.filter((tool) => tool.name === name))[0];
  if (tool) answer.calls.push({ ...tool, args: argumentsOf(tool, given) });
  else answer.text = `MODEL: none of ${names.join(", ")} among ${tools.map(({ name }) => name).join(", ")}`;
}

/**
 * A tool's arguments by the names that clients give them; what else is required gets the smallest value.
 * @param {Tool} tool
 * @param {Record<string, any>} given
 */
function argumentsOf(tool, { shell, agent, ...more }) {
  const schema = tool.schema ?? {};
  const properties = schema.properties ?? {};
  /** @type {Record<string, any>} */
  const args = {};
  for (const [name, of] of Object.entries(properties)) {
    if (name in more) args[name] = more[name];
    else if (shell !== undefined && (name === "command" || name === "cmd"))
      args[name] = of.type === "array" ? ["bash", "-lc", shell] : shell;
    else if (agent !== undefined && ["prompt", "message", "request", "objective", "query"].includes(name))
      args[name] = agent;
    else if (name === "agent_name") args[name] = "generalist";
    else if (/^(subagent_type|agent_type)$/.test(name)) {
      const usual = ["general-purpose", "generalist", "general", "default"];
      args[name] = usual.find((kind) => of.enum?.includes(kind)) ?? of.enum?.[0] ?? kindOf(tool, usual);
    } else if (name === "run_in_background") args[name] = false;
    else if (name === "mode" && of.enum?.includes("sync")) args[name] = "sync";
    else if (schema.required?.includes(name)) args[name] = smallest(of, name);
  }
  return args;
}

/** The kind of agent that a tool's description names. @param {Tool} tool @param {string[]} usual */
const kindOf = ({ about = "" }, usual) =>
  usual.find((kind) => new RegExp(`\\b${kind}\\b`).test(about)) ?? "general-purpose";

/**
 * The smallest value that a JSON schema takes.
 * @param {any} schema
 * @param {string} [name]
 * @returns {any}
 */
function smallest(schema, name = "walk") {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return smallest(schema.anyOf[0], name);
  const type = String(Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? "object")).toLowerCase();
  if (type === "object") {
    const wanted = schema.required ?? Object.keys(schema.properties ?? {});
    return Object.fromEntries(
      wanted.map((/** @type {string} */ key) => [key, smallest(schema.properties?.[key] ?? {}, key)]),
    );
  }
  if (type === "array") return [];
  if (type === "number" || type === "integer") return Math.max(schema.minimum ?? 1, 1);
  if (type === "boolean") return false;
  return name;
}
