// Serves folders of this machine to the bench's pages, uncompressed, and remembers what was asked for.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/**
 * Serves `mounts` (first part of the path → folder). `log()` gives the files sent since it was asked
 * last, each once, with its size.
 */
export async function serve(mounts) {
  // In memory after the first time: the disk is no part of what is measured.
  const files = new Map();
  let sent = new Map();

  async function file(path) {
    const [, mount, ...rest] = path.split("/");
    const folder = mounts[mount];
    const relative = normalize(rest.join("/"));
    if (!folder || relative.startsWith("..") || relative.startsWith(sep)) return null;
    if (!files.has(path)) files.set(path, await readFile(join(folder, relative)).catch(() => null));
    return files.get(path);
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    const path = decodeURIComponent(url.pathname);
    const bytes = await file(path);
    if (!bytes) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    sent.set(path, bytes);
    const headers = {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "content-length": bytes.length,
      "cache-control": "max-age=3600",
    };
    // Isolated pages have a clock of 5 µs instead of 100 µs. Not where a user's ordinary page is imitated.
    if (url.searchParams.has("isolated")) {
      headers["cross-origin-opener-policy"] = "same-origin";
      headers["cross-origin-embedder-policy"] = "require-corp";
    }
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : bytes);
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    log() {
      const files = [...sent].map(([path, bytes]) => ({ path, bytes }));
      sent = new Map();
      return files;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
