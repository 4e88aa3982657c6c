// Where positions, values and evaluations come from: here from the server. An exported game has a source of its own with
// the same methods (graph_source.js); pages use a source and never the server, so that both show the same page.
import { ask, attended, listen, patient, poll } from "./ask.js";

const MOST_KNOWN = 2000; // responses that are cached

export class ServerSource {
  // What the owner of the server may do; a guest may only play with the one who sent the invitation.
  can = { agents: true, save: true, follow: true, practise: true, meet: true, mistakes: true, puzzles: true, setUp: true, variants: true, train: true };

  #known = new Map();

  // Asks who this is, and at which address others reach the server.
  async enter() {
    const { role, address, is_here: isHere } = await ask("me");
    Object.assign(this, { address, isHere });
    if (role === "guest") this.can = { guest: true };
    return this;
  }

  games() {
    return this.#once("games", {});
  }

  game(game) {
    return this.#once("game", { game });
  }

  agents() {
    return this.#once("agents", {});
  }

  solution(game, onUpdate, signal) {
    return poll("solution", { query: { game }, signal }, onUpdate);
  }

  position(game, at, action, signal) {
    return ask("position", { query: { game, at, action }, signal });
  }

  // Reports hints as a search narrows them, and returns the last ones.
  async hints(game, at, onUpdate, signal) {
    const key = `hints ${game} ${at}`;
    if (this.#known.has(key)) {
      onUpdate(this.#known.get(key));
      return this.#known.get(key);
    }
    let found = await ask("hints", { query: { game, at }, signal });
    onUpdate(found);
    if (found.state === "working" || found.state === "searching") found = await listen("hints/stream", { game, at }, onUpdate, signal);
    if (found.state === "ready" && !found.words) this.#remember(key, found);
    return found;
  }

  values(game, positions, onUpdate, signal) {
    return poll("values", { method: "POST", body: { game, at: positions }, signal }, onUpdate);
  }

  line(game, at, onUpdate, signal) {
    return poll("line", { query: { game, at }, signal }, onUpdate);
  }

  canonicalForm(game, at, onUpdate, signal) {
    return poll("canonical-form", { query: { game, at }, signal }, onUpdate);
  }

  opponents(game) {
    return ask("opponents", { query: { game } });
  }

  // onWords gets what the server does while the agent is made ready, or thinks.
  move(game, at, agent, onWords, signal) {
    return attended(patient(() => ask("move", { method: "POST", body: { game, at, agent }, signal }), onWords, signal), onWords);
  }

  evaluation(game, at, agent, games, onWords, signal) {
    return attended(patient(() => ask("evaluation", { query: { game, at, agent, games }, signal }), onWords, signal), onWords);
  }

  checkpoints(run) {
    return ask("checkpoints", { query: { run } });
  }

  mistakes(game, agent, onUpdate, signal) {
    return poll("mistakes", { query: { game, agent }, signal }, onUpdate);
  }

  puzzles(game, seed, onUpdate, signal) {
    return poll("puzzles", { query: { game, seed }, signal }, onUpdate);
  }

  crib(game, onUpdate, signal) {
    return poll("crib", { query: { game }, signal }, onUpdate);
  }

  createGame(game, start, seats) {
    return ask("saved-games", { method: "POST", body: { game, start, seats } });
  }

  saveGame(id, progress) {
    return ask(`saved-games/${id}`, { method: "PUT", body: progress });
  }

  savedGame(id) {
    return ask(`saved-games/${id}`);
  }

  savedGames() {
    return ask("saved-games");
  }

  // Adds positions to practise, or changes them; returns all.
  practice(items) {
    return ask("practice", { method: "POST", body: { items } });
  }

  rooms() {
    return ask("rooms");
  }

  createRoom(room) {
    return ask("rooms", { method: "POST", body: room });
  }

  removeRoom(id) {
    return ask(`rooms/${id}`, { method: "DELETE" });
  }

  room(key) {
    return ask(`rooms/${key}`);
  }

  order(key, order) {
    return ask(`rooms/${key}`, { method: "POST", body: order });
  }

  async #once(path, query) {
    const key = `${path} ${JSON.stringify(query)}`;
    if (!this.#known.has(key)) this.#remember(key, await ask(path, { query }));
    return this.#known.get(key);
  }

  #remember(key, response) {
    if (this.#known.size > MOST_KNOWN) this.#known.clear();
    this.#known.set(key, response);
  }
}
