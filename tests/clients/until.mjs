// Waiting for a condition, within a bound.
import assert from "node:assert/strict";

/**
 * Waits until `look` gives something; it is looked at every 50 ms.
 * @template T
 * @param {() => T | Promise<T>} look
 * @param {string | (() => string)} what
 * @param {number} [patience] milliseconds
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(look, what, patience = 30_000) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) assert.fail(`not within ${patience} ms: ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
