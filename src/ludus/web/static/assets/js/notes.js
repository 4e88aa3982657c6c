// What the game points out in a position; looking at a note shows on the board what it speaks of.
import { isLeft } from "./ask.js";
import { h, replace } from "./dom.js";

export class Notes {
  // point(targets) marks them on the board.
  constructor(sitting, point) {
    this.sitting = sitting;
    this.point = point;
    this.list = h("ul.notes");
    this.element = h("section.card.panel", { hidden: true }, h("h2", {}, "Notes"), this.list);
    this.hasForms = true;
  }

  async update(signal) {
    const { view } = this.sitting;
    const items = view.notes.map((note) => this.#item(note.words, note.targets));
    this.#show(items);
    if (!this.hasForms || !this.sitting.source.form) return;
    try {
      const working = ({ state }) => state === "working" && !signal.aborted && this.#show([...items, this.#item("Canonical form: being worked out \u2026", [])]);
      const { state, form } = await this.sitting.source.form(this.sitting.game.game, view.at, working, signal);
      if (state === "refused") this.hasForms = false;
      else if (form !== null) this.#show([...items, this.#item(`Canonical form: ${form}`, [])]);
    } catch (error) {
      if (!isLeft(error)) this.hasForms = false;
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
