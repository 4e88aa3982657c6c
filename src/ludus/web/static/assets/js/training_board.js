// The board that an agent in training plays on: what it prefers there, and the exact values.
import { isAborted } from "./ask.js";
import { Board } from "./board.js";
import { h } from "./dom.js";

export class TrainingBoard {
  // onHurry() asks for full speed.
  constructor(source, onHurry) {
    this.source = source;
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
    if (board) this.#show(board, status.is_slow);
    const isKnown = Object.keys(this.shown?.actions ?? {}).length > 0;
    if (status.state !== "paused") this.close();
    else if (this.shown && !isKnown && !this.shown.view.over && status.game && !this.asking) this.#ask(status.game);
  }

  close() {
    this.asking?.abort();
    this.asking = null;
  }

  #show(board, isSlow) {
    const { games, view, preferred, is_optimal: isOptimal, words, actions } = board;
    const moving = isSlow && games === this.shown?.games;
    this.close();
    this.shown = board;
    this.heading.textContent = `Game ${(games + (view.over ? 0 : 1)).toLocaleString("en")}`;
    this.board.show(view, { open: true, moving });
    const isKnown = Object.keys(actions).length > 0;
    if (isKnown) this.board.colour(actions);
    this.board.point(view.actions.find((one) => one.action === preferred)?.path ?? []);
    this.words.textContent = words;
    this.words.className = `verdict ${isOptimal === null ? "" : isOptimal ? "right" : "wrong"}`;
    this.legend.textContent = `Framed: the move that the agent prefers as of now; it also explores others. ${isKnown ? "Colours and letters: the exact value of each move." : "The game is too large to be solved beforehand: pause, and the values of the moves are searched."}`;
  }

  // Searches the values of a position at which the training was paused.
  async #ask(game) {
    const { view, preferred } = this.shown;
    this.asking = new AbortController();
    const { signal } = this.asking;
    try {
      await this.source.hints(game, view.at, ({ actions }) => {
        if (signal.aborted) return;
        this.board.colour(actions);
        this.board.point(view.actions.find((one) => one.action === preferred)?.path ?? []);
      }, signal);
    } catch (error) {
      if (!isAborted(error)) this.legend.textContent = error.message;
    }
  }
}
