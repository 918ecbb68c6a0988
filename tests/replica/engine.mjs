// Whole engines in Node, each a device of its own, linked to the local stack.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { env, key, sql, url } from "../stack/stack.mjs";

const folder = join(env("LESSONLOOP_DIST"), "engine");
const glue = await import(pathToFileURL(join(folder, "lessonloop.js")).href);
await glue.default({ module_or_path: readFileSync(join(folder, "lessonloop_bg.wasm")) });

export const EMAIL = env("LESSONLOOP_STACK_EMAIL");
const PASSWORD = env("LESSONLOOP_STACK_PASSWORD");

/** A device with an empty store. `now` may be a clock that is wrong. */
export async function device({ now } = /** @type {any} */ ({})) {
  const engine = await glue.Engine.open({ store: { kind: "memory" }, ...(now ? { now } : {}) });
  const send = async (method, path, body = null) => {
    const answer = await engine.handle({ method, path, headers: {}, body });
    await engine.flush();
    return answer;
  };
  const ok = async (method, path, body) => {
    const answer = await send(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const asked = (more = {}) => ({ url, key, email: EMAIL, password: PASSWORD, ...more });
  const connect = (more = {}) => ok("POST", "/v1/sync/connect", asked(more));
  return {
    engine,
    send,
    get: (path) => ok("GET", path),
    post: (path, body) => ok("POST", path, body),
    patch: (path, body) => ok("PATCH", path, body),
    asked,
    connect,
    /** Connects to a new space and gives its id. */
    async create(name = "A space") {
      await connect({ create: name });
      return (await ok("GET", "/v1/sync")).space_id;
    },
    round: () => engine.sync_round(),
    /** Rounds until nothing is left to send. */
    async sync() {
      for (let round = 0; round < 20; round += 1) {
        await engine.sync_round();
        const status = await ok("GET", "/v1/sync");
        if (status.phase === "idle" && status.unsent === 0) return status;
      }
      assert.fail(`not quiet after 20 rounds: ${JSON.stringify(await ok("GET", "/v1/sync"))}`);
    },
    status: () => ok("GET", "/v1/sync"),
    /** Reads the state that a person sees, without what differs between devices. */
    async shown() {
      const lessons = [];
      let cursor = "";
      do {
        const page = await ok("GET", `/v1/lessons?archived=false&limit=1000${cursor}`);
        lessons.push(...page.lessons);
        cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : "";
      } while (cursor);
      const archived = (await ok("GET", "/v1/lessons?archived=true&limit=1000")).lessons;
      const stats = await ok("GET", "/v1/stats");
      const { funnel, feedback_last_7_days, causal_ratio, bands } = await ok("GET", "/v1/health");
      return { lessons, archived, stats, funnel, feedback_last_7_days, causal_ratio, bands };
    },
  };
}

/** Selects from the space's rows on the server, as one text; `what` names the columns and the table. */
export const counted = (space, what) => sql(`select ${what} where space = :'space'`, { space });
