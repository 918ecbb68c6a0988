// A reporter for Node's test runner: what failed and why, to be told again after all suites. A long run's first lines are not at
// hand everywhere.

/** Characters of an error that are enough to know it by. */
const ENOUGH = 1500;

/** @param {AsyncIterable<import("node:test/reporters").TestEvent>} events */
export default async function* failures(events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.name === data.file) continue;
    const error = /** @type {any} */ (data.details.error);
    const why = error?.cause?.stack ?? error?.cause ?? error?.message ?? error;
    const text = String(why).slice(0, ENOUGH).replaceAll("\n", "\n    ");
    yield `  ${data.name}\n    ${data.file}:${data.line}, after ${Math.round(data.details.duration_ms)} ms\n    ${text}\n`;
  }
}
