// The walk through Codex.
import driver from "./drivers/codex.mjs";
import { walk } from "./walk.mjs";

walk(driver);
