// Playing a game, with the truth and an agent's mind beside it.
import { Board } from "../board.js";
import { openDialog } from "../dialog.js";
import { Difficulty } from "../difficulty.js";
import { announce, fresh, h, replace, titled } from "../dom.js";
import { History } from "../history.js";
import { Keeping } from "../keeping.js";
import { Mind } from "../mind.js";
import { Mistakes } from "../mistakes.js";
import { Moves } from "../moves.js";
import { Notes } from "../notes.js";
import { link } from "../pages.js";
import { PERSON, Sitting } from "../sitting.js";
import { recall, remember } from "../settings.js";
import { variantFields } from "../variants.js";

export async function show(place, query, source) {
  const text = query.get("game") ?? (await source.games())[0].name;
  const [game, opponents, kept] = await Promise.all([
    source.game(text),
    source.opponents(text),
    query.get("kept") ? source.kept(query.get("kept")).catch(() => null) : null,
  ]);
  titled(game.title);
  const page = new PlayPage(place, source, game, opponents, kept, query.get("agent"));
  await page.open(query.get("at"), kept);
  return () => page.close();
}

class PlayPage {
  constructor(place, source, game, opponents, kept, asked) {
    Object.assign(this, { place, source, game, opponents });
    this.gone = new AbortController();
    const settings = recall("play", { agent: source.favourite ?? "smart-random", truth: false, thoughts: false });
    this.players = new Difficulty(game, opponents, seated(kept) ?? { agent: offered(opponents, asked ?? settings.agent), person: 0 }, () => this.#reseat(), { named: source.can.agents });
    this.sitting = new Sitting(source, game, this.players.seats);
    this.board = new Board({ choose: (action) => this.#choose(action), touched: (path) => this.#say(path) });
    this.history = new History(this.sitting);
    this.moves = new Moves(this.sitting, this.history);
    this.history.told = () => this.moves.update();
    this.notes = new Notes(this.sitting, (targets) => this.board.point(targets));
    this.mind = new Mind(this.sitting, () => [...opponents], {
      coloured: (worths) => this.board.colour(this.peeked || !this.sitting.isOpen ? null : worths),
      chosen: this.#firstMind(),
      truth: settings.truth,
      thoughts: settings.thoughts,
      settings: (now) => {
        remember("play", now);
        this.#drawTools();
      },
    });
    Object.assign(this.mind, { changed: () => this.#see(), choose: (action) => this.#choose(action), peek: (at) => this.#peek(at) });
    this.mistakes = new Mistakes(this.sitting, {
      agent: () => (this.players.person === null ? null : this.players.agent),
      title: (agent) => this.players.title(agent),
      open: (mistake) => this.#setUp(mistake.at),
      signal: this.gone.signal,
    });
    new Keeping(source, this.sitting, (id) => this.#address({ kept: id }));
    this.sitting.addEventListener("change", (event) => this.#changed(event.detail));
    this.keys = (event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
    this.#lay();
  }

  async open(at, kept) {
    if (kept) await this.sitting.restore(kept);
    else await this.sitting.begin(at ?? undefined);
  }

  close() {
    this.gone.abort();
    this.seeing?.abort();
    this.sitting.asked += 1;
    document.removeEventListener("keydown", this.keys);
  }

  // The one played against if it has learned, else the first that has.
  #firstMind() {
    const learned = this.opponents.filter((one) => one.run).map((one) => one.agent);
    return learned.includes(this.players.agent) ? this.players.agent : (learned[0] ?? this.players.agent);
  }

  #lay() {
    this.status = h("p.turn");
    this.tools = h("div.tools", { role: "toolbar", "aria-label": "Game" });
    this.place.className = "play";
    const parameters = Object.entries(this.game.parameters);
    const variant = this.game.game.includes("(") ? this.game.game.slice(this.game.game.indexOf("(") + 1, -1) : "";
    const change = parameters.length && this.source.can.variants ? h("button.quiet", { type: "button", onclick: () => this.#vary() }, variant || "Variant") : null;
    replace(
      this.place,
      h("div.table", {}, h("div.head", {}, h("h1", {}, this.game.title), change, this.status), this.board.element, this.tools, this.history.element),
      h("div.side", {}, this.players.element, this.mind.element, this.moves.element, this.notes.element, this.source.can.mistakes ? this.mistakes.element : null),
    );
  }

  // ---- what a person does ----

  #choose(action) {
    this.#unpeek();
    this.sitting.play(action).catch((error) => this.#trouble(error));
  }

  #reseat() {
    remember("play", { agent: this.players.agent });
    if (this.players.person !== null) this.mind.follow(this.players.agent);
    this.mistakes.reset();
    this.sitting.seat(this.players.seats).catch((error) => this.#trouble(error));
  }

  #new() {
    this.#address({ kept: null, at: null });
    this.sitting.begin().catch((error) => this.#trouble(error));
  }

  async #setUp(at) {
    await this.sitting.begin(at);
    this.#address({ kept: null, at: this.sitting.view.at });
    this.board.element.scrollIntoView({ block: "nearest" });
  }

  #askSetUp() {
    const id = fresh("notation");
    const input = h("input", { type: "text", id, value: this.sitting.view.at, autocomplete: "off", spellcheck: "false", maxlength: 400 });
    openDialog("Set up a position", h("div.field", {}, h("label.label", { for: id }, "In the game\u2019s notation"), input), {
      confirm: "Set up",
      answer: () => this.#setUp(input.value),
    });
    input.select();
  }

  #askResign() {
    openDialog("Resign?", h("p", {}, "The game ends, and the other side wins."), { confirm: "Resign", answer: () => this.sitting.resign() });
  }

  async #vary() {
    const { parameters } = (await this.source.games()).find((one) => one.name === this.game.name);
    const fields = variantFields(parameters, this.game.parameters);
    openDialog("Variant", fields.element, {
      confirm: "Play",
      answer: async () => {
        const chosen = await this.source.game(fields.written(this.game.name));
        location.hash = link("/play", { game: chosen.game });
      },
    });
  }

  async #share(button) {
    const url = new URL(location.href);
    url.hash = link("/play", { game: this.game.game, at: this.sitting.view.at }).slice(1);
    try {
      await navigator.clipboard.writeText(url.href);
      button.textContent = "Copied";
      announce("The address of this position is copied.");
      setTimeout(() => (button.textContent = "Share"), 1500);
    } catch {
      openDialog("Share this position", h("p.address", {}, url.href), { confirm: "Done", answer: () => {} });
    }
  }

  #key(event) {
    if (!this.sitting.line.length || event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { u: () => this.sitting.undo(), r: () => this.sitting.redo(), n: () => this.#new(), s: () => this.players.swap(), h: () => this.#toggle("showsTruth"), m: () => this.#toggle("showsThoughts") };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  #toggle(what) {
    this.mind.toggle(what);
    this.#see();
  }

  // ---- what is shown ----

  #changed(what) {
    this.#unpeek();
    const { sitting } = this;
    if (what !== "think" && what !== "problem") this.#show(what === "seats" ? false : what !== "begin");
    this.#tell(what);
    this.moves.update();
    this.#drawTools();
    if (["begin", "move", "look"].includes(what)) this.#see();
    if (what === "look") this.history.draw();
    else if (what === "move" || what === "begin") this.history.update(this.gone.signal);
    if (sitting.thinking) this.board.element.setAttribute("aria-busy", "true");
    else this.board.element.removeAttribute("aria-busy");
  }

  #show(moving) {
    const { sitting } = this;
    this.board.show(sitting.view, { open: sitting.isOpen, moving, last: sitting.line[sitting.at].path?.slice(-1) ?? [] });
    if (this.mind.hints && sitting.isOpen) this.board.colour(this.mind.hints.actions);
  }

  #see() {
    if (!this.sitting.line.length) return;
    this.seeing?.abort();
    this.seeing = new AbortController();
    if (!this.sitting.isLast || !this.sitting.thinking) this.mind.update(this.seeing.signal);
    this.notes.update(this.seeing.signal);
  }

  #tell(what) {
    const { sitting, game } = this;
    const { view } = sitting;
    const step = sitting.line[sitting.at];
    const again = step.player === view.player && !sitting.isOver && view.player < 2;
    const whose = sitting.seats[view.player] === PERSON ? (sitting.seats.every((seat) => seat === PERSON) ? "" : " (you)") : "";
    let words = `${view.mover}${whose} ${again ? "moves again" : "to move"}`;
    if (sitting.problem) words = sitting.problem;
    else if (sitting.thinking) words = `${view.mover} thinks \u2026`;
    else if (sitting.isOver) words = sitting.result;
    replace(this.status, h("span.words", {}, words), again ? h("span.badge", {}, "extra turn") : null,
      sitting.problem ? h("button", { type: "button", onclick: () => sitting.retry() }, "Try again") : null, sitting.remark ? h("span.muted", {}, sitting.remark) : null);
    if (what === "look") announce(`Ply ${sitting.at}. ${words}.`);
    else if (what !== "think") announce(step.name && what === "move" ? `${game.players[step.player] ?? "Chance"}: ${step.name}. ${words}.` : `${words}.`);
  }

  #say(path) {
    announce(path.length ? `${path.join(", ")} chosen.` : "Taken back.");
  }

  #drawTools() {
    const { sitting } = this;
    if (!sitting.line.length) return;
    const tool = (words, key, onclick, disabled = false, pressed = null) =>
      h("button", { type: "button", disabled, onclick, "aria-pressed": pressed, "data-part": words, title: key ? `${words} (${key})` : words, "aria-keyshortcuts": key || null }, words);
    const active = document.activeElement?.dataset?.part;
    const share = tool("Share", "", () => this.#share(share));
    replace(
      this.tools,
      tool("Undo", "u", () => sitting.undo(), !sitting.canUndo),
      tool("Redo", "r", () => sitting.redo(), !sitting.canRedo),
      tool("Hints", "h", () => this.#toggle("showsTruth"), false, String(this.mind.showsTruth)),
      tool("New game", "n", () => this.#new()),
      this.players.person === null ? null : tool("Swap sides", "s", () => this.players.swap()),
      tool("Resign", "", () => this.#askResign(), sitting.isOver || !sitting.plies),
      this.source.can.setUp ? tool("Set up", "", () => this.#askSetUp()) : null,
      share,
    );
    if (active) this.tools.querySelector(`[data-part="${active}"]:not(:disabled)`)?.focus();
  }

  #trouble(error) {
    this.sitting.problem = error.message;
    this.#tell("problem");
  }

  // Look at a position that is not of this game, until something else is done.
  async #peek(at) {
    const view = await this.source.position(this.game.game, at);
    this.peeked = true;
    this.board.show(view, { open: false });
    replace(this.status, h("span.words", {}, "Looking ahead"), h("button", { type: "button", onclick: () => { this.#unpeek(); this.#show(true); this.#tell("look"); } }, "Back to the game"));
    announce("Looking ahead.");
  }

  #unpeek() {
    this.peeked = false;
  }

  // What the address says, so that a reload comes back here.
  #address(changes) {
    const [path, search = ""] = location.hash.slice(1).split("?");
    const query = new URLSearchParams(search);
    query.set("game", this.game.game);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) query.delete(name);
      else query.set(name, value);
    }
    history.replaceState(null, "", `#${path}?${query}`);
  }
}

function offered(opponents, agent) {
  return opponents.some((one) => one.agent === agent) ? agent : (opponents[1] ?? opponents[0]).agent;
}

// Who sat where in a kept game.
function seated(kept) {
  if (!kept) return null;
  const person = kept.seats.indexOf(PERSON);
  const agent = kept.seats.find((seat) => seat !== PERSON);
  return agent === undefined ? { agent: "smart-random", person: null } : { agent, person: Math.max(person, 0) };
}
