// A server for the model pack that cuts downloads, stalls, ignores ranges or damages a byte, put in
// the place of the real one for the pack alone.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

/** Starts one for a browser context. `asked` lists the range and the status of every request; `cut` ends one that stalls. */
export async function servePack(context) {
  const pack = await readFile(join(process.env.LESSONLOOP_DIST, "engine/minilm.pack"));
  const how = { stallAt: Infinity, ranges: true, damaged: -1, asked: [] };
  /** @type {import("node:http").ServerResponse | undefined} */
  let stalled;
  const server = createServer((request, response) => {
    const bytes = Buffer.from(pack);
    if (how.damaged >= 0) bytes[how.damaged] ^= 1;
    const range = request.headers.range ?? null;
    const from = how.ranges && range ? Number(/^bytes=(\d+)-$/.exec(range)[1]) : 0;
    const status = from > 0 ? 206 : 200;
    how.asked.push({ range, status });
    response.writeHead(status, {
      "content-type": "application/octet-stream",
      "content-length": bytes.length - from,
      ...(status === 206 && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    const end = Math.min(bytes.length, how.stallAt);
    response.write(bytes.subarray(from, end), () => {
      if (end === bytes.length) response.end();
      else stalled = response;
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await context.route("**/engine/minilm.pack?*", (route) =>
    route.continue({ url: `http://127.0.0.1:${port}/minilm.pack` }),
  );
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const cut = () => stalled?.socket?.end();
  return { how, size: pack.length, cut, close };
}
