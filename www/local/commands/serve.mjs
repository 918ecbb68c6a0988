// `lessonloop serve`: the dashboard, `/v1` and `/mcp` on this machine alone.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Hooks } from "../hook.mjs";
import { Host, hostOf } from "../host.mjs";
import { number } from "../input.mjs";
import { Failure, json, note, out, UsageError } from "../print.mjs";
import { spelled } from "../invocation.mjs";
import { log } from "../log.mjs";
import { listen } from "../server.mjs";
import { addressOf, answerAt } from "../socket.mjs";
import { findStores } from "../store.mjs";
import { onlyOf } from "./mcp.mjs";

/** Where the search for a free port begins when none is asked for. */
const FIRST_PORT = 8787;
const PORTS_TRIED = 50;
/** Time that a browser has to open the page that leads to the address. */
const OPENED_MS = 60_000;

/** @param {{ values: Record<string, any> }} given */
export async function serve({ values }) {
  const { untrusted } = values.personal ? {} : findStores(process.cwd());
  // A person may look at what came with a repository before they trust it; nothing is written to it, and no agent asks here.
  const host = untrusted
    ? new Host({ places: { project: untrusted } })
    : hostOf({ only: onlyOf(values), create: true });
  // Faults of the store are told now, and not to the first page.
  await host.local();
  const port = number(values.port, "--port");
  const { url, token, close, syncing } = await listening(host, port, {
    isReadOnly: Boolean(untrusted),
    address: addressed(values.listen),
    token: ownToken(),
  });
  const address = `${url}/#token=${token}`;
  if (values.json) json({ url, token, address, store: host.main.path, ...(untrusted ? { untrusted: true } : {}) });
  else {
    out(address);
    note(
      untrusted
        ? spelled(
            `\n${host.main.path} came with its repository: it is shown, and can't be changed. \`lessonloop trust\` lets agents use it.\nCtrl-C ends it.`,
          )
        : `\nThe store: ${host.main.path}\nFor agents: ${url}/mcp and ${url}/v1 with the header \`Authorization: Bearer TOKEN\`.\nCtrl-C ends it.`,
    );
  }
  void host.loadModel();
  const hooks = new Hooks(host);
  const end = untrusted ? async () => undefined : answerAt(addressOf(host.places), hooks.answer);
  // Ends that an earlier process left; a failure is in the log.
  if (!untrusted) void hooks.drain().catch((error) => log(host.log, `serve: ${error.message}`));
  const forget = values.open ? openBrowser(address) : () => undefined;
  await new Promise((resolve) => {
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, resolve);
  });
  forget();
  close();
  await Promise.allSettled([end(), hooks.idle()]);
  await syncing.end();
  await host.close({ keep: true });
  return 0;
}

/**
 * Where it listens. Whatever it is, only requests to 127.0.0.1 or localhost are answered: in a container the port is
 * published to the machine around it.
 * @param {string | undefined} address
 */
function addressed(address) {
  if (address === undefined || isIP(address)) return address;
  throw new UsageError(`--listen: ${address} is no address; give one such as 0.0.0.0, or leave it out`);
}

/** The token that a person set, so that agents' settings stay good when a container starts anew. */
function ownToken() {
  const token = process.env.LESSONLOOP_TOKEN;
  if (!token) return undefined;
  if (/^[\w-]{32,200}$/.test(token)) return token;
  throw new Failure(
    "LESSONLOOP_TOKEN: takes 32 to 200 letters, digits, - and _; make one with `openssl rand -hex 24`, or leave it out",
  );
}

/**
 * @param {import("../host.mjs").Host} host
 * @param {number | undefined} asked
 * @param {Parameters<typeof listen>[2]} given
 */
async function listening(host, asked, given) {
  let why = "";
  for (let port = asked ?? FIRST_PORT; port <= (asked ?? FIRST_PORT + PORTS_TRIED); port += 1) {
    try {
      return await listen(host, port, given);
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (!["EADDRINUSE", "EACCES"].includes(code ?? "")) throw error;
      why = message;
    }
  }
  throw new Failure(`${why}: name a free port with --port`);
}

/**
 * Opens a page that leads to the address. Arguments of a process are read by every user of the machine, so the address, which
 * holds the token, is in a file for this user alone; the returned function takes it away.
 * @param {string} address
 */
function openBrowser(address) {
  const folder = mkdtempSync(join(tmpdir(), "lessonloop-open-"));
  const page = join(folder, "open.html");
  const leads = `<!doctype html><meta charset="utf-8"><title>Lessonloop</title><script>location.replace(${JSON.stringify(address)})</script>`;
  writeFileSync(page, leads, { mode: 0o600, flag: "wx" });
  const forget = () => rmSync(folder, { recursive: true, force: true });
  setTimeout(forget, OPENED_MS).unref();
  const [command, ...words] =
    process.platform === "darwin"
      ? ["open", page]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", page]
        : ["xdg-open", pathToFileURL(page).href];
  const opened = spawn(command, words, { stdio: "ignore", detached: true });
  opened.on("error", () => note(`open this in a browser: ${address}`));
  opened.unref();
  return forget;
}
