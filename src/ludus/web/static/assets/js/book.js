// An opening book: search values and best actions of positions, for the side to move. `opening_book` in Python answers alike.

export class Book {
  #rules;
  #banked;
  #unit;
  #entries = new Map(); // [value, action] by the fields of a position; below 0 no action is known

  constructor(bytes, rules, { banked, unit }) {
    this.#rules = rules;
    this.#banked = banked;
    this.#unit = banked ? 1 : unit;
    const fields = rules.start.length;
    const numbers = new BigInt64Array(bytes.slice().buffer);
    const count = numbers.length / (fields + 2);
    const column = (part) => numbers.subarray(count * (fields + part), count * (fields + part + 1));
    const [values, actions] = [column(0), column(1)];
    for (let row = 0; row < count; row += 1) {
      const key = numbers.subarray(row * fields, (row + 1) * fields).join();
      this.#entries.set(key, [Number(values[row]), Number(actions[row])]);
    }
  }

  // The value of a position, by one-step lookahead where it is not stored; undefined if that is not known.
  value(pos) {
    const key = this.#key(pos);
    if (this.#entries.has(key.join())) return this.#entries.get(key.join())[0];
    const found = this.#rules.actions(key).map((action) => this.#actionValue(key, action));
    return found.length && !found.includes(undefined) ? Math.max(...found) : undefined;
  }

  // The stored best action with those that are equal to it by symmetry; none if no action is stored.
  best(pos) {
    const key = this.#key(pos);
    const action = this.#entries.get(key.join())?.[1] ?? -1;
    if (action < 0) return [];
    const goal = this.#after(key, action).join();
    const { rest } = this.#rules.unbanked(pos);
    return this.#rules.actions(rest).filter((other) => this.#after(rest, other).join() === goal);
  }

  #key(pos) {
    return this.#rules.least(this.#rules.unbanked(pos).rest);
  }

  // The key of the position after an action, the points that it banks, and whether its player moves again.
  #after(pos, action) {
    const after = this.#rules.play(pos, action);
    const { banked } = this.#rules.unbanked(after);
    const player = this.#rules.player(pos);
    return [this.#key(after), player === 0 ? banked : -banked, this.#rules.player(after) === player];
  }

  #actionValue(pos, action) {
    const [key, gain, again] = this.#after(pos, action);
    const value = this.#rules.actions(key).length ? this.#entries.get(key.join())?.[0] : this.#ended(key);
    if (value === undefined) return undefined;
    const own = again ? value : -value;
    return this.#banked ? gain + own : own - Math.sign(own);
  }

  #ended(key) {
    const side = this.#rules.player(key) === 0 ? 1 : -1;
    return side * this.#rules.score(key) * this.#unit;
  }
}
