// The parts of the wire format that the APIs have in common.
import { randomUUID } from "node:crypto";

/** @param {string} prefix */
export const identity = (prefix) => `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;

/** The texts of a message's parts. @param {any} content @returns {string} */
export function joined(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content == null ? "" : JSON.stringify(content);
  return content.map((part) => (typeof part === "string" ? part : (part?.text ?? ""))).join("\n");
}

/** A text in two pieces, as a stream brings it. @param {string} text */
export const halves = (text) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)].filter(Boolean);

/** Server-sent events, or one JSON body. @param {import("node:http").ServerResponse} response */
export function events(response) {
  return {
    /** @param {any} body @param {number} [status] */
    json(body, status = 200) {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    },
    /** @param {any} data @param {string} [event] */
    send(data, event) {
      if (!response.headersSent) {
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      }
      response.write(
        `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
      );
    },
    end: () => response.end(),
  };
}
