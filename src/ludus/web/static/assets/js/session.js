// A game in play: the positions so far, the one that is shown, and who sits where. It does not depend on the page.

export const PERSON = "person";
export const FRIEND = "friend"; // a person on another device, whose moves come by sync()

const TAKEOVER = 4000; // milliseconds until a reply is asked for that another page seems not to get

// The players of a game are 0 and 1; whoever else is to move is chance.
export const isChance = (player) => player > 1;

export class Session extends EventTarget {
  // seats: for each player PERSON, FRIEND or an agent
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

  // Whether a person may choose here: their own turn, or any turn when looking back, unless a friend would have to agree.
  get isOpen() {
    if (this.isOver || this.thinking || isChance(this.view.player)) return false;
    return (!this.isLast && !this.seats.includes(FRIEND)) || (this.isLast && this.#isPersons(this.view.player));
  }

  // The result in words; null before the end.
  get result() {
    const last = this.line[this.line.length - 1].view;
    const names = this.game.players;
    if (this.resigned !== null) return `${names[this.resigned]} resigned: ${names[1 - this.resigned]} won.`;
    if (last.over) return last.result.words;
    return this.isCut ? `Nobody wins within ${this.game.max_plies} plies, the moves of both players together.` : null;
  }

  get winner() {
    if (this.resigned !== null) return 1 - this.resigned;
    return this.line[this.line.length - 1].view.result?.winner ?? null;
  }

  #isPersons(player) {
    return !isChance(player) && this.seats[player] === PERSON;
  }

  // Whether this page asks for the player's move: an agent's, or chance's where no friend's page shows the same.
  #isReplied(player) {
    return isChance(player) ? !this.seats.includes(FRIEND) : ![PERSON, FRIEND].includes(this.seats[player]);
  }

  // The actions of the line.
  get actions() {
    return this.line.slice(1).map((step) => step.action);
  }

  // Starts at a position, by default the start of the game, with the actions played since then.
  async begin({ start, actions = [], resigned = null, id = null } = {}) {
    const request = this.#stop();
    const first = { view: await this.source.position(this.game.game, start ?? this.game.start), action: null, name: null, player: null };
    const line = await this.#extended([first], actions);
    if (request !== this.request) return;
    Object.assign(this, { line, at: line.length - 1, resigned, id });
    this.#changed("begin");
    await this.#reply();
  }

  // Makes the line that of another page: what both have in common stays.
  async sync({ actions, resigned }) {
    const request = this.#stop();
    const own = this.actions;
    const same = actions.findIndex((action, ply) => action !== own[ply]);
    const line = await this.#extended(this.line.slice(0, 1 + (same < 0 ? actions.length : same)), actions);
    if (request !== this.request) return;
    Object.assign(this, { line, at: line.length - 1, resigned });
    this.#changed("sync");
    setTimeout(() => request === this.request && this.#reply(), TAKEOVER);
  }

  // A line that begins some actions, continued by the others.
  async #extended(line, actions) {
    for (const action of actions.slice(line.length - 1)) {
      const { view } = line.at(-1);
      if (!view.actions.some((one) => one.action === action)) throw new Error(`Move ${line.length} cannot be played: action ${action} is not allowed in ${view.at}.`);
      line.push(await this.#after(view, action));
    }
    return line;
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
    while (request === this.request && this.isLast && !this.isOver && this.#isReplied(this.view.player)) {
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
