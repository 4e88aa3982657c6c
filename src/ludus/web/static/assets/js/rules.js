// The rules of an exported game, compiled from those in Python. A position is an array of its fields, each a BigInt.
import { Native } from "./native.js";

export async function rulesOf({ head, parts }) {
  return new Rules(await Native.of(parts.wasm, head.stack), head);
}

export class Rules {
  #native;
  #row;
  #after;
  #found;

  constructor(native, head) {
    this.#native = native;
    this.start = head.start.map(BigInt);
    this.numActions = head.actions;
    this.#row = native.array("int64", this.start.length);
    this.#after = native.array("int64", this.start.length);
    this.#found = native.array("int64", head.actions);
  }

  // The row of a position, until the next one is asked about.
  row(pos) {
    this.#native.items(this.#row).set(pos);
    return this.#row;
  }

  player(pos) {
    return this.#native.number("player", this.row(pos));
  }

  // The legal actions in order; none when the game is over.
  actions(pos) {
    const count = this.#native.number("legal", this.row(pos), this.#found);
    return Array.from(this.#native.items(this.#found).subarray(0, count), Number);
  }

  play(pos, action) {
    this.#native.call("play", this.row(pos), action, this.#after);
    return [...this.#native.items(this.#after)];
  }

  // The score for player 0 at the end.
  score(pos) {
    return this.#native.number("score", this.row(pos));
  }

  // A position without its banked points, and these.
  unbanked(pos) {
    const banked = this.#native.number("rest", this.row(pos), this.#after);
    return { rest: [...this.#native.items(this.#after)], banked };
  }

  // The least image of a position under symmetry.
  least(pos) {
    this.#native.call("least", this.row(pos), this.#after);
    return [...this.#native.items(this.#after)];
  }
}
