// The served site, behind a proxy that can put other files in the place of some, as a newer build of the app would, or
// change a host's headers. Its list of files is made to fit, unless a test wants it not to.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { url } from "./app.mjs";

const integrity = (bytes) => `sha256-${createHash("sha256").update(bytes).digest("base64")}`;

/** Starts one. `deploy` takes `{path: text → text}` and what to do with the list's hashes of these files. */
export async function serveSite() {
  const changed = new Map();
  const site = { headers: {}, url: "", close: () => undefined };
  const original = async (path) => Buffer.from(await (await fetch(url + path)).arrayBuffer());

  site.deploy = async (files, { fitting = true, version = "build-two" } = {}) => {
    let list = String(await original("/precache.js"));
    list = list.replace(/"version": "[^"]*"/, `"version": "${version}"`);
    for (const [path, change] of Object.entries(files)) {
      const before = await original(path);
      const after = Buffer.from(change(String(before)));
      changed.set(path, after);
      if (fitting) list = list.replace(integrity(before), integrity(after));
    }
    changed.set("/precache.js", Buffer.from(list));
  };

  const server = createServer(async (request, response) => {
    try {
      const answer = await fetch(url + request.url, { method: request.method, redirect: "manual" });
      const { pathname } = new URL(request.url, url);
      const isPage = answer.headers.get("content-type")?.startsWith("text/html");
      const other = changed.get(isPage ? "/" : pathname);
      const bytes = other ?? Buffer.from(await answer.arrayBuffer());
      const kept = [
        "content-type",
        "content-security-policy",
        "x-content-type-options",
        "referrer-policy",
        "cross-origin-opener-policy",
        "cache-control",
      ];
      const headers = Object.fromEntries(kept.map((name) => [name, answer.headers.get(name) ?? ""]));
      response.writeHead(answer.status, { ...headers, ...site.headers, "content-length": bytes.length });
      response.end(request.method === "HEAD" ? undefined : bytes);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  site.url = `http://127.0.0.1:${server.address().port}`;
  site.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return site;
}
