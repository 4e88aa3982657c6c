// Playing a game, with exact values and an agent's evaluation beside it.
import { Board } from "../board.js";
import { FormFields } from "../form_fields.js";
import { openDialog } from "../dialog.js";
import { Players } from "../players.js";
import { announce, capital, fresh, h, replace, titled } from "../dom.js";
import { History } from "../history.js";
import { Autosave } from "../autosave.js";
import { EvaluationPanel } from "../evaluation.js";
import { Mistakes } from "../mistakes.js";
import { Moves } from "../moves.js";
import { Notes } from "../notes.js";
import { link } from "../pages.js";
import { PERSON, Session } from "../session.js";
import { recall, remember } from "../preferences.js";

export async function show(place, query, source) {
  const text = query.get("game") ?? (await source.games())[0].name;
  const [game, opponents, agents, saved] = await Promise.all([
    source.game(text),
    source.opponents(text),
    source.can.agents ? source.agents() : [],
    query.get("saved") ? source.savedGame(query.get("saved")).catch(() => null) : null,
  ]);
  titled(place, game.title);
  const page = new PlayPage(place, source, game, opponents, { agents, saved, asked: query.get("agent") });
  await page.open(query.get("at"), saved);
  return () => page.close();
}

class PlayPage {
  constructor(place, source, game, opponents, { agents, saved, asked }) {
    Object.assign(this, { place, source, game, opponents });
    this.gone = new AbortController();
    const settings = recall("play", { agent: source.favourite, exact: false, evaluation: false });
    this.players = new Players(game, opponents, seated(saved, opponents) ?? { agent: asked ?? offered(opponents, settings.agent), person: 0 }, () => this.#reseat(), agents);
    this.session = new Session(source, game, this.players.seats);
    this.board = new Board({ choose: (action) => this.#choose(action), touched: (path) => this.#say(path) });
    this.history = new History(this.session);
    this.moves = new Moves(this.session, this.history);
    this.history.onChange = () => this.moves.update();
    this.notes = new Notes(this.session, (targets) => this.board.point(targets));
    this.evaluation = new EvaluationPanel(this.session, () => [...opponents], {
      onValues: (values) => this.board.colour(this.peeked || !this.session.isOpen ? null : values),
      chosen: this.#firstEvaluated(),
      exact: settings.exact,
      evaluation: settings.evaluation,
      onToggle: (now) => {
        remember("play", now);
        this.#drawTools();
      },
    });
    Object.assign(this.evaluation, { changed: () => this.#see(), choose: (action) => this.#choose(action), peek: (at) => this.#peek(at) });
    this.mistakes = new Mistakes(this.session, {
      agent: () => (this.players.person === null ? null : this.players.agent),
      title: (agent) => this.players.title(agent),
      open: (mistake) => this.#setUp(mistake.at),
      signal: this.gone.signal,
    });
    new Autosave(source, this.session, (id) => this.#address({ saved: id }));
    this.session.addEventListener("change", (event) => this.#changed(event.detail));
    this.keys = (event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
    this.#lay();
  }

  async open(at, saved) {
    if (saved) await this.session.restore(saved);
    else await this.session.begin(at ?? undefined);
  }

  close() {
    this.gone.abort();
    this.seeing?.abort();
    this.history.stop();
    this.session.request += 1;
    document.removeEventListener("keydown", this.keys);
  }

  // The opponent if it is a run, else the first run.
  #firstEvaluated() {
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
      h("div.side", {}, this.players.element, this.evaluation.element, this.moves.element, this.notes.element, this.source.can.mistakes ? this.mistakes.element : null),
    );
  }

  // ---- input ----

  #choose(action) {
    this.#unpeek();
    this.session.play(action);
  }

  #reseat() {
    remember("play", { agent: this.players.agent });
    if (this.players.person !== null) this.evaluation.follow(this.players.agent);
    this.mistakes.reset();
    this.session.seat(this.players.seats);
  }

  #new() {
    this.#address({ saved: null, at: null });
    this.session.begin().catch((error) => this.session.fail(error, () => this.#new()));
  }

  async #setUp(at) {
    await this.session.begin(at);
    this.#address({ saved: null, at: this.session.view.at });
    this.board.element.scrollIntoView({ block: "nearest" });
  }

  #askSetUp() {
    const id = fresh("notation");
    const input = h("input", { type: "text", id, value: this.session.view.at, autocomplete: "off", spellcheck: "false", maxlength: 400 });
    openDialog("Set up a position", h("div.field", {}, h("label.label", { for: id }, "In the game\u2019s notation"), input), {
      confirm: "Set up",
      answer: () => this.#setUp(input.value),
    });
    input.select();
  }

  #askResign() {
    openDialog("Resign?", h("p", {}, "The game ends, and the other side wins."), { confirm: "Resign", answer: () => this.session.resign() });
  }

  async #vary() {
    const { parameters } = (await this.source.games()).find((one) => one.name === this.game.name);
    const fields = new FormFields(parameters, this.game.parameters);
    openDialog("Variant", h("div.fields", {}, fields.elements()), {
      confirm: "Play",
      answer: async () => {
        const chosen = await this.source.game(fields.variant(this.game.name));
        location.hash = link("/play", { game: chosen.game });
      },
    });
  }

  async #share(button) {
    const url = new URL(location.href);
    url.hash = link("/play", { game: this.game.game, at: this.session.view.at }).slice(1);
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
    if (!this.session.line.length || event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { u: () => this.session.undo(), r: () => this.session.redo(), n: () => this.#new(), s: () => this.players.swap(), h: () => this.#toggle("showsExact"), m: () => this.#toggle("showsEvaluation") };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  #toggle(what) {
    this.evaluation.toggle(what);
    this.#see();
  }

  // ---- output ----

  #changed(what) {
    this.#unpeek();
    const { session } = this;
    if (what !== "think") this.#show(!["begin", "seats", "problem"].includes(what));
    this.#announce(what);
    this.moves.update();
    this.#drawTools();
    if (["begin", "move", "look"].includes(what)) this.#see();
    if (what === "look") this.history.draw();
    else if (what === "move" || what === "begin") this.#judge(what);
    if (session.thinking) this.board.element.setAttribute("aria-busy", "true");
    else this.board.element.removeAttribute("aria-busy");
  }

  #judge(what) {
    if (what === "begin") this.history.stop();
    this.history.update();
  }

  #show(moving) {
    const { session } = this;
    this.board.show(session.view, { open: session.isOpen, moving, last: session.line[session.at].path?.slice(-1) ?? [] });
    if (this.evaluation.hints && session.isOpen) this.board.colour(this.evaluation.hints.actions);
  }

  #see() {
    if (!this.session.line.length) return;
    this.seeing?.abort();
    this.seeing = new AbortController();
    if (!this.session.isLast || !this.session.thinking) this.evaluation.update(this.seeing.signal);
    this.notes.update(this.seeing.signal);
  }

  #announce(what) {
    const { session, game } = this;
    const { view } = session;
    const step = session.line[session.at];
    const again = step.player === view.player && !session.isOver && view.player < 2;
    const whose = session.seats[view.player] === PERSON ? (session.seats.every((seat) => seat === PERSON) ? "" : " (you)") : "";
    let words = `${view.mover}${whose} ${again ? "moves again" : "to move"}`;
    if (session.problem) words = session.problem;
    else if (session.thinking) words = `${view.mover} is thinking \u2026`;
    else if (session.isOver) words = session.result;
    replace(this.status, h("span.words", {}, words), again ? h("span.badge", {}, "extra turn") : null,
      session.problem ? h("button", { type: "button", onclick: () => session.retry() }, "Try again") : null, session.remark ? h("span.muted", {}, session.remark) : null,
      session.thinking && session.doing ? h("span.muted.doing", {}, capital(session.doing)) : null);
    if (what === "look") announce(`Ply ${session.at}. ${words}.`);
    else if (what !== "think") announce(step.name && what === "move" ? `${game.players[step.player] ?? "Chance"}: ${step.name}. ${words}.` : `${words}.`);
  }

  #say(path) {
    announce(path.length ? `${path.join(", ")} chosen.` : "Taken back.");
  }

  #drawTools() {
    const { session } = this;
    if (!session.line.length) return;
    const tool = (words, key, onclick, disabled = false, pressed = null) =>
      h("button", { type: "button", disabled, onclick, "aria-pressed": pressed, "data-part": words, title: key ? `${words} (${key})` : words, "aria-keyshortcuts": key || null }, words);
    const active = document.activeElement?.dataset?.part;
    const share = tool("Share", "", () => this.#share(share));
    replace(
      this.tools,
      tool("Undo", "u", () => session.undo(), !session.canUndo),
      tool("Redo", "r", () => session.redo(), !session.canRedo),
      tool("Hints", "h", () => this.#toggle("showsExact"), false, String(this.evaluation.showsExact)),
      tool("New game", "n", () => this.#new()),
      this.players.person === null ? null : tool("Swap sides", "s", () => this.players.swap()),
      tool("Resign", "", () => this.#askResign(), session.isOver || !session.plies),
      this.source.can.setUp ? tool("Set up", "", () => this.#askSetUp()) : null,
      share,
    );
    if (active) this.tools.querySelector(`[data-part="${active}"]:not(:disabled)`)?.focus();
  }

  // Shows a position of the best line until something else happens.
  async #peek(at) {
    const view = await this.source.position(this.game.game, at);
    this.peeked = true;
    this.board.show(view, { open: false });
    replace(this.status, h("span.words", {}, "Looking ahead"), h("button", { type: "button", onclick: () => { this.#unpeek(); this.#show(true); this.#announce("look"); } }, "Back to the game"));
    announce("Looking ahead.");
  }

  #unpeek() {
    this.peeked = false;
  }

  // Updates the address, so that a reload comes back here.
  #address(changes) {
    if (this.gone.signal.aborted) return;
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

// The seats of a saved game.
function seated(saved, opponents) {
  if (!saved) return null;
  const person = saved.seats.indexOf(PERSON);
  const agent = saved.seats.find((seat) => seat !== PERSON);
  return agent === undefined ? { agent: offered(opponents), person: null } : { agent, person: Math.max(person, 0) };
}
