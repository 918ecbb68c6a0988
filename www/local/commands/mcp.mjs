// `lessonloop mcp`: the Model Context Protocol on standard input and output, a JSON message a line. Nothing else is
// written to standard output.
import { answerAt, addressOf } from "../socket.mjs";
import { hostOf, isJudging, notTrusted } from "../host.mjs";
import { Hooks } from "../hook.mjs";
import { spelled } from "../invocation.mjs";
import { log } from "../log.mjs";
import { keepSynced } from "../syncing.mjs";

/** From the first answer to loading the model, during which nothing else is answered. */
const LATER_MS = 300;

/** @param {{ values: Record<string, any> }} given */
export async function mcp({ values }) {
  const host = hostOf({ only: onlyOf(values), create: true, passes: true });
  const { untrusted } = host.places;
  if (untrusted) {
    // Standard output is the protocol's; clients keep this in their logs.
    process.stderr.write(`lessonloop: ${spelled(notTrusted(untrusted.path))}\n`);
    log(host.log, notTrusted(untrusted.path));
  }
  const hooks = new Hooks(host);
  const end = answerAt(addressOf(host.places), hooks.answer);
  const syncing = keepSynced(host);
  const open = new Set();
  // In the order in which they came in: a client may rely on it for writes that it does not wait for.
  let turn = Promise.resolve();
  let isAnswering = false;
  for await (const line of lines(untilSignal(process.stdin))) {
    if (line.trim() === "") continue;
    const answered = (turn = turn.then(async () => {
      const answer = await answerOf(host, line);
      if (answer !== undefined) await write(`${answer}\n`);
      // A client's limit for the start is never met by the model, and its first questions don't wait for it.
      if (!isAnswering) setTimeout(() => void afterwards(host, hooks), LATER_MS).unref();
      isAnswering = true;
    }));
    open.add(answered);
    void answered.finally(() => open.delete(answered));
  }
  await Promise.allSettled(open);
  // The calls that hooks handed over are recorded first: the client may leave little time.
  await Promise.allSettled([end(), hooks.idle()]);
  await syncing.end();
  try {
    await host.close({ keep: true });
  } catch (error) {
    log(host.log, `mcp: ${/** @type {Error} */ (error).message}`);
  }
  return 0;
}

/**
 * Does the work that the first answer need not wait for: ends that an earlier process left, and the model.
 * @param {import("../host.mjs").Host} host
 * @param {Hooks} hooks
 */
async function afterwards(host, hooks) {
  try {
    await hooks.drain();
  } catch (error) {
    log(host.log, `mcp: ${/** @type {Error} */ (error).message}`);
  }
  await host.loadModel();
}

/**
 * Ends a stream at a signal, so that a client that ends its servers by one has its hand-overs recorded as at an end of input.
 * @param {NodeJS.ReadStream} stream
 */
function untilSignal(stream) {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    // A second one ends the process at once.
    process.once(signal, () => stream.destroy());
  }
  return stream;
}

/** @param {Record<string, any>} values */
export function onlyOf(values) {
  if (values.project) return "project";
  return values.personal ? "personal" : undefined;
}

/**
 * @param {import("../host.mjs").Host} host
 * @param {string} line
 */
async function answerOf(host, line) {
  try {
    if (isJudging(line)) await host.loadModel();
    return await host.use((local) => local.message_line(line));
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    log(host.log, `mcp: ${message}`);
    process.stderr.write(`lessonloop: ${message}\n`);
    let id = null;
    try {
      id = JSON.parse(line).id ?? null;
    } catch {
      // The engine answers what is no JSON; this is another failure.
    }
    if (id === null) return undefined;
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message } });
  }
}

/** @param {string} text */
function write(text) {
  return new Promise((resolve) => process.stdout.write(text, resolve));
}

/**
 * The lines of a stream. Not by node:readline, which takes U+2028 for the end of one.
 * @param {NodeJS.ReadStream} stream
 */
async function* lines(stream) {
  stream.setEncoding("utf8");
  let rest = "";
  try {
    for await (const piece of stream) {
      rest += piece;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        yield rest.slice(0, end);
        rest = rest.slice(end + 1);
      }
    }
  } catch (error) {
    // A signal ended it.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
  if (rest) yield rest;
}
