// The game that is played on an exported page: the browser keeps it until another one begins.
export class KeptGame {
  #key;

  constructor(game) {
    this.#key = `ludus-game ${game}`;
  }

  get() {
    try {
      return JSON.parse(localStorage.getItem(this.#key));
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
