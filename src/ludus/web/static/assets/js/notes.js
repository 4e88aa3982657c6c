// The game's notes on a position; pointing at a note marks its targets on the board.
import { isAborted } from "./ask.js";
import { h, replace } from "./dom.js";

export class Notes {
  // point(targets) marks them on the board.
  constructor(session, point) {
    this.session = session;
    this.point = point;
    this.list = h("ul.notes");
    this.element = h("section.card.panel", { hidden: true }, h("h2", {}, "Notes"), this.list);
    this.hasForms = true;
  }

  async update(signal) {
    const { view } = this.session;
    const items = view.notes.map((note) => this.#item(note.words, note.targets));
    this.#show(items);
    if (!this.hasForms || !this.session.source.canonicalForm) return;
    try {
      const working = ({ state, words }) => state === "working" && !signal.aborted && this.#show([...items, this.#item(`Canonical form: ${words} \u2026`, [])]);
      const { state, form } = await this.session.source.canonicalForm(this.session.game.game, view.at, working, signal);
      if (state === "refused") this.hasForms = false;
      else if (form !== null) this.#show([...items, this.#item(`Canonical form: ${form}`, [])]);
    } catch (error) {
      if (!isAborted(error)) this.hasForms = false;
    }
  }

  #show(items) {
    replace(this.list, items);
    this.element.hidden = !items.length;
  }

  #item(words, targets) {
    if (!targets.length) return h("li", {}, words);
    const on = () => this.point(targets);
    const off = () => this.point([]);
    return h("li", {}, h("button.note", { type: "button", onmouseenter: on, onmouseleave: off, onfocus: on, onblur: off, onclick: on }, words));
  }
}
