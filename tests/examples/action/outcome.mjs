// Posts the outcome of a job to Lessonloop. What can't be said is a warning and not a failure: the job's result is its own.
import { execFileSync } from "node:child_process";

const {
  LESSONLOOP_URL: url,
  LESSONLOOP_KEY: key,
  LESSONLOOP_DECISION: named,
  LESSONLOOP_OUTCOME: outcome,
} = process.env;

/** @param {string} text */
const warn = (text) => process.stdout.write(`::warning title=Lessonloop::${text.replaceAll("\n", " ")}\n`);

/** The decision that the last commit is of. */
function ofCommit() {
  const format = "--format=%(trailers:key=Lessonloop-Decision,valueonly)";
  try {
    return execFileSync("git", ["log", "-1", format], { encoding: "utf8" }).trim().split("\n")[0];
  } catch {
    return "";
  }
}

const decision = named || ofCommit();
if (!url || !key) warn("url and key are needed: give both as inputs");
else if (!decision)
  process.stdout.write("The commit names no decision (trailer Lessonloop-Decision): nothing to say.\n");
else if (outcome !== "success" && outcome !== "failure") {
  process.stdout.write(
    `The job is ${outcome || "without an outcome"}, which is neither success nor failure: nothing to say.\n`,
  );
} else {
  try {
    const answer = await fetch(new URL("/v1/outcome", url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        // A job that is run again for the same commit says it once.
        "idempotency-key": `${decision}-${process.env.GITHUB_RUN_ID ?? "run"}-${outcome}`.slice(0, 200),
      },
      body: JSON.stringify({ decision_id: decision, outcome }),
      signal: AbortSignal.timeout(30_000),
    });
    const said = await answer.text();
    if (answer.ok) process.stdout.write(`${decision}: ${outcome}\n`);
    else warn(`${decision}: ${answer.status} ${said.slice(0, 300)}`);
  } catch (error) {
    warn(`${decision}: ${/** @type {Error} */ (error).message}`);
  }
}
