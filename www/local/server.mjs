// The HTTP server of `lessonloop serve`: for this machine, with a token for whatever reads or writes lessons.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ROOT } from "./engine.mjs";
import { importsOf, takeImports } from "./imports.mjs";
import { spelled, typed } from "./invocation.mjs";
import { log } from "./log.mjs";
import { NAMES } from "./models.mjs";
import { keepSynced } from "./syncing.mjs";

/** The engine refuses a body that is larger than 1 MiB; one byte more tells it so. An import comes whole. */
const BODY_BYTES = 1024 * 1024 + 1;
const IMPORT_BYTES = 256 * 1024 * 1024;
/** From a look whether another process has written to the next, while a page listens. */
const LOOK_MS = 1_000;
/** Time between two messages to a page that listens, so that both ends see a broken connection. */
const ALIVE_MS = 15_000;

/** Requests after which syncing goes on at once. */
const CONNECTS = /^\/v1\/(sync|space)\//;

const DASHBOARD = join(ROOT, "dashboard");
const ENGINE = join(ROOT, "engine");
const PAGE = join(ROOT, "local", "page");

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".pack": "application/octet-stream",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ts": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** File types that packing makes smaller; the model's pack and images are packed already. */
const PACKABLE = new Set([".css", ".html", ".js", ".json", ".md", ".svg", ".ts", ".txt", ".wasm", ".webmanifest"]);
/** Below this, headers weigh as much as what is saved. In bytes. */
const WORTH_PACKING = 1_024;
/** The page and its scripts in 40 ms, nearly as small as the highest quality of 11 makes them in two seconds. */
const BROTLI_QUALITY = 5;

/** @type {Record<string, (bytes: Uint8Array) => Promise<Buffer>>} */
const PACKERS = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Packed files by path, time and coding: they are the package's own, so few and the same. @type {Map<string, Promise<Buffer>>} */
const packed = new Map();

/** Files that the page gets in place of the dashboard's own: its engine is this process, and needs no service worker. */
/** @type {Record<string, string>} */
const INSTEAD = {
  "/engine-worker.js": join(PAGE, "engine-worker.js"),
  "/local-page.js": join(PAGE, "local-page.js"),
  "/sw.js": join(PAGE, "no-worker.js"),
};

/** @typedef {import("node:http").IncomingMessage} Asked */
/** @typedef {import("node:http").ServerResponse} Answer */

/** Requests that only read, though they are posted. */
const READS = /^\/v1\/(?:search|recommend\/compare)(?:\?|$)/;
const READ_ONLY =
  "This store came with its repository and is only shown: run `lessonloop trust` in the project, and start `lessonloop serve` again.";

/**
 * A request of the page, whose body is a text of JSON.
 * @param {{ method: string, path: string, body?: any }} request
 */
const opened = (request) =>
  typeof request.body === "string" ? { ...request, body: JSON.parse(request.body) } : request;

/** @param {{ method: string, path: string, body?: any }} request */
const isRead = ({ method, path, body }) =>
  method === "GET" || READS.test(path) || (/^\/v1\/recommend(?:\?|$)/.test(path) && body?.dry_run === true);

/**
 * @param {import("./host.mjs").Host} host
 * @param {number} port
 * @param {{ isReadOnly?: boolean, address?: string, token?: string }} [given] `isReadOnly`: whether the store came with a
 * repository and is only shown; `address`: where it listens; `token`: in place of a new one
 */
export async function listen(host, port, { isReadOnly = false, address = "127.0.0.1", token = newToken() } = {}) {
  const headers = await pageHeaders();
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 10_000 }, (asked, answer) => {
    void respond(asked, answer).catch((error) => {
      log(host.log, `serve: ${asked.method} ${asked.url}: ${error.message}`);
      if (answer.headersSent) answer.destroy();
      else refuse(answer, 503, "unavailable", `The engine can't answer: ${error.message}`);
    });
  });
  /** @type {Set<Answer>} */
  const listeners = new Set();
  watch(host, listeners, server);

  /**
   * @param {Asked} asked
   * @param {Answer} answer
   */
  async function respond(asked, answer) {
    for (const [name, value] of Object.entries(headers)) answer.setHeader(name, value);
    const at = server.address();
    const own = typeof at === "object" && at ? at.port : port;
    // A foreign name that was rebound to this machine must not read us.
    if (!["127.0.0.1", "localhost"].some((name) => asked.headers.host === `${name}:${own}`)) {
      return text(answer, 403, "This server answers to 127.0.0.1 and localhost only.\n");
    }
    const { origin } = asked.headers;
    if (origin !== undefined && ![`http://127.0.0.1:${own}`, `http://localhost:${own}`].includes(origin)) {
      return refuse(answer, 403, "forbidden", "Only this server's own pages may ask from a browser.");
    }
    const { pathname, search } = new URL(asked.url ?? "/", "http://local");
    const isData = pathname === "/mcp" || pathname === "/v1" || /^\/(v1|local)\//.test(pathname);
    if (!isData) return await file(asked, answer, pathname);
    if (!isTold(asked.headers.authorization, token)) {
      answer.setHeader("www-authenticate", "Bearer");
      return refuse(
        answer,
        401,
        "unauthorized",
        "The token is missing or another one: open the address that `lessonloop serve` printed.",
      );
    }
    if (pathname.startsWith("/local/")) return local(asked, answer, pathname);
    if (pathname === "/mcp") return mcp(asked, answer);
    return v1(asked, answer, pathname + search);
  }

  /**
   * Answers the requests of the dashboard's own worker, of both stores where there are two.
   * @param {Asked} asked
   * @param {Answer} answer
   * @param {string} path
   */
  async function local(asked, answer, path) {
    if (path === "/local/request" && asked.method === "POST") {
      const request = JSON.parse(new TextDecoder().decode(await bodyOf(asked, IMPORT_BYTES)));
      if (isReadOnly && !isRead(opened(request))) {
        const body = JSON.stringify(faultOf("untrusted", spelled(READ_ONLY)));
        return sendJson(answer, 200, { status: 403, headers: {}, body });
      }
      sendJson(answer, 200, await host.handleText(request));
      await host.use((local) => local.flush());
      if (request.method === "POST" && CONNECTS.test(request.path)) syncing.asked();
      return tell(host, listeners);
    }
    if (path === "/local/events" && asked.method === "GET") {
      answer.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
      listeners.add(answer);
      answer.on("close", () => listeners.delete(answer));
      try {
        // With the position that what follows is measured against: without it the first change would go unnoticed.
        const state = { position: await positionOf(host), model: await modelState(host), models: host.models() };
        answer.write(`${JSON.stringify({ type: "state", ...state })}\n`);
      } catch {
        // The dashboard asks again; what is wrong with the store is told by what it asks of it.
        answer.end();
      }
      return;
    }
    if (path === "/local/model" && asked.method === "POST") {
      const { model } = JSON.parse(new TextDecoder().decode(await bodyOf(asked, BODY_BYTES)) || "{}");
      if (model !== undefined && !NAMES.includes(model)) {
        return refuse(answer, 400, "invalid_request", `model is ${NAMES.join(" or ")}`);
      }
      const told = () => void tell(host, listeners).catch(() => undefined);
      void (model === undefined ? host.loadModel() : host.chooseModel(model, told)).then(told);
      return sendJson(answer, 200, { model: await modelState(host) });
    }
    if (path === "/local/imports") return imports(asked, answer);
    if (path === "/local/command" && asked.method === "GET") return sendJson(answer, 200, { command: typed("") });
    refuse(answer, 404, "not_found", "There is no such address.");
  }

  /**
   * The imports that can be undone, which the command line and the page keep in one list.
   * @param {Asked} asked
   * @param {Answer} answer
   */
  async function imports(asked, answer) {
    const store = (host.places.project ?? host.places.personal)?.path;
    if (asked.method === "GET") return sendJson(answer, 200, store ? importsOf(store) : []);
    if (asked.method !== "PUT") return refuse(answer, 404, "not_found", "There is no such address.");
    if (isReadOnly || !store) return refuse(answer, 403, "untrusted", spelled(READ_ONLY));
    const list = JSON.parse(new TextDecoder().decode(await bodyOf(asked, IMPORT_BYTES)));
    if (takeImports(store, list)) return sendJson(answer, 200, importsOf(store));
    refuse(answer, 400, "invalid_request", "The body is no list of imports.");
  }

  /**
   * @param {Asked} asked
   * @param {Answer} answer
   */
  async function mcp(asked, answer) {
    if (isReadOnly) return refuse(answer, 403, "untrusted", spelled(READ_ONLY));
    const body = await bodyOf(asked, BODY_BYTES);
    const { status, body: said } = await host.use((local) =>
      local.message(asked.method ?? "", flat(asked.headers), body),
    );
    answer.writeHead(
      status,
      said === undefined ? {} : { "content-type": "application/json", "cache-control": "no-store" },
    );
    answer.end(said);
  }

  /**
   * @param {Asked} asked
   * @param {Answer} answer
   * @param {string} path
   */
  async function v1(asked, answer, path) {
    const bytes = await bodyOf(asked, BODY_BYTES);
    if (bytes.length === BODY_BYTES) return refuse(answer, 413, "too_large", "The body is larger than 1 MiB.");
    let body = null;
    if (bytes.length > 0) {
      try {
        body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      } catch {
        return refuse(answer, 400, "invalid_request", "The body is no JSON.");
      }
    }
    const method = /** @type {any} */ (asked.method);
    if (isReadOnly && !isRead({ method, path, body })) return refuse(answer, 403, "untrusted", spelled(READ_ONLY));
    const given = await host.handleText({ method, path, headers: flat(asked.headers), body });
    answer.writeHead(given.status, { "cache-control": "no-store", ...given.headers });
    answer.end(given.body);
    await host.use((local) => local.flush());
    if (method === "POST" && CONNECTS.test(path)) syncing.asked();
  }

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve(undefined));
  });
  // A page shows where this process stands with the server, so it asks it whoever else does.
  const syncing = keepSynced(host, {
    alone: false,
    onStep() {
      for (const listener of listeners) listener.write(`${JSON.stringify({ type: "synced" })}\n`);
    },
  });
  const { port: own } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${own}`, token, close, syncing };
}

const newToken = () => randomBytes(24).toString("base64url");

/** The headers that the build made for its page. */
async function pageHeaders() {
  const { pageHeaders, HOSTED } = await import(new URL("page/headers.js", import.meta.url).href);
  // This process does the syncing: the page connects to nobody else.
  return Object.fromEntries(
    Object.entries(pageHeaders).map(([name, value]) => [name, String(value).replaceAll(` ${HOSTED}`, "")]),
  );
}

/** @param {import("./host.mjs").Host} host */
async function modelState(host) {
  if (host.modelState.phase !== "ready") return host.modelState;
  const { done, total } = await host.use(async (local) => local.indexing());
  return done < total ? { phase: "indexing", done, total, id: host.modelState.id } : host.modelState;
}

/** The state that the pages were last told. @type {WeakMap<Set<Answer>, string>} */
const told = new WeakMap();

/**
 * Tells the pages that listen, when there is something new.
 * @param {import("./host.mjs").Host} host
 * @param {Set<Answer>} listeners
 */
async function tell(host, listeners) {
  if (listeners.size === 0) return;
  const position = await positionOf(host);
  const model = await modelState(host);
  const state = { position, model, models: host.models() };
  const now = JSON.stringify(state);
  if (now === told.get(listeners)) return;
  told.set(listeners, now);
  for (const listener of listeners) listener.write(`${JSON.stringify({ type: "state", ...state })}\n`);
}

/**
 * Returns the position of the stores, with what other processes have written.
 * @param {import("./host.mjs").Host} host
 */
const positionOf = (host) =>
  host.use(async (local) => {
    await local.catch_up();
    return local.position();
  });

/**
 * Looks what other processes have written for as long as the server lives.
 * @param {import("./host.mjs").Host} host
 * @param {Set<Answer>} listeners
 * @param {import("node:http").Server} server
 */
function watch(host, listeners, server) {
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    tell(host, listeners)
      .catch((error) => log(host.log, `serve: ${error.message}`))
      .finally(() => (looking = false));
  }, LOOK_MS);
  const alive = setInterval(() => {
    for (const listener of listeners) listener.write("\n");
  }, ALIVE_MS);
  server.on("close", () => {
    clearInterval(timer);
    clearInterval(alive);
  });
}

/**
 * True if the header holds the token; the time tells nothing of how much of it is right.
 * @param {string | undefined} header
 * @param {string} token
 */
function isTold(header, token) {
  const hash = (/** @type {string} */ text) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(header ?? ""), hash(`Bearer ${token}`));
}

/** @param {import("node:http").IncomingHttpHeaders} headers */
function flat(headers) {
  const { authorization: _token, cookie: _cookie, ...rest } = headers;
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
}

/**
 * @param {Asked} asked
 * @param {number} most
 */
async function bodyOf(asked, most) {
  const pieces = [];
  let length = 0;
  for await (const piece of asked) {
    // The rest is read and thrown away, so that its sender gets to read the answer.
    if (length < most) pieces.push(piece);
    length += piece.length;
  }
  return new Uint8Array(Buffer.concat(pieces).subarray(0, most));
}

/**
 * @param {Answer} answer
 * @param {number} status
 * @param {string} said
 */
function text(answer, status, said) {
  answer.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  answer.end(said);
}

/**
 * @param {Answer} answer
 * @param {number} status
 * @param {any} body
 */
function sendJson(answer, status, body) {
  answer.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  answer.end(JSON.stringify(body));
}

/**
 * @param {Answer} answer
 * @param {number} status
 * @param {string} code
 * @param {string} message
 */
const refuse = (answer, status, code, message) => sendJson(answer, status, faultOf(code, message));

/** @param {string} code @param {string} message */
const faultOf = (code, message) => ({ error: { code, message, candidates: [] } });

/**
 * The coding that a client takes and that is smallest; nothing where it takes none, by RFC 9110, section 12.5.3.
 * @param {string | undefined} accepted
 */
export function codingFor(accepted) {
  const weights = new Map(
    (accepted ?? "").split(",").map((part) => {
      const [coding, ...parameters] = part.trim().toLowerCase().split(";");
      const weight = parameters.map((one) => one.trim()).find((one) => one.startsWith("q="));
      return [coding.trim(), weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return Object.keys(PACKERS).find((coding) => (weights.get(coding) ?? weights.get("*") ?? 0) > 0);
}

/**
 * A file of the dashboard; a path without an extension is one of its pages.
 * @param {Asked} asked
 * @param {Answer} answer
 * @param {string} path
 */
async function file(asked, answer, path) {
  if (asked.method !== "GET" && asked.method !== "HEAD") {
    answer.setHeader("allow", "GET, HEAD");
    return text(answer, 405, "Only GET and HEAD.\n");
  }
  let name;
  try {
    name = decodeURIComponent(path);
  } catch {
    return text(answer, 404, "No such file.\n");
  }
  if (name.includes("\0")) return text(answer, 404, "No such file.\n");
  const isPage = extname(name) === "" || name === "/index.html";
  if (isPage) {
    // Before all other scripts: it takes the token out of the address.
    const page = readFileSync(join(DASHBOARD, "index.html"), "utf8");
    const dressed = page.replace(/<script\b/, '<script src="/local-page.js"></script><script');
    return send(asked, answer, ".html", `page ${dressed}`, Buffer.from(dressed));
  }
  const isEngine = name.startsWith("/engine/");
  const folder = isEngine ? ENGINE : DASHBOARD;
  const at = INSTEAD[name] ?? join(folder, isEngine ? name.slice("/engine/".length) : name);
  const found = statSync(at, { throwIfNoEntry: false });
  if ((!INSTEAD[name] && !at.startsWith(folder + sep)) || !found?.isFile()) {
    return text(answer, 404, "No such file.\n");
  }
  const kind = extname(at);
  if (PACKABLE.has(kind)) return send(asked, answer, kind, `${at} ${found.mtimeMs}`, await readFile(at));
  answer.writeHead(200, {
    "content-type": TYPES[kind] ?? "application/octet-stream",
    "content-length": found.size,
  });
  if (asked.method === "HEAD") answer.end();
  else
    createReadStream(at)
      .on("error", () => answer.destroy())
      .pipe(answer);
}

/**
 * Bytes of a kind that packing makes smaller, in the coding that the client takes.
 * @param {Asked} asked
 * @param {Answer} answer
 * @param {string} kind
 * @param {string} key names these bytes, and no others
 * @param {Buffer} bytes
 */
async function send(asked, answer, kind, key, bytes) {
  const accepted = asked.headers["accept-encoding"];
  const coding = bytes.length < WORTH_PACKING ? undefined : codingFor(String(accepted ?? ""));
  let body = bytes;
  answer.setHeader("vary", "accept-encoding");
  if (coding) {
    const of = `${coding} ${key}`;
    if (!packed.has(of)) packed.set(of, PACKERS[coding](bytes));
    body = await /** @type {Promise<Buffer>} */ (packed.get(of));
    answer.setHeader("content-encoding", coding);
  }
  answer.writeHead(200, { "content-type": TYPES[kind], "content-length": body.length });
  answer.end(asked.method === "HEAD" ? undefined : body);
}
