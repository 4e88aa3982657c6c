// Every action side by side: what it is worth in truth, and what an agent thinks of it.
import { isLeft } from "./ask.js";
import { rank } from "./board.js";
import { capital, fresh, h, plural, replace } from "./dom.js";

export class Mind {
  // agents(): whose mind can be shown, [{agent, title, run}]; coloured(worths) hears what the truth says.
  constructor(sitting, agents, { coloured, chosen, truth, thoughts, settings }) {
    Object.assign(this, { sitting, agents, coloured, settings });
    this.showsTruth = truth;
    this.showsThoughts = thoughts;
    this.agent = chosen;
    this.hints = null;
    this.thoughts = null;
    this.checkpoints = [];
    this.games = undefined;
    this.status = h("p.status-line.muted");
    this.rows = h("div.actions-table");
    this.controls = h("div.stack");
    this.line = h("div.best-line");
    this.element = h("section.card.panel.mind", {}, h("h2", {}, "What each action is worth"), this.controls, this.status, this.rows, this.line);
    this.#drawControls();
  }

  get isShown() {
    return this.showsTruth || this.showsThoughts;
  }

  follow(agent) {
    if (!agent || agent === this.agent) return;
    this.agent = agent;
    this.games = undefined;
    this.checkpoints = [];
    this.#drawControls();
  }

  toggle(what) {
    this[what] = !this[what];
    this.settings({ truth: this.showsTruth, thoughts: this.showsThoughts });
    this.#drawControls();
  }

  #drawControls() {
    const toggle = (what, words, part) =>
      h("button", { type: "button", "aria-pressed": String(this[what]), "data-part": part, onclick: () => { this.toggle(what); this.changed(); } }, words);
    const active = document.activeElement?.dataset?.part;
    replace(
      this.controls,
      h("div.segments.several", { role: "group", "aria-label": "Show beside each action" }, toggle("showsTruth", "The truth", "truth"), toggle("showsThoughts", "An agent\u2019s mind", "thoughts")),
      this.showsThoughts ? this.#whose() : null,
      this.showsThoughts ? (this.slider = h("div.field")) : null,
    );
    if (active) this.controls.querySelector(`[data-part="${active}"]`)?.focus();
    if (this.showsThoughts) this.#drawCheckpoints();
  }

  #whose() {
    const id = fresh("whose");
    const known = this.agents();
    if (!known.some((one) => one.agent === this.agent)) known.push({ agent: this.agent, title: this.agent });
    const select = h("select", { id, onchange: () => { this.follow(select.value); this.changed(); } }, known.map((one) => h("option", { value: one.agent, selected: one.agent === this.agent }, one.title)));
    return h("div.field.inline", {}, h("label.label", { for: id }, "Whose mind"), select);
  }

  async #drawCheckpoints() {
    const run = this.agents().find((one) => one.agent === this.agent)?.run;
    replace(this.slider);
    if (!run) return;
    const { agent } = this;
    if (!this.checkpoints.length) this.checkpoints = await this.sitting.source.checkpoints(run).catch(() => []);
    if (agent !== this.agent || this.checkpoints.length < 2) return;
    const id = fresh("checkpoint");
    const last = this.checkpoints.length - 1;
    const output = h("output.chosen", { for: id });
    const input = h("input", { type: "range", id, min: 0, max: last, step: 1, "data-part": "checkpoints", oninput: () => { tell(); this.games = this.checkpoints[Number(input.value)].games; this.changed(); } });
    const now = this.checkpoints.findIndex((one) => one.games === this.games);
    input.value = String(now < 0 ? last : now);
    const tell = () => {
      const one = this.checkpoints[Number(input.value)];
      const accuracy = one.optimal === null ? "" : `, ${Math.round((100 * one.optimal) / one.decisions)}% of decisions optimal`;
      input.setAttribute("aria-valuetext", `after ${one.games} games`);
      replace(output, h("strong", {}, `after ${plural(one.games, "game")}`), h("span.muted", {}, accuracy.slice(2)));
    };
    tell();
    replace(this.slider, h("label.label", { for: id }, "While it learned"), input, output);
  }

  // Ask again for the position that is looked at; what was asked before is dropped by the signal.
  async update(signal) {
    this.hints = null;
    this.thoughts = null;
    replace(this.line);
    if (!this.isShown || this.sitting.view.over) {
      this.coloured(null);
      this.draw();
      return;
    }
    this.draw();
    const { game, view, source } = this.sitting;
    const asked = [];
    if (this.showsTruth) {
      asked.push(source.hints(game.game, view.at, (hints) => {
        if (signal.aborted) return;
        this.hints = hints;
        this.coloured(hints.actions);
        this.draw();
      }, signal));
    } else this.coloured(null);
    if (this.showsThoughts && view.player < 2) {
      asked.push(source.thoughts(game.game, view.at, this.agent, this.games, signal).then((thoughts) => {
        if (signal.aborted) return;
        this.thoughts = thoughts;
        this.draw();
      }));
    }
    const done = await Promise.allSettled(asked);
    const wrong = done.find((one) => one.status === "rejected" && !isLeft(one.reason));
    if (wrong && !signal.aborted) this.status.textContent = wrong.reason.message;
    if (this.showsTruth && !signal.aborted) this.#offerLine(signal);
  }

  #offerLine(signal) {
    const { game, view, source } = this.sitting;
    const button = h("button.quiet", { type: "button", onclick: async () => {
      button.disabled = true;
      try {
        const found = await source.line(game.game, view.at, signal);
        if (signal.aborted) return;
        const moves = found.moves.map((move) => h("li", {}, h("button.chip", { type: "button", class: `chip player-${move.player}`, onclick: () => this.peek(move.at) }, move.name)));
        replace(this.line, h("h3", {}, "Best line"), h("ol.line", {}, moves), found.words ? h("p.muted", {}, found.words) : null);
      } catch (error) {
        if (!isLeft(error)) replace(this.line, h("p.muted", {}, error.message));
      }
    } }, "Show the best line");
    replace(this.line, button);
  }

  draw() {
    const { view } = this.sitting;
    this.status.textContent = this.#words();
    if (!this.isShown || view.over) {
      replace(this.rows);
      return;
    }
    replace(this.rows, this.#table(view));
  }

  #words() {
    if (!this.isShown) return "Turn on the truth, or an agent\u2019s mind, to see it on the board and here.";
    if (this.sitting.view.over) return "The game is over here.";
    const words = [];
    if (this.showsTruth && !this.hints) words.push("Asking \u2026");
    if (this.showsTruth && this.hints) words.push(this.#truthInWords());
    if (this.showsThoughts && this.thoughts) words.push(this.#mindInWords());
    return words.filter(Boolean).join(" ");
  }

  #truthInWords() {
    const { state, words, value } = this.hints;
    if (state === "working") return `${capital(words)} \u2026`;
    if (state === "searching") return "Searching: bounds close in \u2026";
    if (state === "refused") return capital(words);
    return value ? `${this.sitting.view.mover} to move: ${value.words}.` : `${capital(words)}.`;
  }

  #mindInWords() {
    const { value, worths, words, visits } = this.thoughts;
    const parts = [];
    if (isKnown(value) && worths !== "none") parts.push(`The agent expects ${number(value)}.`);
    if (visits) parts.push(`It learned here ${plural(visits, "time")}.`);
    if (words) parts.push(`${capital(words)}.`);
    return parts.join(" ");
  }

  #table(view) {
    const truth = this.hints?.actions ?? {};
    const mind = together(view.actions, this.thoughts?.actions ?? {});
    const best = Math.max(...Object.values(truth).map(rank));
    const favourite = Math.max(...Object.values(mind).map((one) => one.probability));
    const rows = merged(view.actions).sort((a, b) => order(truth[b.action], mind[b.action]) - order(truth[a.action], mind[a.action]));
    const hasVisits = Object.values(mind).some((one) => isKnown(one.visits));
    const hasWorth = Object.values(mind).some((one) => isKnown(one.worth));
    const policy = this.thoughts?.worths === "policy";
    const head = h("tr", {}, h("th", { scope: "col" }, "Action"), this.showsTruth ? h("th", { scope: "col" }, "Truth") : null,
      this.showsThoughts ? [h("th", { scope: "col" }, "Plays"), hasWorth ? h("th", { scope: "col" }, policy ? "Policy" : "Thinks") : null, hasVisits ? h("th", { scope: "col" }, "Visits") : null] : null);
    const body = rows.map((one) => {
      const worth = truth[one.action];
      const thought = mind[one.action];
      const likes = thought && thought.probability === favourite && favourite > 0;
      const errs = likes && worth && worth.low === null && best > rank(worth) && given(worth, truth);
      return h("tr", { class: errs ? "errs" : "" },
        h("th", { scope: "row" }, h("button.action", { type: "button", disabled: !this.sitting.isOpen, onclick: () => this.choose(one.action) }, one.name)),
        this.showsTruth ? h("td", {}, worth ? h("span", { class: `worth ${worth.outcome ?? "open"}` }, worth.words) : null) : null,
        this.showsThoughts ? [
          h("td", {}, thought ? share(thought.probability) : null, errs ? h("span.errs-mark", { title: "The agent gives something away here" }, " errs") : null),
          hasWorth ? h("td.number", {}, thought && isKnown(thought.worth) ? (policy ? percent(thought.worth) : number(thought.worth)) : "") : null,
          hasVisits ? h("td.number", {}, thought?.visits?.toLocaleString("en") ?? "") : null,
        ] : null);
    });
    return h("table", {}, h("thead", {}, head), h("tbody", {}, body));
  }

  changed() {}
  choose() {}
  peek() {}
}

// Actions of one name do the same, and are shown once.
function merged(actions) {
  const named = new Map();
  for (const one of actions) if (!named.has(one.name)) named.set(one.name, one);
  return [...named.values()];
}

// What an agent thinks of actions of one name, as of one: by the first of them.
function together(actions, thoughts) {
  const first = new Map(merged(actions).map((one) => [one.name, one.action]));
  const told = {};
  for (const { action, name } of actions) {
    const thought = thoughts[action];
    if (!thought) continue;
    const before = told[first.get(name)] ?? { probability: 0, worth: null, visits: null };
    told[first.get(name)] = {
      probability: before.probability + thought.probability,
      worth: isKnown(before.worth) ? Math.max(before.worth, thought.worth ?? -Infinity) : thought.worth,
      visits: isKnown(thought.visits) ? (before.visits ?? 0) + thought.visits : before.visits,
    };
  }
  return told;
}

const isKnown = (value) => value !== null && value !== undefined;

// Whether an action gives more away than plies.
function given(worth, truth) {
  return Object.values(truth).some((other) => other.own > worth.own + 1e-6);
}

function order(worth, thought) {
  return (worth ? rank(worth) : 0) + (thought?.probability ?? 0) * 0.5;
}

function share(probability) {
  const bar = h("span.share", { "aria-hidden": "true" }, h("span.filled"));
  bar.firstChild.style.setProperty("--share", String(probability));
  return h("span.shared", {}, bar, h("span.number", {}, percent(probability)));
}

function percent(part) {
  return part > 0 && part < 0.005 ? "<1%" : `${Math.round(100 * part)}%`;
}

function number(value) {
  const rounded = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
  return value > 0 ? `+${rounded}` : rounded.replace("-", "\u2212");
}
