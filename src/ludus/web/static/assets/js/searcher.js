// Alpha-beta in the browser: the kernels of `ludus.solving.alpha_beta`, driven as `Searcher` does in Python.
import { Book } from "./book.js";

const [PAUSED, FULL] = [1, 2]; // why a kernel stopped, if not for an answer
const [NODES, TROUBLE, LOW] = [0, 2, 3]; // counters; after LOW comes the high bound
const BEST = 1; // column of a frame
const UNKNOWN = -128; // an endgame that is not computed yet
const LINE = 64; // bytes of four entries of the table

// A search may visit no more nodes.
export class Spent extends Error {}

export class Searcher {
  most = Infinity; // nodes after which `Spent` is thrown
  pause = async () => {}; // called between slices of a search; may throw to stop it

  #native;
  #rules;
  #settings;
  #book;
  #search;
  #endgames;
  #entries;

  constructor(native, rules, { search }, { memory, book }) {
    this.#native = native;
    this.#rules = rules;
    this.#settings = search;
    this.#book = book ? new Book(book, rules, search) : null;
    const lines = 2 ** Math.floor(Math.log2((search.heaps ? memory / 2 : memory) / LINE));
    const table = native.array("int64", 4 * lines, 2);
    this.#entries = 4 * lines;
    table.shape[0] = Math.min(search.entries, this.#entries);
    this.#search = { ...this.#room(search.depth), counters: native.array("int64", search.columns[2]), table };
    this.#endgames = search.heaps ? new Endgames(native, search, rules.start.length, memory / 2) : null;
  }

  get nodes() {
    return Number(this.#native.items(this.#search.counters)[NODES]);
  }

  // The score for player 0 and the plies to the end, or null where plies are not counted.
  async value(pos) {
    if (!this.#rules.actions(pos).length) return { score: this.#rules.score(pos), plies: this.#settings.banked ? null : 0 };
    return this.asValue(pos, await this.searchValue(pos));
  }

  // The value of a position, given its search value for the side to move.
  asValue(pos, found) {
    const { banked, unit } = this.#settings;
    const side = this.#rules.player(pos) === 0 ? 1 : -1;
    if (banked) return { score: this.#rules.unbanked(pos).banked + side * found, plies: null };
    const points = Math.ceil(Math.abs(found) / unit);
    return { score: side * Math.sign(found) * points + 0, plies: points ? points * unit - Math.abs(found) : null };
  }

  async searchValue(pos) {
    const narrowing = this.narrowing(pos);
    while (!narrowing.exact) await narrowing.step();
    return narrowing.low;
  }

  narrowing(pos) {
    const { rest } = this.#rules.unbanked(pos);
    const known = this.#inBook(rest);
    const [low, high] = known === undefined ? this.#within(rest) : [known, known];
    return new Narrowing((beta) => this.#ask(rest, beta), low, high);
  }

  // The same of the position after an action, which what the book holds of the position before it bounds as well.
  narrowingAfter(pos, action) {
    const { rest } = this.#rules.unbanked(pos);
    const found = this.narrowing(this.#rules.play(rest, action));
    const most = this.#book?.value(rest);
    if (most !== undefined && !found.exact) this.#limit(found, rest, action, most);
    return found;
  }

  #limit(found, pos, action, most) {
    const after = this.#rules.play(pos, action);
    const again = this.#rules.player(after) === this.#rules.player(pos);
    const bound = this.#after(pos, after, most);
    if (this.#book.best(pos).includes(action)) found.low = found.high = again ? bound : -bound;
    else if (again) found.high = Math.min(found.high, bound);
    else found.low = Math.max(found.low, -bound);
  }

  // The game's own bounds of a search value.
  #within(rest) {
    this.#native.call("begin", this.#rules.row(rest), this.#arrays());
    return Array.from(this.#native.items(this.#search.counters).subarray(LOW, LOW + 2), Number);
  }

  // The action that the book plays in a position whose value is known, or the first one that has this value.
  async best(pos, value) {
    return this.#book?.best(pos)[0] ?? this.#reaching(pos, value);
  }

  // The first action that has at least this value for the side to move.
  async #reaching(pos, value) {
    const { rest } = this.#rules.unbanked(pos);
    for (const action of this.#rules.actions(rest)) {
      const after = this.#rules.play(rest, action);
      const again = this.#rules.player(after) === this.#rules.player(rest);
      const beta = this.#after(rest, after, value);
      if ((await this.#atLeast(after, again ? beta : 1 - beta)) === again) return action;
    }
    throw new Error("No action has the value of its position.");
  }

  // The bound for the position after an action that corresponds to one before it, for the same player.
  #after(pos, after, beta) {
    if (!this.#settings.banked) return beta + Math.sign(beta);
    const { banked } = this.#rules.unbanked(after);
    return beta - (this.#rules.player(pos) === 0 ? banked : -banked);
  }

  async #atLeast(pos, beta) {
    const { rest } = this.#rules.unbanked(pos);
    if (!this.#rules.actions(rest).length) {
      const side = this.#rules.player(rest) === 0 ? 1 : -1;
      return side * this.#rules.score(rest) * (this.#settings.banked ? 1 : this.#settings.unit) >= beta;
    }
    return (this.#inBook(rest) ?? (await this.#ask(rest, beta))) >= beta;
  }

  #inBook(rest) {
    return this.#book?.value(rest);
  }

  // A number >= beta that the value reaches, or one < beta that it does not exceed.
  async #ask(pos, beta) {
    this.#native.call("begin", this.#rules.row(pos), this.#arrays());
    for (;;) {
      const limit = Math.min(this.nodes + Math.min(this.#settings.slice, this.#grown()), this.most);
      const stopped = this.#native.number("advance", beta, this.#arrays(), limit);
      if (this.#native.items(this.#search.counters)[TROUBLE]) throw new Error("A score is larger than a search can handle.");
      if (stopped !== PAUSED && stopped !== FULL) return Number(this.#native.items(this.#search.frames)[this.#search.frames.shape[1] + BEST]);
      if (stopped === FULL) this.#deepen();
      await this.pause();
      if (this.nodes >= this.most) throw new Spent();
      await this.#endgames?.extend(this.nodes, this.pause);
    }
  }

  // Makes the table larger once the search has visited as many nodes; returns the nodes until it is looked at again.
  #grown() {
    const { table } = this.#search;
    while (table.shape[0] < Math.min(this.nodes, this.#entries)) {
      table.shape[0] *= 2;
      this.#native.call("enlarge", table);
    }
    return table.shape[0] < this.#entries ? table.shape[0] : Infinity;
  }

  #arrays() {
    const { children, queues, frames, counters, table } = this.#search;
    return [children, queues, frames, counters, table, this.#endgames?.table ?? this.#none];
  }

  get #none() {
    return [{ at: 0, shape: [0] }, { at: 0, shape: [0, 0] }, -1];
  }

  // Empty arrays for a line of so many plies.
  #room(depth) {
    const { start, numActions } = this.#rules;
    const [child, frame] = this.#settings.columns;
    const array = (...shape) => this.#native.array("int64", depth, ...shape);
    return { children: array(numActions, child + start.length), queues: array(numActions), frames: array(frame) };
  }

  // Doubles the room for plies.
  #deepen() {
    const depth = 2 * this.#search.frames.shape[0];
    if (depth > this.#settings.deepest) throw new Error("The game lasts too many plies to be searched.");
    const larger = this.#room(depth);
    for (const [name, array] of Object.entries(larger)) this.#native.items(array).set(this.#native.items(this.#search[name]));
    this.#search = { ...this.#search, ...larger };
  }
}

// Bounds of the search value of a position, which meet after some steps.
class Narrowing {
  #ask;
  #beta = null;

  constructor(ask, low, high) {
    this.#ask = ask;
    this.low = low;
    this.high = high;
  }

  get exact() {
    return this.low === this.high;
  }

  // Searches once; may be called again after it was stopped.
  async step() {
    this.#beta ??= Math.max(this.low + 1, Math.min(0, this.high));
    const answer = await this.#ask(this.#beta);
    if (answer >= this.#beta) {
      this.low = answer;
      this.#beta = answer + 1;
    } else {
      this.high = answer;
      this.#beta = answer;
    }
  }
}

// The values of positions with few pieces in their heaps, in as much memory as is given.
class Endgames {
  #native;
  #settings;
  #values;
  #counts;
  #line;
  #sizes;
  #most = -1;

  constructor(native, settings, fields, memory) {
    this.#native = native;
    this.#settings = settings;
    const { plies } = settings.endgames;
    this.#values = native.array("int8", memory);
    this.#line = [native.array("int64", plies, fields), native.array("int64", plies, 3)];
    this.#sizes = native.array("int64", settings.heaps);
    this.#counts = native.array("int64", settings.heaps, 0);
  }

  get table() {
    return [{ ...this.#values, shape: [this.#size(this.#most)] }, this.#counts, this.#most];
  }

  // The number of positions with at most so many in their heaps.
  #size(most) {
    return most < 0 ? 0 : combinations(most + this.#settings.heaps, this.#settings.heaps);
  }

  // Computes more endgames once a search has taken long enough for them to pay.
  async extend(nodes, pause) {
    const { largest, nodes: each, chunk } = this.#settings.endgames;
    const size = Math.min(this.#values.shape[0], nodes / each);
    let most = this.#most;
    while (most < largest && this.#size(most + 1) <= size) most += 1;
    if (most === this.#most) return;
    const counts = Array.from({ length: this.#settings.heaps }, (_, heap) => Array.from({ length: most + 2 }, (__, n) => BigInt(combinations(n + heap, heap + 1))));
    const larger = this.#native.copied("int64", counts.flat(), this.#settings.heaps, most + 2);
    const [start, end] = [this.#size(this.#most), this.#size(most)];
    this.#native.items(this.#values).fill(UNKNOWN, start, end);
    const table = [{ ...this.#values, shape: [end] }, larger, most];
    for (let at = start; at < end; at += chunk) {
      const failed = this.#native.number("fill", table, at, Math.min(at + chunk, end), this.#line, this.#sizes);
      if (failed) throw new Error("The endgames of this game cannot be computed.");
      await pause();
    }
    this.#counts = larger;
    this.#most = most;
  }
}

// How many ways there are to choose some of `n`; Infinity for more than a number holds exactly.
function combinations(n, some) {
  let found = 1;
  for (let one = 1; one <= some; one += 1) found = (found * (n - some + one)) / one;
  return found <= Number.MAX_SAFE_INTEGER ? found : Infinity;
}
