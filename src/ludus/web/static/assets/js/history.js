// The value of each position of a game, and its mistakes.
import { isAborted } from "./ask.js";
import { chart } from "./chart.js";
import { capital, h, replace } from "./dom.js";

const LABELS = 120; // the width of the labels beside the chart
const AT_ONCE = 40; // positions in a request

export class History {
  constructor(session) {
    this.session = session;
    this.values = new Map(); // by notation
    this.element = h("section.history", { "aria-label": "Value history" });
    this.blunders = new Map(); // ply: words
    this.onChange = () => {};
  }

  // Asks for the values that are missing, in one request at a time: what is played meanwhile comes with the next one.
  async update() {
    this.element.hidden = this.session.plies === 0;
    if (this.asking) return;
    const asking = (this.asking = new AbortController());
    try {
      for (let missing = this.#missing(); missing.length; missing = this.#missing()) await this.#ask(missing, asking.signal);
      this.#judge();
      this.draw();
    } catch (error) {
      if (!isAborted(error)) this.#say(error.message);
    } finally {
      if (this.asking === asking) this.asking = null;
    }
  }

  // Forgets what is being asked: another game has begun, or the page was left.
  stop() {
    this.asking?.abort();
    this.asking = null;
  }

  // The latest positions without a value, which are of most interest.
  #missing() {
    const missing = this.session.line.map((step) => step.view.at).filter((at) => !this.values.has(at));
    return [...new Set(missing)].slice(-AT_ONCE);
  }

  async #ask(missing, signal) {
    const { session } = this;
    if (!this.element.hasChildNodes()) this.#say("Computing values \u2026");
    const found = await session.source.values(session.game.game, missing, ({ state, words }) => {
      if (state === "working" && !this.values.size) this.#say(`${capital(words)} \u2026`);
    }, signal);
    if (found.state !== "ready") throw new Error(`${capital(found.words)}.`);
    missing.forEach((at, number) => this.values.set(at, found.values[number]));
    if (this.#missing().length) {
      this.#judge();
      this.draw();
    }
  }

  #say(words) {
    replace(this.element, h("p.muted", {}, words));
  }

  // A blunder loses a result or points, from the side of the player who moved.
  #judge() {
    this.blunders.clear();
    const { line } = this.session;
    for (let ply = 1; ply < line.length; ply += 1) {
      const [before, after] = [this.#value(ply - 1), this.#value(ply)];
      const { player } = line[ply];
      if (!before || !after || player > 1) continue;
      const side = player === 0 ? 1 : -1;
      if (side * after.score < side * before.score - 1e-6) this.blunders.set(ply, `${worded(before, side)} became ${worded(after, side)}`);
    }
    this.onChange();
  }

  #value(ply) {
    return this.values.get(this.session.line[ply].view.at);
  }

  // The mistakes of some players: the ply, its name, the position before it, and what was lost.
  mistakes(players) {
    const { line } = this.session;
    return [...this.blunders].map(([ply, words]) => ({ ply, words, name: line[ply].name, action: line[ply].action, player: line[ply].player, at: line[ply - 1].view.at })).filter(({ player }) => players.includes(player));
  }

  // Whether every value of the line has been asked for, and how many of its positions have none.
  get isKnown() {
    return this.session.line.every((step) => this.values.has(step.view.at));
  }

  get unknown() {
    return this.session.line.filter((_, ply) => !this.#value(ply)).length;
  }

  // The value at the start of the line for a player.
  startValue(player) {
    const value = this.#value(0);
    return value && (player === 0 ? value.score : -value.score);
  }

  draw() {
    const { line, at, game } = this.session;
    const known = line.map((_, ply) => [ply, this.#value(ply)]).filter(([, value]) => value);
    if (!known.length) {
      replace(this.element, h("p.muted", {}, "Not proven yet: each of these positions may be a win, a draw or a loss."));
      return;
    }
    const most = Math.max(1, ...known.map(([, value]) => Math.abs(value.score)));
    const marks = known.map(([ply, value]) => ({
      x: ply,
      y: value.score,
      look: [ply === at ? "here" : "", this.blunders.has(ply) ? "blunder" : ""].join(" "),
      size: this.blunders.has(ply) || ply === at ? 7 : 4,
      label: this.#label(ply, value),
      onclick: () => this.session.go(ply),
    }));
    const picture = chart({
      series: [{ look: "value", points: known.map(([ply, value]) => [ply, value.score]) }],
      low: -most,
      high: most,
      most: Math.max(line.length - 1, 8),
      lines: [-most, 0, most],
      marks,
      width: Math.max(240, this.element.clientWidth - LABELS),
      label: "Value along the game",
    });
    const side = (player) => h("span", {}, `${game.players[player]} ahead`);
    replace(this.element, h("div.sides", { "aria-hidden": "true" }, side(0), h("span", {}, "even"), side(1)), picture);
  }

  #label(ply, value) {
    const { line, game } = this.session;
    const moved = ply === 0 ? "start" : `move ${ply}, ${line[ply].name}`;
    const who = value.score === 0 ? "even" : `${game.players[value.score > 0 ? 0 : 1]}: ${wording(value)}`;
    const blunder = this.blunders.get(ply);
    return `${moved}: ${who}${blunder ? ` (mistake: ${blunder})` : ""}`;
  }
}

// A value for player 0, in words for the side that is ahead.
function wording(value) {
  return value.words.replace(/^loss/, "win").replace(/-/, "");
}

// A value in words for player 0 (side 1) or 1 (side -1).
export function worded(value, side) {
  const own = side * value.score;
  const margin = Math.abs(own) > 1 ? ` by ${Math.abs(own)}` : "";
  if (!Number.isInteger(own)) return own.toFixed(2);
  return own > 0 ? `a win${margin}` : own < 0 ? `a loss${margin}` : "a draw";
}
