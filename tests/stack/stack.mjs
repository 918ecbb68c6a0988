// The stack as tests use it: a client over REST, and psql to prepare and to check.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, createHmac, createPrivateKey, randomBytes, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const need = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this by \`cargo xtask test stack\``);
  return value;
};

export const url = need("LESSONLOOP_STACK_URL");
export const key = need("LESSONLOOP_STACK_KEY");
export const env = need;

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

const { alg: ES256, kid, ...jwk } = JSON.parse(need("LESSONLOOP_STACK_JWK"));

/** A token with these claims, as the sign-in server makes it: ES256. `secret` signs by HS256, as projects of before do. */
export function token(claims, { alg = ES256, key = /** @type {any} */ (jwk), secret = "" } = {}) {
  if (secret) alg = "HS256";
  const text = `${part({ alg, kid: alg === ES256 ? kid : undefined, typ: "JWT" })}.${part(claims)}`;
  const signed = () =>
    secret
      ? createHmac("sha256", secret).update(text).digest()
      : sign("sha256", Buffer.from(text), {
          key: createPrivateKey({ key, format: "jwk" }),
          dsaEncoding: "ieee-p1363",
        });
  return `${text}.${alg === "none" ? "" : signed().toString("base64url")}`;
}

const now = () => Math.floor(Date.now() / 1000);

/** Runs SQL as the superuser and answers its output; `variables` are psql's, `:'name'` in the SQL. */
export function sql(text, variables = {}) {
  const set = Object.entries(variables).flatMap(([name, value]) => ["-v", `${name}=${value}`]);
  return execFileSync(need("LESSONLOOP_STACK_PSQL"), ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", ...set], {
    input: text,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  }).trim();
}

/** Kills PostgreSQL as the machine's end would; it comes up again by itself. Refused to files that others run beside. */
export function killServer() {
  const asking = process.argv[1];
  assert(
    readFileSync(asking, "utf8").includes("\n// Alone: "),
    `${asking} kills what all are served by: say \`// Alone: \``,
  );
  const [pid] = readFileSync(join(need("LESSONLOOP_STACK_DATA"), "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
}

/** A new user, signed in. */
export function user() {
  const id = randomUUID();
  sql("insert into auth.users (id, email) values (:'id', :'email')", { id, email: `${id}@test` });
  return client(token({ sub: id, role: "authenticated", aud: "authenticated", exp: now() + 3600 }), id);
}

/** Makes a client that sends agents' keys and no token: an agent, or an edge that answers for several. */
export function agent(...keys) {
  return client(undefined, undefined, { "x-lessonloop-key": keys.join(", ") });
}

/** An agent with a new key of a space; of a space that is not there, one with a key that nobody knows. */
export function edge(space) {
  const key = `llk_${randomBytes(32).toString("hex")}`;
  const hash = createHash("sha256").update(key).digest("hex");
  sql(
    `insert into public.agent_keys (space, name, key_hash)
     select s.id, 'edge', decode(:'hash', 'hex') from public.spaces s where s.id = :'space'`,
    { space, hash },
  );
  return { ...agent(key), key };
}

/** Requests with a token, or without one; `always` are headers of all of them. */
export function client(bearer, id, always = {}) {
  const request = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        apikey: key,
        ...always,
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    /** @type {any} */
    let value = text;
    try {
      value = JSON.parse(text);
    } catch {
      // Not JSON: the text is the answer.
    }
    return { status: response.status, body: value, headers: response.headers };
  };
  const rpc = (name, args) => request("POST", `/rest/v1/rpc/${name}`, args);
  /** As `rpc`, for calls that must succeed: answers the body alone. */
  const call = async (name, args) => {
    const { status, body } = await rpc(name, args);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    id,
    bearer,
    request,
    rpc,
    call,
    get: (path) => request("GET", `/rest/v1${path}`),
    space: (name = "test") => call("create_space", { name }),
    push: (space, actor, events, p_ledger_version = 1) =>
      call("push_events", { p_space: space, p_actor: actor, p_events: events, p_ledger_version }),
    /** Events given as the text of a JSON list, to keep every digit. */
    pushText: (space, actor, events) =>
      call(
        "push_events",
        `{"p_space":${JSON.stringify(space)},"p_actor":${JSON.stringify(actor)},"p_events":${events},"p_ledger_version":1}`,
      ),
    pull: (space, cursor = 0, limit = 1000, p_ledger_version = 1) =>
      call("pull_changes", { p_space: space, p_cursor: cursor, p_limit: limit, p_ledger_version }),
  };
}

/** The rows of a page, by kind; days come whole, apart from the paging. */
export const kinds = ["lessons", "recommendations", "tools", "feedback", "decisions", "settings", "agents", "bases"];

/** Everything that changed after a cursor, by as many pages as it takes. */
export async function pullAll(who, space, { cursor = 0, limit = 1000 } = {}) {
  /** @type {any} */
  const all = { ...Object.fromEntries(kinds.map((name) => [name, []])), pages: 0, cursor };
  for (;;) {
    const page = await who.pull(space, all.cursor, limit);
    for (const name of kinds) all[name].push(...page[name]);
    all.days = page.days;
    all.pages += 1;
    if (page.has_more && page.next_cursor <= all.cursor) throw new Error("a page that leads nowhere");
    all.cursor = page.next_cursor;
    all.acked = page.acked_seq;
    all.epoch = page.epoch;
    if (!page.has_more) return all;
  }
}

/** When events are made: times of feedback are pulled for 30 days only. */
export const AT = new Date().toISOString();

/**
 * Makes an actor's events, numbered from 1.
 *
 * @param {string} actor
 */
export function author(actor = randomUUID()) {
  let seq = 0;
  return {
    actor,
    event: (kind, of, more = {}) =>
      /** @type {Record<string, any>} */ ({
        op_id: randomUUID(),
        actor,
        seq: ++seq,
        at: AT,
        event: { [kind]: of },
        ...more,
      }),
  };
}

/** A lesson as an event takes it; the rest is the core's defaults. */
export const lesson = (slug, more = {}) => ({
  lesson: { slug, title: `About ${slug}`, recommendation: "Do it.", created_at: AT, updated_at: AT, ...more },
});

/** A space with these lessons, and who wrote them. */
export async function spaceWith(who, slugs) {
  const space = await who.space();
  const by = author();
  for (let from = 0; from < slugs.length; from += 500) {
    const added = slugs.slice(from, from + 500).map((slug) => by.event("LessonAdded", lesson(slug)));
    const answer = await who.push(space, by.actor, added);
    assert.deepEqual([answer.status, answer.rejected], ["ok", []]);
  }
  return { space, by };
}
