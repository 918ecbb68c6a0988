// OpenAI Chat Completions, as OpenCode and Copilot CLI speak it.
import { events, halves, identity, joined } from "./wire.mjs";

export const name = "chat";
export const path = /\/chat\/completions$/;

/** @param {any} body @returns {import("../script.mjs").Talk} */
export function read(body) {
  const turns = (body.messages ?? []).map((/** @type {any} */ message) => ({
    role: message.role === "developer" ? "system" : message.role,
    text: message.role === "tool" ? "" : joined(message.content),
    calls: (message.tool_calls ?? []).map((/** @type {any} */ call) => call.function?.name ?? ""),
    results: message.role === "tool" ? [joined(message.content)] : [],
  }));
  const tools = (body.tools ?? []).map((/** @type {any} */ tool) => ({
    name: tool.function?.name ?? tool.type,
    about: tool.function?.description,
    schema: tool.function?.parameters,
  }));
  return { tools, turns, schema: body.response_format?.json_schema?.schema };
}

/** @param {number} status */
export const fault = (status) => ({ error: { type: "server_error", message: `the model says ${status}` } });

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} _path
 * @param {any} body
 * @param {import("../script.mjs").Answer} answer
 */
export function write(response, _path, body, { text, calls }) {
  const tool_calls = calls.map((call) => ({
    id: identity("call"),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 };
  const base = { id: identity("chatcmpl"), created: 1, model: body.model };
  if (!body.stream) {
    const message = { role: "assistant", content: text ?? null, ...(calls.length > 0 ? { tool_calls } : {}) };
    return events(response).json({
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  }
  const { send, end } = events(response);
  const chunk = { ...base, object: "chat.completion.chunk" };
  const delta = (/** @type {any} */ delta, /** @type {string | null} */ finish_reason = null) =>
    send({ ...chunk, choices: [{ index: 0, delta, finish_reason }] });
  delta({ role: "assistant", content: "" });
  for (const content of halves(text ?? "")) delta({ content });
  for (const [index, call] of tool_calls.entries()) {
    const [first, second] = halves(call.function.arguments);
    delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: first } }] });
    if (second) delta({ tool_calls: [{ index, function: { arguments: second } }] });
  }
  delta({}, finish_reason);
  send({ ...chunk, choices: [], usage });
  send("[DONE]");
  end();
}
