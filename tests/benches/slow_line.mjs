// A line of so many bits a second and so long a way before a server, shared by all connections.
import { createServer, connect } from "node:net";
import { once } from "node:events";

/** Bytes that are given on at a time. */
const PIECE = 16 * 1024;

/**
 * @param {string} url the server's
 * @param {{ bits: number, delay: number }} line bits a second, and milliseconds from a request to its answer
 */
export async function slowLine(url, { bits, delay }) {
  const { hostname, port } = new URL(url);
  const sockets = new Set();
  // When the line is free for what comes next.
  let free = 0;
  let sent = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    }
    client.on("data", (bytes) => setTimeout(() => upstream.write(bytes), delay));
    client.once("end", () => setTimeout(() => upstream.end(), delay));
    upstream.on("data", (bytes) => {
      for (let from = 0; from < bytes.length; from += PIECE) {
        const piece = bytes.subarray(from, from + PIECE);
        sent += piece.length;
        free = Math.max(free, performance.now()) + (piece.length * 8_000) / bits;
        setTimeout(() => client.write(piece), free - performance.now());
      }
    });
    upstream.once("end", () => setTimeout(() => client.end(), Math.max(free - performance.now(), 0)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`,
    /** Bytes that came over it. */
    bytes: () => sent,
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
