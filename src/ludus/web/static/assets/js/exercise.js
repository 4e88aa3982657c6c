// A position in which a good action is to be found on the board: two tries, then the line that refutes the last one.
import { isAborted, sleep } from "./ask.js";
import { rank } from "./board.js";
import { announce, h, replace } from "./dom.js";
import { worded } from "./history.js";
import { legendOf } from "./legend.js";

const TRIES = 2;
const STEP = 900; // milliseconds for each ply of a line that is shown
const LONGEST = 12; // plies of such a line

export class Exercise {
  // onAnswer(isRight) hears how a position was answered, before the person continues.
  constructor(source, game, board) {
    Object.assign(this, { source, game, board, onAnswer: () => {} });
    this.heading = h("h2");
    this.words = h("p");
    this.feedback = h("div.stack");
    this.buttons = h("div.row");
    this.legend = h("p.muted.legend");
    this.element = h("section.card.panel.exercise", { hidden: true }, this.heading, this.words, this.feedback, this.buttons, this.legend);
  }

  get isOpen() {
    return this.state === "open";
  }

  // Poses a position; resolves with whether a good action was found, when the person continues. With `byResult` every
  // action is good that keeps the result, otherwise it must keep the points, too. values: of its actions, if they are
  // known; about: shown with the solution.
  pose({ view, heading, words, values = null, byResult = false, about = [], next = "Next" }, signal) {
    Object.assign(this, { view, values, byResult, about, next, signal, tries: 0, state: "open" });
    this.element.hidden = false;
    this.heading.textContent = heading;
    this.words.textContent = words;
    replace(this.feedback);
    replace(this.legend);
    replace(this.buttons, h("button.quiet", { type: "button", onclick: () => this.#give() }, "Show me"));
    this.#show(view, true);
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")), { once: true });
    });
  }

  close() {
    this.state = "";
    this.element.hidden = true;
  }

  // Judges the action that was chosen on the board.
  async answer(action) {
    if (!this.isOpen) return;
    this.state = "judging";
    const chosen = this.view.actions.find((one) => one.action === action);
    await this.#guarded(async () => {
      const verdict = await this.#judge(action);
      if (verdict.good) this.#solved(chosen, verdict);
      else if ((this.tries += 1) < TRIES) this.#again(chosen, verdict);
      else await this.#refute(chosen, verdict);
    });
  }

  async #guarded(work) {
    try {
      await work();
    } catch (error) {
      if (isAborted(error)) return;
      this.#say(h("p.problem", {}, error.message));
      this.#offerNext(false);
    }
  }

  // Compares the value after an action with the value of the position.
  async #judge(action) {
    const { source, game, view, signal } = this;
    const after = await source.position(game.game, view.at, action, signal);
    const [own, now] = this.values ? this.#known(action) : await this.#asked(after);
    if (own === null || now === null) return { good: false, after, words: "could not be judged in time" };
    const good = this.byResult ? Math.sign(now) >= Math.sign(own) : now >= own - 1e-6;
    return { good, after, words: `leaves ${worded({ score: now }, 1)}` };
  }

  // The value of the position and that after an action, for the side to move.
  #known(action) {
    return [Math.max(...Object.values(this.values).map(({ own }) => own)), this.values[action].own];
  }

  async #asked(after) {
    const { source, game, view, signal } = this;
    const { values } = await source.values(game.game, [view.at, after.at], () => {}, signal);
    const side = view.player === 1 ? -1 : 1;
    return values.map((value) => (value ? side * value.score : null));
  }

  #solved({ name }, { words }) {
    this.#say(h("p.verdict.right", {}, `Right: ${name} ${words}.`));
    this.#colour();
    this.#offerNext(true);
  }

  #again({ name }, { words }) {
    this.#say(h("p.verdict.wrong", {}, `${name} ${words}.`), h("p", {}, "There is something better. One more try."));
    this.state = "open";
    this.#show(this.view, true);
  }

  // Shows on the board how the other side answers, and then what would have been better.
  async #refute({ name }, { after, words }) {
    this.#say(h("p.verdict.wrong", {}, `${name} ${words}.`), after.over ? h("p", {}, after.result.words) : h("p.muted", {}, "This is the answer:"));
    const { moves } = after.over ? { moves: [] } : await this.source.line(this.game.game, after.at, () => {}, this.signal);
    await this.#play([{ name, at: after.at, player: this.view.player }, ...moves].slice(0, LONGEST));
    await this.#best();
    this.#offerNext(false);
  }

  async #give() {
    if (!this.isOpen) return;
    this.state = "judging";
    this.#say();
    await this.#guarded(async () => {
      await this.#best();
      this.#colour();
      this.#offerNext(false);
    });
  }

  // Adds a line whose steps can be looked at, and plays it once.
  async #play(line) {
    const look = async (step) => this.#show(await this.source.position(this.game.game, step.at, undefined, this.signal), false);
    const chips = line.map((step) => h("button", { type: "button", class: `chip player-${step.player}`, onclick: () => { this.stopped = true; look(step); } }, step.name));
    this.feedback.append(h("ol.line", { "aria-label": "The line" }, chips.map((chip) => h("li", {}, chip))));
    this.stopped = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const step of line) {
      if (this.stopped) break;
      await look(step);
      await sleep(STEP, this.signal);
    }
  }

  // Adds an action that is best.
  async #best() {
    const name = this.values ? this.#bestKnown() : await this.#bestAsked();
    if (!name) return;
    this.feedback.append(h("p", {}, "Best: ", h("strong", {}, name)));
    announce(`Best: ${name}.`);
  }

  #bestKnown() {
    const { actions } = this.view;
    return actions.reduce((one, other) => (rank(this.values[other.action]) > rank(this.values[one.action]) ? other : one)).name;
  }

  async #bestAsked() {
    const { source, game, view, signal } = this;
    return (await source.line(game.game, view.at, () => {}, signal)).moves[0]?.name;
  }

  // Colours the board where all values are known at once.
  async #colour() {
    const { source, game, view, values, signal } = this;
    this.#show(view, true);
    if (values) {
      this.#mark(values);
      return;
    }
    try {
      const looking = new AbortController();
      signal.addEventListener("abort", () => looking.abort(), { once: true });
      await source.hints(game.game, view.at, (hints) => {
        if (this.view === view && this.state !== "open" && !signal.aborted) this.#mark(hints.actions);
        if (hints.state === "searching") looking.abort();
      }, looking.signal);
    } catch (error) {
      if (!isAborted(error)) throw error;
    }
  }

  #mark(values) {
    this.board.colour(values);
    replace(this.legend, legendOf(values));
  }

  #show(view, open) {
    this.board.show(view, { open, moving: this.board.view !== undefined });
  }

  #say(...parts) {
    replace(this.feedback, parts);
    if (parts.length) announce(parts.map((part) => part.textContent).join(" "));
  }

  #offerNext(solved) {
    this.state = "done";
    this.onAnswer(solved);
    this.feedback.append(...this.about);
    const button = h("button.primary", { type: "button", onclick: () => this.finish(solved) }, this.next);
    replace(this.buttons, button);
    button.focus({ preventScroll: true });
  }
}
