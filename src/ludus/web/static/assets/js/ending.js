// How a game ended: who won, where a person went wrong, and what to do next.
import { h, plural, replace } from "./dom.js";
import { PERSON } from "./session.js";

export class Ending {
  // review(mistakes) goes through them, again(ply) plays on from before a ply, if one may; rematch() starts anew, if one may.
  constructor(session, history, { review, again = null, rematch = null }) {
    Object.assign(this, { session, history, review, again, rematch });
    this.element = h("section.card.panel.ending", { hidden: true, "aria-label": "The end of the game" });
  }

  get people() {
    return [0, 1].filter((player) => this.session.seats[player] === PERSON);
  }

  update() {
    const { session } = this;
    const isOver = session.line.length > 1 && session.isLast && session.result !== null;
    this.element.hidden = !isOver;
    if (!isOver) {
      this.reviewed = "";
      return;
    }
    const mistakes = this.history.mistakes(this.people);
    replace(
      this.element,
      h("h2", {}, this.#result()),
      this.history.isKnown ? this.#judged(mistakes) : h("p.muted", {}, "Looking for mistakes \u2026"),
      this.reviewed ? h("p", { role: "status" }, h("strong", {}, this.reviewed)) : null,
      h("div.row", {},
        mistakes.length ? h("button.primary", { type: "button", onclick: () => this.review(mistakes) }, mistakes.length > 1 ? `Review ${mistakes.length} mistakes` : "Review") : null,
        mistakes.length && this.again ? h("button", { type: "button", onclick: () => this.again(mistakes[0].ply) }, "Try again from there") : null,
        this.rematch ? h("button", { type: "button", class: mistakes.length ? "" : "primary", onclick: () => this.rematch() }, "Rematch") : null),
    );
  }

  #result() {
    const { session } = this;
    if (this.people.length !== 1) return session.result;
    const [own] = this.people;
    const short = session.winner === null ? "" : session.winner === own ? "You won. " : "You lost. ";
    return `${short}${session.result}`;
  }

  // What is known of the play of the people here.
  #judged(mistakes) {
    if (mistakes.length) return this.#named(mistakes);
    const { unknown } = this.history;
    if (unknown) return h("p", {}, `No mistake was found; the values of ${plural(unknown, "position")} are not known.`);
    const [own] = this.people;
    const isLost = this.people.length === 1 && this.history.startValue(own) < 0 && this.session.winner === 1 - own;
    return h("p", {}, isLost ? "You made no mistake: the game was lost from the start." : this.people.length === 1 ? "You made no mistake." : "Nobody made a mistake.");
  }

  #named(mistakes) {
    const whose = this.people.length === 1 ? "Your" : "The";
    const lead = mistakes.length === 1 ? `${whose} mistake was ` : `${whose} mistakes were `;
    const last = mistakes.length - 1;
    const items = mistakes.map(({ ply, name, words }, number) => [number ? (number === last ? " and " : ", ") : "", h("button.quiet.inline", { type: "button", title: words, onclick: () => this.session.go(ply) }, `move ${ply}`), ` (${name})`]);
    return h("p", {}, lead, items, last ? "." : `: ${mistakes[0].words}.`);
  }
}
