// The walk through Codex, and its plugin.
import driver from "./drivers/codex.mjs";
import { taken } from "./plugin.mjs";
import { walk } from "./walk.mjs";

walk(driver);
taken(
  driver,
  [
    ["plugin", "marketplace", "add", "ROOT"],
    ["plugin", "add", "lessonloop@lessonloop"],
    ["mcp", "list"],
  ],
  /^lessonloop\s+npx\s/m,
);
