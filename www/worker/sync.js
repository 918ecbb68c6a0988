// When rounds of syncing are run: by one tab of all, which holds the Web Lock. What a round does is
// the engine's business; it does nothing without a link to a server.

const LOCK = "lessonloop-sync";
/** From a write to the round that sends it: several writes in a row go together. */
const SOON_MS = 300;
/** The longest wait without looking again; also keeps `setTimeout` from overflowing. */
const LONGEST_MS = 600_000;
/** Time between two looks at a round that is under way. */
const LOOK_MS = 500;
/** Time between two rounds while somebody looks at a page: what an agent does there is shown within three seconds. */
const WATCHED_MS = 2_000;
/** Time between two notices to the tab that syncs from a tab that is looked at. */
const STILL_MS = 10_000;
/** After a trap. Longer than the worker takes a trap to be one of a row, so that syncing that always fails leaves the rest usable. */
const AFTER_TRAP_MS = 10_000;

export class Sync {
  /**
   * `onStep` is told when a round may have changed something: whether the sync status did, as far
   * as could be seen; `askLeader` asks the tab that syncs for a round; `onError` hears what the
   * engine throws; `tellWatched` tells the tab that syncs that this one is looked at.
   */
  constructor({ onStep, askLeader, onError, tellWatched }) {
    this.onStep = onStep;
    this.askLeader = askLeader;
    this.onError = onError;
    this.tellWatched = tellWatched;
    this.engine = null;
    this.leads = false;
    /** The timer of the next round, and when it is. */
    this.timer = null;
    this.at = Infinity;
    /** The round under way: its engine, and its own timer. */
    this.round = null;
    this.again = false;
    /** The sync status at the last look, as JSON; empty before the first one. */
    this.status = "";
    this.linked = true;
    /** True if a server is linked and the last round went well. */
    this.idle = false;
    /** The timer of a page that is looked at; null where none is. */
    this.watching = null;
    /** Until when another tab is taken to be looked at. */
    this.watchedUntil = 0;
    void this.#lead();
    self.addEventListener("online", () => this.#plan(0));
  }

  /** Syncs with this engine from now on, at once or after a trap of the one before. */
  adopt(engine, afterTrap) {
    this.engine = engine;
    this.#plan(afterTrap ? AFTER_TRAP_MS : 0);
  }

  /** Lets go of an engine that can't be used any more; its round will never end. */
  abandon() {
    this.engine = null;
    clearInterval(this.round?.watch);
    this.round = null;
    this.again = false;
    this.#stopTimer();
  }

  /** Something was written, here or in another tab. */
  written() {
    if (this.linked) this.#plan(SOON_MS);
  }

  /** The page of this tab is looked at, or not any more. */
  watch(isWatched) {
    clearInterval(this.watching);
    this.watching = null;
    if (!isWatched) return;
    this.watching = setInterval(() => this.#tellWatched(), STILL_MS);
    this.#tellWatched();
  }

  #tellWatched() {
    if (!this.leads) this.tellWatched();
    else if (this.idle) this.#plan(0);
  }

  /** The page of another tab is looked at. */
  watchedByTab() {
    this.watchedUntil = Date.now() + 2 * STILL_MS;
    if (this.idle) this.#plan(0);
  }

  /** A person did something about syncing in this tab. */
  asked() {
    if (this.leads) this.#plan(0);
    else this.askLeader();
  }

  /** Another tab asked for a round, whatever the server said before: that tab's engine is not the one that syncs. */
  async askedByTab() {
    try {
      await this.engine?.handle({ method: "POST", path: "/v1/sync/now" });
    } catch (error) {
      this.onError(error);
    }
    this.#plan(0);
  }

  async #lead() {
    const begin = () => {
      this.leads = true;
      this.#plan(0);
    };
    try {
      await navigator.locks.request(LOCK, () => {
        begin();
        // Held until the tab closes.
        return new Promise(() => undefined);
      });
    } catch {
      // There are none, or they are refused: each tab syncs then, and the store keeps two at once apart.
      begin();
    }
  }

  #stopTimer() {
    clearTimeout(this.timer);
    this.timer = null;
    this.at = Infinity;
  }

  #plan(delay) {
    if (!this.leads || !this.engine) return;
    if (this.round) {
      this.again = true;
      return;
    }
    const wait = Math.min(delay, LONGEST_MS);
    if (Date.now() + wait >= this.at) return;
    this.#stopTimer();
    this.at = Date.now() + wait;
    this.timer = setTimeout(() => {
      this.#stopTimer();
      void this.#run();
    }, wait);
  }

  async #run() {
    const { engine } = this;
    if (!engine || this.round) return;
    // A trap does not end the round: `abandon` does.
    const round = { watch: setInterval(() => void this.#look(engine), LOOK_MS) };
    this.round = round;
    this.again = false;
    let next = null;
    try {
      // The status as the page has seen it before the first round.
      if (!this.status) await this.#differs(engine);
      const { next_at } = await engine.sync_round();
      next = next_at;
    } catch (error) {
      next = Date.now() + LONGEST_MS;
      this.onError(error);
    }
    clearInterval(round.watch);
    // The engine may have failed meanwhile.
    if (this.round !== round) return;
    this.round = null;
    await this.#look(engine);
    if (this.again) this.#plan(SOON_MS);
    else if (next !== null) {
      const now = Date.now();
      // A server that fails is left alone for as long as the engine says.
      const isWatched = this.idle && (this.watching !== null || now < this.watchedUntil);
      this.#plan(Math.max(Math.min(next - now, isWatched ? WATCHED_MS : LONGEST_MS), SOON_MS));
    }
  }

  /** Tells when something changed since the last look. */
  async #look(engine) {
    try {
      const differs = await this.#differs(engine);
      if (engine === this.engine) this.onStep(differs);
    } catch (error) {
      this.onError(error);
    }
  }

  /** True if the sync status is another one than at the last look. */
  async #differs(engine) {
    const { body } = await engine.handle({ method: "GET", path: "/v1/sync" });
    const status = JSON.stringify(body);
    const differs = status !== this.status;
    this.status = status;
    this.linked = body.phase !== "off";
    this.idle = body.phase === "idle";
    return differs;
  }
}
