// Anthropic Messages, as Claude Code speaks it.
import { events, halves, identity, joined } from "./wire.mjs";

export const name = "anthropic";
export const path = /\/messages$/;

/** @param {any} body @returns {import("../script.mjs").Talk} */
export function read(body) {
  const turns = [];
  if (body.system) turns.push({ role: "system", text: joined(body.system), calls: [], results: [] });
  for (const { role, content } of body.messages ?? []) {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    const of = (/** @type {string} */ type) => parts.filter((/** @type {any} */ part) => part.type === type);
    turns.push({
      role,
      text: joined(of("text")),
      calls: of("tool_use").map((/** @type {any} */ part) => part.name),
      results: of("tool_result").map((/** @type {any} */ part) => joined(part.content)),
    });
  }
  const tools = (body.tools ?? []).map((/** @type {any} */ tool) => ({
    name: tool.name,
    about: tool.description,
    schema: tool.input_schema,
  }));
  return { tools, turns, schema: body.output_config?.format?.schema ?? body.output_format?.schema };
}

/** @param {number} status */
export const fault = (status) => ({
  type: "error",
  error: { type: status === 529 ? "overloaded_error" : "api_error", message: `the model says ${status}` },
});

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} _path
 * @param {any} body
 * @param {import("../script.mjs").Answer} answer
 */
export function write(response, _path, body, { text, calls }) {
  /** @type {any[]} */
  const content = [
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map((call) => ({ type: "tool_use", id: identity("toolu"), name: call.name, input: call.args })),
  ];
  const usage = { input_tokens: 1000, output_tokens: 50, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = {
    id: identity("msg"),
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage,
  };
  if (!body.stream) return events(response).json(message);
  const { send, end } = events(response);
  const event = (/** @type {string} */ type, /** @type {any} */ data) => send({ type, ...data }, type);
  event("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, part] of content.entries()) {
    if (part.type === "text") {
      event("content_block_start", { index, content_block: { type: "text", text: "" } });
      for (const piece of halves(part.text))
        event("content_block_delta", { index, delta: { type: "text_delta", text: piece } });
    } else {
      event("content_block_start", { index, content_block: { ...part, input: {} } });
      for (const piece of halves(JSON.stringify(part.input)))
        event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: piece } });
    }
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage });
  event("message_stop", {});
  end();
}
