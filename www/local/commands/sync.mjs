// `lessonloop connect` and `lessonloop sync`: the same syncing with Supabase as the dashboard's, a round at a time.
import { createInterface } from "node:readline/promises";
import { hostOf } from "../host.mjs";
import { given } from "../input.mjs";
import { Failure, json, out, plain, table, UsageError } from "../print.mjs";
import { failed } from "./ask.mjs";
import { onlyOf } from "./mcp.mjs";

/** Rounds until nothing is left to send; a server that keeps asking for more is left for the next time. */
const ROUNDS = 50;

/** @param {{ values: Record<string, any>, positionals: string[] }} asked */
export async function connect({ values, positionals }) {
  const [url] = positionals;
  if (!url) throw new UsageError("say the project's address, such as https://abc.supabase.co");
  const host = hostOf({ only: onlyOf(values), create: true });
  const body = given({
    url,
    key: process.env.LESSONLOOP_KEY || (await secret("The project's publishable key: ", "LESSONLOOP_KEY")),
    email: values.email ?? (await secret("Account (email): ", "--email", true)),
    password: process.env.LESSONLOOP_PASSWORD || (await secret("Password: ", "LESSONLOOP_PASSWORD")),
    space: values.space,
    create: values.create,
  });
  const answer = await request(host, "POST", "/v1/sync/connect", body);
  if (!answer.connected) {
    if (values.json) json(answer);
    else {
      table(
        ["space", "name"],
        answer.spaces.map((/** @type {any} */ it) => [it.id ?? it.space, it.name]),
      );
      out("\nSay which one with --space ID, or make one with --create NAME.");
    }
    return 1;
  }
  return rounds(host, values);
}

/** @param {{ values: Record<string, any> }} asked */
export async function sync({ values }) {
  const host = hostOf({ only: onlyOf(values) });
  if (!host.places.project && !host.places.personal)
    throw new Failure("there is no store here yet: run `lessonloop init`");
  const { phase } = await request(host, "GET", "/v1/sync");
  if (phase === "off") throw new Failure("this store is not connected: run `lessonloop connect URL`");
  await request(host, "POST", "/v1/sync/now");
  return rounds(host, values);
}

/**
 * @param {import("../host.mjs").Host} host
 * @param {Record<string, any>} values
 */
async function rounds(host, values) {
  let status = await request(host, "GET", "/v1/sync");
  for (let round = 0; round < ROUNDS; round += 1) {
    const { next_at } = await host.use((local) => local.sync_round(host.main.kind));
    status = await request(host, "GET", "/v1/sync");
    if (["offline", "trouble", "signed_out", "blocked"].includes(status.phase)) break;
    if (status.unsent === 0 && (next_at === null || next_at > Date.now())) break;
  }
  await host.close();
  if (values.json) json(status);
  else
    out(
      `${status.phase} · ${status.space || status.url} · unsent ${status.unsent} · conflicts ${status.conflicts}${status.message ? `\n${plain(status.message)}` : ""}`,
    );
  return status.phase === "idle" ? 0 : 1;
}

/**
 * @param {import("../host.mjs").Host} host
 * @param {"GET" | "POST"} method
 * @param {string} path
 * @param {any} [body]
 */
async function request(host, method, path, body = null) {
  const answer = await host.use((local) => local.handle_in(host.main.kind, { method, path, headers: {}, body }));
  if (answer.status >= 400) throw failed(answer.body?.error, answer.status);
  return answer.body;
}

/**
 * Asks a person; what is typed is not shown.
 * @param {string} question
 * @param {string} instead
 * @param {boolean} [shown]
 */
async function secret(question, instead, shown = false) {
  if (!process.stdin.isTTY) throw new UsageError(`nobody can be asked here: give ${instead}`);
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  if (!shown) {
    process.stderr.write(question);
    // The interface echoes by this function alone.
    /** @type {any} */ (reader)._writeToOutput = () => undefined;
  }
  const said = await reader.question(shown ? question : "");
  reader.close();
  if (!shown) process.stderr.write("\n");
  return said.trim();
}
