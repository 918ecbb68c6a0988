// `lessonloop config`: the settings of a store, listed or changed.
import { join } from "node:path";
import { replaceFile } from "../files.mjs";
import { settingsOf } from "../hook.mjs";
import { hostOf } from "../host.mjs";
import { CONFIG } from "../places.cjs";
import { Failure, json, out, table, UsageError } from "../print.mjs";
import { promptsOf } from "../prompts.mjs";
import { choosePrompts } from "../store.mjs";
import { onlyOf } from "./mcp.mjs";

/**
 * The settings: their values, the first of which holds where nothing is set; what holds for prompts then depends on the store.
 * @type {Record<string, { values: string[], about: string }>}
 */
const SETTINGS = {
  moments: { values: ["on", "off"], about: "whether a failed command in an agent's shell asks for a lesson" },
  prompts: {
    values: ["words", "whole"],
    about: "what the ledger keeps of a prompt: a hash and the words that lessons have, or all of it",
  },
};

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export function config({ values, positionals }) {
  const [name, value, ...more] = positionals;
  const { main, places } = hostOf({ only: onlyOf(values) });
  if (name === undefined) return list(values, places);
  const setting = SETTINGS[name];
  if (!setting) throw new UsageError(`no setting is called ${name}: there is ${Object.keys(SETTINGS).join(", ")}`);
  if (value === undefined || more.length > 0 || !setting.values.includes(value)) {
    throw new UsageError(
      `${name} is ${setting.values.join(" or ")}: \`lessonloop config ${name} ${setting.values[0]}\``,
    );
  }
  if (name === "prompts") {
    // Not in the store: a repository would bring it.
    choosePrompts(main.path, value);
    if (values.json) return json({ store: main.path, name, value });
    return out(
      `${name}: ${value} (${main.kind} store, on this machine); an \`mcp\` or \`serve\` that runs takes it at its next start`,
    );
  }
  const path = join(main.path, CONFIG);
  try {
    replaceFile(path, `${JSON.stringify({ version: 1, ...settingsOf(main.path), [name]: value }, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new Failure(`${path} can't be written: ${/** @type {Error} */ (error).message}`);
  }
  if (values.json) json({ store: main.path, name, value });
  else out(`${name}: ${value} (${main.kind} store)`);
}

/**
 * @param {Record<string, any>} values
 * @param {import("../store.mjs").Places} places
 */
function list(values, places) {
  const rows = Object.entries(SETTINGS).map(
    ([
      name,
      {
        values: [usual = ""],
        about,
      },
    ]) => {
      if (name === "prompts") {
        const store = places.project ?? places.personal;
        const { kept, isChosen } = store ? promptsOf(store.path) : { kept: "whole", isChosen: false };
        return { name, value: kept, from: isChosen ? "this machine" : "default", about };
      }
      const from = [places.project, places.personal].find(
        (place) => place && settingsOf(place.path)[name] !== undefined,
      );
      return { name, value: from ? String(settingsOf(from.path)[name]) : usual, from: from?.kind ?? "default", about };
    },
  );
  if (values.json) return json(rows);
  table(
    ["name", "value", "set in", "about"],
    rows.map(({ name, value, from, about }) => [name, value, from, about]),
  );
}
