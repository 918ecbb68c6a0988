// The commands: one row each, with its options, its help and where its code lies. Help and completions are made of it.

/**
 * @typedef {{ type: "string" | "boolean", short?: string, multiple?: boolean, about: string, value?: string, words?: string[] }} Option
 * @typedef {{ name: string, arguments: string, about: string, more?: string, group: string, words?: string[], second?: string[],
 *   options: Record<string, Option>, load: () => Promise<(given: any) => any> }} Command
 */

export const CLIENTS = ["claude", "codex", "cursor", "vscode", "copilot", "gemini", "opencode"];
export const EVENTS = ["session-start", "prompt", "moment", "compact", "stop", "subagent-stop", "session-end"];
/** Formats that come in, and those that go out. */
const TAKEN = ["auto", "markdown", "json", "jsonl", "ace", "reflections"];
const FORMATS = ["jsonl", "markdown", "csv", "agents-md", "skills"];

/** @type {Record<string, Option>} */
const STORE = {
  project: { type: "boolean", about: "only the project's store" },
  personal: { type: "boolean", about: "only your own store" },
};
/** @type {Record<string, Option>} */
const ASK = { ...STORE, json: { type: "boolean", about: "print the answer as JSON" } };
/** @type {Option} */
const NO_MODEL = { type: "boolean", about: "rank by words alone, which starts sooner" };
/** @type {Option} */
const LIMIT = { type: "string", value: "N", about: "at most so many" };
/** @type {Option} */
const DECISION = { type: "string", value: "ID", about: "the decision that it belongs to" };

const asks = () => import("./commands/ask.mjs");

/** @type {Command[]} */
export const COMMANDS = [
  {
    name: "init",
    arguments: `[${CLIENTS.join("|")}]`,
    about: "make the store, and write a client's MCP entry and hooks",
    more: "Shows what changes in which file and asks first. May be repeated; --remove takes it back. The store is the project's (`.lessonloop/`) inside a repository, else your own.",
    group: "Set-up",
    words: CLIENTS,
    options: {
      project: { type: "boolean", about: "the project's store, and the client's files of the project" },
      personal: { type: "boolean", about: "your own store, and the client's files in your home" },
      remove: {
        type: "boolean",
        about: "take the client's entries out again, or those of all clients; the store stays",
      },
      yes: { type: "boolean", short: "y", about: "don't ask" },
      "dry-run": { type: "boolean", about: "only show what would change" },
    },
    load: async () => (await import("./commands/init.mjs")).init,
  },
  {
    name: "trust",
    arguments: "",
    about: "let agents use the project's store, which came with its repository",
    more: "Until then hooks and MCP give nothing of it, and nothing is written to it. What you trust is kept in your own data folder; a store with another id at the same path asks again.",
    group: "Set-up",
    options: {
      remove: { type: "boolean", about: "trust it no longer" },
      json: { type: "boolean", about: "print the answer as JSON" },
    },
    load: async () => (await import("./commands/trust.mjs")).trust,
  },
  {
    name: "erase",
    arguments: "",
    about: "delete the stores, what is kept beside them, and the entries of all clients",
    more: "Without an option everything of this folder's project and of yours: clients' entries, both stores, the program that `init` keeps. With one, that store alone. What a server has stays there.",
    group: "Set-up",
    options: {
      ...STORE,
      yes: { type: "boolean", short: "y", about: "don't ask" },
      "dry-run": { type: "boolean", about: "only show what would be deleted" },
    },
    load: async () => (await import("./commands/erase.mjs")).erase,
  },
  {
    name: "mcp",
    arguments: "",
    about: "the Model Context Protocol on standard input and output",
    group: "For agents",
    options: STORE,
    load: async () => (await import("./commands/mcp.mjs")).mcp,
  },
  {
    name: "hook",
    arguments: "EVENT",
    about: "what clients call at their events; never fails the client",
    more: "Reads the client's JSON from standard input. Errors are in the store's log.",
    group: "For agents",
    words: EVENTS,
    options: {
      client: { type: "string", value: "NAME", about: "the client that calls", words: CLIENTS },
      "max-tokens": { type: "string", value: "N", about: "at most so many tokens of lessons (1500)" },
      "no-model": NO_MODEL,
    },
    // The words after the command's name; `bin/lessonloop.mjs` runs it without this table.
    load: async () => async () => (await import("./hook_entry.cjs")).run(process.argv.slice(3)),
  },
  {
    name: "serve",
    arguments: "",
    about: "the dashboard, /v1 and /mcp on 127.0.0.1",
    group: "For people",
    options: {
      ...STORE,
      open: { type: "boolean", about: "open it in the browser" },
      port: { type: "string", value: "N", about: "the port (the first free one from 8787)" },
      listen: { type: "string", value: "ADDRESS", about: "where it listens (127.0.0.1); 0.0.0.0 in a container" },
      json: { type: "boolean", about: "print address and token as JSON" },
    },
    load: async () => (await import("./commands/serve.mjs")).serve,
  },
  {
    name: "recommend",
    arguments: "TEXT|-",
    about: "the lessons that fit what you are about to do",
    group: "For people",
    options: {
      ...ASK,
      "project-type": { type: "string", value: "TYPE", about: "such as cli, api, web" },
      tech: { type: "string", multiple: true, value: "NAME", about: "a technology; may be repeated" },
      phase: { type: "string", value: "PHASE", about: "the phase of the work" },
      domain: { type: "string", value: "DOMAIN", about: "the domain" },
      limit: LIMIT,
      "max-tokens": { type: "string", value: "N", about: "at most so many tokens in the prompt's text" },
      decision: DECISION,
      "dry-run": { type: "boolean", about: "count nothing as shown" },
      explain: { type: "boolean", about: "with --json: the ranking's trace, too" },
      prompt: { type: "boolean", about: "print the text for an agent" },
      "no-model": NO_MODEL,
    },
    load: async () => (await asks()).recommend,
  },
  {
    name: "search",
    arguments: "TEXT|-",
    about: "look lessons up",
    group: "For people",
    options: { ...ASK, limit: LIMIT, "no-model": NO_MODEL },
    load: async () => (await asks()).search,
  },
  {
    name: "add",
    arguments: "TITLE|-",
    about: "add a lesson; - reads JSON, or a title and then the recommendation",
    group: "For people",
    options: {
      ...ASK,
      recommendation: { type: "string", short: "r", value: "TEXT", about: "what to do" },
      context: { type: "string", value: "TEXT", about: "when it applies" },
      description: { type: "string", value: "TEXT", about: "what it is about" },
      slug: { type: "string", value: "SLUG", about: "its name; made from the title otherwise" },
      category: { type: "string", value: "NAME", about: "architecture, workflow, security, …" },
      domain: { type: "string", value: "DOMAIN", about: "the domain" },
      tech: { type: "string", multiple: true, value: "NAME", about: "a technology; may be repeated" },
      tag: { type: "string", multiple: true, value: "TAG", about: "a tag; may be repeated" },
      source: { type: "string", value: "TEXT", about: "where it comes from" },
    },
    load: async () => (await asks()).add,
  },
  {
    name: "show",
    arguments: "SLUG",
    about: "one lesson and its standing",
    group: "For people",
    options: ASK,
    load: async () => (await asks()).show,
  },
  {
    name: "rate",
    arguments: "LESSON helpful|not-helpful",
    about: "say whether a lesson helped",
    group: "For people",
    second: ["helpful", "not-helpful"],
    options: { ...ASK, decision: DECISION },
    load: async () => (await asks()).rate,
  },
  {
    name: "track",
    arguments: "TEXT|-",
    about: "look for the recommended lessons in what the agent said",
    group: "For people",
    options: { ...ASK, decision: DECISION },
    load: async () => (await asks()).track,
  },
  {
    name: "outcome",
    arguments: "DECISION success|failure|pending|confirm|dismiss",
    about: "say what came of a decision",
    more: "confirm and dismiss are about an outcome that a session's tests or commit suggest: `lessonloop review` lists them.",
    group: "For people",
    second: ["success", "failure", "pending", "confirm", "dismiss"],
    options: { ...ASK, pnl: { type: "string", value: "PERCENT", about: "profit or loss in percent" } },
    load: async () => (await asks()).outcome,
  },
  {
    name: "feedback",
    arguments: "delivered|plan-complete|blocked LESSON…",
    about: "say which lessons were a cause of the outcome",
    group: "For people",
    words: ["delivered", "plan-complete", "blocked"],
    options: {
      ...ASK,
      causal: { type: "string", multiple: true, value: "SLUG", about: "a cause; may be repeated" },
      text: { type: "string", value: "TEXT", about: "what was said of the outcome: causes are found in it" },
      decision: DECISION,
    },
    load: async () => (await asks()).feedback,
  },
  {
    name: "suggest-tools",
    arguments: "TEXT|-",
    about: "the tool servers that worked for requests like it",
    group: "For people",
    options: { ...ASK, limit: LIMIT },
    load: async () => (await asks()).suggestTools,
  },
  {
    name: "stats",
    arguments: "",
    about: "counts, the best and the worst",
    group: "For people",
    options: ASK,
    load: async () => (await asks()).stats,
  },
  {
    name: "digest",
    arguments: "",
    about: "what changed in the last days, as Markdown",
    more: "Lessons that rose or fell, new ones, agents gone silent, success that falls, and what waits for a review; each share with the runs that it is of.",
    group: "For people",
    options: {
      ...ASK,
      days: { type: "string", value: "N", about: "the days of the range (7)" },
      until: { type: "string", value: "DAY", about: "its last day in UTC, such as 2026-11-22 (today)" },
    },
    load: async () => (await asks()).digest,
  },
  {
    name: "review",
    arguments: "[SLUG approve|quarantine|accept|reject]",
    about: "what waits for a person, and the verdict",
    more: "accept and reject are about a change that an agent proposes.",
    group: "For people",
    second: ["approve", "quarantine", "accept", "reject"],
    options: {
      ...ASK,
      limit: LIMIT,
      proposal: { type: "string", value: "ID", about: "which proposal, where a lesson has several" },
      reason: { type: "string", value: "TEXT", about: "why; kept in the lesson's history" },
    },
    load: async () => (await asks()).review,
  },
  {
    name: "withdraw",
    arguments: "VOICE",
    about: "count nothing of an agent's key or a person any more: what that changes first",
    more: "VOICE is the id of an agent's key, or `agent:ID` or `person:ID` as a lesson's history has it.",
    group: "For people",
    options: {
      ...ASK,
      since: { type: "string", value: "TIME", about: "only from this time on, such as 2026-11-22T08:30:00Z" },
      undo: { type: "boolean", about: "take the withdrawal back" },
      yes: { type: "boolean", about: "do it" },
    },
    load: async () => (await asks()).withdraw,
  },
  {
    name: "last",
    arguments: "",
    about: "what was shown, used and learned in the last session",
    group: "For people",
    options: ASK,
    load: async () => (await import("./commands/last.mjs")).last,
  },
  {
    name: "config",
    arguments: "[NAME VALUE]",
    about: "list the settings of the store, or change one",
    group: "Set-up",
    words: ["moments", "prompts"],
    second: ["on", "off", "words", "whole"],
    options: ASK,
    load: async () => (await import("./commands/config.mjs")).config,
  },
  {
    name: "model",
    arguments: "[english|multilingual]",
    about: "which model lessons are found by meaning with on this machine, or choose it",
    more: "multilingual is got once, from --from or LESSONLOOP_MODEL_URL or a file, and goes on where a try stopped.",
    group: "Set-up",
    words: ["english", "multilingual"],
    options: {
      file: { type: "string", value: "PACK", about: "take the multilingual pack from this file" },
      from: { type: "string", value: "URL", about: "get it from this address" },
      sha256: {
        type: "string",
        value: "HEX",
        about: "the pack's SHA-256, where it is another one than this version's",
      },
      json: { type: "boolean", about: "print JSON" },
    },
    load: async () => (await import("./commands/model.mjs")).model,
  },
  {
    name: "import",
    arguments: "PATH…",
    about: "read lessons from files and folders; - reads standard input",
    group: "Files",
    options: {
      ...ASK,
      format: { type: "string", value: "NAME", about: TAKEN.join(", "), words: TAKEN },
      "dry-run": { type: "boolean", about: "only say what would be added" },
    },
    load: async () => (await import("./commands/carry.mjs")).importFiles,
  },
  {
    name: "imports",
    arguments: "[NUMBER undo|redo]",
    about: "what was imported here, the latest first; take one back, or bring it back",
    more: "Undo archives what an import added and puts back the texts that it changed; what changed since stays as it is. The dashboard of `serve` lists the same under Settings.",
    group: "Files",
    second: ["undo", "redo"],
    options: ASK,
    load: async () => (await import("./commands/imports.mjs")).imports,
  },
  {
    name: "export",
    arguments: "",
    about: "write lessons out",
    group: "Files",
    options: {
      ...STORE,
      format: { type: "string", value: "NAME", about: FORMATS.join(", "), words: FORMATS },
      out: { type: "string", short: "o", value: "PATH", about: "the file, or the folder of several (standard output)" },
      "agents-md": { type: "string", value: "FILE", about: "keep a marked block of this file up to date" },
      skills: { type: "string", value: "DIR", about: "approved, proven lessons as SKILL.md folders" },
    },
    load: async () => (await import("./commands/carry.mjs")).exportFiles,
  },
  {
    name: "backfill",
    arguments: "[PATH]",
    about: "read earlier sessions of Claude Code, Codex, Gemini CLI and Copilot CLI for what they learned",
    more: "With a project's store only sessions whose transcript says that they are of that project count; a PATH is read whatever it is of.",
    group: "Files",
    options: {
      ...STORE,
      "dry-run": { type: "boolean", about: "only say what would be added" },
      json: { type: "boolean", about: "print the result as JSON" },
    },
    load: async () => (await import("./commands/backfill.mjs")).backfill,
  },
  {
    name: "connect",
    arguments: "URL",
    about: "sync the store with a Supabase project",
    more: "The key is read from LESSONLOOP_KEY or asked for, the password from LESSONLOOP_PASSWORD or asked for.",
    group: "Syncing",
    options: {
      ...STORE,
      email: { type: "string", value: "ADDRESS", about: "the account" },
      space: { type: "string", value: "ID", about: "the space to join" },
      create: { type: "string", value: "NAME", about: "a new space" },
      json: { type: "boolean", about: "print the answer as JSON" },
    },
    load: async () => (await import("./commands/sync.mjs")).connect,
  },
  {
    name: "sync",
    arguments: "",
    about: "sync now, and say where it stands",
    group: "Syncing",
    options: { ...ASK },
    load: async () => (await import("./commands/sync.mjs")).sync,
  },
  {
    name: "doctor",
    arguments: "",
    about: "look at versions, stores, lock, model and clients, with a remedy for every finding",
    group: "Set-up",
    options: {
      edge: { type: "string", value: "URL", about: "look at an edge function's set-up instead" },
      dashboard: { type: "string", value: "URL", about: "with --edge: a dashboard elsewhere that is to ask it" },
      json: { type: "boolean", about: "print the findings as JSON" },
    },
    load: async () => (await import("./commands/doctor.mjs")).doctor,
  },
  {
    name: "completions",
    arguments: "bash|zsh|fish",
    about: "print completions for a shell",
    group: "Set-up",
    words: ["bash", "zsh", "fish"],
    options: {},
    load: async () => (await import("./commands/completions.mjs")).completions,
  },
];

/** @param {Command} command */
export function helpOf(command) {
  const lines = [`lessonloop ${command.name} ${command.arguments}`.trimEnd(), "", `  ${command.about}`];
  if (command.more) lines.push(`  ${command.more}`);
  const rows = Object.entries(command.options).map(([name, option]) => [
    `${option.short ? `-${option.short}, ` : ""}--${name}${option.value ? ` ${option.value}` : ""}`,
    option.about,
  ]);
  rows.push(["-h, --help", "this text"]);
  const width = Math.max(...rows.map(([left]) => left.length));
  lines.push("", ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`));
  return lines.join("\n");
}

/** All commands, by what they are for. */
export function overview() {
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return groups
    .map((group) => {
      const rows = COMMANDS.filter((command) => command.group === group);
      return `${group}:\n${rows.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join("\n")}`;
    })
    .join("\n\n");
}
