// Devices that sync with the stack by the code of the app: `client.rs`, asked line by line.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { author, client, env, key, lesson, sql, url } from "./stack.mjs";

const DAY = 86_400_000;

const sample = () => ({ email: env("LESSONLOOP_STACK_EMAIL"), password: env("LESSONLOOP_STACK_PASSWORD") });

/** A program that holds devices; one request at a time. */
export class Devices {
  #child = spawn(env("LESSONLOOP_CLIENT"), { stdio: ["pipe", "pipe", "inherit"] });
  #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  #last = Promise.resolve();

  /** Asks and answers; what fails throws, with what the program said. */
  ask(what, device, more = {}) {
    const answer = this.#last.then(async () => {
      this.#child.stdin.write(`${JSON.stringify({ do: what, device, ...more })}\n`);
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`client ended while it was asked to ${what}`);
      const said = JSON.parse(value);
      if (said.error !== undefined) throw new Error(said.error);
      return said.ok;
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** A device by its name, connected to a space when one is given. */
  async device(name, space, more = {}) {
    const device = new Device(this, name);
    if (space !== undefined) await device.connect(space, more);
    return device;
  }

  async end() {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }
}

/** One device. */
export class Device {
  constructor(devices, name) {
    this.devices = devices;
    this.name = name;
  }

  ask = (what, more) => this.devices.ask(what, this.name, more);

  connect = (space, more = {}) => this.ask("connect", { url, key, ...sample(), space, ...more });
  signIn = () => this.ask("sign_in", sample());

  append = (events) => this.ask("append", { events: typeof events === "string" ? events : JSON.stringify(events) });
  state = () => this.ask("state");
  space = () => this.ask("space").then(comparable);
  fold = (events) => this.ask("fold", events === undefined ? {} : { events }).then(comparable);

  /** A round; `rounds` of them until one ends well. */
  sync = (rounds = 1) => this.ask("sync", { rounds });

  /** Syncs until all is the same on both sides, or fails with what the device says. */
  async settle(rounds = 40) {
    const status = await this.sync(rounds);
    if (status.phase !== "Idle") throw new Error(`${this.name}: ${JSON.stringify(status)}`);
    return status;
  }
}

/** A space without what a server need not give: times of feedback older than a month, and days before the latest 60. */
export function comparable(space) {
  const since = Date.now() - 30 * DAY;
  return {
    ...space,
    feedback_at: space.feedback_at.filter((at) => at > since),
    activity: space.activity.slice(-60),
  };
}

/** The sample user, by REST. */
export async function person() {
  const answer = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: key },
    body: JSON.stringify(sample()),
  });
  const { access_token } = await answer.json();
  return client(access_token, JSON.parse(Buffer.from(access_token.split(".")[1], "base64url")).sub);
}

/** The server's ledger in its order, as text. */
const ledgerOf = (space) =>
  sql("select coalesce(json_agg(e.payload order by e.version), '[]') from public.events e where e.space = :'space'", {
    space,
  });

/** All devices show the fold of the server's ledger, and nothing waits. Answers what they show. */
export async function converged(space, all) {
  for (const device of all) await device.settle();
  // Those that were first have not seen what later ones sent.
  for (const device of all) await device.settle();
  const wanted = await all[0].fold(ledgerOf(space));
  for (const device of all) {
    assert.deepStrictEqual(await device.space(), wanted, device.name);
    assert.equal((await device.state()).unsent, 0, device.name);
  }
  return wanted;
}

/** Events as a device takes them: it gives them their actor and number. */
export const events = (kind, ofs) => {
  const by = author();
  return ofs.map((of) => by.event(kind, of));
};
export const added = (slugs) =>
  events(
    "LessonAdded",
    slugs.map((slug) => lesson(slug)),
  );
export const rated = (slug, times) => events("Rated", Array(times).fill({ lesson: slug, helpful: true }));
export const helpful = (space, slug) => space.lessons.find((row) => row.slug === slug)?.times_helpful;
