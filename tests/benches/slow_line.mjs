// A proxy that limits bandwidth and adds latency, with all requests sharing the bandwidth.
import { once } from "node:events";
import { createServer, request } from "node:http";
import { setTimeout as after } from "node:timers/promises";

/** Bytes per write. */
const PIECE = 8 * 1024;

/**
 * @param {string} url the server's
 * @param {{ bits: number, delay: number }} line bits a second, and milliseconds of round trip
 */
export async function slowLine(url, { bits, delay }) {
  // When the bandwidth is free for the next piece.
  let free = 0;
  let sent = 0;

  async function over(bytes, response) {
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      sent += piece.length;
      free = Math.max(free, performance.now()) + (piece.length * 8_000) / bits;
      await after(Math.max(free - performance.now(), 0));
      if (response.destroyed) return;
      response.write(piece);
    }
  }

  const server = createServer(async (asked, response) => {
    const chunks = await asked.toArray();
    await after(delay);
    // `xtask serve` refuses other hosts.
    const headers = { ...asked.headers, host: new URL(url).host };
    const upstream = request(url + asked.url, { method: asked.method, headers });
    upstream.end(Buffer.concat(chunks));
    try {
      const [answer] = await once(upstream, "response");
      response.writeHead(answer.statusCode, answer.headers);
      for await (const chunk of answer) await over(chunk, response);
      response.end();
    } catch {
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`,
    /** Bytes sent so far. */
    bytes: () => sent,
    end() {
      server.closeAllConnections();
      server.close();
    },
  };
}
