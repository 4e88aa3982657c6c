// The exact values of all positions, found in the browser by the kernels of `ludus.solving.explore` and `retrograde`.

const STEP = 20000; // positions between two looks around
const UNSOLVED = -2; // the plies of a draw for ever

export class Table {
  // The solved table of a game. `pause` is called between steps and may throw to stop.
  static async of(native, rules, { table }, pause) {
    const found = new Table(native, rules, table);
    await found.#explore(pause);
    await pause();
    found.#solve();
    return found;
  }

  #native;
  #rules;
  #sizes;
  #room;
  #row;
  #key;
  #state;

  constructor(native, rules, sizes) {
    this.#native = native;
    this.#rules = rules;
    this.#sizes = sizes;
    this.#room = this.#roomFor(sizes);
    this.#row = native.array("int64", rules.start.length);
    this.#key = native.array("int64", sizes.width);
  }

  // Room for all positions, and for one more with all its actions.
  #roomFor({ positions, edges, slots, flips, width, packing }) {
    const array = (...shape) => this.#native.array(...shape);
    const [size, most] = [positions + this.#rules.numActions + 1, edges + this.#rules.numActions];
    return {
      packing: packing.map((column) => this.#native.copied("int64", column.map(BigInt))),
      words: array("int64", size, width),
      table: array("int32", 2 * slots),
      first: array("int64", size + 1),
      targets: array("int32", most),
      flips: array("bool", flips ? most : 0),
      mover: array("int8", size),
      score: array("int64", size),
    };
  }

  async #explore(pause) {
    const room = Object.values(this.#room);
    this.#native.items(this.#row).set(this.#rules.start);
    this.#native.call("root", this.#row, room);
    for (let [done, filled, full] = [0, 1, 0]; done < filled; ) {
      [done, filled, full] = this.#native.numbers(3, "expand", room, this.#row, done, Math.min(filled, done + STEP), filled);
      if (full) throw new Error("The game has more positions than when it was exported.");
      await pause();
    }
  }

  #solve() {
    const { positions, edges } = this.#sizes;
    const array = (kind, length) => this.#native.array(kind, length);
    const cut = (name, length) => ({ ...this.#room[name], shape: [length] });
    const graph = [cut("first", positions + 1), cut("targets", edges), cut("mover", positions), cut("score", positions), array("float64", 0)];
    const flips = cut("flips", this.#sizes.flips ? edges : 0);
    const backwards = [array("int64", positions + 2), array("uint32", edges)];
    this.#native.call("reverse", graph, flips, backwards);
    backwards[0].shape = [positions + 1];
    const [value, plies, open, queue] = [array("int64", positions), ...["plies", "open", "queue"].map(() => array("int32", positions))];
    this.#native.items(plies).fill(UNSOLVED);
    const first = this.#native.items(this.#room.first);
    this.#native.items(open).forEach((_, row, counts) => (counts[row] = Number(first[row + 1] - first[row])));
    this.#state = { value, plies };
    this.#native.call("settle", graph, backwards, [value, plies, open, queue]);
  }

  // The score for player 0 and the plies to the end, or null for a draw without end.
  value(pos) {
    const { packing, words, table } = this.#room;
    const found = this.#native.number("locate", this.#rules.row(pos), [packing, words, table, 1], this.#key);
    if (found < 0) throw new Error("This position cannot be reached from the start of the game.");
    const row = Math.floor(found / 2);
    const own = Number(this.#native.items(this.#state.value)[row]);
    const plies = this.#native.items(this.#state.plies)[row];
    const player0 = this.#native.items(this.#room.mover)[row] === 1 ? -own : own;
    return { score: (found % 2 ? -player0 : player0) + 0, plies: plies === UNSOLVED ? null : plies };
  }
}
