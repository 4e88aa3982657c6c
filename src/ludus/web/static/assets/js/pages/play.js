// Playing a game, with exact values and an agent's evaluation beside it.
import { isAborted } from "../ask.js";
import { Autosave } from "../autosave.js";
import { Board } from "../board.js";
import { openDialog } from "../dialog.js";
import { announce, capital, fresh, h, replace, titled } from "../dom.js";
import { Ending } from "../ending.js";
import { EvaluationPanel } from "../evaluation.js";
import { Exercise } from "../exercise.js";
import { FormFields } from "../form_fields.js";
import { History } from "../history.js";
import { Mistakes } from "../mistakes.js";
import { Moves } from "../moves.js";
import { Notes } from "../notes.js";
import { link } from "../pages.js";
import { Players } from "../players.js";
import { Practice } from "../practice.js";
import { recall, remember } from "../preferences.js";
import { review } from "../review.js";
import { showRules } from "../rules_dialog.js";
import { PERSON, Session } from "../session.js";
import { sounds } from "../sounds.js";

const SIDES = ["first", "second"];

export async function show(place, query, source) {
  const text = query.get("game") ?? (await source.games())[0].name;
  const [game, opponents, agents, saved] = await Promise.all([
    source.game(text),
    source.opponents(text),
    source.can.agents ? source.agents() : [],
    kept(query, source),
  ]);
  titled(place, game.title);
  const page = new PlayPage(place, source, game, opponents, agents, seated(query, saved, opponents));
  await page.open(saved ?? shared(query)).catch((error) => {
    if (!saved || !source.kept) throw error;
    source.kept.clear(); // it cannot be played
    return page.open(shared(query));
  });
  return () => page.close();
}

// The saved game that the address names; or the one that an exported page keeps, unless the address has other moves.
function kept(query, source) {
  if (query.get("saved")) return source.savedGame(query.get("saved")).catch(() => null);
  const game = source.kept?.get() ?? null;
  const isOther = query.has("moves") ? query.get("moves") !== game?.actions.join(".") : query.has("at");
  return isOther ? null : game;
}

// What an address says that somebody has shared: where the game began, and the actions since then.
function shared(query) {
  const moves = query.get("moves") ?? "";
  if (!/^[\d.]*$/.test(moves)) throw new Error(`The moves of an address are numbers with dots between them, not ${moves}.`);
  return { start: query.get("at") ?? undefined, actions: moves.split(".").filter(Boolean).map(Number) };
}

class PlayPage {
  constructor(place, source, game, opponents, agents, seats) {
    Object.assign(this, { place, source, game, opponents });
    this.gone = new AbortController();
    const settings = recall("play", { agent: source.favourite, exact: false, evaluation: false });
    this.players = new Players(game, opponents, { agent: offered(opponents, settings.agent), person: 0, ...seats }, () => this.#reseat(), agents);
    this.session = new Session(source, game, this.players.seats);
    this.board = new Board({ choose: (action) => this.#choose(action), touched: (path) => this.#say(path) });
    this.exercise = new Exercise(source, game, this.board);
    this.history = new History(this.session);
    this.moves = new Moves(this.session, this.history);
    this.ending = new Ending(this.session, this.history, { review: (mistakes) => this.#review(mistakes), again: (ply) => this.#again(ply), rematch: () => this.#rematch() });
    this.history.onChange = () => this.#judged();
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
    new Autosave(source, this.session, {
      onSaved: (id) => source.kept || this.#address({ saved: id, at: null, moves: null, side: null, agent: null }),
      onTaken: (saved) => this.#take(saved),
      signal: this.gone.signal,
    });
    this.session.addEventListener("change", (event) => this.#changed(event.detail));
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.gone.signal });
    this.#lay();
  }

  async open(from) {
    await this.session.begin(from);
    if (!this.gone.signal.aborted) showRules(this.game, { once: true });
  }

  close() {
    this.gone.abort();
    this.seeing?.abort();
    this.history.stop();
    this.session.request += 1;
  }

  // The opponent if it is a run, else the first run.
  #firstEvaluated() {
    const learned = this.opponents.filter((one) => one.run).map((one) => one.agent);
    return learned.includes(this.players.agent) ? this.players.agent : (learned[0] ?? this.players.agent);
  }

  #lay() {
    this.status = h("p.turn");
    this.tools = h("div.tools", { role: "toolbar", "aria-label": "Game" });
    this.place.className = "play game-page";
    const parameters = Object.entries(this.game.parameters);
    const variant = this.game.game.includes("(") ? this.game.game.slice(this.game.game.indexOf("(") + 1, -1) : "";
    const change = parameters.length && this.source.can.variants ? h("button.quiet", { type: "button", onclick: () => this.#vary() }, variant || "Variant") : null;
    replace(
      this.place,
      h("div.table", {}, h("div.head", {}, h("h1", {}, this.game.title), change, this.status), this.board.element, this.tools, this.history.element),
      h("div.side", {}, this.exercise.element, this.ending.element, this.evaluation.element, this.moves.element),
      h("div.side.settings", {}, this.players.element, this.notes.element, this.source.can.mistakes ? this.mistakes.element : null),
    );
  }

  // ---- input ----

  #choose(action) {
    if (!this.exercise.element.hidden) {
      this.exercise.answer(action);
      return;
    }
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
    this.source.kept?.clear();
    this.#address({ saved: null, at: null, moves: null });
    this.session.begin().catch((error) => this.session.fail(error, () => this.#new()));
  }

  // The same again, from the other side.
  #rematch() {
    this.players.turn();
    this.session.seats = this.players.seats;
    this.#new();
  }

  // Plays on from before a mistake.
  #again(ply) {
    this.session.go(ply - 1);
    this.#first();
  }

  #first() {
    this.board.element.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
    this.board.element.scrollIntoView({ block: "nearest" });
  }

  async #review(mistakes) {
    this.reviewing?.abort();
    const reviewing = (this.reviewing = new AbortController());
    this.gone.signal.addEventListener("abort", () => reviewing.abort(), { once: true });
    this.board.colour(null);
    this.ending.element.hidden = true;
    const back = h("button", { type: "button", onclick: () => reviewing.abort() }, "Back to the game");
    try {
      this.ending.reviewed = await review(this.exercise, mistakes, {
        whose: (player) => this.#whose(player),
        onStep: (number) => replace(this.status, h("span.words", {}, `Review: ${number + 1} of ${mistakes.length}`), back),
        signal: reviewing.signal,
      });
    } catch (error) {
      if (!isAborted(error)) this.session.fail(error, () => this.#review(mistakes));
    } finally {
      if (this.reviewing === reviewing) this.#endReview();
    }
  }

  #whose(player) {
    return this.players.person === player ? "You" : this.game.players[player];
  }

  #endReview() {
    this.exercise.close();
    if (this.gone.signal.aborted) return;
    this.#show(false);
    this.#announce("seats");
    this.ending.update();
  }

  async #setUp(at) {
    await this.session.begin({ start: at });
    this.#address({ saved: null, moves: null, at: this.session.view.at });
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
    const { parameters, presets } = (await this.source.games()).find((one) => one.name === this.game.name);
    const fields = new FormFields(parameters, this.game.parameters);
    openDialog(`Variants of ${this.game.title}`, [fields.presets(presets), h("div.fields", {}, fields.elements())], {
      confirm: "Play",
      answer: async () => {
        const chosen = await this.source.game(fields.variant(this.game.name));
        location.hash = link("/play", { game: chosen.game });
      },
    });
  }

  // The address of the game as it stands: all moves, the opponent, and the side of whoever opens it.
  #addressToShare() {
    const { session, players, game } = this;
    const start = session.line[0].view.at;
    const url = new URL(location.href);
    const seats = players.person === null ? { side: "both" } : { side: SIDES[players.person], agent: players.agent };
    url.hash = link("/play", { game: game.game, at: start === game.start ? null : start, moves: session.actions.join("."), ...seats }).slice(1);
    return url.href;
  }

  async #share(button) {
    const address = this.#addressToShare();
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = "Copied";
      announce("The address of this game is copied.");
      setTimeout(() => (button.textContent = "Share"), 1500);
    } catch {
      openDialog("Share this game", h("p.address", {}, address), { confirm: "Done", answer: () => {} });
    }
  }

  #key(event) {
    if (!this.session.line.length || !this.exercise.element.hidden || event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { u: () => this.session.undo(), r: () => this.session.redo(), n: () => this.#new(), s: () => this.players.swap(), h: () => this.#toggle("showsExact"), m: () => this.#toggle("showsEvaluation"), "?": () => showRules(this.game) };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  #toggle(what) {
    this.evaluation.toggle(what);
    this.#see();
  }

  // Takes over what another page has saved of this game.
  async #take(saved) {
    const seats = seatsOf(saved, this.opponents);
    if (String(saved.seats) !== String(this.session.seats)) {
      this.players.take(seats);
      this.session.seats = this.players.seats;
    }
    await this.session.sync(saved);
  }

  // ---- output ----

  #changed(what) {
    this.#unpeek();
    if (what !== "think") this.reviewing?.abort();
    const { session } = this;
    if (what !== "think") this.#show(!["begin", "seats", "problem"].includes(what));
    this.#announce(what);
    this.moves.update();
    this.#drawTools();
    this.#sound(what);
    if (this.source.kept && ["move", "seats"].includes(what)) history.replaceState(null, "", this.#addressToShare());
    if (["begin", "move", "look", "sync"].includes(what)) this.#see();
    if (what === "look") this.history.draw();
    else if (["begin", "move", "sync"].includes(what)) this.#judge(what);
    this.ending.update();
    if (session.thinking) this.board.element.setAttribute("aria-busy", "true");
    else this.board.element.removeAttribute("aria-busy");
  }

  #judge(what) {
    if (what === "begin") this.history.stop();
    this.history.update();
  }

  // Values have arrived: mistakes are marked, and those of a finished game are kept for practice.
  #judged() {
    this.moves.update();
    this.ending.update();
    const { session, history, players } = this;
    if (players.person === null || !history.isKnown || session.result === null || !session.isLast) return;
    const found = history.mistakes([players.person]).map(({ at, name, words }) => ({ game: this.game.game, at, kind: "mistake", played: name, words }));
    if (found.length) new Practice(this.source).load().then((practice) => practice.add(found)).catch(() => {}); // the browser keeps them
  }

  #sound(what) {
    const { session } = this;
    if (what !== "move") return;
    if (!session.isOver) sounds.move();
    else if (session.winner === null) sounds.end("drawn");
    else sounds.end(session.seats[session.winner] === PERSON ? "won" : "lost");
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
    let words = `${view.mover}${whose} ${again ? "to move again" : "to move"}`;
    if (session.problem) words = session.problem;
    else if (session.thinking) words = `${view.mover}: thinking \u2026`;
    else if (session.isOver) words = session.result;
    replace(this.status, h("span.words", {}, words), again ? h("span.badge", {}, "extra turn") : null,
      session.problem ? h("button", { type: "button", onclick: () => session.retry() }, "Try again") : null, session.remark ? h("span.muted", {}, session.remark) : null,
      session.thinking && session.doing ? h("span.muted.doing", {}, capital(session.doing)) : null);
    if (what === "look") announce(`Move ${session.at}. ${words}.`);
    else if (what !== "think") announce(step.name && ["move", "sync"].includes(what) ? `${game.players[step.player] ?? "Chance"}: ${step.name}. ${words}.` : `${words}.`);
  }

  #say(path) {
    announce(path.length ? `${this.board.says(path.at(-1))}: chosen.` : "Taken back.");
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
      tool("Rules", "?", () => showRules(this.game)),
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

// Who sits where: as in a saved game, or as the address says.
function seated(query, saved, opponents) {
  if (saved) return seatsOf(saved, opponents);
  const side = query.get("side");
  const agent = query.get("agent");
  const person = side === "both" ? null : SIDES.indexOf(side);
  return { ...(agent ? { agent } : {}), ...(person === -1 ? {} : { person }) };
}

function seatsOf(saved, opponents) {
  const person = saved.seats.indexOf(PERSON);
  const agent = saved.seats.find((seat) => seat !== PERSON);
  return agent === undefined ? { agent: offered(opponents), person: null } : { agent, person: Math.max(person, 0) };
}
