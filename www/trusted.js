// Which scripts may be started beside those of the page: its own workers, by their names. Where Trusted Types are enforced,
// no other text becomes the address of a script, or a script, or markup. Pages and workers load it first.
{
  const STARTED = ["/engine-worker.js", "/embed-worker.js", "/sw.js", "/precache.js"];
  globalThis.trustedTypes?.createPolicy("default", {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.origin);
      if (origin === location.origin && STARTED.includes(pathname)) return address;
      throw new TypeError(`${address} is no script that is started here`);
    },
  });
}
