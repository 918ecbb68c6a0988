// The walk through Claude Code, and its plugin.
import driver from "./drivers/claude.mjs";
import { plugin } from "./plugin.mjs";
import { walk } from "./walk.mjs";

walk(driver);
plugin(driver, {
  validate: [
    ["plugin", "validate", "ROOT"],
    ["plugin", "validate", "ROOT/plugins/claude"],
  ],
  install: [
    ["plugin", "marketplace", "add", "ROOT"],
    ["plugin", "install", "lessonloop@lessonloop"],
  ],
  headless: (prompt) => ["-p", prompt, "--allowedTools", "Bash,mcp__plugin_lessonloop_lessonloop"],
});
