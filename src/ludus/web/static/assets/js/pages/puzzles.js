// Puzzles: exactly one action keeps the win.
import { isAborted } from "../ask.js";
import { Board } from "../board.js";
import { fresh, h, plural, replace, titled } from "../dom.js";
import { Exercise } from "../exercise.js";
import { link } from "../pages.js";

export async function show(place, query, source) {
  titled(place, "Puzzles");
  const games = await source.games();
  const name = query.get("game") ?? games[0].name;
  const game = await source.game(name);
  const page = new PuzzlePage(place, source, games, game, Number(query.get("seed") ?? 0));
  page.find();
  return () => page.gone.abort();
}

class PuzzlePage {
  constructor(place, source, games, game, seed) {
    Object.assign(this, { source, game, seed });
    this.gone = new AbortController();
    this.puzzles = [];
    this.board = new Board({ choose: (action) => this.exercise.answer(action) });
    this.exercise = new Exercise(source, game, this.board);
    this.status = h("p.turn", { role: "status" });
    this.end = h("section.card.panel", { hidden: true, role: "status" });
    this.dots = h("ol.dots", { "aria-label": "Puzzles" });
    place.className = "play puzzles";
    const id = fresh("game");
    const known = games.some((one) => one.name === game.game) ? games : [...games, { name: game.game, title: game.game }];
    const select = h("select", { id, onchange: () => (location.hash = link("/puzzles", { game: select.value })) }, known.map((one) => h("option", { value: one.name, selected: one.name === game.game }, one.title)));
    replace(
      place,
      h("div.table", {}, h("div.head", {}, h("h1", {}, "Puzzles"), this.status), this.board.element, this.dots),
      h("div.side", {}, this.exercise.element, this.end,
        h("section.card.panel", {}, h("h2", {}, "Find the win"), h("p", {}, "In each position exactly one action keeps the win. They go from easy to hard, and you have two tries."),
          h("div.field", {}, h("label.label", { for: id }, "Game"), select), h("a.button", { href: link("/puzzles", { game: game.game, seed: seed + 1 }) }, "Other puzzles"))),
    );
  }

  // Shows the start of the game until a puzzle is found.
  async #wait() {
    const view = await this.source.position(this.game.game, undefined, undefined, this.gone.signal);
    if (this.puzzles.length) return;
    this.board.show(view, { open: false, moving: false });
    this.board.element.classList.add("waiting");
  }

  async find() {
    this.#wait().catch(() => {}); // the other request reports the problem
    try {
      const found = await this.source.puzzles(this.game.game, this.seed, (now) => this.#found(now), this.gone.signal);
      this.#found(found);
      if (found.state === "refused") this.status.textContent = found.words;
      else if (!this.puzzles.length) this.status.textContent = "There is no position in which exactly one action keeps the win.";
    } catch (error) {
      if (!isAborted(error)) this.status.textContent = error.message;
    }
  }

  // Some puzzles, perhaps more than before.
  #found({ state, words, puzzles }) {
    if (state === "working" && !puzzles?.length) this.status.textContent = `Searching for puzzles: ${words} \u2026`;
    const isFirst = !this.puzzles.length;
    this.puzzles.push(...(puzzles ?? []).slice(this.puzzles.length).map((puzzle) => ({ ...puzzle, state: "" })));
    if (isFirst && this.puzzles.length) this.#pose(0);
    else if (this.puzzles.length) this.#drawDots();
  }

  async #pose(number) {
    this.posing?.abort();
    const posing = (this.posing = new AbortController());
    this.gone.signal.addEventListener("abort", () => posing.abort(), { once: true });
    this.number = number;
    this.end.hidden = true;
    this.board.element.classList.remove("waiting");
    this.#drawDots();
    try {
      const puzzle = this.puzzles[number];
      const view = await this.source.position(this.game.game, puzzle.at, undefined, posing.signal);
      this.status.textContent = `${number + 1} of ${this.puzzles.length}: ${view.mover} to move and win`;
      this.exercise.onAnswer = (isRight) => this.#answered(puzzle, isRight);
      await this.exercise.pose({ view, heading: `Puzzle ${number + 1}`, words: `${view.mover} to move: find the one action that keeps the win.`, values: puzzle.actions, byResult: true, about: this.#about(puzzle), next: "Next puzzle" }, posing.signal);
      this.#next();
    } catch (error) {
      if (!isAborted(error)) this.status.textContent = error.message;
    }
  }

  #about({ at, simulations }) {
    const effort = simulations === null ? "more than 10,000 simulations" : plural(simulations, "simulation");
    return [
      simulations === undefined ? null : h("p.muted", {}, `A tree search needs ${effort} to find it.`),
      h("a.button", { href: link("/play", { game: this.game.game, at }) }, "Play it out"),
    ].filter(Boolean);
  }

  #answered(puzzle, isRight) {
    puzzle.state ||= isRight ? "right" : "wrong"; // the first answer counts
    this.#drawDots();
  }

  // The next puzzle without an answer, or the end.
  #next() {
    const after = [...this.puzzles.keys()].filter((number) => !this.puzzles[number].state);
    const next = after.find((number) => number > this.number) ?? after[0];
    if (next !== undefined) {
      this.#pose(next);
      return;
    }
    this.exercise.close();
    this.end.hidden = false;
    const right = this.puzzles.filter((one) => one.state === "right").length;
    replace(this.end, h("h2", {}, `${right} of ${this.puzzles.length} right`), h("a.button.primary", { href: link("/puzzles", { game: this.game.game, seed: this.seed + 1 }) }, "Other puzzles"));
  }

  #drawDots() {
    replace(this.dots, this.puzzles.map((puzzle, number) => h("li", {}, h("button", { type: "button", class: `puzzle-dot ${puzzle.state}`, "aria-current": number === this.number ? "step" : null, "aria-label": `Puzzle ${number + 1}${puzzle.state ? `, ${puzzle.state}` : ""}`, onclick: () => this.#pose(number) }, number + 1))));
  }
}
