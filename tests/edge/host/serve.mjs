// The edge function beside a local stack, until it is told to end. The first time it makes a space with the sample
// lessons and an agent's key; the key is kept, so that an agent's configuration goes on working.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { startEdge } from "./edge.mjs";
import { fill, samples, signIn } from "./people.mjs";

const NAME = "Sample lessons";

const need = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this by \`cargo xtask serve\``);
  return value;
};

const dist = need("LESSONLOOP_DIST");
const kept = need("LESSONLOOP_EDGE_KEPT");
const told = need("LESSONLOOP_EDGE_READY");
const server = {
  url: need("LESSONLOOP_STACK_URL"),
  key: need("LESSONLOOP_STACK_KEY"),
  email: need("LESSONLOOP_STACK_EMAIL"),
  password: need("LESSONLOOP_STACK_PASSWORD"),
};

/** Writes a file that its owner alone can read, whole or not at all. */
function keep(file, value) {
  writeFileSync(`${file}.tmp`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** An agent's key that is in force, for a space with lessons. */
async function agent() {
  const me = await signIn(server);
  const had = read(kept);
  const spaces = await me.get("/spaces?select=id,name&order=created_at,id");
  const found = spaces.find(({ id }) => id === had.space) ?? spaces.find(({ name }) => name === NAME);
  const space = found?.id ?? (await me.rpc("create_space", { name: NAME }));
  const lessons = await me.get(`/lessons?select=slug&limit=1&space=eq.${space}`);
  if (lessons.length === 0) await fill({ dist, server, space, files: samples(dist) });
  if (had.space === space) {
    const keys = await me.rpc("list_agent_keys", { p_space: space });
    if (keys.some(({ id, revoked_at: revoked }) => id === had.id && !revoked)) return had;
  }
  const made = await me.rpc("create_agent_key", { p_space: space, p_name: "local agent" });
  const now = { space, id: made.id, key: made.key };
  keep(kept, now);
  return now;
}

const starting = agent().then(async ({ key, space }) => {
  const edge = await startEdge({
    dist,
    port: Number(need("LESSONLOOP_EDGE_PORT")),
    supabase: { url: server.url, key: server.key },
    bindings: { DASHBOARD_ORIGIN: need("LESSONLOOP_EDGE_DASHBOARD") },
  });
  keep(told, { url: edge.url, key, space });
  return edge;
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    // workerd is a process of its own: it may have been started by now.
    const edge = await starting.catch(() => null);
    await edge?.stop();
    process.exit(0);
  });
}
await starting;
