// The board that an agent in training plays on: what it prefers there, and the exact values.
import { Board } from "./board.js";
import { h } from "./dom.js";

export class TrainingBoard {
  // onHurry() asks for full speed.
  constructor(onHurry) {
    this.board = new Board();
    this.board.element.inert = true; // to be looked at only
    this.heading = h("h2", {}, "Its games");
    this.words = h("p.verdict", {}, "The first position comes in a moment.");
    this.legend = h("p.muted");
    this.hurry = h("button", { type: "button", hidden: true, onclick: onHurry }, "Full speed now");
    this.element = h("section.card.panel.training-board", {}, this.board.element, h("div.stack", {}, this.heading, this.words, this.legend, this.hurry));
  }

  update(status, board) {
    this.hurry.hidden = !status.is_slow;
    if (!board) return;
    const { games, view, preferred, is_optimal: isOptimal, words, actions } = board;
    this.heading.textContent = `Game ${(games + (view.over ? 0 : 1)).toLocaleString("en")}`;
    this.board.show(view, { open: true, moving: status.is_slow && games === this.games });
    this.games = games;
    const known = Object.keys(actions).length > 0;
    if (known) this.board.colour(actions);
    this.board.point(view.actions.find((one) => one.action === preferred)?.path ?? []);
    this.words.textContent = words;
    this.words.className = `verdict ${isOptimal === null ? "" : isOptimal ? "right" : "wrong"}`;
    this.legend.textContent = `Framed: the move that the agent prefers as of now; it also explores others.${known ? " Colours and letters: the exact value of each move." : " No exact values: the game is too large to be solved beforehand."}`;
  }
}
