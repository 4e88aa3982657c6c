// The same source as the server's, over the graph of an exported game: it knows no rules, only where actions lead.
import { sleep } from "./ask.js";
import { KeptGame } from "./kept_game.js";

const HALF = 32767; // steps to either side of a value of 0
const LONGEST_LINE = 60; // plies
const PAUSE = 350; // milliseconds before an agent moves, so that the last move is seen

export class GraphSource {
  can = { agents: false, save: true, mistakes: false, puzzles: false, setUp: true, variants: false, train: false };

  #graph;

  constructor(graph) {
    this.#graph = graph;
    const asked = graph.head.opponents.find((one) => one.mistakes);
    this.can.mistakes = Boolean(asked);
    this.favourite = asked?.agent; // the first opponent
    this.kept = new KeptGame(graph.head.game.game);
  }

  async games() {
    return [this.#graph.head.card];
  }

  async game(game) {
    this.#require(game);
    const { game: found } = this.#graph.head;
    return { ...found, rules: found.rules.map((page) => ({ ...page, view: this.#reachable(page.view) })) };
  }

  // The page offers no play from a position that cannot be reached.
  #reachable(view) {
    return view && !this.#graph.numbers.has(view.at) ? { ...view, over: true } : view;
  }

  #require(game) {
    const { game: written } = this.#graph.head.game;
    if (game !== written) throw new Error(`Only ${written} is here, not ${game}.`);
  }

  #number(game, at) {
    this.#require(game);
    const number = this.#graph.numbers.get((at ?? this.#graph.head.game.start).trim());
    if (number === undefined) throw new Error(`${at} cannot be reached in this game; positions are written like ${this.#graph.head.game.start}`);
    return number;
  }

  async solution(game, onUpdate) {
    this.#require(game);
    onUpdate(this.#graph.head.solution);
    return this.#graph.head.solution;
  }

  async position(game, at, action) {
    const number = this.#number(game, at);
    if (action === undefined || action === null) return this.#graph.view(number);
    const edge = this.#graph.edges(number).find((one) => one.action === action);
    if (!edge) throw new Error(`Action ${action} is not allowed in ${at}.`);
    return this.#graph.view(edge.to);
  }

  async hints(game, at, onUpdate) {
    const number = this.#number(game, at);
    const player = this.#graph.player(number);
    const actions = this.#graph.edges(number).map(({ action, to }) => [action, this.#graph.value(to, player, "before")]);
    const found = { state: "ready", words: "", value: this.#graph.value(number, player), actions: Object.fromEntries(actions) };
    onUpdate(found);
    return found;
  }

  async values(game, positions) {
    const values = positions.map((at) => this.#graph.value(this.#number(game, at), 0));
    return { state: "ready", words: "", values };
  }

  async line(game, at) {
    const moves = [];
    let number = this.#number(game, at);
    for (;;) {
      const edges = this.#graph.edges(number);
      const player = this.#graph.player(number);
      if (!edges.length || player > 1 || moves.length === LONGEST_LINE) {
        return { state: "ready", words: edges.length && player > 1 ? "then chance decides" : "", moves, view: this.#graph.view(number) };
      }
      const { action, name, to } = edges[this.#graph.get("best", number)];
      moves.push({ player, action, name, at: this.#graph.head.at[to] });
      number = to;
    }
  }

  async canonicalForm(game, at) {
    const { forms } = this.#graph.head;
    if (!forms.length) return { state: "refused", words: "its positions have no canonical forms", form: null };
    return { state: "ready", words: "", form: forms[this.#graph.get("form", this.#number(game, at))] };
  }

  async opponents(game) {
    this.#require(game);
    return this.#graph.head.opponents.map(({ agent, title, words, kind, run }) => ({ agent, title, words, kind, run }));
  }

  #agent(agent) {
    const found = this.#graph.head.opponents.find((one) => one.agent === agent);
    if (!found) throw new Error(`${agent} is not here.`);
    return found;
  }

  async move(game, at, agent, onWords, signal) {
    const number = this.#number(game, at);
    await sleep(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : PAUSE, signal);
    const edges = this.#graph.edges(number);
    const column = this.#graph.player(number) > 1 ? "weights" : `${this.#agent(agent).evaluation.name}.policy`;
    const weights = edges.map(({ edge }) => this.#graph.get(column, edge));
    if (weights.every((weight) => weight === 0)) return { action: null, name: "resigns", resigns: true, words: "", view: this.#graph.view(number) };
    const { action, name, to } = edges[drawn(weights)];
    return { action, name, resigns: false, words: "", view: this.#graph.view(to) };
  }

  async evaluation(game, at, agent, games) {
    const number = this.#number(game, at);
    const found = this.#agent(agent);
    const { evaluation } = found.checkpoints.find((one) => one.games === games) ?? found;
    const edges = this.#graph.edges(number);
    const policy = edges.map(({ edge }) => this.#graph.get(`${evaluation.name}.policy`, edge));
    const total = policy.reduce((one, other) => one + other, 0) || 1;
    const actions = edges.map(({ action, edge }, place) => [action, { probability: policy[place] / total, ...this.#ofAction(evaluation, edge) }]);
    return { ...this.#ofPosition(evaluation, number, found.kind), actions: Object.fromEntries(actions) };
  }

  #ofAction({ name, scales }, edge) {
    if (!scales) return { value: null, visits: null };
    const visits = this.#graph.get(`${name}.action_visits`, edge);
    return { value: fraction(this.#graph.get(`${name}.action_value`, edge), scales.action_value), visits: visits ? visits - 1 : null };
  }

  #ofPosition({ name, words, kind, scales }, number, agent) {
    if (!scales) return { words: agent === "perfect" ? "it plays by the exact values" : "it has a policy only, no values", kind: "none", value: null, visits: null };
    return {
      words: words[this.#graph.get(`${name}.words`, number)],
      kind,
      value: fraction(this.#graph.get(`${name}.value`, number), scales.value),
      visits: this.#graph.get(`${name}.visits`, number) || null,
    };
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

  async mistakes(game, agent) {
    this.#require(game);
    const { mistakes, title } = this.#agent(agent);
    return mistakes ?? { state: "refused", words: `The mistakes of ${title} were not exported.` };
  }

  async checkpoints(run) {
    return this.#graph.head.opponents.find((one) => one.run === run)?.checkpoints ?? [];
  }
}

// A fraction that was packed as a number of steps.
function fraction(steps, scale) {
  return steps ? ((steps - 1 - HALF) / HALF) * scale : null;
}

// One of some places, by their weights.
function drawn(weights) {
  let point = Math.random() * weights.reduce((one, other) => one + other, 0);
  const place = weights.findIndex((weight) => (point -= weight) < 0);
  return place < 0 ? weights.findLastIndex((weight) => weight > 0) : place;
}
