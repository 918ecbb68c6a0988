// A person's steps with a space on a server, without a browser: signs in, makes a space, fills it, makes an agent's key.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The engine in Node, as `dist` has it. */
export async function engine(dist) {
  const glue = await import(pathToFileURL(join(dist, "engine/lessonloop.js")).href);
  await glue.default({ module_or_path: readFileSync(join(dist, "engine/lessonloop_bg.wasm")) });
  return glue.Engine;
}

/** Signs in. `server`: `{url, key, email, password}`. */
export async function signIn({ url, key, email, password }) {
  const ask = async (path, body, bearer) => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        apikey: key,
        "content-type": "application/json",
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const { access_token: bearer } = await ask("/auth/v1/token?grant_type=password", { email, password });
  return {
    rpc: (name, args) => ask(`/rest/v1/rpc/${name}`, args, bearer),
    get: (path) => ask(`/rest/v1${path}`, undefined, bearer),
  };
}

/** Time limit for embedding before lessons are sent, in milliseconds; the samples take some seconds on an idle machine. */
const EMBEDDING_MS = 60_000;

/** Sends a folder's markdown lessons and their vectors to a space, as a browser that connects would. */
export async function fill({ dist, server, space, files }) {
  const Engine = await engine(dist);
  const device = await Engine.open({ store: { kind: "memory" } });
  const ask = async (method, path, body = null) => {
    const answer = await device.handle({ method, path, headers: {}, body });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await ask("POST", "/v1/sync/connect", { ...server, space });
  await ask("POST", "/v1/import", { files });
  await device.load_model(readFileSync(join(dist, "engine/minilm.pack")));
  // Vectors that take longer are left to the edge function.
  await Promise.race([device.idle(), new Promise((done) => setTimeout(done, EMBEDDING_MS).unref())]);
  device.set_indexing(false);
  for (let round = 0; round < 50; round += 1) {
    await device.sync_round();
    const { phase, unsent } = await ask("GET", "/v1/sync");
    if (phase === "idle" && unsent === 0) {
      device.free();
      return;
    }
  }
  throw new Error("the lessons could not be sent to the server");
}

/** The sample lessons, as an import takes them. */
export function samples(dist) {
  return JSON.parse(readFileSync(join(dist, "samples.json"), "utf8"));
}
