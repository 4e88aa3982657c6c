// The moves so far: any of them can be gone to.
import { h, replace } from "./dom.js";

export class Moves {
  constructor(sitting, history) {
    this.sitting = sitting;
    this.history = history;
    this.list = h("ol.moves", { "aria-label": "Moves so far" });
    this.element = h("section.card.panel", {}, h("h2", {}, "Moves"), this.list);
  }

  update() {
    const { sitting, history } = this;
    const items = sitting.line.map((step, ply) => this.#item(step, ply, history.blunders.get(ply), ply === sitting.at));
    replace(this.list, items);
    const here = this.list.querySelector("[aria-current]");
    if (here) this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
  }

  #item(step, ply, blunder, here) {
    const again = ply > 1 && this.sitting.line[ply - 1].player === step.player;
    const who = ply === 0 ? "Start" : step.player > 1 ? "Chance" : this.sitting.game.players[step.player];
    return h(
      "li",
      { class: ply === 0 ? "start" : `player-${step.player}` },
      h(
        "button.move",
        { type: "button", "aria-current": here ? "step" : null, onclick: () => this.sitting.go(ply), title: blunder ? `Given away: ${blunder}` : null },
        h("span.ply", { "aria-hidden": "true" }, ply || ""),
        h("span.who", {}, again ? `${who} again` : who),
        h("span.what", {}, step.name ?? ""),
        blunder ? h("span.given", { "aria-label": `given away: ${blunder}` }, "?") : null,
      ),
    );
  }
}
