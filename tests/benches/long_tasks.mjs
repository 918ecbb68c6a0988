// Times for which the main thread of a page is held: tasks of 50 ms and more, as the browser tells of them.

/** Watches the pages that a context opens from here on. */
export const watch = (context) =>
  context.addInitScript(() => {
    // The task that this script begins in is the browser's: it takes the old page away and makes the new one.
    const made = performance.now();
    globalThis.__tasks = { page: [], making: [] };
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        globalThis.__tasks[startTime < made ? "making" : "page"].push(duration);
      }
    }).observe({ type: "longtask", buffered: true });
  });

/** The longest of these since the last call or since the page was loaded, in milliseconds; 0 when none took 50. */
const most = (page, whose) =>
  page.evaluate((whose) => Math.round(Math.max(0, ...globalThis.__tasks[whose].splice(0))), whose);

/** The longest task of the page. */
export const longest = (page) => most(page, "page");
/** The task in which the browser made the page. */
export const making = (page) => most(page, "making");
