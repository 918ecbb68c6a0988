// Writes the manifests of the plugins, of one source each: the version and the repository of Cargo.toml, the hooks of `init`.
// `node plugins/write.mjs` writes them, `--check` says which differ and writes none.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HOOKS } from "../www/local/clients/clients.mjs";
import { SECONDS } from "../www/local/clients/entry.mjs";
import { personalPath } from "../www/local/places.cjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), "utf8");

/** A text of `[workspace.package]` of Cargo.toml. @param {string} name @returns {string} */
export function ofWorkspace(name) {
  const [, table = ""] = /^\[workspace\.package\]\n([\s\S]*?)\n\n/m.exec(read("Cargo.toml")) ?? [];
  const value = new RegExp(`^${name} = "([^"]+)"$`, "m").exec(table)?.[1];
  if (!value) throw new Error(`Cargo.toml: [workspace.package] has no ${name}; add it`);
  return value;
}

export const VERSION = ofWorkspace("version");
export const REPOSITORY = ofWorkspace("repository");
/** The name in the MCP registry: the namespace of whoever owns the repository on GitHub. */
export const MCP_NAME = (() => {
  const [, owner, name] = /^https:\/\/github\.com\/([\w-]+)\/([\w.-]+)$/.exec(REPOSITORY) ?? [];
  if (!owner) throw new Error(`Cargo.toml: repository is ${REPOSITORY}; give https://github.com/OWNER/NAME`);
  return `io.github.${owner}/${name}`;
})();
export const LICENSE = ofWorkspace("license");
/** At most 100 characters: the registry takes no more. */
export const DESCRIPTION =
  "Lessons for coding agents, ranked by what came of applying them. Local, explained, no account.";
export const KEYWORDS = [
  "mcp",
  "mcp-server",
  "coding-agents",
  "agent-memory",
  "lessons",
  "claude-code",
  "codex",
  "hooks",
];
export const AUTHOR = { name: "The Lessonloop authors", url: REPOSITORY };
const NAME = "lessonloop";
const START = "start.mjs";

/**
 * Hooks in the form of Claude Code.
 * @param {"claude" | "codex" | "gemini"} client
 * @param {string} root the variable that stands for the plugin's folder
 * @param {number} unit the parts of a second that timeouts are in
 */
function hooks(client, root, unit = 1) {
  /** @type {Record<string, any[]>} */
  const found = {};
  for (const { event, ours, matcher, seconds = SECONDS } of HOOKS[client]) {
    const command = `node "\${${root}}/${START}" hook ${ours} --client ${client}`;
    found[event] = [
      ...(found[event] ?? []),
      { ...(matcher ? { matcher } : {}), hooks: [{ type: "command", command, timeout: seconds * unit }] },
    ];
  }
  return { hooks: found };
}

const about = {
  name: NAME,
  version: VERSION,
  description: DESCRIPTION,
  author: AUTHOR,
  homepage: REPOSITORY,
  repository: REPOSITORY,
  license: LICENSE,
  keywords: KEYWORDS,
};

/** The server as npx starts it, for clients whose plugins know no place of their own. */
export const NPX = { command: "npx", args: ["--yes", `${NAME}@${VERSION}`, "mcp"] };

/** Cursor's link, which asks a person before it installs the server. */
export const CURSOR_LINK = `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(
  Buffer.from(JSON.stringify(NPX)).toString("base64"),
)}`;

/** The package.json for the button "Deploy to Cloudflare", whose page asks for the bindings with these texts. */
const worker = () => ({
  name: "lessonloop-worker",
  version: VERSION,
  description: "Lessonloop's Worker for agents, over a Supabase project of yours",
  private: true,
  type: "module",
  repository: REPOSITORY,
  scripts: { build: "node get.mjs", deploy: "node get.mjs && wrangler deploy" },
  devDependencies: {
    wrangler: JSON.parse(read("tests/edge/host/package.json")).dependencies.wrangler,
  },
  cloudflare: {
    bindings: {
      SUPABASE_URL: {
        description:
          "The address of your Supabase project, such as https://abcd.supabase.co, to which `supabase db push` applied the migrations of this repository.",
      },
      SUPABASE_KEY: { description: "The project's publishable key: Project Settings, API Keys." },
    },
  },
});

/** Every file that is written, by its path. @returns {Record<string, string | Buffer>} */
export function files() {
  const start = read("plugins/start.mjs")
    .replace('"0.0.0"', JSON.stringify(VERSION))
    .replace("{ dirname, join }", "{ dirname, join, resolve }")
    .replace('const personalPath = () => "";', personalPath.toString());
  const skill = read("skills/lessonloop/SKILL.md");
  /** @type {Record<string, any>} */
  const found = {
    "plugins/claude/.claude-plugin/icon.png": readFileSync(join(ROOT, "www/icons/icon-512.png")),
    ".claude-plugin/marketplace.json": {
      $schema: "https://json.schemastore.org/claude-code-marketplace.json",
      name: NAME,
      description: DESCRIPTION,
      owner: AUTHOR,
      plugins: [
        { name: NAME, source: "./plugins/claude", description: DESCRIPTION, category: "productivity", tags: KEYWORDS },
      ],
    },
    // npm's registry is asked once, for the program itself.
    "plugins/claude/.claude-plugin/plugin.json": { ...about, network: { hosts: ["registry.npmjs.org"] } },
    "plugins/claude/hooks/hooks.json": {
      description: "Lessons in, outcomes out",
      ...hooks("claude", "CLAUDE_PLUGIN_ROOT"),
    },
    "plugins/claude/.mcp.json": {
      // Its tools are then called mcp__plugin_lessonloop_lessonloop__…
      mcpServers: { [NAME]: { command: "node", args: [`\${CLAUDE_PLUGIN_ROOT}/${START}`, "mcp"] } },
    },
    ".agents/plugins/marketplace.json": {
      name: NAME,
      interface: { displayName: "Lessonloop" },
      plugins: [
        {
          name: NAME,
          source: { source: "local", path: "./plugins/codex" },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
          category: "Productivity",
        },
      ],
    },
    "plugins/codex/.codex-plugin/plugin.json": {
      ...about,
      skills: "./skills/",
      mcpServers: "./.mcp.json",
      hooks: "./hooks/hooks.json",
      interface: {
        displayName: "Lessonloop",
        shortDescription: "Lessons that fit the task, ranked by what came of them",
        longDescription: DESCRIPTION,
        developerName: AUTHOR.name,
        category: "Productivity",
        capabilities: ["Read", "Write"],
        websiteURL: REPOSITORY,
        privacyPolicyURL: `${REPOSITORY}/blob/main/PRIVACY.md`,
      },
    },
    "plugins/codex/hooks/hooks.json": hooks("codex", "PLUGIN_ROOT"),
    // A path of the plugin would take its folder as the working one, and the project's store would not be found.
    "plugins/codex/.mcp.json": { mcpServers: { [NAME]: { ...NPX, startup_timeout_sec: 120 } } },
    "plugins/gemini/gemini-extension.json": {
      name: NAME,
      version: VERSION,
      description: DESCRIPTION,
      mcpServers: { [NAME]: { command: "node", args: [`\${extensionPath}/${START}`, "mcp"], timeout: 120_000 } },
    },
    "plugins/gemini/hooks/hooks.json": hooks("gemini", "extensionPath", 1_000),
    "plugins/cursor/install-link.txt": `${CURSOR_LINK}\n`,
    "plugins/cloudflare/package.json": worker(),
    "plugins/cloudflare/wrangler.toml": read("www/edge/wrangler.toml")
      .replace(
        /^(#.*\n)+/,
        "# The Worker of a release, for the button “Deploy to Cloudflare”: `get.mjs` puts it into dist/.\n",
      )
      .replace('main = "worker.js"', 'main = "dist/edge/worker.js"')
      .replace('directory = ".."', 'directory = "dist"'),
  };
  for (const plugin of ["claude", "codex", "gemini"]) {
    found[`plugins/${plugin}/${START}`] = start;
    found[`plugins/${plugin}/skills/lessonloop/SKILL.md`] = skill;
  }
  const texts = Object.entries(found).map(([path, value]) => [
    path,
    typeof value === "string" || Buffer.isBuffer(value) ? value : `${JSON.stringify(value, null, 2)}\n`,
  ]);
  return Object.fromEntries(texts);
}

/** The server's entry in the MCP registry, once the bundle's hash is known. @param {string} bundleHash */
export const serverJson = (bundleHash) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: MCP_NAME,
  title: "Lessonloop",
  description: DESCRIPTION,
  version: VERSION,
  websiteUrl: REPOSITORY,
  repository: { url: REPOSITORY, source: "github" },
  packages: [
    {
      registryType: "npm",
      registryBaseUrl: "https://registry.npmjs.org",
      identifier: NAME,
      version: VERSION,
      runtimeHint: "npx",
      transport: { type: "stdio" },
      packageArguments: [{ type: "positional", value: "mcp" }],
      environmentVariables: [
        {
          name: "LESSONLOOP_HOME",
          description: "A folder for the one store that is used, in place of the project's and yours",
        },
      ],
    },
    {
      registryType: "mcpb",
      identifier: `${REPOSITORY}/releases/download/v${VERSION}/${NAME}-${VERSION}.mcpb`,
      version: VERSION,
      fileSha256: bundleHash,
      transport: { type: "stdio" },
    },
  ],
});

/** The manifest of the MCP bundle. @param {{ name: string, description: string }[]} tools */
export const bundleManifest = (tools) => ({
  manifest_version: "0.4",
  name: NAME,
  display_name: "Lessonloop",
  version: VERSION,
  description: DESCRIPTION,
  long_description: read("www/local/README.md"),
  author: AUTHOR,
  repository: { type: "git", url: `${REPOSITORY}.git` },
  homepage: REPOSITORY,
  documentation: `${REPOSITORY}#readme`,
  support: `${REPOSITORY}/issues`,
  icon: "icon.png",
  server: {
    type: "node",
    entry_point: "local/bin/lessonloop.mjs",
    mcp_config: { command: "node", args: [`\${__dirname}/local/bin/lessonloop.mjs`, "mcp", "--personal"] },
  },
  tools,
  keywords: KEYWORDS,
  license: LICENSE,
  privacy_policies: [`${REPOSITORY}/blob/main/PRIVACY.md`],
  compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { node: ">=20.0.0" } },
});

/** Writes the files, or with `--check` only compares them. @param {boolean} isCheck @returns {string[]} those that differ */
export function write(isCheck) {
  const differ = [];
  for (const [path, text] of Object.entries(files())) {
    const at = join(ROOT, path);
    if (existsSync(at) && readFileSync(at).equals(Buffer.from(text))) continue;
    differ.push(path);
    if (isCheck) continue;
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  return differ;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isCheck = process.argv.includes("--check");
  const differ = write(isCheck);
  for (const path of differ) process.stdout.write(`${isCheck ? "differs" : "written"}: ${path}\n`);
  if (isCheck && differ.length > 0) {
    process.stderr.write("run `node plugins/write.mjs`, and commit what it writes\n");
    process.exitCode = 1;
  }
}
