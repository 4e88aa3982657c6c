// Saves the games that people play at every ply, one request after another; a game that another page continues is taken over.
import { follow } from "./ask.js";
import { PERSON } from "./session.js";

export class Autosave {
  #queue = Promise.resolve();

  // onSaved(id) gets the id of a game that is saved for the first time, onTaken(saved) a game that another page continued.
  constructor(source, session, { onSaved, onTaken, signal }) {
    if (!source.can.save) return;
    Object.assign(this, { source, session, onSaved, onTaken, signal });
    session.addEventListener("change", (event) => this.#changed(event.detail));
    signal.addEventListener("abort", () => this.following?.abort());
  }

  #changed(what) {
    const { session } = this;
    if (what === "begin") {
      this.since = undefined;
      this.#follow();
    }
    if (!["move", "seats"].includes(what) || !session.plies || !session.seats.includes(PERSON)) return;
    const line = [...session.line];
    this.#queue = this.#queue.then(() => this.#put(line)).catch(() => {}); // the next ply saves this one, too
  }

  async #put(line) {
    const { source, session } = this;
    if (line[0] !== session.line[0]) return; // another game has begun
    if (!session.id) {
      const { id, changed } = await source.createGame(session.game.game, line[0].view.at, session.seats);
      session.id = id;
      this.since = changed;
      this.#follow();
      this.onSaved(id);
    }
    const actions = line.slice(1).map((step) => step.action);
    try {
      ({ changed: this.since } = await source.saveGame(session.id, { actions, resigned: session.resigned, seats: session.seats, since: this.since }));
    } catch (error) {
      if (error.status !== 409) throw error;
      await this.#take(await source.savedGame(session.id));
    }
  }

  // Follows the saved game, if the source reports changes.
  #follow() {
    const { source, session } = this;
    this.following?.abort();
    if (!session.id || !source.can.follow || this.signal.aborted) return;
    this.following = new AbortController();
    follow(`saved-games/${session.id}/stream`, (saved) => {
      this.#queue = this.#queue.then(() => this.#take(saved)).catch(() => {});
    }, { signal: this.following.signal });
  }

  // Takes over what another page has saved.
  async #take(saved) {
    const { session } = this;
    if (saved.id !== session.id || saved.changed <= (this.since ?? 0)) return;
    this.since = saved.changed;
    const isSame = String(saved.actions) === String(session.actions) && saved.resigned === session.resigned && String(saved.seats) === String(session.seats);
    if (!isSame) await this.onTaken(saved);
  }
}
