// `lessonloop trust`: says that a project's store, which came with its repository, may be read, or takes that back.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { typed } from "../invocation.mjs";
import { counted, Failure, json, out } from "../print.mjs";
import { distrust, findProject, isTrusted, personalPath, trust as trusts } from "../store.mjs";

/** @param {{ values: Record<string, any> }} given */
export function trust({ values }) {
  const store = findProject(process.cwd());
  if (!store || store === personalPath()) {
    throw new Failure("there is no project's store here, and your own needs no trust: `lessonloop init` makes one");
  }
  const before = isTrusted(store);
  if (values.remove) distrust(store);
  else if (!before) trusts(store);
  const now = isTrusted(store);
  if (values.json) return json({ store, trusted: now, before });
  if (values.remove) {
    out(before ? `No longer trusted: ${store}` : `It was not trusted: ${store}`);
    if (now) out(`It is the store of another working tree, which is trusted: do the same in ${dirname(store)}`);
    return;
  }
  if (before) return out(`It is trusted already: ${store}`);
  out(`Trusted: ${store} (${writersOf(store)})`);
  out(
    `Agents get its lessons from now on. What waits for a person: ${typed("review")}   To look at all: ${typed("serve --open")}`,
  );
}

/** Counts those who have written to a store. @param {string} store */
function writersOf(store) {
  try {
    return counted(readdirSync(join(store, "ledger")).filter((name) => name.endsWith(".jsonl")).length, "writer");
  } catch {
    return counted(0, "writer");
  }
}
