// Two scripted agents, one over MCP and one over HTTP, make 1,000 decisions together: recommend, track, outcome, feedback.
// What the server's tables count is what the scripts counted.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { device } from "../replica/engine.mjs";
import { client as person, env, sql, token } from "../stack/stack.mjs";
import { LESSONS, agent, each, edge, space, until } from "./edge.mjs";

const DECISIONS = 500;
/** The server could not be asked just now. */
const BUSY = Symbol("busy");
const QUERIES = ["row level security", "keep tenants apart", "bound the queue", "retry budget"];

/** An agent that does the same by whatever way: its tools, by their requests' names. */
async function decide(ask, at, tally) {
  const decision_id = `decision-${at}`;
  const { recommended } = await ask("recommend", { query: QUERIES[at % QUERIES.length], decision_id });
  // A third of all goes wrong whatever is applied, so now and then the one lesson that fits is left out for a while.
  if (recommended.length === 0) return;
  tally.answered += 1;
  tally.presented += recommended.length;
  const [{ slug }] = recommended;
  const applied = at % 5 !== 0;
  const reasoning = applied ? `I am applying '${slug}' to this.` : "None of these fits, so something else is done.";
  const tracked = await ask("track", { decision_id, reasoning });
  assert.deepEqual(
    tracked.detections.filter((one) => one.applied).map((one) => one.slug),
    applied ? [slug] : [],
  );
  const profit = at % 3 !== 0;
  await ask("outcome", { decision_id, outcome: profit ? "profit" : "loss", pnl_percent: profit ? 1.5 : -0.5 });
  await ask("feedback", { lessons: [slug], causal: profit ? [slug] : [], outcome: profit ? "delivered" : "blocked" });
  const counts = (tally.lessons[slug] ??= { applied: 0, profits: 0, losses: 0, feedback: 0, causal: 0 });
  counts.feedback += 1;
  if (profit) counts.causal += 1;
  if (applied) {
    counts.applied += 1;
    counts[profit ? "profits" : "losses"] += 1;
  }
}

test("1,000 decisions by an agent over MCP and one over HTTP: the server's counts are the scripts'", {
  timeout: 900_000,
}, async () => {
  const it = await edge();
  // A person who can sign in, to look at it in the dashboard's engine.
  const id = sql("select id from auth.users where email = :'email'", { email: env("LESSONLOOP_STACK_EMAIL") });
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const home = await space({
    name: "Decisions",
    who: person(token({ sub: id, role: "authenticated", aud: "authenticated", exp }), id),
  });
  const http = agent(it, (await home.agent("over http")).key);
  const client = new Client({ name: "scripted agent", version: "1.0.0" });
  const headers = { authorization: `Bearer ${(await home.agent("over mcp")).key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${it.url}/mcp`), { requestInit: { headers } }));
  const tools = {
    recommend: "playbook_recommend_lessons",
    track: "playbook_track_usage",
    outcome: "playbook_record_outcome",
    feedback: "playbook_feedback",
  };
  // An agent that is told to come back does, with the same key: so it counts once.
  const repeated = async (send) => {
    const key = randomUUID();
    for (let time = 0; time < 10; time += 1) {
      const answer = await send(key);
      if (answer !== BUSY) return answer;
      await new Promise((done) => setTimeout(done, 1_000));
    }
    return assert.fail("the store stays away");
  };
  const ways = {
    http: (name, body) =>
      repeated(async (key) => {
        const answer = await http.send("POST", `/v1/${name}`, body, { "idempotency-key": key });
        if (answer.status === 503) return BUSY;
        assert.equal(answer.status, 200, `${name}: ${answer.text}`);
        return answer.body;
      }),
    mcp: (name, body) =>
      repeated(async (key) => {
        const answer = await client.callTool({ name: tools[name], arguments: { ...body, idempotency_key: key } });
        if (answer.isError && JSON.stringify(answer.content).includes("unavailable")) return BUSY;
        assert.notEqual(answer.isError, true, `${name}: ${JSON.stringify(answer)}`);
        return answer.structuredContent;
      }),
  };

  const tally = { presented: 0, answered: 0, lessons: {} };
  await Promise.all(
    Object.values(ways).map((ask) => each(Array(DECISIONS).fill(), 4, (_, at) => decide(ask, at, tally))),
  );
  await client.close();

  await until(() => Number(home.counted("count(*) from recommendations")) >= tally.presented, { what: "the tracking" });
  assert.equal(home.counted("count(distinct decision_id) from recommendations"), String(tally.answered));
  assert.ok(tally.answered > DECISIONS, `${tally.answered} decisions got a lesson`);
  assert.equal(home.counted("count(*) from recommendations"), String(tally.presented));
  const dashboard = await device();
  await dashboard.connect({ space: home.id });
  await dashboard.sync();
  const { funnel } = await dashboard.get("/v1/health");
  assert.equal(funnel.surfaced, tally.presented);
  for (const { slug } of LESSONS) {
    const wanted = { applied: 0, profits: 0, losses: 0, feedback: 0, causal: 0, ...tally.lessons[slug] };
    const row = sql(
      `select count(*) filter (where was_applied), count(*) filter (where was_applied and trade_outcome = 'success'),
        count(*) filter (where was_applied and trade_outcome = 'failure')
       from recommendations where space = :'space' and lesson = :'slug'`,
      { space: home.id, slug },
    );
    assert.equal(row, `${wanted.applied}|${wanted.profits}|${wanted.losses}`, slug);
    const given = sql(
      `select count(*), count(*) filter (where payload::jsonb #> '{event,FeedbackGiven,causal}' ? :'slug')
       from events where space = :'space' and kind = 'FeedbackGiven' and payload::jsonb #> '{event,FeedbackGiven,lessons}' ? :'slug'`,
      { space: home.id, slug },
    );
    assert.equal(given, `${wanted.feedback}|${wanted.causal}`, slug);
    // The lesson as the edge has it, and as the dashboard shows it after it synced.
    for (const { standing } of [await http.get(`/v1/lessons/${slug}`), await dashboard.get(`/v1/lessons/${slug}`)]) {
      assert.deepEqual(
        [standing.times_applied, standing.success_count, standing.use_count, standing.causal_hits],
        [wanted.applied, wanted.profits, wanted.feedback, wanted.causal],
        slug,
      );
    }
  }
});
