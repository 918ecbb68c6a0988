// The bench's browser and its pages, each in a fresh profile.
export { launch } from "../../browser/chromium.mjs";

/**
 * Opens a page with cold caches and calls `use` once `global` is there. What the page reports as
 * an error fails the bench.
 */
export async function withPage(browser, url, global, use) {
  const context = await browser.newContext();
  const faults = [];
  try {
    const page = await context.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(url);
    await page.waitForFunction((global) => global in window, global);
    const result = await use(page);
    if (faults.length > 0) throw new Error("the page reports errors");
    return result;
  } catch (cause) {
    throw new Error([`${url}: ${cause.message}`, ...faults].join("\n"), { cause });
  } finally {
    await context.close();
  }
}
