// Games that people play are kept at every ply, one write after another.
import { PERSON } from "./sitting.js";

export class Keeping {
  #queue = Promise.resolve();

  // named(id) hears under which id the game is kept.
  constructor(source, sitting, named) {
    if (!source.can.keep) return;
    sitting.addEventListener("change", (event) => {
      if (["move", "seats"].includes(event.detail) && sitting.plies > 0 && sitting.seats.includes(PERSON)) {
        const line = [...sitting.line];
        this.#queue = this.#queue.then(() => this.#put(source, sitting, line, named)).catch(() => {});
      }
    });
  }

  async #put(source, sitting, line, named) {
    if (line[0] !== sitting.line[0]) return; // another game has begun
    if (!sitting.id) {
      sitting.id = (await source.begin(sitting.game.game, line[0].view.at, sitting.seats)).id;
      named(sitting.id);
    }
    const actions = line.slice(1).map((step) => step.action);
    await source.keep(sitting.id, { actions, resigned: sitting.resigned, seats: sitting.seats });
  }
}
