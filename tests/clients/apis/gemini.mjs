// Gemini's generateContent, as Gemini CLI speaks it.
import { events, halves, identity } from "./wire.mjs";

export const name = "gemini";
export const path = /:(streamGenerateContent|generateContent)$/;

/** @param {any} body @returns {import("../script.mjs").Talk} */
export function read(body) {
  /** @type {import("../script.mjs").Turn[]} */
  const turns = [];
  const text = (/** @type {any[]} */ parts) => parts.map((part) => part.text ?? "").join("\n");
  if (body.systemInstruction) {
    turns.push({ role: "system", text: text(body.systemInstruction.parts ?? []), calls: [], results: [] });
  }
  for (const { role, parts = [] } of body.contents ?? []) {
    turns.push({
      role: role === "model" ? "assistant" : "user",
      text: text(parts),
      calls: parts.flatMap((/** @type {any} */ part) => (part.functionCall ? [part.functionCall.name] : [])),
      results: parts.flatMap((/** @type {any} */ part) =>
        part.functionResponse ? [JSON.stringify(part.functionResponse.response)] : [],
      ),
    });
  }
  const tools = (body.tools ?? []).flatMap((/** @type {any} */ tool) =>
    (tool.functionDeclarations ?? []).map((/** @type {any} */ one) => ({
      name: one.name,
      about: one.description,
      schema: one.parametersJsonSchema ?? one.parameters,
    })),
  );
  const { responseJsonSchema, responseSchema } = body.generationConfig ?? {};
  return { tools, turns, schema: responseJsonSchema ?? responseSchema };
}

/** @param {number} code */
export const fault = (code) => ({ error: { code, message: `the model says ${code}`, status: "UNAVAILABLE" } });

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} path
 * @param {any} _body
 * @param {import("../script.mjs").Answer} answer
 */
export function write(response, path, _body, { text, calls }) {
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 50, totalTokenCount: 1050 };
  const called = calls.map(({ name, args }) => ({ functionCall: { id: identity("call"), name, args } }));
  const body = (/** @type {any[]} */ parts, /** @type {string | undefined} */ finishReason) => ({
    candidates: [{ content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}), index: 0 }],
    usageMetadata,
    modelVersion: "walk",
    responseId: "walk",
  });
  const { json, send, end } = events(response);
  if (!path.endsWith(":streamGenerateContent")) return json(body([...(text ? [{ text }] : []), ...called], "STOP"));
  const pieces = halves(text ?? "");
  for (const piece of pieces.slice(0, -1)) send(body([{ text: piece }], undefined));
  send(body([...pieces.slice(-1).map((text) => ({ text })), ...called], "STOP"));
  end();
}
