// The worst mistakes of an agent; a click shows one on the board.
import { isAborted } from "./ask.js";
import { capital, h, replace } from "./dom.js";

export class Mistakes {
  // agent(): the agent to grade; open(mistake) shows it.
  constructor(session, { agent, title, open, signal }) {
    Object.assign(this, { session, agent, title, open, signal });
    this.list = h("div.stack");
    this.element = h("section.card.panel", {}, h("h2", {}, "Worst mistakes"), this.list);
    this.reset();
  }

  reset() {
    this.of = this.agent();
    this.element.hidden = !this.of;
    if (!this.of) return;
    replace(this.list, h("p.muted", {}, `Positions in which ${this.title(this.of)} loses value.`), h("button", { type: "button", onclick: () => this.#find() }, "Find them"));
  }

  async #find() {
    const { of } = this;
    const status = h("p.muted", { role: "status" }, "Grading \u2026");
    replace(this.list, status);
    try {
      const found = await this.session.source.mistakes(this.session.game.game, of, (now) => {
        if (now.state === "working") status.textContent = `${capital(now.words)} \u2026`;
      }, this.signal);
      if (of !== this.of) return;
      if (found.state === "refused") status.textContent = `${capital(found.words)}.`;
      else this.#show(found);
    } catch (error) {
      if (!isAborted(error)) status.textContent = error.message;
    }
  }

  #show({ decisions, optimal, mistakes }) {
    const accuracy = decisions ? `${Math.round(optimal).toLocaleString("en")} of ${decisions.toLocaleString("en")} decisions are optimal.` : "";
    const items = mistakes.map((one) => h("li", {}, h("button.mistake", { type: "button", onclick: () => this.open(one) },
      h("span.what", {}, `${one.mover}: ${one.plays[0].name}`),
      h("span.muted", {}, `${one.words} becomes ${one.plays[0].words}; optimal: ${one.optimal.slice(0, 3).join(", ")}`))));
    replace(this.list, h("p.muted", {}, accuracy), items.length ? h("ol.mistakes", {}, items) : h("p", {}, decisions > Math.round(optimal) ? "The others cannot arise in its own games." : "It makes none."));
  }
}
