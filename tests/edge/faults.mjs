// A server between the edge function and the stack that fails as networks and servers do, and sees what passes.
import { once } from "node:events";
import { request } from "node:http";
import { serving } from "../stack/proxy.mjs";

/** Faulty answers, by name. `lost`: the stack does what was asked, and the answer is lost. */
const FAULTS = {
  down: (_, __, answer) => answer.destroy(),
  error: (_, __, answer) => answer.writeHead(500, { "content-type": "application/json" }).end('{"message":"it broke"}'),
  /** PostgREST's word for a function that is not there. */
  lacks: (_, __, answer) =>
    answer
      .writeHead(404, { "content-type": "application/json" })
      .end('{"code":"PGRST202","message":"Could not find the function in the schema cache"}'),
  /** A token that holds no longer. */
  expired: (_, __, answer) =>
    answer.writeHead(401, { "content-type": "application/json" }).end('{"code":"PGRST303","message":"JWT expired"}'),
  html: (_, __, answer) =>
    answer.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Sign in to the hotel</title>"),
  lost: async (asked, body, answer, target) => {
    await pass(target, asked, body);
    answer.destroy();
  },
  cut: async (asked, body, answer, target) => {
    const { response, bytes } = await pass(target, asked, body);
    answer.writeHead(response.statusCode, {
      "content-type": response.headers["content-type"] ?? "",
      "content-length": bytes.length + 1,
    });
    answer.write(bytes.subarray(0, bytes.length / 2), () => answer.destroy());
  },
};

function pass(target, asked, body) {
  const { hostname, port, host } = new URL(target);
  return new Promise((done, fail) => {
    const headers = { ...asked.headers, host };
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, async (response) => {
      done({ response, bytes: Buffer.concat(await response.toArray()) });
    });
    passed.on("error", fail);
    passed.end(body);
  });
}

/** A proxy to `target`. Its `mode` is `pass`, `slow` (answers after `delay` ms) or one of the faults; `choose(asked)` may
 * give another for a request. `seen` holds what came. */
export async function between(target) {
  const it = { mode: "pass", delay: 10_000, choose: null, seen: [] };
  const { url, end } = await serving(async (asked, answer) => {
    try {
      const body = Buffer.concat(await asked.toArray());
      it.seen.push({ method: asked.method, url: asked.url, headers: asked.headers, body: body.toString() });
      const mode = it.choose?.(asked) ?? it.mode;
      if (FAULTS[mode]) return await FAULTS[mode](asked, body, answer, target);
      if (mode === "slow") {
        const gone = once(answer, "close").then(() => true);
        const waited = new Promise((done) => setTimeout(done, it.delay, false));
        if (await Promise.race([gone, waited])) return undefined;
      }
      const { response, bytes } = await pass(target, asked, body);
      const headers = { ...response.headers, "content-length": bytes.length };
      delete headers["transfer-encoding"];
      return answer.writeHead(response.statusCode, headers).end(bytes);
    } catch {
      return answer.destroy();
    }
  });
  return Object.assign(it, { url, end });
}
