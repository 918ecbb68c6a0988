// The walk through Gemini CLI.
import driver from "./drivers/gemini.mjs";
import { walk } from "./walk.mjs";

walk(driver);
