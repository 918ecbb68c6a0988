// OpenAI Responses, as Codex speaks it.
import { events, halves, identity, joined } from "./wire.mjs";

export const name = "responses";
export const path = /\/responses$/;

/** @param {any} body @returns {import("../script.mjs").Talk} */
export function read(body) {
  /** @type {import("../script.mjs").Turn[]} */
  const turns = [];
  if (body.instructions) turns.push({ role: "system", text: body.instructions, calls: [], results: [] });
  const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : (body.input ?? []);
  for (const item of input) {
    if (item.type === "message" || item.role) {
      turns.push({ role: item.role, text: joined(item.content), calls: [], results: [] });
    } else if (/_output$/.test(item.type)) {
      turns.push({ role: "tool", text: "", calls: [], results: [joined(item.output)] });
    } else if (/_call$/.test(item.type)) {
      turns.push({ role: "assistant", text: "", calls: [item.name ?? item.type], results: [] });
    }
  }
  /** @type {import("../script.mjs").Tool[]} */
  const tools = [];
  for (const tool of body.tools ?? []) {
    if (tool.type === "namespace") {
      for (const inner of tool.tools ?? [])
        tools.push({ name: inner.name, namespace: tool.name, schema: inner.parameters });
    } else
      tools.push({ name: tool.name ?? tool.type, kind: tool.type, about: tool.description, schema: tool.parameters });
  }
  return { tools, turns, schema: body.text?.format?.schema };
}

/** @param {number} status */
export const fault = (status) => ({ error: { type: "server_error", code: null, message: `the model says ${status}` } });

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} _path
 * @param {any} body
 * @param {import("../script.mjs").Answer} answer
 */
export function write(response, _path, body, { text, calls }) {
  /** @type {any[]} */
  const output = [];
  if (text) {
    const content = [{ type: "output_text", text, annotations: [] }];
    output.push({ type: "message", id: identity("msg"), role: "assistant", status: "completed", content });
  }
  for (const call of calls) {
    output.push({
      type: "function_call",
      id: identity("fc"),
      call_id: identity("call"),
      name: call.name,
      ...(call.namespace ? { namespace: call.namespace } : {}),
      arguments: JSON.stringify(call.args),
      status: "completed",
    });
  }
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1050,
  };
  const whole = {
    id: identity("resp"),
    object: "response",
    created_at: 1,
    status: "completed",
    model: body.model,
    output,
    usage,
  };
  if (!body.stream) return events(response).json(whole);
  const { send, end } = events(response);
  let number = 0;
  const event = (/** @type {string} */ type, /** @type {any} */ data) => {
    send({ type, sequence_number: number, ...data }, type);
    number += 1;
  };
  event("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } });
  for (const [output_index, item] of output.entries()) {
    const begun = item.type === "message" ? { content: [] } : { arguments: "" };
    event("response.output_item.added", { output_index, item: { ...item, ...begun, status: "in_progress" } });
    const place = { item_id: item.id, output_index };
    if (item.type === "message") {
      const part = item.content[0];
      event("response.content_part.added", { ...place, content_index: 0, part: { ...part, text: "" } });
      for (const delta of halves(part.text)) event("response.output_text.delta", { ...place, content_index: 0, delta });
      event("response.output_text.done", { ...place, content_index: 0, text: part.text });
      event("response.content_part.done", { ...place, content_index: 0, part });
    } else {
      for (const delta of halves(item.arguments)) event("response.function_call_arguments.delta", { ...place, delta });
      event("response.function_call_arguments.done", { ...place, arguments: item.arguments });
    }
    event("response.output_item.done", { output_index, item });
  }
  event("response.completed", { response: whole });
  end();
}
