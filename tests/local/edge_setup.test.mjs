// `doctor --edge`: each thing that a set-up of the edge function lacks is a finding with its remedy.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { lookAtEdge } from "../../www/local/commands/edge_setup.mjs";

/** The server's answer, and the requests that it got. */
let answer = { status: 200, body: /** @type {any} */ ("") };
const asked = [];
const server = createServer((request, response) => {
  asked.push({ url: request.url, origin: request.headers.origin });
  const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
  response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
});
await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
const url = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
after(() => server.close());

const SETUP = {
  ready: true,
  version: "0.1.0",
  schema_version: 1,
  project: "https://abc.supabase.co",
  dashboard_origin: null,
  problems: [],
};
const error = (field, message, code = "unavailable") => ({ error: { code, message, field } });

/** The findings of a level, as one text each. */
async function findings(
  level,
  { at = url, dashboard = undefined, status = 200, body = /** @type {any} */ (SETUP) } = {},
) {
  answer = { status, body };
  const found = [];
  await lookAtEdge(at, dashboard, SETUP.version, (is, what, remedy) => found.push({ is, what, remedy }));
  assert.ok(
    found.every(({ is, remedy }) => is === "ok" || remedy?.length > 10),
    JSON.stringify(found),
  );
  return found.filter(({ is }) => is === level).map(({ what, remedy }) => `${what} → ${remedy}`);
}

test("one that is set up has no finding against it, and is asked without a key", async () => {
  assert.deepEqual(await findings("fault"), []);
  assert.deepEqual(await findings("note"), []);
  assert.match((await findings("ok")).join(), /https:\/\/abc\.supabase\.co/);
  assert.deepEqual(asked.at(-1), { url: "/v1/setup", origin: undefined });
});

test("what is missing at the project is told in its words", async () => {
  const problems = [{ code: "no_schema", message: "No tables yet.", remedy: "Run `supabase db push`." }];
  assert.deepEqual(await findings("fault", { body: { ...SETUP, ready: false, problems } }), [
    "No tables yet. → Run `supabase db push`.",
  ]);
});

test("a variable, a dashboard elsewhere, another host, another version and what is no edge are told apart", async () => {
  const dashboard = "https://lessons.example.org/agents";
  for (const [given, part] of /** @type {[any, RegExp][]} */ ([
    [{ status: 503, body: error("url", "SUPABASE_URL is not set yet") }, /not set yet → set SUPABASE_URL/],
    [{ status: 503, body: error("key", "the publishable key is missing") }, /missing → set SUPABASE_KEY/],
    [
      { status: 403, body: error("origin", "pages of this origin may not call", "forbidden"), dashboard },
      /DASHBOARD_ORIGIN:https:\/\/lessons\.example\.org`/,
    ],
    [{ status: 403, body: error("host", "not answered", "forbidden") }, /ALLOWED_HOSTS/],
    [{ status: 401, body: error("authorization", "an agent key is needed", "unauthorized") }, /an agent key is needed/],
    [{ status: 404, body: "<html>" }, /no edge function of this version \(status 404\)/],
    [{ status: 200, body: "<html>" }, /no edge function of this version/],
    [{ at: "not an address" }, /no address/],
    [{ at: "http://127.0.0.1:1" }, /can't be reached/],
    [{ dashboard: "http://user:word@a" }, /no address/],
  ])) {
    const found = await findings("fault", given);
    assert.equal(found.length, 1, JSON.stringify([given, found]));
    assert.match(found[0], part);
  }
  assert.equal((await findings("note", { body: { ...SETUP, version: "9.9.9" } })).length, 1);
  await findings("ok", { dashboard });
  assert.equal(asked.at(-1).origin, "https://lessons.example.org");
});
