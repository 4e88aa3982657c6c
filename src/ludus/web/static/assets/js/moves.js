// The list of moves; a click goes to the position after a move.
import { h, replace } from "./dom.js";

export class Moves {
  constructor(session, history) {
    this.session = session;
    this.history = history;
    this.list = h("ol.moves", { "aria-label": "Moves so far" });
    this.element = h("section.card.panel", {}, h("h2", {}, "Moves"), this.list);
  }

  update() {
    const { session, history } = this;
    const items = session.line.map((step, ply) => this.#item(step, ply, history.blunders.get(ply), ply === session.at));
    replace(this.list, items);
    const here = this.list.querySelector("[aria-current]");
    if (here) this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
  }

  #item(step, ply, blunder, here) {
    const again = ply > 1 && this.session.line[ply - 1].player === step.player;
    const who = ply === 0 ? "Start" : step.player > 1 ? "Chance" : this.session.game.players[step.player];
    return h(
      "li",
      { class: ply === 0 ? "start" : `player-${step.player}` },
      h(
        "button.move",
        { type: "button", "aria-current": here ? "step" : null, onclick: () => this.session.go(ply), title: blunder ? `Mistake: ${blunder}` : null },
        h("span.ply", { "aria-hidden": "true" }, ply || ""),
        h("span.who", {}, again ? `${who} again` : who),
        h("span.what", {}, step.name ?? ""),
        blunder ? h("span.given", { "aria-label": `mistake: ${blunder}` }, "?") : null,
      ),
    );
  }
}
