// Workers that embed texts beside the engine while many lessons wait for their vectors.
//
// Each gets a few small batches at a time. A batch that does not come back is given back to the
// engine; with no worker left, the engine goes on alone.

/** Fewer waiting lessons than this are not worth loading the model once more. */
const WORTH = 300;
/** The most workers: each holds the model in its memory. */
const MOST = 3;
/** The most texts in a batch. */
const BATCH = 32;
/** Batches that a worker has at a time: the next one is there when it is done with the first. */
const AHEAD = 2;
/** Workers that failed and are replaced. */
const REPLACEMENTS = 2;
/** A worker that needs longer than this for a batch is taken for dead. */
const PATIENCE_MS = 60_000;

const cores = () => Math.max(0, Math.min((navigator.hardwareConcurrency ?? 1) - 1, MOST));

export class EmbeddingWorkers {
  /**
   * `engine` gives texts and takes vectors, `model` is its model's id, `module` the compiled module,
   * `pack` the address of the model pack in the cache; `onTaken` is told of vectors, and
   * `onError` of what the engine throws.
   */
  constructor({ engine, model, module, pack, onTaken, onError }) {
    this.engine = engine;
    this.model = model;
    this.module = module;
    this.pack = pack;
    this.onTaken = onTaken;
    this.onError = onError;
    this.members = new Set();
    this.replacements = 0;
    this.batches = 0;
  }

  /** Starts workers when enough lessons wait, and gives work to those there are. */
  consider() {
    const { done, total, elsewhere } = this.engine.indexing();
    if (this.members.size === 0 && this.replacements <= REPLACEMENTS && total - done - elsewhere > WORTH) {
      for (let at = 0; at < cores(); at += 1) this.#hire();
    }
    this.#feed();
  }

  /** Ends all workers; what they have goes back to the engine. */
  end() {
    for (const member of [...this.members]) this.#dismiss(member, false);
  }

  /** Ends all workers of an engine that is gone. */
  abandon() {
    this.engine = null;
    this.end();
  }

  #hire() {
    // Older browsers have no workers in workers: the engine is alone then.
    if (typeof Worker === "undefined") return;
    let worker;
    try {
      worker = new Worker("/embed-worker.js", { type: "module" });
    } catch {
      return;
    }
    const member = { worker, ready: false, batches: new Map() };
    worker.onmessage = ({ data }) => this.#hear(member, data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#replace(member);
    };
    this.members.add(member);
    worker.postMessage({ type: "open", module: this.module, pack: this.pack });
  }

  #hear(member, data) {
    if (!this.members.has(member)) return;
    if (data.type === "ready" && data.id === this.model) {
      member.ready = true;
      this.#feed();
    } else if (data.type === "vectors") {
      void this.#take(member, data);
    } else {
      this.#replace(member);
    }
  }

  async #take(member, { batch, hashes, vectors, refused }) {
    clearTimeout(member.batches.get(batch)?.timer);
    member.batches.delete(batch);
    try {
      // Before the vectors are stored, so that the worker has something to do meanwhile.
      if (refused.length > 0) this.engine.release(refused, true);
      const taken = this.engine.take_vectors(this.model, hashes, vectors);
      this.#feed();
      await taken;
      this.onTaken();
    } catch (error) {
      this.onError(error);
    }
  }

  #feed() {
    try {
      for (const member of this.members) {
        while (member.ready && member.batches.size < AHEAD && this.#give(member));
      }
      // Nothing waits any more: what they hold is memory.
      const idle = [...this.members].every((member) => member.ready && member.batches.size === 0);
      if (this.members.size > 0 && idle) {
        this.end();
        this.replacements = 0;
      }
    } catch (error) {
      this.onError(error);
    }
  }

  /** Gives the worker a batch; whether there was one. */
  #give(member) {
    const { done, total, elsewhere } = this.engine.indexing();
    // Towards the end in smaller ones, so that all are done at the same time.
    const share = Math.ceil((total - done - elsewhere) / (AHEAD * (this.members.size + 1)));
    const wanted = this.engine.texts_to_index(Math.min(BATCH, share));
    if (wanted.length === 0) return false;
    const hashes = wanted.map(({ hash }) => hash);
    const batch = (this.batches += 1);
    const timer = setTimeout(() => this.#replace(member), PATIENCE_MS);
    member.batches.set(batch, { hashes, timer });
    member.worker.postMessage({ type: "embed", batch, hashes, texts: wanted.map(({ text }) => text) });
    return true;
  }

  #replace(member) {
    if (!this.members.has(member)) return;
    this.#dismiss(member, true);
    this.replacements += 1;
    if (this.replacements <= REPLACEMENTS) this.#hire();
    this.#feed();
  }

  #dismiss(member, failed) {
    this.members.delete(member);
    member.worker.terminate();
    const held = [...member.batches.values()];
    for (const { timer } of held) clearTimeout(timer);
    try {
      for (const { hashes } of held) this.engine?.release(hashes, failed);
    } catch (error) {
      this.onError(error);
    }
  }
}
