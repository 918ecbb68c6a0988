// The engine in a Cloudflare Worker of your own: lessons that are deployed with it, in memory. www/edge/worker.js is the
// whole thing, with spaces, keys and Supabase behind it.
import { Engine, initSync } from "../engine/lessonloop_relaxed.js";
// workerd compiles modules when they are deployed, and has relaxed SIMD.
import module from "../engine/lessonloop_relaxed_bg.wasm";

const LESSONS = [{ title: "Bind values, never splice them", recommendation: "Use placeholders." }];

let engine;

async function open() {
  initSync({ module });
  const opened = await Engine.open({ store: { kind: "memory" } });
  for (const body of LESSONS) await opened.handle({ method: "POST", path: "/v1/lessons", body });
  return opened;
}

export default {
  async fetch(request) {
    if (request.method !== "POST") return new Response('POST a situation, such as {"query": "sql"}\n', { status: 405 });
    // Promises belong to the request that made them: each waits for its own, and the first to end is kept.
    engine ??= await open();
    const body = { ...(await request.json()), dry_run: true };
    const answer = await engine.handle({ method: "POST", path: "/v1/recommend", body });
    return Response.json(answer.body, { status: answer.status });
  },
};
