// A line of so many bits a second and so long a way before a server, shared by all requests.
import { once } from "node:events";
import { createServer, request } from "node:http";
import { setTimeout as after } from "node:timers/promises";

/** Bytes that are given on at a time. */
const PIECE = 8 * 1024;

/**
 * @param {string} url the server's
 * @param {{ bits: number, delay: number }} line bits a second, and milliseconds there and back
 */
export async function slowLine(url, { bits, delay }) {
  // When the line is free for what comes next.
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
    // The server answers to its own address alone.
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
    /** Bytes that came over it. */
    bytes: () => sent,
    end() {
      server.closeAllConnections();
      server.close();
    },
  };
}
