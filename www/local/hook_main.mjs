// `lessonloop hook` without the table of the other commands: it is called at every prompt.
import { parseArgs } from "node:util";
import { hook } from "./commands/hook.mjs";

/**
 * @param {string} _name
 * @param {string[]} rest
 */
export function run(_name, rest) {
  // What an older or newer entry of a client's file says must not fail the client.
  const { values, positionals } = parseArgs({
    args: rest,
    strict: false,
    allowPositionals: true,
    options: { client: { type: "string" }, "max-tokens": { type: "string" }, "no-model": { type: "boolean" } },
  });
  return hook({ values, positionals });
}
