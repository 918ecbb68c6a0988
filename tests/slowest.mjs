// A reporter for Node's test runner: the ten tests that took longest, for those who wait for them.

const SHOWN = 10;

/** @param {AsyncIterable<import("node:test/reporters").TestEvent>} events */
export default async function* slowest(events) {
  /** @type {{ name: string, ms: number }[]} */
  const tests = [];
  for await (const { type, data } of events) {
    // A file is a test, too, as long as all of its own.
    if ((type === "test:pass" || type === "test:fail") && data.nesting === 0 && data.name !== data.file) {
      tests.push({ name: data.name, ms: data.details.duration_ms });
    }
    // Told once all have run; with --test-force-exit the events have no end.
    if (type === "test:diagnostic" && data.message.startsWith("tests ")) {
      tests.sort((one, other) => other.ms - one.ms);
      const lines = tests.slice(0, SHOWN).map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}\n`);
      yield `\nThe slowest of ${tests.length} tests:\n${lines.join("")}`;
    }
  }
}
