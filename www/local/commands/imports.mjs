// `lessonloop imports`: what was imported into the store, each with its undo and redo.
import { hostOf } from "../host.mjs";
import { importsOf, turnImport } from "../imports.mjs";
import { typed } from "../invocation.mjs";
import { colour, counted, Failure, json, out, table, UsageError } from "../print.mjs";
import { failed } from "./ask.mjs";
import { onlyOf } from "./mcp.mjs";

/** @param {{ values: Record<string, any>, positionals: string[] }} given */
export async function imports({ values, positionals }) {
  const [which, act, ...more] = positionals;
  const host = hostOf({ only: onlyOf(values) });
  const store = host.main.path;
  const all = importsOf(store);
  if (which === undefined) return list(values, all);
  if (!["undo", "redo"].includes(act) || more.length > 0) {
    throw new UsageError(`say what to do with it: \`lessonloop imports ${which} undo\` or \`redo\``);
  }
  const at = all.findIndex((held, at) => which === String(at + 1) || which === held.id);
  const one = all[at];
  if (!one) {
    const there = all.length > 0 ? `there are 1 to ${all.length}` : "none is remembered";
    throw new UsageError(`no import is called ${which}: ${there}; \`lessonloop imports\` lists them`);
  }
  if (Boolean(one.undone) === (act === "undo")) {
    const [is, other] = one.undone ? ["is undone already", "redo"] : ["stands as it is", "undo"];
    throw new Failure(`import ${which} ${is}; \`lessonloop imports ${which} ${other}\` would turn that`);
  }
  try {
    const turned = await turnImport(store, one, async (request) => {
      const answer = await host.handle({ headers: {}, ...request });
      if (answer.status < 400) return answer.body;
      throw failed(answer.body?.error, answer.status);
    });
    if (values.json) return json(turned);
    out(told(turned));
    out(
      colour(
        "dim",
        `${act === "undo" ? "Redo" : "Undo"}: ${typed(`imports ${which} ${turned.undone ? "redo" : "undo"}`)}`,
      ),
    );
  } finally {
    await host.close();
  }
}

/** @param {import("../imports.mjs").Logged} one */
function told({ name, lessons, undone }) {
  if (!undone) return `Redone: ${counted(lessons.length, "lesson")} of ${name}`;
  const parts = [
    [undone.archived, "archived"],
    [undone.restored, "as before"],
    [undone.left, "changed since and stayed"],
  ];
  const said = parts.filter(([count]) => count).map(([count, what]) => `${count} ${what}`);
  return `Undone: ${name}: ${said.join(", ") || "nothing was left to take back"}`;
}

/**
 * @param {Record<string, any>} values
 * @param {import("../imports.mjs").Logged[]} all
 */
function list(values, all) {
  if (values.json) return json(all);
  if (all.length === 0) return out("Nothing was imported here yet.");
  table(
    ["number", "when", "lessons", "state", "what"],
    all.map(({ at, lessons, undone, name }, place) => [
      place + 1,
      new Date(at).toISOString().slice(0, 16).replace("T", " "),
      lessons.length,
      undone ? "undone" : "stands",
      name,
    ]),
  );
  out(colour("dim", `\nTake one back: ${typed("imports NUMBER undo")}; redo brings it back.`));
}
