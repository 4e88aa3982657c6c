// A game of two people on two devices. Whoever has the key of a seat plays there, others watch; all see the same at once.
import { follow, isAborted } from "../ask.js";
import { Board } from "../board.js";
import { openDialog } from "../dialog.js";
import { announce, capital, fresh, h, plural, replace, titled } from "../dom.js";
import { Ending } from "../ending.js";
import { Exercise } from "../exercise.js";
import { History } from "../history.js";
import { Moves } from "../moves.js";
import { recall, remember } from "../preferences.js";
import { review } from "../review.js";
import { showRules } from "../rules_dialog.js";
import { FRIEND, PERSON, Session } from "../session.js";
import { sounds } from "../sounds.js";

const ASKS = { undo: "asks to take back the last move", rematch: "asks for a rematch" };

export async function show(place, query, source) {
  const key = query.get("key") ?? recall("room", { key: "" }).key;
  if (!key) throw new Error("Open the link of an invitation.");
  const room = await source.room(key);
  remember("room", { key });
  const game = await source.game(room.game);
  titled(place, game.title);
  const page = new FriendPage(place, source, game, key, room);
  await page.open();
  return () => page.gone.abort();
}

class FriendPage {
  constructor(place, source, game, key, room) {
    Object.assign(this, { place, source, game, key, room });
    this.gone = new AbortController();
    this.board = new Board({ choose: (action) => this.#choose(action), touched: (path) => announce(path.length ? `${this.board.says(path.at(-1))}: chosen.` : "Taken back.") });
    this.session = new Session(source, game, seatsOf(room));
    this.exercise = new Exercise(source, game, this.board);
    this.history = new History(this.session);
    this.moves = new Moves(this.session, this.history);
    this.ending = new Ending(this.session, this.history, { review: (mistakes) => this.#review(mistakes) });
    this.history.onChange = () => {
      this.moves.update();
      this.ending.update();
    };
    this.session.addEventListener("change", (event) => this.#changed(event.detail));
    this.#lay();
  }

  get isPlayer() {
    return this.room.you !== null;
  }

  #lay() {
    this.status = h("p.turn");
    this.tools = h("div.tools", { role: "toolbar", "aria-label": "Game" });
    this.people = h("section.card.panel", { "aria-label": "Players" });
    this.question = h("section.card.panel.question", { hidden: true, role: "alert" });
    this.links = h("div.stack.wide");
    this.lost = h("p.problem", { role: "status" });
    this.place.className = "play game-page friend";
    replace(
      this.place,
      h("div.table", {}, h("div.head", {}, h("h1", {}, this.game.title), this.status), this.lost, this.board.element, this.tools, this.history.element),
      h("div.side", {}, this.question, this.exercise.element, this.ending.element, this.people, this.links),
      h("div.side.settings", {}, this.moves.element),
    );
    this.#drawLinks();
  }

  async open() {
    await this.session.begin(this.room);
    this.#draw();
    follow(`rooms/${this.key}/stream`, (room) => this.#take(room), { signal: this.gone.signal, onLost: (isLost) => (this.lost.textContent = isLost ? "The connection is lost. Trying again \u2026" : "") });
    if (this.isPlayer && !this.room.names[this.room.you]) this.#askName();
    else showRules(this.game, { once: true });
  }

  // ---- what people do ----

  #choose(action) {
    if (!this.exercise.element.hidden) this.exercise.answer(action);
    else this.#order({ do: "move", ply: this.session.plies, action });
  }

  async #order(order) {
    try {
      await this.#take(await this.source.order(this.key, order));
    } catch (error) {
      if (error.status === 409) await this.#take(await this.source.room(this.key));
      else this.session.fail(error, () => this.#order(order));
    }
  }

  // Shows a room as it is now; a later state may have arrived before.
  async #take(room) {
    if (room.changed < this.room.changed) return;
    const before = this.room;
    this.room = room;
    this.session.seats = seatsOf(room);
    const isNew = room.round !== before.round;
    if (isNew) {
      this.reviewing?.abort();
      this.history.stop();
      await this.session.begin(room);
    } else if (String(room.actions) !== String(this.session.actions) || room.resigned !== this.session.resigned) await this.session.sync(room);
    this.#draw();
    if (room.offer && room.offer.by !== room.you && room.offer.what !== before.offer?.what) announce(this.#asked(room.offer));
  }

  #askName() {
    const id = fresh("name");
    const input = h("input", { type: "text", id, value: recall("friends", { name: "" }).name, maxlength: 40, autocomplete: "nickname" });
    openDialog(`A game of ${this.game.title}`, h("div.field", {}, h("label.label", { for: id }, "Your name"), input), {
      confirm: "Play",
      answer: async () => {
        const name = input.value.trim();
        remember("friends", { name });
        if (name) await this.#order({ do: "name", name });
      },
    }).addEventListener("close", () => showRules(this.game, { once: true }));
  }

  #askResign() {
    openDialog("Resign?", h("p", {}, "The game ends, and your friend wins."), { confirm: "Resign", answer: () => this.#order({ do: "resign" }) });
  }

  async #review(mistakes) {
    const reviewing = (this.reviewing = new AbortController());
    this.gone.signal.addEventListener("abort", () => reviewing.abort(), { once: true });
    this.ending.element.hidden = true;
    const back = h("button", { type: "button", onclick: () => reviewing.abort() }, "Back to the game");
    try {
      this.ending.reviewed = await review(this.exercise, mistakes, {
        whose: (player) => (player === this.room.you ? "You" : this.#name(player)),
        onStep: (number) => replace(this.status, h("span.words", {}, `Review: ${number + 1} of ${mistakes.length}`), back),
        signal: reviewing.signal,
      });
    } catch (error) {
      if (!isAborted(error)) this.session.fail(error, () => this.#review(mistakes));
    } finally {
      this.exercise.close();
      if (!this.gone.signal.aborted) {
        this.board.show(this.session.view, { moving: false });
        this.#draw();
      }
    }
  }

  // ---- output ----

  #changed(what) {
    const { session } = this;
    if (["begin", "sync", "look", "move"].includes(what)) {
      this.reviewing?.abort();
      this.board.show(session.view, { open: session.isOpen, moving: what !== "begin", last: session.line[session.at].path?.slice(-1) ?? [] });
      this.moves.update();
    }
    if (what === "sync") this.#sound();
    if (what === "look") this.history.draw();
    this.#draw();
  }

  #sound() {
    const { session, room } = this;
    if (session.result === null) sounds.move();
    else sounds.end(session.winner === null ? "drawn" : session.winner === room.you ? "won" : "lost");
  }

  #draw() {
    if (!this.session.line.length || !this.exercise.element.hidden) return;
    this.#drawStatus();
    this.#drawPeople();
    this.#drawQuestion();
    this.#drawTools();
    const isOver = this.session.result !== null;
    this.history.element.hidden = !isOver; // values would help who plays
    if (isOver) this.history.update();
    this.ending.update();
    if (this.invited) this.#drawInvitation();
  }

  // Large until the friend has come, then folded.
  #drawInvitation() {
    const { room } = this;
    const hasCome = room.here[1 - room.you] || room.names[1 - room.you] !== "";
    this.invited.hidden = hasCome;
    this.folded.hidden = !hasCome;
  }

  #drawStatus() {
    const { session, room } = this;
    const { view } = session;
    const side = view.player < 2 ? ` (${view.mover})` : "";
    let words = view.player === room.you ? `Your turn${side}` : `${view.player < 2 ? this.#name(view.player) : view.mover} to move${side}`;
    if (session.isOver) words = session.result;
    if (session.problem) words = capital(session.problem);
    if (this.said !== words) announce(`${session.line[session.at].name ? `${session.line[session.at].name}. ` : ""}${words}.`);
    this.said = words;
    replace(this.status, h("span.words", {}, words), session.problem ? h("button", { type: "button", onclick: () => session.retry() }, "Try again") : null);
  }

  #name(player) {
    return this.room.names[player] || this.game.players[player];
  }

  #asked(offer) {
    return `${this.room.names[offer.by] || "Your friend"} ${ASKS[offer.what]}.`;
  }

  #drawPeople() {
    const { room, game } = this;
    const person = (player) => {
      const isYou = player === room.you;
      const who = room.names[player] || (isYou ? "You" : "Your friend");
      return h("li.person", {},
        h("span.presence", { class: `presence ${room.here[player] ? "here" : ""}`, role: "img", "aria-label": room.here[player] ? "here" : "away" }),
        h("span", {}, h("strong", {}, who), isYou && room.names[player] ? " (you)" : "", h("span.muted", {}, ` ${game.players[player]}${room.here[player] ? "" : ", away"}`)),
        h("span.number", {}, plural(room.won[player], "win")));
    };
    const more = [room.round > 1 ? `Round ${room.round}` : "", room.drawn ? plural(room.drawn, "draw") : "", room.watching ? `${room.watching} watching` : ""].filter(Boolean);
    replace(this.people, h("h2", {}, this.isPlayer ? "Players" : "You are watching"), h("ul.people", {}, person(0), person(1)), more.length ? h("p.muted", {}, `${more.join(", ")}.`) : null);
  }

  #drawQuestion() {
    const { offer, you } = this.room;
    const isOpen = offer !== null && this.isPlayer;
    this.question.hidden = !isOpen;
    if (!isOpen) return;
    const own = offer.by === you;
    const words = own ? `You asked ${offer.what === "undo" ? "to take back your move" : "for a rematch"}. Waiting \u2026` : this.#asked(offer);
    replace(this.question, h("p", {}, words), h("div.row", {},
      own ? null : h("button.primary", { type: "button", onclick: () => this.#order({ do: offer.what }) }, "Agree"),
      h("button", { type: "button", onclick: () => this.#order({ do: "decline" }) }, own ? "Withdraw" : "Decline")));
  }

  #drawTools() {
    const { session, room } = this;
    const isOver = session.result !== null;
    const tool = (words, onclick, disabled = false) => h("button", { type: "button", disabled, onclick, "data-part": words }, words);
    const active = document.activeElement?.dataset?.part;
    const moved = session.line.some((step) => step.player === room.you && step.action !== null);
    replace(
      this.tools,
      this.isPlayer ? tool("Take back", () => this.#order({ do: "undo" }), !moved || room.offer !== null) : null,
      this.isPlayer && !isOver ? tool("Resign", () => this.#askResign()) : null,
      this.isPlayer && isOver ? tool("Rematch", () => this.#order({ do: "rematch" }), room.offer?.what === "rematch") : null,
      tool("Rules", () => showRules(this.game)),
    );
    if (active) this.tools.querySelector(`[data-part="${active}"]:not(:disabled)`)?.focus();
  }

  // The links: to the other seat, which only its maker sees, and to watch.
  #drawLinks() {
    const { room, source } = this;
    const base = source.address ?? `${location.origin}/`;
    const to = (key) => new URL(`join/${key}`, base).href;
    const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(base).hostname);
    const hint = isLocal ? h("p.muted", {}, "This address works on this machine only. For another device start ", h("code", {}, "ludus serve --host 0.0.0.0"), ".") : null;
    this.invited = room.join
      ? h("section.card.panel.invitation", { hidden: true }, h("h2", {}, "Invite your friend"), code(to(room.join)), copied(to(room.join), "Copy the link"), hint)
      : null;
    const watch = h("details.card.panel", {}, h("summary", {}, "Let others watch"), copied(to(room.watch), "Copy the link to watch"));
    this.folded = room.join ? h("details.card.panel", {}, h("summary", {}, "Invitation"), copied(to(room.join), "Copy the link")) : null;
    replace(this.links, this.invited, this.folded, watch);
  }
}

// The seats as a session knows them.
function seatsOf(room) {
  return [0, 1].map((player) => (player === room.you ? PERSON : FRIEND));
}

function code(address) {
  return h("img.code", { src: `api/code?text=${encodeURIComponent(address)}`, alt: "QR code of the link", width: 200, height: 200 });
}

function copied(address, words) {
  const button = h("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = "Copied";
      announce("The link is copied.");
      setTimeout(() => (button.textContent = words), 1500);
    } catch {
      button.hidden = true; // the address itself stays
    }
  } }, words);
  return h("div.stack", {}, h("p.address", {}, address), button);
}
