// Puzzles: exactly one action keeps the win.
import { isAborted } from "../ask.js";
import { Board } from "../board.js";
import { announce, fresh, h, plural, replace, titled } from "../dom.js";
import { link } from "../pages.js";

export async function show(place, query, source) {
  titled(place, "Puzzles");
  const games = await source.games();
  const name = query.get("game") ?? games[0].name;
  const seed = Number(query.get("seed") ?? 0);
  const page = new PuzzlePage(place, source, games, name, seed);
  page.find();
  return () => page.gone.abort();
}

class PuzzlePage {
  constructor(place, source, games, name, seed) {
    Object.assign(this, { source, name, seed });
    this.gone = new AbortController();
    this.right = 0;
    this.done = 0;
    this.board = new Board({ choose: (action) => this.#answer(action) });
    this.status = h("p.turn", { role: "status" });
    this.after = h("div.stack");
    this.answer = h("section.card.panel.answer", { hidden: true }, h("h2", {}, "Answer"), this.after);
    this.dots = h("ol.dots", { "aria-label": "Puzzles" });
    place.className = "play puzzles";
    const id = fresh("game");
    const known = games.some((one) => one.name === name) ? games : [...games, { name, title: name }];
    const select = h("select", { id, onchange: () => (location.hash = link("/puzzles", { game: select.value })) }, known.map((one) => h("option", { value: one.name, selected: one.name === name }, one.title)));
    replace(
      place,
      h("div.table", {}, h("div.head", {}, h("h1", {}, "Puzzles"), this.status), this.board.element, this.dots),
      h("div.side", {}, h("section.card.panel", {}, h("h2", {}, "Find the win"), h("p", {}, "In each position exactly one action keeps the win. They go from easy to hard."),
        h("div.field", {}, h("label.label", { for: id }, "Game"), select), h("a.button", { href: link("/puzzles", { game: name, seed: seed + 1 }) }, "Other puzzles")),
      this.answer),
    );
  }

  // Shows the start of the game until puzzles are found.
  async #wait() {
    const view = await this.source.position(this.name, undefined, undefined, this.gone.signal);
    if (this.puzzles) return;
    this.board.show(view, { open: false, moving: false });
    this.board.element.classList.add("waiting");
  }

  async find() {
    this.#wait().catch(() => {}); // the other request reports the problem
    try {
      const found = await this.source.puzzles(this.name, this.seed, (now) => {
        if (now.state === "working") this.status.textContent = `Searching for puzzles: ${now.words} \u2026`;
      }, this.gone.signal);
      if (found.state === "refused") this.status.textContent = found.words;
      else if (!found.puzzles.length) this.status.textContent = "There is no position in which exactly one action keeps the win.";
      else {
        this.answer.hidden = false;
        this.board.element.classList.remove("waiting");
        this.puzzles = found.puzzles.map((puzzle) => ({ ...puzzle, state: "" }));
        await this.#pose(0);
      }
    } catch (error) {
      if (!isAborted(error)) this.status.textContent = error.message;
    }
  }

  async #pose(number) {
    this.number = number;
    const puzzle = this.puzzles[number];
    this.view = await this.source.position(this.name, puzzle.at, undefined, this.gone.signal);
    this.board.show(this.view, { open: !puzzle.state, moving: false });
    this.#say(`${number + 1} of ${this.puzzles.length}: ${this.view.mover} to move and win`);
    if (puzzle.state) this.#reveal();
    else replace(this.after, h("p.muted", {}, "Choose on the board."), h("button.quiet", { type: "button", onclick: () => this.#answer(null) }, "Show me"));
    this.#drawDots();
  }

  #say(words) {
    this.status.textContent = words;
  }

  #answer(action) {
    const puzzle = this.puzzles[this.number];
    const right = action !== null && puzzle.actions[action]?.outcome === "win";
    puzzle.state = right ? "right" : "wrong";
    puzzle.answer = action;
    this.board.show(this.view, { open: true, moving: false });
    this.#reveal();
    this.#drawDots();
    const words = right ? "Right" : action === null ? "Shown" : "Wrong";
    this.#say(`${words}: ${this.#solution()} keeps the win`);
    announce(this.status.textContent);
  }

  #solution() {
    const { actions } = this.puzzles[this.number];
    return this.view.actions.find((one) => actions[one.action]?.outcome === "win")?.name;
  }

  #reveal() {
    const puzzle = this.puzzles[this.number];
    this.board.show(this.view, { open: true, moving: false });
    this.board.colour(puzzle.actions);
    this.board.choose = () => {};
    const chosen = this.view.actions.find((one) => one.action === puzzle.answer);
    const found = puzzle.simulations === null ? "more than 10,000 simulations" : plural(puzzle.simulations, "simulation");
    const next = this.puzzles.findIndex((one) => !one.state);
    replace(
      this.after,
      h("p.verdict", { class: `verdict ${chosen ? puzzle.state : ""}` }, puzzle.state === "right" ? "Right." : chosen ? `${chosen.name}: ${puzzle.actions[chosen.action].words}.` : "The solution:"),
      h("p", {}, h("strong", {}, this.#solution()), " keeps the win."),
      h("p.muted", {}, `A tree search needs ${found} to find it.`),
      next >= 0 ? h("button.primary", { type: "button", onclick: () => this.#next(next) }, "Next puzzle") : h("p", {}, `${this.puzzles.filter((one) => one.state === "right").length} of ${this.puzzles.length} right.`),
      h("a.button", { href: link("/play", { game: this.name, at: puzzle.at }) }, "Play it out"),
    );
    this.after.querySelector("button")?.focus();
  }

  #next(number) {
    this.board.choose = (action) => this.#answer(action);
    this.#pose(number).catch((error) => this.#say(error.message));
  }

  #drawDots() {
    replace(this.dots, this.puzzles.map((puzzle, number) => h("li", {}, h("button", { type: "button", class: `puzzle-dot ${puzzle.state}`, "aria-current": number === this.number ? "step" : null, "aria-label": `Puzzle ${number + 1}${puzzle.state ? `, ${puzzle.state}` : ""}`, onclick: () => this.#next(number) }, number + 1))));
  }
}
