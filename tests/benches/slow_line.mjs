// A proxy that limits bandwidth and adds latency, with all requests sharing the bandwidth.
import { setTimeout as after } from "node:timers/promises";
import { passing } from "../stack/proxy.mjs";

/** Bytes per write. */
const PIECE = 8 * 1024;

/**
 * @param {string} target the server's address
 * @param {{ bits: number, delay: number }} line bits a second, and milliseconds of round trip
 */
export async function slowLine(target, { bits, delay }) {
  // When the bandwidth is free for the next piece.
  let free = 0;
  let sent = 0;
  const { url, end } = await passing(target, async (response, body, answer) => {
    await after(delay);
    answer.writeHead(response.statusCode, response.headers);
    for (let from = 0; from < body.length && !answer.destroyed; from += PIECE) {
      const piece = body.subarray(from, from + PIECE);
      sent += piece.length;
      free = Math.max(free, performance.now()) + (piece.length * 8_000) / bits;
      await after(Math.max(free - performance.now(), 0));
      answer.write(piece);
    }
    answer.end();
  });
  return {
    url,
    end,
    /** Bytes sent so far. */
    bytes: () => sent,
  };
}
