// A game in play: the positions so far, the one that is shown, and who sits where. It does not depend on the page.

export const PERSON = "person";

// The players of a game are 0 and 1; whoever else is to move is chance.
export const isChance = (player) => player > 1;

export class Session extends EventTarget {
  // seats: for each player PERSON or an agent
  constructor(source, game, seats) {
    super();
    this.source = source;
    this.game = game;
    this.seats = seats;
    this.line = [];
    this.at = 0;
    this.resigned = null;
    this.thinking = false;
    this.problem = null;
    this.remark = "";
    this.doing = ""; // what the server does while the agent thinks
    this.id = null;
    this.request = 0;
  }

  get view() {
    return this.line[this.at].view;
  }

  get isLast() {
    return this.at === this.line.length - 1;
  }

  get plies() {
    return this.line.length - 1;
  }

  // Whether the game has ended in the position that is shown.
  get isOver() {
    return this.view.over || (this.isLast && (this.resigned !== null || this.isCut));
  }

  get isCut() {
    return this.game.max_plies > 0 && this.plies >= this.game.max_plies;
  }

  // Whether a person may choose here: their own turn, or any turn when looking back.
  get isOpen() {
    if (this.isOver || this.thinking || isChance(this.view.player)) return false;
    return !this.isLast || this.#isPersons(this.view.player);
  }

  // The result in words; null before the end.
  get result() {
    const last = this.line[this.line.length - 1].view;
    const names = this.game.players;
    if (this.resigned !== null) return `${names[this.resigned]} resigns: ${names[1 - this.resigned]} wins.`;
    if (last.over) return last.result.words;
    return this.isCut ? `Nobody wins within ${this.game.max_plies} plies.` : null;
  }

  get winner() {
    if (this.resigned !== null) return 1 - this.resigned;
    return this.line[this.line.length - 1].view.result?.winner ?? null;
  }

  #isPersons(player) {
    return !isChance(player) && this.seats[player] === PERSON;
  }

  // Starts at a position, by default the start of the game.
  async begin(at) {
    this.#stop();
    const view = await this.source.position(this.game.game, at ?? this.game.start);
    this.line = [{ view, action: null, name: null, player: null }];
    this.at = 0;
    this.resigned = null;
    this.id = null;
    this.#changed("begin");
    await this.#reply();
  }

  // Restores a saved game.
  async restore(saved) {
    this.#stop();
    const line = [{ view: await this.source.position(this.game.game, saved.start), action: null, name: null, player: null }];
    for (const action of saved.actions) {
      const { view } = line[line.length - 1];
      line.push(await this.#after(view, action));
    }
    this.line = line;
    this.at = line.length - 1;
    this.resigned = saved.resigned;
    this.id = saved.id;
    this.#changed("begin");
    await this.#reply();
  }

  async #after(view, action) {
    const { name, path } = view.actions.find((one) => one.action === action);
    const next = await this.source.position(this.game.game, view.at, action);
    return { view: next, action, name, path, player: view.player };
  }

  // A person moves; later positions are dropped.
  async play(action) {
    if (!this.isOpen) return;
    const request = this.#stop();
    try {
      const step = await this.#after(this.view, action);
      if (request !== this.request) return;
      this.#put(step);
    } catch (error) {
      if (request === this.request) this.fail(error, () => this.play(action));
      return;
    }
    await this.#reply();
  }

  #put(step) {
    this.line.length = this.at + 1;
    this.line.push(step);
    this.at += 1;
    this.resigned = null;
    this.#changed("move");
  }

  // Lets agents and chance move until a person is to move.
  async #reply() {
    const request = this.request;
    while (request === this.request && this.isLast && !this.isOver && !this.#isPersons(this.view.player)) {
      this.thinking = true;
      this.doing = "";
      this.#changed("think");
      try {
        const { view } = this;
        const who = isChance(view.player) ? "chance" : this.seats[view.player];
        const move = await this.source.move(this.game.game, view.at, who, (words) => {
          if (request !== this.request) return;
          this.doing = words;
          this.#changed("think");
        });
        if (request !== this.request) return;
        this.thinking = false;
        this.remark = move.words;
        if (move.resigns) this.#resign(view.player);
        else {
          const { path } = view.actions.find((one) => one.action === move.action);
          this.#put({ view: move.view, action: move.action, name: move.name, path, player: view.player });
        }
      } catch (error) {
        if (request === this.request) this.fail(error, () => this.#reply());
        return;
      }
    }
  }

  // Notes a problem, and what to do when the person tries again.
  fail(error, again) {
    this.thinking = false;
    this.problem = error.message;
    this.again = again;
    this.#changed("problem");
  }

  retry() {
    this.problem = null;
    return this.again();
  }

  #stop() {
    this.request += 1;
    this.thinking = false;
    this.problem = null;
    this.remark = "";
    return this.request;
  }

  // Shows another position of the line.
  go(at) {
    if (at < 0 || at >= this.line.length || at === this.at) return;
    this.#stop();
    this.at = at;
    this.#changed("look");
  }

  // Back to the last position in which a person chose; forward to the next such, or to the end.
  undo() {
    this.go(this.#choices().filter((at) => at < this.at).pop() ?? -1);
  }

  get canUndo() {
    return this.#choices().some((at) => at < this.at);
  }

  get canRedo() {
    return !this.isLast;
  }

  redo() {
    const after = this.#choices().filter((at) => at > this.at);
    this.go(after.length ? after[0] : this.line.length - 1);
    if (this.isLast) this.#reply();
  }

  #choices() {
    return this.line.map((_, at) => at).filter((at) => this.#isPersons(this.line[at].view.player));
  }

  resign() {
    if (this.isOver) return;
    this.go(this.line.length - 1);
    this.#stop();
    const mover = this.view.player;
    this.#resign(this.#isPersons(mover) ? mover : this.seats.indexOf(PERSON));
  }

  #resign(player) {
    this.resigned = player;
    this.#changed("move");
  }

  // Changes the seats; the game continues.
  async seat(seats) {
    this.#stop();
    this.seats = seats;
    this.#changed("seats");
    await this.#reply();
  }

  #changed(what) {
    this.dispatchEvent(new CustomEvent("change", { detail: what }));
  }
}
