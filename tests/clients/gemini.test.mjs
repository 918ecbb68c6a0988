// The walk through Gemini CLI, and its extension.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import driver from "./drivers/gemini.mjs";
import { taken } from "./plugin.mjs";
import { walk } from "./walk.mjs";

walk(driver);
taken(
  driver,
  [
    ["extensions", "validate", "ROOT/plugins/gemini"],
    ["extensions", "install", "ROOT/plugins/gemini", "--consent"],
    ["extensions", "list"],
  ],
  /lessonloop/,
  (home, root) => {
    mkdirSync(join(home, ".gemini"), { recursive: true });
    const trusted = { [join(root, "plugins/gemini")]: "TRUST_FOLDER" };
    writeFileSync(join(home, ".gemini/trustedFolders.json"), JSON.stringify(trusted));
  },
);
