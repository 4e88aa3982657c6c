// Monte Carlo tree search in the browser: the kernels of `ludus.agents.mcts`.

const SLICE = 2000; // simulations between two looks around

export class TreeSearch {
  pause = async () => {};

  #native;
  #rules;
  #columns;
  #room = { sims: 0 };
  #stream;
  #table;

  constructor(native, rules, { treeColumns }) {
    this.#native = native;
    this.#rules = rules;
    this.#columns = treeColumns;
    this.#stream = native.array("uint64", 1);
    this.#table = native.array("float64", rules.numActions, 4);
  }

  // What `sims` simulations find: the best action, and visits and value of each, from -1 to 1 for the side to move.
  async study(pos, sims, seed = 0) {
    const tree = this.#tree(sims);
    const scale = this.#native.number("plant", this.#rules.row(pos), tree, seed, this.#stream);
    for (let done = 0; done < sims; done += SLICE) {
      this.#native.call("grow", tree, Math.min(done + SLICE, sims), scale, this.#stream);
      await this.pause();
    }
    const table = this.#native.items(this.#table);
    for (let row = 0; row < table.length; row += 4) table.set([0, 0, -1, 1], row);
    const best = this.#native.number("harvest", tree, this.#table);
    const found = this.#native.items(this.#table);
    return { best, actions: Object.fromEntries(this.#rules.actions(pos).map((action) => [action, ofAction(found.subarray(4 * action, 4 * action + 4))])) };
  }

  // Arrays for a tree; every simulation may give a node its slots.
  #tree(sims) {
    if (sims > this.#room.sims) {
      const array = (...shape) => this.#native.array(...shape);
      const nodes = array("int64", sims + 1, this.#columns + this.#rules.start.length);
      this.#room = { sims, tree: [nodes, array("float64", sims + 1, 6), array("int64", 3 + (sims + 1) * this.#rules.numActions)] };
    }
    return this.#room.tree;
  }
}

const ofAction = ([visits, mean, low, high]) => ({ visits, value: Math.min(Math.max(mean, low), high) + 0 });
