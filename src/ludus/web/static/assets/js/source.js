// Where positions, values and opinions come from: here from the server. An exported game has a source of its own with
// the same methods (graph_source.js); pages ask a source and never the server, so that both show the same page.
import { ask, listen, poll } from "./ask.js";

const MOST_KNOWN = 2000; // answers that are remembered

export class ServerSource {
  can = { agents: true, keep: true, mistakes: true, puzzles: true, setUp: true, variants: true, train: true };

  #known = new Map();

  games() {
    return this.#once("games", {});
  }

  game(game) {
    return this.#once("game", { game });
  }

  facts(game, told, signal) {
    return poll("facts", { query: { game }, signal }, told);
  }

  position(game, at, action, signal) {
    return ask("position", { query: { game, at, action }, signal });
  }

  // Tells hints as they become known, and returns the last of them.
  async hints(game, at, told, signal) {
    const key = `hints ${game} ${at}`;
    if (this.#known.has(key)) {
      told(this.#known.get(key));
      return this.#known.get(key);
    }
    let found = await ask("hints", { query: { game, at }, signal });
    told(found);
    if (found.state === "working" || found.state === "searching") found = await listen("hints/stream", { game, at }, told, signal);
    if (found.state === "ready" && !found.words) this.#remember(key, found);
    return found;
  }

  values(game, positions, signal) {
    return poll("values", { method: "POST", body: { game, at: positions }, signal });
  }

  line(game, at, signal) {
    return poll("line", { query: { game, at }, signal });
  }

  form(game, at, told, signal) {
    return poll("form", { query: { game, at }, signal }, told);
  }

  opponents(game) {
    return ask("opponents", { query: { game } });
  }

  answer(game, at, agent, signal) {
    return this.#patient(() => ask("answer", { method: "POST", body: { game, at, agent }, signal }));
  }

  thoughts(game, at, agent, games, signal) {
    return this.#patient(() => ask("thoughts", { query: { game, at, agent, games }, signal }));
  }

  checkpoints(run) {
    return ask("checkpoints", { query: { run } });
  }

  mistakes(game, agent, told, signal) {
    return poll("mistakes", { query: { game, agent }, signal }, told);
  }

  puzzles(game, seed, told, signal) {
    return poll("puzzles", { query: { game, seed }, signal }, told);
  }

  begin(game, start, seats) {
    return ask("kept", { method: "POST", body: { game, start, seats } });
  }

  keep(id, progress) {
    return ask(`kept/${id}`, { method: "PUT", body: progress });
  }

  kept(id) {
    return ask(`kept/${id}`);
  }

  keptGames() {
    return ask("kept");
  }

  forget(id) {
    return ask(`kept/${id}`, { method: "DELETE" });
  }

  async #once(path, query) {
    const key = `${path} ${JSON.stringify(query)}`;
    if (!this.#known.has(key)) this.#remember(key, await ask(path, { query }));
    return this.#known.get(key);
  }

  #remember(key, answer) {
    if (this.#known.size > MOST_KNOWN) this.#known.clear();
    this.#known.set(key, answer);
  }

  // An agent may still prepare itself: the server then asks for patience.
  async #patient(question) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await question();
      } catch (error) {
        if (error.status !== 429 || tries === 5) throw error;
      }
    }
  }
}
