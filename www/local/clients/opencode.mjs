// OpenCode: its server, and a plugin in place of hooks.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configHome, NAME } from "./entry.mjs";
import { get, remove, set } from "./jsonc.mjs";
import { plugin } from "./opencode_plugin.mjs";

/** @type {import("./entry.mjs").Client} */
export const opencode = {
  title: "OpenCode",
  program: "opencode",
  edits(setting) {
    const folder = setting.project ?? join(configHome(), "opencode");
    const commented = join(folder, "opencode.jsonc");
    const plugins = setting.project ? join(folder, ".opencode", "plugins") : join(folder, "plugins");
    const entry = { type: "local", command: [...setting.program, "mcp"] };
    return [
      {
        path: existsSync(commented) ? commented : join(folder, "opencode.json"),
        about: "the MCP server",
        empty: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
        edit(text) {
          if (setting.remove) return remove(remove(text, ["mcp", "servers", NAME]), ["mcp", NAME]);
          // Version 1 has the servers right under `mcp`; such a file stays one.
          return isFirst(text)
            ? set(text, ["mcp", NAME], entry)
            : set(remove(text, ["mcp", NAME]), ["mcp", "servers", NAME], entry);
        },
      },
      {
        path: join(plugins, `${NAME}.js`),
        about: "the plugin, in a file of its own",
        empty: "",
        whole: true,
        edit: () => (setting.remove ? "" : plugin(setting.program)),
      },
    ];
  },
  asks: () => ["It asks nothing: restart OpenCode, `opencode mcp list` shows the server."],
};

/** True if the file has servers of others in the shape of version 1. @param {string} text */
function isFirst(text) {
  const there = get(text, ["mcp"]);
  return (
    typeof there === "object" &&
    there !== null &&
    Object.entries(there).some(
      ([name, value]) => name !== "servers" && name !== NAME && typeof value?.type === "string",
    )
  );
}
