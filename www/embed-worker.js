// A second engine that only embeds: the same module and model, nothing stored. The engine worker
// starts it while many lessons wait for their vectors, gives it texts, and ends it.

import { instantiate, isTrap } from "./worker/module.js";
import { readPack } from "./worker/pack.js";

let engine = null;

/** The vectors of the texts; those that the model refuses are named apart. */
function embed({ hashes, texts }) {
  try {
    return { hashes, vectors: engine.embed(texts), refused: [] };
  } catch (error) {
    if (isTrap(error)) throw error;
  }
  // One of them is refused: find out which.
  const [done, refused, parts] = [[], [], []];
  texts.forEach((text, at) => {
    try {
      parts.push(engine.embed([text]));
      done.push(hashes[at]);
    } catch (error) {
      if (isTrap(error)) throw error;
      refused.push(hashes[at]);
    }
  });
  const vectors = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    vectors.set(part, at);
    at += part.length;
  }
  return { hashes: done, vectors, refused };
}

async function open({ module, pack }) {
  const glue = await instantiate(module, 0);
  const opened = await glue.Engine.open({ store: { kind: "memory" } });
  const bytes = await readPack(pack);
  if (!bytes) throw new Error("the model pack is not in the cache");
  const id = await opened.load_model(bytes);
  engine = opened;
  self.postMessage({ type: "ready", id });
}

const fail = (error) => self.postMessage({ type: "failed", message: error?.message ?? String(error) });

self.addEventListener("message", ({ data }) => {
  if (data.type === "open") {
    open(data).catch(fail);
    return;
  }
  try {
    const { hashes, vectors, refused } = embed(data);
    self.postMessage({ type: "vectors", batch: data.batch, hashes, vectors, refused }, [vectors.buffer]);
  } catch (error) {
    fail(error);
  }
});
// A trap inside a future reaches no caller.
self.addEventListener("unhandledrejection", (event) => fail(event.reason));
