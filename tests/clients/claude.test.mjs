// The walk through Claude Code.
import driver from "./drivers/claude.mjs";
import { walk } from "./walk.mjs";

walk(driver);
