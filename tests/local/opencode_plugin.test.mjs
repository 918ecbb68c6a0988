// OpenCode's plugin without OpenCode: lessons go with the message that they were given for, and never as a system prompt.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { plugin } from "../../www/local/clients/opencode_plugin.mjs";

/** A stand-in for `lessonloop hook prompt`: writes a lesson named after the prompt. */
const HOOK = `let text = "";
process.stdin.on("data", (piece) => (text += piece));
process.stdin.on("end", () => process.stdout.write("### lesson-of-" + JSON.parse(text).prompt));`;

const asked = (/** @type {string} */ id, text = id) => ({
  info: { id, role: "user", sessionID: "s" },
  parts: [{ type: "text", text }],
});

test("a lesson goes in with its message, again in later requests, and not into a summary", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lessonloop-plugin-"));
  writeFileSync(join(folder, "hook.mjs"), HOOK);
  writeFileSync(join(folder, "plugin.mjs"), plugin([process.execPath, join(folder, "hook.mjs")]));
  const { Lessonloop } = await import(pathToFileURL(join(folder, "plugin.mjs")).href);
  delete process.env.LESSONLOOP_OPENCODE;
  const hooks = await Lessonloop({ client: {}, directory: folder });
  assert.equal(hooks["experimental.chat.system.transform"], undefined);
  for (const id of ["m1", "m2"]) {
    await hooks["chat.message"]({ sessionID: "s" }, { message: { id }, parts: [{ type: "text", text: id }] });
  }
  /** @param {ReturnType<typeof asked>[]} messages */
  const sent = async (messages) => {
    await hooks["experimental.chat.messages.transform"]({}, { messages });
    return messages.map(({ parts }) => parts.map(({ text }) => text));
  };
  assert.deepEqual(await sent([asked("m1"), asked("m2")]), [
    ["m1", "### lesson-of-m1"],
    ["m2", "### lesson-of-m2"],
  ]);
  await hooks["experimental.session.compacting"]({ sessionID: "s" });
  assert.deepEqual(await sent([asked("m1"), asked("m2")]), [["m1"], ["m2"]]);
  // The first message is summed up by now.
  assert.deepEqual(await sent([asked("m2"), asked("m3")]), [
    ["m2", "### lesson-of-m2"],
    ["m3", "### lesson-of-m1"],
  ]);
  assert.deepEqual(await sent([]), []);
});
