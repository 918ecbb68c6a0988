// The edge function in workerd on this machine, as it is deployed: the worker, the module, and dist/ as its assets.
import { randomInt } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Log, LogLevel, Miniflare } from "miniflare";
import { WebSocket } from "ws";

/** Sends what the worker fetches on; Node's own `fetch` does not take miniflare's requests. */
export { fetch as passOn } from "miniflare";

/** A setting of the wrangler.toml that is deployed. */
const setting = (text, name) => text.match(new RegExp(`^${name} = "([^"]*)"`, "m"))?.[1];

/** Keeps what the worker logs, without passing it on. */
class Kept extends Log {
  lines = [];
  constructor() {
    super(LogLevel.WARN);
  }
  log(line) {
    this.lines.push(line);
  }
}

/**
 * A port that nothing listens on: the worker has to know its own before it starts. It lies below the ports that
 * systems give to connections on their way out, so that none of those takes it before the worker does.
 */
export async function freePort() {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = 10_000 + randomInt(20_000);
    const server = createServer();
    const free = await new Promise((told) => {
      server.once("error", () => told(false)).listen(port, "127.0.0.1", () => told(true));
    });
    if (!free) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
  throw new Error("a hundred ports of 127.0.0.1 are taken");
}

/**
 * Starts it. `dist`: the built site. `supabase`: `{url, key}`. `bindings`: more variables. `assets`: another
 * folder of assets. `outbound`: answers what the worker fetches, in place of this machine's network. Beyond the
 * machine nothing is reached. `rewrite(path, text)` changes a script before it is run. With `inspect`, `heap` measures.
 * `ratelimits`: the platform's counters. `kept`: a folder for the Cache API, which outlives the isolate then; what is in it belongs to a host with its `port`.
 *
 * @param {Record<string, any>} options
 */
export async function startEdge({
  dist,
  port,
  supabase,
  bindings = {},
  assets = dist,
  outbound,
  rewrite = (_, text) => text,
  inspect = false,
  kept,
  ratelimits,
}) {
  port ??= await freePort();
  const inspector = inspect ? await freePort() : undefined;
  const settings = readFileSync(join(dist, "edge/wrangler.toml"), "utf8");
  const script = (path) => ({
    type: "ESModule",
    path: join(dist, path),
    contents: rewrite(path, readFileSync(join(dist, path), "utf8")),
  });
  const wasm = (path) => ({ type: "CompiledWasm", path: join(dist, path), contents: readFileSync(join(dist, path)) });
  const log = new Kept();
  const said = [];
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port,
    cf: false,
    ...(kept ? { cachePersist: kept } : {}),
    ...(ratelimits ? { ratelimits } : {}),
    inspectorPort: inspector,
    log,
    handleRuntimeStdio: (out, error) => {
      for (const stream of [out, error]) stream.setEncoding("utf8").on("data", (text) => said.push(text));
    },
    name: "lessonloop",
    compatibilityDate: setting(settings, "compatibility_date"),
    modulesRoot: dist,
    modules: [
      script("edge/worker.js"),
      script("edge/headers.js"),
      script("engine/lessonloop_relaxed.js"),
      wasm("engine/lessonloop_relaxed_bg.wasm"),
    ],
    bindings: {
      SUPABASE_URL: supabase.url,
      SUPABASE_KEY: supabase.key,
      ALLOWED_HOSTS: `127.0.0.1:${port}, localhost:${port}`,
      ...bindings,
    },
    assets: {
      directory: assets,
      binding: "ASSETS",
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      assetConfig: { html_handling: "none", not_found_handling: "none" },
    },
    outboundService: outbound ?? { network: { allow: ["127.0.0.1/32", "::1/128"] } },
  });
  const { origin: url } = await miniflare.ready.catch(async (error) => {
    // The runtime that it began would keep the test's process alive.
    await miniflare.dispose();
    throw error;
  });
  let stopped;
  return {
    url,
    /** Returns everything that the worker and the runtime wrote. */
    logged: () => [...log.lines, ...said].join("\n"),
    /** Measures the worker's heap after a collection, in bytes: `script`, and the `buffers` that it holds. */
    heap: () => measureHeap(inspector),
    /** The process of workerd, as Linux knows it. */
    pid: () => childOf(process.pid, "workerd"),
    stop: () => (stopped ??= miniflare.dispose()),
  };
}

/** The newest child of a process that runs this program. */
function childOf(parent, program) {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
  for (const pid of pids) {
    try {
      // pid (name) state parent …
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [, name, of] = stat.match(/^\d+ \((.*)\) \S (\d+)/);
      if (Number(of) === parent && name === program) return pid;
    } catch {
      // It ended meanwhile.
    }
  }
  throw new Error(`${parent} has no child ${program}`);
}

/** Asks the runtime's inspector. It answers to a collection only some time later, if at all, but does it at once. */
async function measureHeap(port) {
  const targets = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
  const { webSocketDebuggerUrl } = targets.find(({ id }) => id.endsWith(":lessonloop"));
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((done, fail) => socket.once("open", done).once("error", fail));
  const answer = new Promise((done, fail) => {
    socket.once("close", () => fail(new Error("the inspector closed the connection")));
    socket.on("message", (text) => {
      const { id, result } = JSON.parse(text);
      if (id === 2) done(result);
    });
  });
  socket.send('{"id":1,"method":"HeapProfiler.collectGarbage"}');
  socket.send('{"id":2,"method":"Runtime.getHeapUsage"}');
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await answer;
  socket.terminate();
  return { script: usedSize + embedderHeapUsedSize, buffers: backingStorageSize };
}
