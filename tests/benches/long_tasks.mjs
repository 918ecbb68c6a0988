// How long the main thread of a page is held: tasks of 50 ms and more, as the browser tells of them.

/** Watches the pages that a context opens from here on. */
export const watch = (context) =>
  context.addInitScript(() => {
    globalThis.__tasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.__tasks.push(entry.duration);
    }).observe({ type: "longtask", buffered: true });
  });

/** The longest task of the main thread since the last call, in milliseconds; 0 when none took 50. */
export const longest = (page) =>
  page.evaluate(() => {
    const most = Math.max(0, ...globalThis.__tasks.splice(0));
    return Math.round(most);
  });
