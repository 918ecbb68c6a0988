// Stands in for sw.js under `cargo xtask serve --watch`: takes the place of one that an earlier `serve` left in this
// browser, gives its pages back to the network, and goes.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  const leave = async () => {
    const pages = await self.clients.matchAll({ type: "window" });
    await self.registration.unregister();
    for (const page of pages) await page.navigate(page.url);
  };
  event.waitUntil(leave());
});
