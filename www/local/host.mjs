// One engine over the stores of a folder, for as long as a process lives: opened when first asked, its model loaded
// beside, opened anew after a trap.
import { isTrap, load, loadModel, open, readPack } from "./engine.mjs";
import { log } from "./log.mjs";
import { chosen, offered } from "./models.mjs";
import { Failure } from "./print.mjs";
import { findStores, makeStore, personalPath } from "./store.mjs";

/** Traps in a row after which it stays down: the store or the module is at fault then. */
const MAX_RESTARTS = 3;

/** Progress of a download is told after so many bytes. */
const TELL_BYTES = 500_000;

/** Requests that find out which lessons were a cause of an outcome, which takes the model. */
const JUDGING = new Set(["/v1/feedback", "/v1/sessions"]);

/** True if a message calls a tool that does. @param {string} message */
export const isJudging = (message) => /"playbook_(?:feedback|record_session)"/.test(message);

export class Host {
  /**
   * @param {{ places: import("./store.mjs").Places, model?: boolean, indexing?: boolean }} options `model`: whether it is
   * loaded; `indexing`: whether lessons get their vectors here
   */
  constructor({ places, model = false, indexing = true }) {
    this.places = places;
    this.indexing = indexing;
    this.wantsModel = model;
    this.modelState = /** @type {any} */ ({ phase: "absent" });
    this.restarts = 0;
    /** @type {Promise<Local> | null} */
    this.opening = null;
    /** The model on its way. @type {Promise<void> | null} */
    this.loading = null;
    this.isChoosing = false;
  }

  /** The store that new things go to. */
  get main() {
    const place = this.places.project ?? this.places.personal;
    if (!place) throw new Failure("there is no store here: run `lessonloop init`");
    return place;
  }

  get log() {
    return this.places.project?.path ?? this.places.personal?.path;
  }

  /** The open engine. */
  local() {
    this.opening ??= open(this.places, { indexing: this.indexing }).then((local) => {
      if (this.wantsModel) void this.loadModel(local);
      return local;
    });
    this.opening.catch(() => (this.opening = null));
    return this.opening;
  }

  /**
   * Loads the model, once, and resolves when it is there or could not be loaded; ranking by words goes on without it.
   * @param {Local} [opened]
   * @returns {Promise<void>}
   */
  async loadModel(opened) {
    this.wantsModel = true;
    if (["absent", "failed"].includes(this.modelState.phase)) {
      this.modelState = { phase: "loading" };
      this.loading = this.#loadModel(opened);
    }
    await this.loading;
  }

  /** The models that can be chosen here, and the one that is. */
  models() {
    return { offered: offered(), chosen: chosen().name };
  }

  /**
   * Takes another model for this person's machine, got first where it is not here, and loads it in place of the one that is loaded,
   * which serves until then. What goes wrong is told by `modelState`.
   * @param {import("./models.mjs").ModelName} name
   * @param {() => void} tell called as it goes on
   */
  async chooseModel(name, tell) {
    if (this.isChoosing) return;
    this.isChoosing = true;
    try {
      await this.loading;
      // Only whoever chooses needs what fetches.
      const { chooseEnglish, chooseMultilingual } = await import("./model_pack.mjs");
      if (name === "english") chooseEnglish();
      else {
        await chooseMultilingual({
          url: process.env.LESSONLOOP_MODEL_URL,
          tell: (loaded, total) => {
            const { phase, loaded: before } = this.modelState;
            if (phase === "downloading" && loaded - before < TELL_BYTES) return;
            this.modelState = { phase: "downloading", loaded, total };
            tell();
          },
        });
      }
      this.modelState = { phase: "absent" };
      await this.loadModel();
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      this.modelState = { phase: "failed", message };
      log(this.log, `the model could not be chosen: ${message}`);
    } finally {
      this.isChoosing = false;
    }
  }

  /** @param {Local} [opened] */
  async #loadModel(opened) {
    try {
      const reading = readPack();
      reading.catch(() => undefined);
      const local = opened ?? (await this.local());
      this.modelState = { phase: "ready", id: await loadModel(local, reading) };
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      this.modelState = { phase: "failed", message };
      log(this.log, `the model could not be loaded: ${message}`);
    }
  }

  /**
   * Works with the engine; after a trap the next call gets a fresh one.
   * @template T
   * @param {(local: Local) => Promise<T>} work
   */
  async use(work) {
    const opening = this.local();
    try {
      const done = await work(await opening);
      this.restarts = 0;
      return done;
    } catch (error) {
      if (isTrap(error) && this.opening === opening) {
        log(this.log, `the engine failed: ${/** @type {Error} */ (error).stack}`);
        this.restarts += 1;
        if (this.restarts <= MAX_RESTARTS) {
          this.opening = null;
          this.modelState = { phase: "absent" };
        }
      }
      throw error;
    }
  }

  /** @param {EngineRequest} request */
  async handle(request) {
    await this.#judging(request);
    return this.use((local) => local.handle(request));
  }

  /**
   * The same with the answer's body as a text of JSON, to be sent on.
   * @param {EngineRequest} request
   */
  async handleText(request) {
    await this.#judging(request);
    return this.use((local) => local.handle_text(request));
  }

  /**
   * Loads the model for what is judged by it.
   * @param {EngineRequest} request
   */
  async #judging({ path, body }) {
    if (this.wantsModel && (JUDGING.has(path) || (path === "/mcp" && isJudging(JSON.stringify(body) ?? "")))) {
      await this.loadModel();
    }
  }

  /** Stores what waits to be stored. `keep`: and the fold, so that the next process reads it at once. */
  async close({ keep = false } = {}) {
    if (!this.opening) return;
    const local = await this.opening.catch(() => null);
    await local?.flush();
    if (keep) await local?.keep_fold();
  }
}

/**
 * The host of a folder's stores. With `create`, the person's own store is made where there is none at all.
 * @param {{ from?: string, only?: "project" | "personal", create?: boolean, model?: boolean, passes?: boolean }} [options]
 * `passes`: whether a project's store that is not trusted is passed over; else it is an error, since what was meant for it
 * would be read from, or go to, another store
 */
export function hostOf({ from = process.cwd(), only, create = false, model = false, passes = false } = {}) {
  let places = findStores(from, only);
  if (places.untrusted && !passes && only !== "personal") throw new Failure(notTrusted(places.untrusted.path));
  if (create && !places.project && !places.personal) {
    makeStore(personalPath());
    places = findStores(from, only);
  }
  return new Host({ places, model });
}

/** Returns the message about a store that came with a repository, wherever something asks for it. @param {string} path */
export const notTrusted = (path) =>
  `${path} came with its repository, and you have not said that you trust it: look at it with \`lessonloop serve --open\`, then \`lessonloop trust\`; --personal asks your own store`;

export { load };
