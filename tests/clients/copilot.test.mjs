// The walk through Copilot CLI.
import driver from "./drivers/copilot.mjs";
import { walk } from "./walk.mjs";

walk(driver);
