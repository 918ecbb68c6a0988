// The engine's place in a page of `lessonloop serve`: carries the same messages (lesson-types: ToWorker, FromWorker) to
// the process that has the store open, by HTTP. No rule about lessons lives here.

import "./trusted.js";
import { asFile, handle } from "./worker/files.js";

/** Until a page of this origin has told the token, it is asked again. */
const ASK_MS = 100;
/** Then the page was opened without it. */
const GIVE_UP_MS = 5_000;
/** From a broken connection to the next try. */
const AGAIN_MS = 1_000;
const REOPEN = "Open the address that `lessonloop serve` printed; the part after # is the key to it.";

const post = (message) => self.postMessage(message);
const tabs = new BroadcastChannel("lessonloop-local");

/** The token, from a page that has it. */
function askToken() {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => tabs.postMessage({ type: "token?" }), ASK_MS);
    const end = setTimeout(() => {
      clearInterval(timer);
      reject(new Error(`This page does not know the token. ${REOPEN}`));
    }, GIVE_UP_MS);
    tabs.onmessage = ({ data }) => {
      if (data?.type !== "token") return;
      clearInterval(timer);
      clearTimeout(end);
      resolve(data.token);
    };
    tabs.postMessage({ type: "token?" });
  });
}

const token = askToken();

/** Asks the local host; what went wrong is an answer, too. */
async function ask(path, method, body) {
  const answer = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${await token}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (answer.status === 401) throw new Error(`lessonloop serve was started anew. ${REOPEN}`);
  if (!answer.ok) throw new Error((await answer.json()).error?.message ?? `status ${answer.status}`);
  return answer;
}

const engine = {
  async handle_text(request) {
    return (await ask("/local/request", "POST", request)).json();
  },
};

const unavailable = (message) => ({
  status: 503,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: { code: "unavailable", message, candidates: [] } }),
});

async function answer({ id, request, as_file: wantsFile }) {
  try {
    let response = await handle(() => engine, request);
    if (wantsFile) response = await asFile(response);
    post({ type: "response", id, response });
  } catch (error) {
    post({ type: "response", id, response: unavailable(error.message ?? String(error)) });
  }
}

let position = null;
let model = "";
let models = "";

/** Told of the store's state for the first time: what is read from then on is not older than it. */
let heard = () => {};
const known = new Promise((resolve) => {
  heard = () => resolve(undefined);
});

/** Tells the page what the process says of the store, of syncing and of the model. */
function hear(state) {
  if (state.type === "synced") post({ type: "synced" });
  if (state.model && JSON.stringify(state.model) !== model) {
    model = JSON.stringify(state.model);
    post({ type: "model", state: state.model });
  }
  if (state.models && JSON.stringify(state.models) !== models) {
    models = JSON.stringify(state.models);
    post({ type: "models", ...state.models });
  }
  if (state.position === undefined) return;
  if (position !== null && state.position !== position) {
    post({ type: "changed" });
    post({ type: "synced" });
  }
  position = state.position;
  heard();
}

/** Listens for as long as the page is open. */
async function listen() {
  for (;;) {
    try {
      const { body } = await ask("/local/events", "GET");
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line) hear(JSON.parse(line));
      }
    } catch {
      // The process may be started again; requests say what is wrong.
      heard();
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

self.addEventListener("message", ({ data }) => {
  if (data?.type === "request") void answer(data);
  else if (data?.type === "load_model") {
    void ask("/local/model", "POST", data.model === undefined ? {} : { model: data.model }).then(
      async (answer) => hear(await answer.json()),
      (error) => post({ type: "model", state: { phase: "failed", message: error.message } }),
    );
  }
});

/** Asks for the words before a command of the process; undefined where it does not say. */
async function command() {
  try {
    return (await (await ask("/local/command", "GET")).json()).command;
  } catch {
    return undefined;
  }
}

token.then(
  async () => {
    void listen();
    const [typed] = await Promise.all([command(), known]);
    post({ type: "ready", build: "local", model_cached: true, command: typed });
  },
  (error) => post({ type: "failed", message: error.message }),
);
