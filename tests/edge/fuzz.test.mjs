// Requests made from the OpenAPI document, by schemathesis: right ones, wrong ones, and series of them. No 5xx, every
// answer as the document says, what it allows taken, and what it does not refused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { env } from "../stack/stack.mjs";
import { agent, edge, space } from "./edge.mjs";

test("no request that the document allows, or forbids, makes the edge fail", { timeout: 600_000 }, async () => {
  const it = await edge();
  const home = await space();
  const { key } = await home.agent("fuzzer");
  const folder = mkdtempSync(join(tmpdir(), "lessonloop-fuzz-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const document = join(folder, "openapi.json");
  writeFileSync(document, JSON.stringify(await agent(it, key).get("/openapi.json")));
  // Refused is refused: a key that was used for another request, and an address that is too long for the platform and never
  // reaches the edge.
  const statuses = ["400", "401", "403", "404", "406", "409", "413", "414", "422", "428", "431"];
  writeFileSync(
    join(folder, "schemathesis.toml"),
    `[checks.negative_data_rejection]\nexpected-statuses = ${JSON.stringify(statuses)}\n`,
  );
  const program = join(dirname(env("LESSONLOOP_FUZZER")), "schemathesis");
  const words = ["run", document, "--url", it.url, "--header", `Authorization: Bearer ${key}`, "--checks", "all"];
  // Faults that only the ledger can tell are refused: a cursor of nothing, a cause that is no lesson, a policy of no such name.
  words.push("--exclude-checks", "positive_data_acceptance");
  // Always the same requests: a failure can be run again.
  words.push("--seed", "1", "--max-examples", "40", "--phases", "examples,coverage,fuzzing,stateful", "--no-color");
  words.push("--suppress-health-check", "all", "--request-timeout", "20");
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, HYPOTHESIS_STORAGE_DIRECTORY: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const code = await new Promise((done) => child.once("close", done));
  assert.equal(code, 0, said.replace(/(.{300}).{300,}/g, "$1 …").slice(-12_000));
  const cases = Number(said.match(/([\d,]+) (?:test cases )?generated/)?.[1].replaceAll(",", "") ?? 0);
  assert.ok(cases >= 500, `${cases} requests were made:\n${said.slice(-3_000)}`);
});
