// OpenCode has no hooks in a shell: this is the plugin that calls ours.

/** The plugin's source. @param {string[]} program */
export const plugin = (
  program,
) => `// Lessons for this session, by lessonloop; written by \`lessonloop init opencode\`, removed with \`--remove\`.
import { spawn } from "node:child_process";

const [program, ...words] = ${JSON.stringify([...program, "hook"])};
/** A plugin that is slow stalls the session: lessons that come later are left out. */
const PATIENCE_MS = 2_000;

function hook(event, payload, patience = PATIENCE_MS) {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, event, "--client", "opencode"], { stdio: ["pipe", "pipe", "ignore"] });
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

export const Lessonloop = async ({ directory }) => {
  const lessons = new Map();
  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.map((part) => part.text ?? "").join("\\n");
      const session_id = input.sessionID;
      lessons.set(session_id, await hook("prompt", { session_id, cwd: directory, prompt }));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = lessons.get(input.sessionID);
      // The request for a session's title comes with its id, too.
      const isTitle = output.system.some((part) => /\\btitle generator\\b/i.test(part));
      if (text && !isTitle) output.system.push(text);
    },
    event: async ({ event }) => {
      const session_id = event.properties?.sessionID ?? event.properties?.info?.id;
      if (!session_id) return;
      // A session is not deleted when it is left: each time it rests is its end until it goes on.
      if (event.type === "session.idle") {
        await hook("stop", { session_id, cwd: directory });
        void hook("session-end", { session_id, cwd: directory });
      }
    },
  };
};
`;
