// The same source as the server's, over the rules of an exported game: positions are drawn here, and searched by a worker.
import { sleep } from "./ask.js";
import { KeptGame } from "./kept_game.js";
import { plain, py } from "./python.js";
import { Searching } from "./searching.js";

const PAUSE = 350; // milliseconds before an agent moves, so that the last move is seen
const HINT_SECONDS = 60;
const NODES_EACH = 2 ** 18; // of search for one position of a line
const EVALUATION = 2000; // simulations of an evaluation
const MOST_KNOWN = 5000; // positions that are kept ready
const FAR = "These values are not known: the game is played by its rules alone.";

// A source from what the scripts of the page left: `ludusRules` are the translated rules, `ludusWorker` is the worker's text.
export function rulesSourceOf({ head, rest }) {
  const made = globalThis.ludusRules(py);
  if (!head.engine) return new RulesSource(head, made, null);
  let at = 0;
  const parts = Object.fromEntries(head.parts.map(([name, length]) => [name, rest.slice(at, (at += length))]));
  return new RulesSource(head, made, new Searching({ head: head.engine, parts }, globalThis.ludusWorker));
}

export class RulesSource {
  can = { agents: false, save: true, mistakes: false, puzzles: false, setUp: true, variants: false, train: false };

  #head;
  #made; // the translated functions, and the game that they are for
  #searching;
  #known = new Map(); // positions by notation
  #done = { now: Promise.resolve(), values: Promise.resolve() }; // the last questions that others wait for
  #running = { values: new Set(), hints: new Set() }; // what stops for a move

  constructor(head, made, searching) {
    this.#head = head;
    this.#made = made;
    this.#searching = searching;
    this.kept = new KeptGame(head.game.game);
    this.favourite = head.opponents[1].agent;
  }

  async games() {
    return [this.#head.card];
  }

  async game(game) {
    this.#require(game);
    return this.#head.game;
  }

  #require(game) {
    const { game: written } = this.#head.game;
    if (game !== written) throw new Error(`Only ${written} is here, not ${game}.`);
  }

  #position(game, at) {
    this.#require(game);
    const text = at ?? this.#head.game.start;
    if (!this.#known.has(text)) this.#remember(text, this.#made.parse(this.#made.game, text));
    return this.#known.get(text);
  }

  #remember(text, pos) {
    if (this.#known.size > MOST_KNOWN) this.#known.clear();
    this.#known.set(text, pos);
  }

  #view(pos) {
    const view = plain(this.#made.view(this.#made.game, pos));
    this.#remember(view.at, pos);
    return { ...view, player: Math.min(view.player, 2) };
  }

  #actions(pos) {
    return plain(this.#made.actions(py.call(this.#made.game, "legal", pos)));
  }

  #after(pos, action) {
    return py.call(this.#made.game, "play", pos, BigInt(action));
  }

  async solution(game, onUpdate) {
    this.#require(game);
    onUpdate(this.#head.solution);
    return this.#head.solution;
  }

  async position(game, at, action) {
    const pos = this.#position(game, at);
    if (action === undefined || action === null) return this.#view(pos);
    if (!this.#actions(pos).includes(action)) throw new Error(`Action ${action} is not allowed in ${at}.`);
    return this.#view(this.#after(pos, action));
  }

  async hints(game, at, onUpdate, signal) {
    const pos = fields(this.#position(game, at));
    if (!this.#searching) return reported({ state: "refused", words: FAR, value: null, actions: {} }, onUpdate);
    return this.#aside("hints", ["now", "values"], (own) => this.#searching.hints(pos, { seconds: HINT_SECONDS, signal: own }, onUpdate), signal);
  }

  // Asks the worker for what a person waits for; whatever else it does begins anew afterwards.
  #now(question) {
    this.#stop("values");
    this.#stop("hints");
    this.#done.now = this.#done.now.catch(() => {}).then(question);
    return this.#done.now;
  }

  // Asks the worker for something after questions of other kinds, again if it is stopped for such a question.
  async #aside(kind, others, question, signal) {
    for (;;) {
      await Promise.allSettled(others.map((one) => this.#done[one]));
      signal?.throwIfAborted();
      const running = new AbortController();
      const abort = () => running.abort(signal.reason);
      signal?.addEventListener("abort", abort, { once: true });
      this.#running[kind].add(running);
      try {
        return await question(running.signal);
      } catch (error) {
        if (!running.signal.aborted || signal?.aborted) throw error;
      } finally {
        this.#running[kind].delete(running);
        signal?.removeEventListener("abort", abort);
      }
    }
  }

  #stop(kind) {
    for (const running of this.#running[kind]) running.abort(new DOMException("something else is asked", "AbortError"));
  }

  async values(game, positions, onUpdate, signal) {
    if (!this.#searching) return { state: "refused", words: FAR.slice(0, -1), values: [] };
    const rows = positions.map((at) => fields(this.#position(game, at)));
    this.#stop("hints");
    this.#done.values = this.#aside("values", ["now"], (own) => this.#searching.values(rows, { nodes: NODES_EACH, signal: own }), signal);
    return { state: "ready", words: "", values: await this.#done.values };
  }

  async line(game, at, onUpdate, signal) {
    let pos = this.#position(game, at);
    if (!this.#searching) return { state: "refused", words: FAR, moves: [], view: this.#view(pos) };
    const { actions, words } = await this.#now(() => this.#searching.line(fields(pos), { signal }));
    const moves = actions.map((action) => {
      const view = this.#view(pos);
      pos = this.#after(pos, action);
      return { player: view.player, action, name: view.actions.find((one) => one.action === action).name, at: this.#view(pos).at };
    });
    return { state: "ready", words, moves, view: this.#view(pos) };
  }

  async canonicalForm() {
    return { state: "refused", words: "canonical forms are not exported with this game", form: null };
  }

  async opponents(game) {
    this.#require(game);
    return this.#head.opponents;
  }

  async move(game, at, agent, onWords, signal) {
    const pos = this.#position(game, at);
    await sleep(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : PAUSE, signal);
    const { action, words } = agent === "chance" ? { action: this.#drawnByOdds(pos), words: "" } : await this.#chosen(pos, this.#opponent(agent), signal);
    const { name } = this.#view(pos).actions.find((one) => one.action === action);
    return { action, name, resigns: false, words, view: this.#view(this.#after(pos, action)) };
  }

  #opponent(agent) {
    const found = this.#head.opponents.find((one) => one.agent === agent);
    if (!found) throw new Error(`${agent} is not here.`);
    return found;
  }

  async #chosen(pos, { plays }, signal) {
    const legal = this.#actions(pos);
    if (plays.careful) return { action: oneOf(plain(this.#made.actions(this.#made.careful(this.#made.game, pos)))), words: "" };
    if (plays.random || Math.random() < plays.errs) return { action: oneOf(legal), words: "" };
    if (plays.sims) {
      const { best } = await this.#now(() => this.#searching.policy(fields(pos), { sims: plays.sims, signal, seed: seed() }));
      return { action: best, words: "" };
    }
    const { action, words } = await this.#now(() => this.#searching.best(fields(pos), { seconds: plays.seconds, signal, seed: seed() }));
    return { action, words };
  }

  #drawnByOdds(pos) {
    const legal = this.#actions(pos);
    const weights = legal.map((action) => Number(this.#made.odds(this.#made.game, pos, BigInt(action))));
    let point = Math.random() * weights.reduce((one, other) => one + other, 0);
    return legal[weights.findIndex((weight) => (point -= weight) < 0)] ?? legal.at(-1);
  }

  async evaluation(game, at, agent, games, onWords, signal) {
    const pos = this.#position(game, at);
    const { plays, title } = this.#opponent(agent);
    if (!this.#searching || !(plays.sims || plays.seconds)) return this.#evenly(pos, plays);
    const sims = plays.sims ?? EVALUATION;
    const { actions } = await this.#now(() => this.#searching.policy(fields(pos), { sims, signal }));
    const total = Object.values(actions).reduce((sum, { visits }) => sum + visits, 0) || 1;
    const found = Object.entries(actions).map(([action, { visits, value }]) => [action, { probability: visits / total, value, visits }]);
    const words = plays.sims ? "" : `${title} searches further before it plays`;
    return { words, kind: "values", value: Math.max(...found.map(([, { value }]) => value)), visits: null, actions: Object.fromEntries(found) };
  }

  #evenly(pos, plays) {
    const legal = this.#actions(pos);
    const likely = plays.careful ? plain(this.#made.actions(this.#made.careful(this.#made.game, pos))) : legal;
    const share = (action) => (likely.includes(action) ? 1 / likely.length : 0);
    const actions = legal.map((action) => [action, { probability: share(action), value: null, visits: null }]);
    return { words: "it has a policy only, no values", kind: "none", value: null, visits: null, actions: Object.fromEntries(actions) };
  }

  async createGame(game, start, seats) {
    return this.kept.create(start, seats);
  }

  async saveGame(id, progress) {
    return this.kept.save(progress);
  }

  async savedGame() {
    return this.kept.get();
  }

  async mistakes() {
    return { state: "refused", words: "mistakes are not exported with this game" };
  }

  async checkpoints() {
    return [];
  }
}

// A position as the worker takes it: its fields as whole numbers.
const fields = (pos) => Array.from(pos, (field) => BigInt(field));
const oneOf = (items) => items[Math.floor(Math.random() * items.length)];
const seed = () => Math.floor(Math.random() * 2 ** 31);

function reported(found, onUpdate) {
  onUpdate(found);
  return found;
}
