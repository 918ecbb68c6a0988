// Holds what gives lessons their vectors, so that a test does not depend on how quick the machine is or how many cores it
// has: the engine's own slices, and the batches of the workers beside it.

const engineWorker = (page) => page.workers().find((worker) => worker.url().endsWith("/engine-worker.js"));

/** Has the engine's worker see `cores` cores. The engine embeds nothing after its first slice while `slices` is held, and
 * no worker beside it gets a batch while `batches` is. */
export async function hold(page, { cores, slices = false, batches = false }) {
  await engineWorker(page).evaluate(
    ({ cores, slices, batches }) => {
      Object.defineProperty(navigator, "hardwareConcurrency", { value: cores, configurable: true });
      const held = [];
      const gate = { slices, batches };
      // Between two slices the engine lets others run, by a timer of no time.
      const timer = self.setTimeout.bind(self);
      /** @type {any} */ (self).setTimeout = (act, ms, ...more) => {
        if (!gate.slices || ms !== 0) return timer(act, ms, ...more);
        held.push(() => timer(act, 0, ...more));
        return 0;
      };
      const Plain = self.Worker;
      self.Worker = class extends Plain {
        postMessage(message, ...more) {
          if (gate.batches && message.type === "embed") held.push(() => super.postMessage(message, ...more));
          else super.postMessage(message, ...more);
        }
      };
      self.releaseHeld = () => {
        gate.slices = gate.batches = false;
        for (const act of held.splice(0)) act();
      };
    },
    { cores, slices, batches },
  );
}

/** Lets go of all that is held. */
export const release = (page) => engineWorker(page).evaluate(() => self.releaseHeld());

/** Notes the workers that embed beside the engine: how many were started, and how many are there no more. */
export function watchEmbeddingWorkers(page) {
  const embeddingWorkers = { started: 0, gone: 0 };
  page.on("worker", (worker) => {
    if (!worker.url().endsWith("/embed-worker.js")) return;
    embeddingWorkers.started += 1;
    worker.once("close", () => (embeddingWorkers.gone += 1));
  });
  return embeddingWorkers;
}
