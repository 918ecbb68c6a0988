// The walk through OpenCode.
import driver from "./drivers/opencode.mjs";
import { walk } from "./walk.mjs";

walk(driver);
