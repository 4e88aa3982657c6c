// The game that is played on an exported page: the browser keeps it until another one begins.
export class KeptGame {
  #key;

  constructor(game) {
    this.#key = `ludus-game ${game}`;
  }

  // The game; null if there is none, or what is kept is none.
  get() {
    try {
      const game = JSON.parse(localStorage.getItem(this.#key));
      return isSound(game) ? game : null;
    } catch {
      return null;
    }
  }

  create(start, seats) {
    return this.#put({ id: "here", start, seats, actions: [], resigned: null });
  }

  save(progress) {
    return this.#put({ ...this.get(), ...progress });
  }

  clear() {
    try {
      localStorage.removeItem(this.#key);
    } catch {
      // nothing is kept
    }
  }

  #put(game) {
    const kept = { ...game, changed: Date.now() };
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // it lasts as long as the page
    }
    return kept;
  }
}

function isSound({ start, seats, actions, resigned, changed }) {
  const areSeats = Array.isArray(seats) && seats.length === 2 && seats.every((seat) => typeof seat === "string");
  const areActions = Array.isArray(actions) && actions.every(Number.isInteger);
  return typeof start === "string" && areSeats && areActions && [null, 0, 1].includes(resigned) && Number.isFinite(changed);
}
