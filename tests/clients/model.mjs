// A model server that answers by script over Anthropic Messages, OpenAI Responses, Chat Completions and Gemini, each
// streamed or whole. Every request is kept. A prompt names the script that answers it: `… [walk:NAME]`.
import { appendFileSync, mkdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import zlib from "node:zlib";
import * as anthropic from "./apis/anthropic.mjs";
import * as chat from "./apis/chat.mjs";
import * as gemini from "./apis/gemini.mjs";
import * as responses from "./apis/responses.mjs";
import { answerRegistry } from "./registry.mjs";
import { answerTo } from "./script.mjs";

/**
 * @typedef {import("./script.mjs").Script} Script
 * @typedef {import("./script.mjs").Talk} Talk
 * @typedef {{ at: number, api: string, url: string, body: any, talk: Talk, answer: import("./script.mjs").Answer }} Asked
 */

const APIS = [anthropic, responses, chat, gemini];

/**
 * Starts the server on a port of its own.
 * @param {{ scripts: Record<string, Script>, folder?: string, version?: string }} given `folder`: each request is written
 * there, too; `version`: the client's, whose plugins' package is asked for
 */
export async function startModel({ scripts, folder, version }) {
  /** @type {Asked[]} */
  const requests = [];
  /** Requests that no API takes: a client that looks for more than a model. @type {string[]} */
  const others = [];
  if (folder) mkdirSync(folder, { recursive: true });
  const server = http.createServer(async (request, response) => {
    const body = parsed(await whole(request), request.headers["content-encoding"]);
    const { pathname } = new URL(request.url ?? "/", "http://model");
    const api = request.method === "POST" ? APIS.find((api) => api.path.test(pathname)) : undefined;
    if (api) {
      const talk = api.read(body);
      const answer = answerTo(talk, scripts);
      const asked = { at: Date.now(), api: api.name, url: request.url ?? "", body, talk, answer };
      requests.push(asked);
      if (folder) appendFileSync(join(folder, "requests.jsonl"), `${JSON.stringify(asked)}\n`);
      if (answer.status) return sendJson(response, answer.status, api.fault(answer.status));
      return api.write(response, pathname, body, answer);
    }
    if (/[/:]count_?tokens$/i.test(pathname)) return sendJson(response, 200, { input_tokens: 1000, totalTokens: 1000 });
    if (/\/models$/.test(pathname)) {
      const model = { id: "walk-model", object: "model", created: 1, owned_by: "walk" };
      return sendJson(response, 200, { object: "list", data: [model], models: [] });
    }
    if (version && answerRegistry(pathname, `http://${request.headers.host}`, version, response)) return;
    others.push(`${request.method} ${request.url}`);
    if (folder) appendFileSync(join(folder, "others.txt"), `${request.method} ${request.url}\n`);
    sendJson(response, request.method === "HEAD" ? 200 : 404, { error: { type: "not_found", message: pathname } });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    others,
    /** The requests of a script, in their order; not those for a title or a summary. @param {string} name */
    of: (name) => requests.filter(({ talk }) => talk.walk === name && talk.tools.length > 0),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param {http.IncomingMessage} request @returns {Promise<Buffer>} */
async function whole(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** @param {Buffer} bytes @param {string | undefined} encoding */
function parsed(bytes, encoding) {
  // Node 20 has no zstd; clients send requests plain to a model's server that they don't know.
  const { gunzipSync, brotliDecompressSync, zstdDecompressSync } = /** @type {any} */ (zlib);
  /** @type {Record<string, (bytes: Buffer) => Buffer>} */
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  try {
    const text = (decoders[encoding ?? ""]?.(bytes) ?? bytes).toString("utf8");
    return text ? JSON.parse(text) : {};
  } catch {
    return {};
  }
}

/** @param {http.ServerResponse} response @param {number} status @param {any} body */
function sendJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
