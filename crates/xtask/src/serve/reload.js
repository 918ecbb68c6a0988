// Laid into every page by `cargo xtask serve --watch`: loads the page anew when a build has ended.
const BUILDS = "/xtask/builds";

// A service worker of an earlier build would go on answering with that build's files.
for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();

let seen = null;
for (;;) {
  try {
    // Answered once there is another build than the one that was seen.
    const answer = await fetch(`${BUILDS}?seen=${seen ?? ""}`);
    const build = await answer.text();
    if (seen !== null && build !== seen) location.reload();
    seen = build;
  } catch {
    // The server is away for a moment, or for good.
    await new Promise((done) => setTimeout(done, 1000));
  }
}
