// Saves the games that people play at every ply, one request after another.
import { PERSON } from "./session.js";

export class Autosave {
  #queue = Promise.resolve();

  // onSaved(id) gets the id of the saved game.
  constructor(source, session, onSaved) {
    if (!source.can.save) return;
    session.addEventListener("change", (event) => {
      if (["move", "seats"].includes(event.detail) && session.plies > 0 && session.seats.includes(PERSON)) {
        const line = [...session.line];
        this.#queue = this.#queue.then(() => this.#put(source, session, line, onSaved)).catch(() => {});
      }
    });
  }

  async #put(source, session, line, onSaved) {
    if (line[0] !== session.line[0]) return; // another game has begun
    if (!session.id) {
      session.id = (await source.createGame(session.game.game, line[0].view.at, session.seats)).id;
      onSaved(session.id);
    }
    const actions = line.slice(1).map((step) => step.action);
    await source.saveGame(session.id, { actions, resigned: session.resigned, seats: session.seats });
  }
}
