// Practice: positions of the own mistakes, and of crib sheets, come back after some days.
import { isAborted } from "../ask.js";
import { Board } from "../board.js";
import { announce, capital, fresh, h, plural, replace, titled } from "../dom.js";
import { Exercise } from "../exercise.js";
import { link } from "../pages.js";
import { Practice } from "../practice.js";

const LEVELS = [[-1, "New"], [0, "Back after 1 day"], [1, "Back after 3 days"], [2, "Back after 7 days"], [3, "Back after 21 days"], [4, "Learned"]];
const AT_ONCE = 10; // positions

export async function show(place, query, source) {
  titled(place, "Practice");
  const [games, practice] = await Promise.all([source.games(), new Practice(source).load()]);
  const page = new PracticePage(place, source, games, practice);
  page.draw();
  return () => page.gone.abort();
}

class PracticePage {
  constructor(place, source, games, practice) {
    Object.assign(this, { source, games, practice });
    this.gone = new AbortController();
    this.board = new Board({ choose: (action) => this.exercise.answer(action) });
    this.exercise = new Exercise(source, null, this.board);
    this.status = h("p.turn", { role: "status" });
    this.table = h("div.table", {}, h("div.head", {}, h("h1", {}, "Practice"), this.status), this.board.element);
    this.lead = h("section.card.panel", { "aria-label": "Positions to practise" });
    this.crib = source.can.practise ? h("section.card.panel", { "aria-label": "Crib sheets" }) : null;
    place.className = "play practice";
    replace(place, this.table, h("div.side", {}, this.exercise.element, this.lead, this.crib));
    if (this.crib) this.#drawCrib();
  }

  draw() {
    const { due, open, items } = this.practice;
    const start = due.length ? h("button.primary", { type: "button", onclick: () => this.#drill(due.slice(0, AT_ONCE)) }, `Practise ${plural(Math.min(due.length, AT_ONCE), "position")}`) : null;
    const early = !due.length && open.length ? h("button", { type: "button", onclick: () => this.#drill(open.slice(0, AT_ONCE)) }, "Practise now all the same") : null;
    const counts = LEVELS.map(([level, words]) => [words, items.filter((item) => item.level === level).length]).filter(([, count]) => count);
    replace(
      this.lead,
      h("h2", {}, "Your positions"),
      h("p", {}, items.length ? this.#when() : "Your mistakes come here after each game, and come back after 1, 3, 7 and 21 days."),
      start, early,
      items.length ? null : h("a.button.primary", { href: link("/") }, "Play a game"),
      counts.length ? h("dl.facts", {}, counts.map(([words, count]) => [h("dt", {}, words), h("dd.number", {}, count)])) : null,
    );
    this.status.textContent = due.length ? `${due.length} due now` : "";
    this.#waiting().catch(() => {}); // the list is there
  }

  #when() {
    const { due, open } = this.practice;
    if (due.length) return `${plural(due.length, "position")} to practise now.`;
    if (!open.length) return "All learned.";
    return `Nothing is due today. The next comes back on ${new Date(1000 * open[0].due).toLocaleDateString("en", { day: "numeric", month: "long" })}.`;
  }

  // Shows the position that comes next, until it is posed.
  async #waiting() {
    const [item] = this.practice.open;
    this.board.element.hidden = !item;
    if (!item || this.drilling) return;
    const view = await this.source.position(item.game, item.at, undefined, this.gone.signal);
    if (!this.drilling) this.board.show(view, { open: false, moving: false });
  }

  async #drill(items) {
    this.drilling = true;
    this.lead.hidden = true;
    let right = 0;
    try {
      for (const [number, item] of items.entries()) {
        this.status.textContent = `${number + 1} of ${items.length}`;
        const isRight = await this.#pose(item, number === items.length - 1 ? "Done" : "Next");
        if (isRight === null) continue;
        right += isRight ? 1 : 0;
        await this.practice.answer(item, isRight);
      }
      announce(`You found ${right} of ${items.length}.`);
    } catch (error) {
      if (isAborted(error)) return;
      this.status.textContent = error.message;
    } finally {
      this.drilling = false;
      this.exercise.close();
      this.lead.hidden = false;
    }
    this.draw();
    replace(this.lead, h("p", {}, h("strong", {}, `You found ${right} of ${items.length}.`)), [...this.lead.childNodes]);
  }

  // Whether a good action was found; null for a position that cannot be shown any more, which is left out.
  async #pose(item, next) {
    const { signal } = this.gone;
    let view;
    try {
      this.exercise.game = await this.source.game(item.game);
      view = await this.source.position(item.game, item.at, undefined, signal);
    } catch (error) {
      if (isAborted(error)) throw error;
      await this.practice.forget(item);
      return null;
    }
    const heading = this.exercise.game.title;
    const isCrib = item.kind === "crib";
    const words = isCrib ? `${view.mover} to move: ${item.words}. Find ${item.words.startsWith("1 ") ? "it" : "one"}.` : `You played ${item.played} here, and ${item.words}. Find something better.`;
    return this.exercise.pose({ view, heading, words, byResult: isCrib, next }, signal);
  }

  // ---- crib sheets ----

  #drawCrib() {
    const id = fresh("game");
    const known = this.games.map((one) => h("option", { value: one.game }, one.title));
    const select = h("select", { id }, known);
    const said = h("p.muted", { role: "status" });
    const button = h("button", { type: "button", onclick: async () => {
      button.disabled = true;
      try {
        said.textContent = await this.#addCrib(select.value, (words) => (said.textContent = `${capital(words)} \u2026`));
        this.draw();
      } catch (error) {
        if (!isAborted(error)) said.textContent = error.message;
      } finally {
        button.disabled = false;
      }
    } }, "Add its crib sheet");
    replace(this.crib, h("h2", {}, "Crib sheets"), h("p.muted", {}, "The fewest positions of a game to know by heart: in all others any move holds the result. They come back like your mistakes."),
      h("div.field", {}, h("label.label", { for: id }, "Game"), select), button, said);
  }

  async #addCrib(game, onWords) {
    const found = await this.source.crib(game, ({ state, words }) => state === "working" && onWords(words), this.gone.signal);
    if (found.state !== "ready") return `${capital(found.words)}.`;
    const added = await this.practice.add(found.positions.map(({ at, words }) => ({ game, at, kind: "crib", played: "", words })));
    return added ? `${plural(added, "position")} added.` : "All of them are in practice.";
  }
}
