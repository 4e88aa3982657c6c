// Answers about the positions of an exported game: exact from its table, or as far as a search comes.
import { Native } from "./native.js";
import { Rules } from "./rules.js";
import { Searcher, Spent } from "./searcher.js";
import { Table } from "./table.js";
import { TreeSearch } from "./tree_search.js";
import { before, better, boundsView, valueView } from "./values.js";

const MEMORY = 2 ** 27; // bytes of the transposition table and the endgames
const FIRST_GLANCE = 2 ** 14; // nodes for each action at first, then twice as many again and again
const GLANCE = 4000; // simulations for estimates
const CHOICE = 20000; // simulations for an action that no search proves
const NOT_PROVEN = "not all of it is proven; the rest lies between the bounds shown";

export class Analysis {
  // `breathe` is called between pieces of work and may throw to stop it.
  static async of({ head, parts }, breathe, memory = MEMORY) {
    const native = await Native.of(parts.wasm, head.stack);
    const rules = new Rules(native, head);
    const trees = new TreeSearch(native, rules, head);
    if (head.kind === "table") return new Solved(rules, head, trees, await Table.of(native, rules, head, breathe));
    return new Searched(rules, head, trees, new Searcher(native, rules, head, { memory, book: parts.book }));
  }
}

// What a table and a search have in common.
class Answers {
  constructor(rules, head, trees) {
    this.rules = rules;
    this.head = head;
    this.trees = trees;
  }

  // What a tree search of `sims` simulations thinks.
  async policy(pos, { sims = CHOICE, seed = 0 }, breathe) {
    this.trees.pause = breathe;
    return this.trees.study(pos, sims, seed);
  }

  view(value, player) {
    return valueView(value, player, this.head);
  }

  // Optimal play, as far as it is found soon.
  async line(pos, { most = 60, nodes = 2 ** 20 }, breathe) {
    const actions = [];
    while (actions.length < most && this.rules.actions(pos).length) {
      const { action, proven } = await this.best(pos, { nodes, sims: 0 }, breathe);
      if (!proven) return { actions, words: "from here on no move is proven to be the best" };
      actions.push(action);
      pos = this.rules.play(pos, action);
    }
    return { actions, words: "" };
  }
}

class Solved extends Answers {
  #table;

  constructor(rules, head, trees, table) {
    super(rules, head, trees);
    this.#table = table;
  }

  #values(pos) {
    const player = this.rules.player(pos);
    const value = (action) => this.view(before(this.#table.value(this.rules.play(pos, action))), player);
    return this.rules.actions(pos).map((action) => [action, value(action)]);
  }

  async hints(pos) {
    const value = this.view(this.#table.value(pos), this.rules.player(pos));
    return { state: "ready", words: "", value, actions: Object.fromEntries(this.#values(pos)), estimates: {}, nodes: 0, proven: true };
  }

  async values({ positions }) {
    return positions.map((pos) => this.view(this.#table.value(pos), 0));
  }

  async best(pos) {
    const [action, value] = this.#values(pos).reduce((one, other) => (better(other[1], one[1]) ? other : one));
    return { action, value, proven: true, words: "", nodes: 0 };
  }
}

class Searched extends Answers {
  #searcher;

  constructor(rules, head, trees, searcher) {
    super(rules, head, trees);
    this.#searcher = searcher;
  }

  // Lets the searches of some work visit so many nodes, and last so long.
  #within({ nodes = Infinity, seconds = Infinity }, breathe) {
    const end = performance.now() + 1000 * seconds;
    this.#searcher.most = this.#searcher.nodes + nodes;
    this.#searcher.pause = async () => {
      await breathe();
      if (performance.now() > end) throw new Spent();
    };
    return end;
  }

  // The bounds of every action, narrowed in turns with more and more nodes until all are exact or time is up.
  async hints(pos, { nodes = Infinity, seconds = 60 }, breathe, onUpdate) {
    const begun = this.#searcher.nodes;
    this.trees.pause = breathe;
    const open = new Map(this.rules.actions(pos).map((action) => [action, this.#narrowing(pos, action)]));
    const { actions: estimates } = await this.trees.study(pos, open.size ? GLANCE : 0);
    const end = this.#within({ seconds }, breathe);
    const values = {};
    const found = (state, words) => {
      const proven = open.size === 0;
      return { state, words, value: this.#best(values, proven), actions: { ...values }, estimates, nodes: this.#searcher.nodes - begun, proven };
    };
    const note = (action, narrowing) => {
      values[action] = narrowing.view();
      if (narrowing.exact) open.delete(action);
    };
    for (const [action, narrowing] of open) note(action, narrowing);
    onUpdate(found("searching", "searching"));
    for (let glance = FIRST_GLANCE; open.size && performance.now() < end && this.#searcher.nodes - begun < nodes; glance *= 2) {
      for (const [action, narrowing] of open) {
        await this.#narrow(narrowing, Math.min(glance, nodes));
        note(action, narrowing);
        onUpdate(found("searching", "searching"));
      }
    }
    return found("ready", open.size ? NOT_PROVEN : "");
  }

  // Narrows bounds until they meet or so many nodes are visited.
  async #narrow(narrowing, nodes) {
    this.#searcher.most = this.#searcher.nodes + nodes;
    try {
      while (!narrowing.exact) await narrowing.step();
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
    }
  }

  // The bounds of an action, and how the page shows them.
  #narrowing(pos, action) {
    const player = this.rules.player(pos);
    const after = this.rules.play(pos, action);
    if (!this.rules.actions(after).length) {
      const value = { score: this.rules.score(after), plies: this.head.search.banked ? null : 0 };
      return { exact: true, view: () => this.#earlier(value, player) };
    }
    const found = this.#searcher.narrowingAfter(pos, action);
    found.view = () => {
      const [low, high] = [found.low, found.high].map((bound) => this.#searcher.asValue(after, bound));
      return found.exact ? this.#earlier(low, player) : boundsView(low, high, player, this.head);
    };
    return found;
  }

  // The value of an action; draws are not counted in plies.
  #earlier(value, player) {
    return this.view(value.score === 0 ? value : before(value), player);
  }

  // The value of the position, null if it is not certain yet.
  #best(values, proven) {
    const all = Object.values(values);
    if (!all.length) return null;
    const best = all.reduce((one, other) => (better(other, one) ? other : one));
    const most = Math.max(...all.map(({ own, high }) => high ?? own));
    return proven || (best.low === null && most <= best.own) ? best : null;
  }

  // The value of each position for player 0; null for those that take more nodes.
  async values({ positions, nodes = 2 ** 20 }, breathe) {
    const found = [];
    for (const pos of positions) {
      this.#within({ nodes }, breathe);
      found.push(await this.#unlessSpent(async () => this.view(await this.#searcher.value(pos), 0), null));
    }
    return found;
  }

  async #unlessSpent(work, otherwise) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Spent) return otherwise;
      throw error;
    }
  }

  // The best action if a search finds it in time, else what a tree search prefers.
  async best(pos, { nodes = Infinity, seconds = 5, sims = CHOICE }, breathe) {
    const begun = this.#searcher.nodes;
    this.#within({ nodes, seconds }, breathe);
    const root = this.#searcher.narrowing(pos);
    const action = await this.#unlessSpent(async () => {
      while (!root.exact) await root.step();
      return this.#searcher.best(pos, root.low);
    }, null);
    const [low, high] = [root.low, root.high].map((bound) => this.#searcher.asValue(pos, bound));
    const player = this.rules.player(pos);
    const value = root.exact ? this.view(low, player) : boundsView(low, high, player, this.head);
    const proven = action !== null;
    const chosen = proven || !sims ? action : (await this.policy(pos, { sims }, breathe)).best;
    return { action: chosen, value, proven, words: proven ? "" : NOT_PROVEN, nodes: this.#searcher.nodes - begun };
  }
}
