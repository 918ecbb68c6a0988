// `lessonloop serve`: the dashboard, `/v1` and `/mcp` on this machine alone.
import { spawn } from "node:child_process";
import { Hooks } from "../hook.mjs";
import { hostOf } from "../host.mjs";
import { number } from "../input.mjs";
import { Failure, json, note, out } from "../print.mjs";
import { log } from "../log.mjs";
import { listen } from "../server.mjs";
import { addressOf, answerAt } from "../socket.mjs";
import { onlyOf } from "./mcp.mjs";

/** Where the search for a free port begins when none is asked for. */
const FIRST_PORT = 8787;
const PORTS_TRIED = 50;

/** @param {{ values: Record<string, any> }} given */
export async function serve({ values }) {
  const host = hostOf({ only: onlyOf(values), create: true });
  // What is wrong with the store is said now, and not to the first page.
  await host.local();
  const port = number(values.port, "--port");
  const { url, token, close, syncing } = await listening(host, port);
  const address = `${url}/#token=${token}`;
  if (values.json) json({ url, token, address, store: host.main.path });
  else {
    out(address);
    note(
      `\nThe store: ${host.main.path}\nFor agents: ${url}/mcp and ${url}/v1 with the header \`Authorization: Bearer TOKEN\`.\nCtrl-C ends it.`,
    );
  }
  void host.loadModel();
  const hooks = new Hooks(host);
  const end = answerAt(addressOf(host.places), hooks.answer);
  // Ends that an earlier process left; a failure is in the log.
  void hooks.drain().catch((error) => log(host.log, `serve: ${error.message}`));
  if (values.open) openBrowser(address);
  await new Promise((resolve) => {
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, resolve);
  });
  close();
  await Promise.allSettled([end(), hooks.idle()]);
  await syncing.end();
  await host.close({ keep: true });
  return 0;
}

/**
 * @param {import("../host.mjs").Host} host
 * @param {number | undefined} asked
 */
async function listening(host, asked) {
  let why = "";
  for (let port = asked ?? FIRST_PORT; port <= (asked ?? FIRST_PORT + PORTS_TRIED); port += 1) {
    try {
      return await listen(host, port);
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (!["EADDRINUSE", "EACCES"].includes(code ?? "")) throw error;
      why = message;
    }
  }
  throw new Failure(`${why}: name a free port with --port`);
}

/** @param {string} address */
function openBrowser(address) {
  const [command, ...words] =
    process.platform === "darwin"
      ? ["open", address]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", address]
        : ["xdg-open", address];
  const opened = spawn(command, words, { stdio: "ignore", detached: true });
  opened.on("error", () => note(`open this in a browser: ${address}`));
  opened.unref();
}
