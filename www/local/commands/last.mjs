// `lessonloop last`: what was given, used and learned in the session that ended last.
import { hooksPlace } from "../spool.cjs";
import { Hooks } from "../hook.mjs";
import { hostOf } from "../host.mjs";
import { typed } from "../invocation.mjs";
import { lastReceipt } from "../record.mjs";
import { colour, Failure, json, note, out, plain } from "../print.mjs";
import { onlyOf } from "./mcp.mjs";

/** The longest wait for another process that records. */
const PATIENCE_MS = 5_000;

/** @param {{ values: Record<string, any> }} given */
export async function last({ values }) {
  const host = hostOf({ only: onlyOf(values) });
  if (!host.places.project && !host.places.personal) {
    throw new Failure("there is no store here yet: run `lessonloop init`");
  }
  // A session may have ended while nobody had the store open, or is being recorded.
  await new Hooks(host).drain(PATIENCE_MS);
  await host.close();
  const receipt = lastReceipt(hooksPlace(host.main.path));
  if (values.json) return json(receipt);
  if (!receipt) return out("No session has ended here since hooks were set up.");
  out(`${colour("bold", `${receipt.client}, ${receipt.ended_at}`)}  ${colour("dim", plain(receipt.session))}`);
  for (const [name, lines] of /** @type {[string, string[]][]} */ ([
    ["given", receipt.given],
    ["used", receipt.used],
    ["learned", receipt.learned.map(({ slug, text }) => `${slug}: ${text}`)],
  ])) {
    out(`${colour("cyan", name)}: ${lines.length === 0 ? "nothing" : ""}`.trimEnd());
    for (const line of lines) out(`  ${plain(line)}`);
  }
  if (receipt.outcome) out(`${colour("cyan", "outcome")}: ${receipt.outcome}`);
  else if (receipt.suggested) {
    out(`${colour("cyan", "outcome")}: none was told; its tests or its commit suggest ${receipt.suggested}`);
    note(`\nTo confirm it: ${typed(`outcome ${receipt.session} confirm`)}`);
  } else out(`${colour("cyan", "outcome")}: none was told`);
}
