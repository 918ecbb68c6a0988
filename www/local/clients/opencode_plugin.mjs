// OpenCode has no hooks in a shell: this is the plugin that calls ours.

/** The plugin's source. @param {string[]} program */
export const plugin = (
  program,
) => `// Lessons for this session, by lessonloop; written by \`lessonloop init opencode\`, removed with \`--remove\`.
import { spawn } from "node:child_process";

const [program, ...words] = ${JSON.stringify([...program, "hook"])};
/** A plugin that is slow stalls the session: lessons that come later are left out. */
const PATIENCE_MS = 2_000;
const END_MS = 10_000;

function hook(event, payload, patience = PATIENCE_MS) {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, event, "--client", "opencode"], {
      stdio: ["pipe", "pipe", "ignore"],
      // The end of OpenCode must not end the process that records it.
      detached: event === "stop",
    });
    let text = "";
    const end = () => resolve(text);
    const timer = setTimeout(() => (child.kill(), resolve("")), patience);
    child.stdout.on("data", (piece) => (text += piece));
    child.on("error", () => resolve(""));
    child.on("close", () => (clearTimeout(timer), end()));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}

/** Picks from a message the agent's words, and of its tools what they were for and how they ended. A person's words and
 *  what tools read stay here, so that the payload fits into a pipe that nobody reads yet when OpenCode ends. */
function told({ info: { id, role, sessionID, path, summary }, parts = [] }) {
  const tools = ({ callID, tool, state = {} }) => ({
    type: "tool",
    callID,
    tool,
    state: {
      input: state.input,
      metadata: { exit: state.metadata?.exit },
      output: /playbook_/.test(tool) ? state.output : undefined,
    },
  });
  const texts = ({ id, text, synthetic }) => ({ type: "text", id, text, synthetic });
  const kept = parts.filter(({ type }) => type === "text" || type === "tool");
  return {
    info: { id, role, sessionID, path, summary: summary === true },
    parts: kept.map((part) => (part.type === "text" ? texts(part) : tools(part))),
  };
}

/** The process whose agent's shell a run was started from: OpenCode's own marks are in each of its processes. */
const STARTER = "LESSONLOOP_OPENCODE";

export const Lessonloop = async ({ client, directory }) => {
  // A run that an agent started gets no lessons and records none.
  if ((process.env[STARTER] ?? String(process.pid)) !== String(process.pid)) return {};
  process.env[STARTER] = String(process.pid);
  /** Lessons given in each session, by the message that they go with. */
  const lessons = new Map();
  const of = (id) => lessons.get(id) ?? lessons.set(id, new Map()).get(id);
  /** Sessions whose next request is for a summary. */
  const summing = new Set();
  const parents = new Map();
  /** When what was handed over last was made; of a session that began before this process, all before it. */
  const handed = new Map();
  const begun = Date.now();

  async function messages(id) {
    const { data = [] } = await client.session.messages({ path: { id } });
    const since = handed.get(id) ?? begun;
    const made = ({ info }) => info?.time?.created ?? 0;
    handed.set(id, Math.max(since, ...data.map((message) => made(message) + 1)));
    return data.filter((message) => made(message) >= since && message.info.role === "assistant").map(told);
  }

  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.map((part) => part.text ?? "").join("\\n");
      const session_id = input.sessionID;
      const payload = { session_id, cwd: directory, prompt, parent_id: parents.get(session_id) };
      const given = await hook("prompt", payload);
      // Text added to a request is no part of the talk: a lesson that was given once goes with its message in later requests.
      if (given) of(session_id).set(output.message?.id ?? input.messageID ?? "", given);
    },
    "experimental.session.compacting": async ({ sessionID }) => void summing.add(sessionID),
    "experimental.chat.messages.transform": async (_, { messages = [] }) => {
      const asked = messages.filter(({ info }) => info.role === "user");
      const last = asked.at(-1);
      // A summary of the talk is not made of lessons.
      if (!last || summing.delete(last.info.sessionID)) return;
      const ids = new Set(asked.map(({ info }) => info.id));
      for (const [id, text] of of(last.info.sessionID)) {
        // Lessons of a message that is summed up by now go with the newest one, and names alone no more.
        if (!ids.has(id) && !/^### /m.test(text)) continue;
        const { info, parts } = asked.find(({ info }) => info.id === id) ?? last;
        const part = { id: \`prt_lessonloop_\${parts.length}\`, sessionID: info.sessionID, messageID: info.id };
        parts.push({ ...part, type: "text", text, synthetic: true });
      }
    },
    event: async ({ event: { type, properties = {} } }) => {
      const { info } = properties;
      if (info?.id && (type === "session.created" || type === "session.updated")) {
        if (info.parentID) parents.set(info.id, info.parentID);
        if (type === "session.created") handed.set(info.id, 0);
      }
      // A session that is left is not deleted: each time it rests is its end until it goes on.
      const session_id = properties.sessionID;
      if (type !== "session.idle" || !session_id) return;
      try {
        const said = await messages(session_id);
        const payload = { session_id, cwd: directory, parent_id: parents.get(session_id), messages: said };
        await hook("stop", payload, END_MS);
      } catch {
        // The session goes on without what it taught.
      }
    },
  };
};
`;
