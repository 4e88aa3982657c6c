// All actions side by side: their exact values, and an agent's evaluation of them.
import { isAborted } from "./ask.js";
import { rank } from "./board.js";
import { capital, fresh, h, plural, replace } from "./dom.js";
import { legendOf } from "./legend.js";

const FIRST = 8; // moves that are shown at first

export class EvaluationPanel {
  // agents(): whose evaluation can be shown, [{agent, title, run}]; onValues(values) gets the exact values, onToggle what is shown.
  constructor(session, agents, { onValues, onToggle, chosen, exact, evaluation }) {
    Object.assign(this, { session, agents, onValues, onToggle });
    this.showsExact = exact;
    this.showsEvaluation = evaluation;
    this.agent = chosen;
    this.hints = null;
    this.evaluation = null;
    this.checkpoints = [];
    this.games = undefined;
    this.status = h("p.status-line.muted");
    this.legend = h("p.muted.legend");
    this.rows = h("div.actions-table");
    this.controls = h("div.stack");
    this.line = h("div.best-line");
    this.element = h("section.card.panel.evaluation", {}, h("h2", {}, "Value of each move"), this.controls, this.status, this.rows, this.legend, this.line);
    this.#drawControls();
  }

  get isShown() {
    return this.showsExact || this.showsEvaluation;
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
    this.onToggle({ exact: this.showsExact, evaluation: this.showsEvaluation });
    this.#drawControls();
  }

  #drawControls() {
    const toggle = (what, words, part) =>
      h("button", { type: "button", "aria-pressed": String(this[what]), "data-part": part, onclick: () => { this.toggle(what); this.changed(); } }, words);
    const active = document.activeElement?.dataset?.part;
    replace(
      this.controls,
      h("div.segments.several", { role: "group", "aria-label": "Show beside each action" }, toggle("showsExact", "Exact values", "exact"), toggle("showsEvaluation", "What an agent thinks", "evaluation")),
      this.showsEvaluation ? this.#agentSelect() : null,
      this.showsEvaluation ? (this.slider = h("div.field")) : null,
    );
    if (active) this.controls.querySelector(`[data-part="${active}"]`)?.focus();
    if (this.showsEvaluation) this.#drawCheckpoints();
  }

  #agentSelect() {
    const id = fresh("agent");
    const known = this.agents();
    if (!known.some((one) => one.agent === this.agent)) known.push({ agent: this.agent, title: this.agent });
    const select = h("select", { id, onchange: () => { this.follow(select.value); this.changed(); } }, known.map((one) => h("option", { value: one.agent, selected: one.agent === this.agent }, one.title)));
    return h("div.field.inline", {}, h("label.label", { for: id }, "Agent"), select);
  }

  async #drawCheckpoints() {
    const run = this.agents().find((one) => one.agent === this.agent)?.run;
    replace(this.slider);
    if (!run) return;
    const { agent } = this;
    if (!this.checkpoints.length) this.checkpoints = await this.session.source.checkpoints(run).catch(() => []);
    if (agent !== this.agent || this.checkpoints.length < 2) return;
    const id = fresh("checkpoint");
    const last = this.checkpoints.length - 1;
    const output = h("output.chosen", { for: id });
    const input = h("input", { type: "range", id, min: 0, max: last, step: 1, "data-part": "checkpoints", oninput: () => { label(); this.games = this.checkpoints[Number(input.value)].games; this.changed(); } });
    const now = this.checkpoints.findIndex((one) => one.games === this.games);
    input.value = String(now < 0 ? last : now);
    const label = () => {
      const one = this.checkpoints[Number(input.value)];
      input.setAttribute("aria-valuetext", `after ${one.games} games`);
      replace(output, h("strong", {}, `after ${plural(one.games, "game")}`), h("span.muted", {}, one.optimal === null ? "" : `${Math.round((100 * one.optimal) / one.decisions)}% of decisions optimal`));
    };
    label();
    replace(this.slider, h("label.label", { for: id }, "Checkpoint"), input, output);
  }

  // Asks again for the position that is shown; the signal drops earlier requests.
  async update(signal) {
    this.hints = null;
    this.evaluation = null;
    replace(this.line);
    if (!this.isShown || this.session.view.over) {
      this.onValues(null);
      this.draw();
      return;
    }
    this.draw();
    const { game, view, source } = this.session;
    const asked = [];
    if (this.showsExact) {
      asked.push(source.hints(game.game, view.at, (hints) => {
        if (signal.aborted) return;
        this.hints = hints;
        this.onValues(hints.actions);
        this.draw();
      }, signal));
    } else this.onValues(null);
    if (this.showsEvaluation && view.player < 2) {
      asked.push(source.evaluation(game.game, view.at, this.agent, this.games, (words) => {
        if (!signal.aborted) this.status.textContent = `${capital(words)} \u2026`;
      }, signal).then((evaluation) => {
        if (signal.aborted) return;
        this.evaluation = evaluation;
        this.draw();
      }));
    }
    const done = await Promise.allSettled(asked);
    const wrong = done.find((one) => one.status === "rejected" && !isAborted(one.reason));
    if (wrong && !signal.aborted) this.status.textContent = wrong.reason.message;
    if (this.showsExact && !signal.aborted) this.#offerLine(signal);
  }

  #offerLine(signal) {
    const { game, view, source } = this.session;
    const button = h("button.quiet", { type: "button", onclick: async () => {
      button.disabled = true;
      try {
        const found = await source.line(game.game, view.at, ({ words }) => { if (words) button.textContent = `${capital(words)} \u2026`; }, signal);
        if (signal.aborted) return;
        const moves = found.moves.map((move) => h("li", {}, h("button.chip", { type: "button", class: `chip player-${move.player}`, onclick: () => this.peek(move.at) }, move.name)));
        replace(this.line, h("h3", {}, "Best line"), h("ol.line", {}, moves), found.words ? h("p.muted", {}, found.words) : null);
      } catch (error) {
        if (!isAborted(error)) replace(this.line, h("p.muted", {}, error.message));
      }
    } }, "Show the best line");
    replace(this.line, button);
  }

  draw() {
    const { view } = this.session;
    this.status.textContent = this.#words();
    if (!this.isShown || view.over) {
      replace(this.rows);
      replace(this.legend);
      return;
    }
    replace(this.rows, this.#table(view));
    replace(this.legend, legendOf(this.hints?.actions ?? {}));
  }

  #words() {
    if (!this.isShown) return "Show the exact values, or what an agent thinks, on the board and here.";
    if (this.session.view.over) return "The game is over here.";
    const words = [];
    if (this.showsExact && !this.hints) words.push("Computing \u2026");
    if (this.showsExact && this.hints) words.push(this.#exactWords());
    if (this.showsEvaluation && !this.evaluation && this.session.view.player < 2) words.push("Asking the agent \u2026");
    if (this.showsEvaluation && this.evaluation) words.push(this.#evaluationWords());
    return words.filter(Boolean).join(" ");
  }

  #exactWords() {
    const { state, words, value } = this.hints;
    if (state === "working") return `${capital(words)} \u2026`;
    if (state === "searching") return `Searching \u2026 ${this.#proven()}`;
    if (state === "refused") return capital(words);
    return value ? `${this.session.view.mover} to move: ${value.words}.` : `${capital(words)}. ${this.#proven()}`;
  }

  // How many values a search has proven; what it says of the others are bounds, perhaps with an estimate.
  #proven() {
    const values = Object.values(this.hints.actions ?? {});
    const count = values.filter((value) => !isOpen(value)).length;
    if (!values.length) return "";
    return `Proven: ${count} of ${plural(values.length, "move")}.${count < values.length && this.hints.estimates ? " The others are estimated, from \u22121 (lost) to +1 (won)." : ""}`;
  }

  #evaluationWords() {
    const { value, kind, words, visits } = this.evaluation;
    const parts = [];
    if (isKnown(value) && kind !== "none") parts.push(`The agent expects ${number(value)}.`);
    if (visits) parts.push(`It has learned here ${plural(visits, "time")}.`);
    if (words) parts.push(`${capital(words)}.`);
    return parts.join(" ");
  }

  #table(view) {
    const exact = this.hints?.actions ?? {};
    const evaluated = together(view.actions, this.evaluation?.actions ?? {});
    const best = Math.max(...Object.values(exact).map(rank));
    const favourite = Math.max(...Object.values(evaluated).map((one) => one.probability));
    const estimates = this.hints?.estimates ?? {};
    const place = ({ action }) => order(exact[action], evaluated[action], estimates[action]);
    const rows = merged(view.actions).sort((a, b) => place(b) - place(a));
    const hasVisits = Object.values(evaluated).some((one) => isKnown(one.visits));
    const hasValues = Object.values(evaluated).some((one) => isKnown(one.value));
    const policy = this.evaluation?.kind === "policy";
    const heads = ["Move", this.showsExact && "Exact", ...(this.showsEvaluation ? ["Plays", hasValues && (policy ? "Policy" : "Value"), hasVisits && "Visits"] : [])];
    const body = rows.map((one) => {
      const value = exact[one.action];
      const own = evaluated[one.action];
      const likes = own && own.probability === favourite && favourite > 0;
      const errs = likes && value && value.low === null && best > rank(value) && isMistake(value, exact);
      return h("tr", { class: errs ? "errs" : "" },
        h("th", { scope: "row" }, h("button.action", { type: "button", disabled: !this.session.isOpen, onclick: () => this.choose(one.action) }, one.name)),
        this.showsExact ? h("td", {}, value ? [h("span", { class: `value-tag ${value.outcome ?? "open"}` }, value.words), isOpen(value) && estimates[one.action] ? h("span.muted.estimate", {}, ` about ${number(estimates[one.action].value)}`) : null] : null) : null,
        this.showsEvaluation ? [
          h("td", {}, own ? share(own.probability) : null, errs ? h("span.errs-mark", { title: "The agent makes a mistake here" }, " errs") : null),
          hasValues ? h("td.number", {}, own && isKnown(own.value) ? (policy ? percent(own.value) : number(own.value)) : "") : null,
          hasVisits ? h("td.number", {}, own?.visits?.toLocaleString("en") ?? "") : null,
        ] : null);
    });
    const more = body.length - FIRST;
    const shown = more > 1 && !this.showsAll ? body.slice(0, FIRST) : body;
    const toggle = () => {
      this.showsAll = !this.showsAll;
      this.draw();
    };
    return [
      h("table", {}, h("thead", {}, h("tr", {}, heads.filter(Boolean).map((words) => h("th", { scope: "col" }, words)))), h("tbody", {}, shown)),
      more > 1 ? h("button.quiet", { type: "button", onclick: toggle }, this.showsAll ? "Show the best only" : `Show ${more} more moves`) : null,
    ];
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

// The evaluations of actions of one name added up, under the first of them.
function together(actions, evaluations) {
  const first = new Map(merged(actions).map((one) => [one.name, one.action]));
  const found = {};
  for (const { action, name } of actions) {
    const one = evaluations[action];
    if (!one) continue;
    const before = found[first.get(name)] ?? { probability: 0, value: null, visits: null };
    found[first.get(name)] = {
      probability: before.probability + one.probability,
      value: isKnown(before.value) ? Math.max(before.value, one.value ?? -Infinity) : one.value,
      visits: isKnown(one.visits) ? (before.visits ?? 0) + one.visits : before.visits,
    };
  }
  return found;
}

// Whether a value is known by its bounds only.
const isOpen = ({ low }) => isKnown(low);

const isKnown = (value) => value !== null && value !== undefined;

// Whether an action loses more than plies.
function isMistake(value, exact) {
  return Object.values(exact).some((other) => other.own > value.own + 1e-6);
}

function order(value, own, estimate) {
  return (value ? rank(value) : 0) + (own?.probability ?? 0) * 0.5 + (value && isOpen(value) ? (estimate?.value ?? 0) * 0.25 : 0);
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
