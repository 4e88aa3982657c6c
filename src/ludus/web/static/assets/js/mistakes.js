// Where an agent gives something away, the worst first; each is a click away on the board.
import { isLeft } from "./ask.js";
import { capital, h, replace } from "./dom.js";

export class Mistakes {
  // agent(): whose; open(mistake) shows it.
  constructor(sitting, { agent, title, open, signal }) {
    Object.assign(this, { sitting, agent, title, open, signal });
    this.list = h("div.stack");
    this.element = h("section.card.panel", {}, h("h2", {}, "Worst mistakes"), this.list);
    this.reset();
  }

  reset() {
    this.of = this.agent();
    this.element.hidden = !this.of;
    if (!this.of) return;
    replace(this.list, h("p.muted", {}, `Where ${this.title(this.of)} gives something away.`), h("button", { type: "button", onclick: () => this.#find() }, "Find them"));
  }

  async #find() {
    const { of } = this;
    const status = h("p.muted", { role: "status" }, "Grading \u2026");
    replace(this.list, status);
    try {
      const found = await this.sitting.source.mistakes(this.sitting.game.game, of, (now) => {
        if (now.state === "working") status.textContent = `${capital(now.words)} \u2026`;
      }, this.signal);
      if (of !== this.of) return;
      if (found.state === "refused") status.textContent = `${capital(found.words)}.`;
      else this.#show(found);
    } catch (error) {
      if (!isLeft(error)) status.textContent = error.message;
    }
  }

  #show({ decisions, optimal, mistakes }) {
    const accuracy = decisions ? `${Math.round(optimal).toLocaleString("en")} of ${decisions.toLocaleString("en")} decisions optimal.` : "";
    const items = mistakes.map((one) => h("li", {}, h("button.mistake", { type: "button", onclick: () => this.open(one) },
      h("span.what", {}, `${one.mover}: ${one.plays[0].name}`),
      h("span.muted", {}, `${one.words} becomes ${one.plays[0].words}; optimal: ${one.optimal.slice(0, 3).join(", ")}`))));
    replace(this.list, h("p.muted", {}, accuracy), items.length ? h("ol.mistakes", {}, items) : h("p", {}, decisions > Math.round(optimal) ? "The others cannot come up while it plays." : "It makes none."));
  }
}
