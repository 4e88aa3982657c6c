// The players: a slider of opponents from weak to strong, any other agent by name, or two people.
import { fresh, h, replace } from "./dom.js";
import { PERSON } from "./session.js";

export class Players {
  // changed() is called after a choice; person: the player that the person is, null for two people; agents: names to offer.
  constructor(game, opponents, chosen, changed, agents = []) {
    this.game = game;
    this.opponents = opponents;
    this.changed = changed;
    this.agents = agents;
    this.agent = chosen.agent;
    this.person = chosen.person;
    this.last = chosen.person ?? 0;
    this.element = h("section.card.panel");
    this.draw();
  }

  get seats() {
    if (this.person === null) return [PERSON, PERSON];
    return this.person === 0 ? [PERSON, this.agent] : [this.agent, PERSON];
  }

  // The title of an agent.
  title(agent) {
    return this.opponents.find((one) => one.agent === agent)?.title ?? agent;
  }

  swap() {
    if (this.person === null) return;
    this.#set({ person: 1 - this.person });
  }

  // Exchanges the sides for the next game.
  turn() {
    if (this.person !== null) this.take({ agent: this.agent, person: 1 - this.person });
  }

  // Takes over who sits where, without another word.
  take({ agent, person }) {
    Object.assign(this, { agent, person, last: person ?? this.last });
    this.draw();
  }

  #set(choice) {
    Object.assign(this, choice);
    if (this.person !== null) this.last = this.person;
    this.changed();
    this.draw();
  }

  draw() {
    const active = document.activeElement?.dataset?.part;
    replace(this.element, h("h2", {}, "Players"), this.#modes(), this.person === null ? null : [this.#slider(), this.#side()]);
    if (active) this.element.querySelector(`[data-part="${active}"]`)?.focus();
  }

  #modes() {
    const mode = (words, part, pressed, person) =>
      h("button", { type: "button", "data-part": part, "aria-pressed": String(pressed), onclick: () => this.#set({ person }) }, words);
    return h(
      "div.segments",
      { role: "group", "aria-label": "Who plays" },
      mode("Against an agent", "one", this.person !== null, this.last),
      mode("Two people", "two", this.person === null, null),
    );
  }

  #side() {
    const side = (player) =>
      h("button", { type: "button", "data-part": `side-${player}`, "aria-pressed": String(this.person === player), onclick: () => this.#set({ person: player }) }, this.game.players[player]);
    return h("div.field", {}, h("span.label", {}, "You play"), h("div.segments", { role: "group", "aria-label": "You play" }, side(0), side(1)));
  }

  #slider() {
    const id = fresh("opponent");
    const place = this.opponents.findIndex((one) => one.agent === this.agent);
    const at = place < 0 ? this.opponents.length - 1 : place;
    const output = h("output.chosen", { for: id }, ...this.#named(place < 0 ? null : this.opponents[at]));
    const input = h("input", {
      type: "range", id, min: 0, max: this.opponents.length - 1, step: 1, "data-part": "slider",
      "aria-valuetext": place < 0 ? this.agent : this.opponents[at].title,
      oninput: () => {
        const one = this.opponents[Number(input.value)];
        input.setAttribute("aria-valuetext", one.title);
        replace(output, this.#named(one));
      },
      onchange: () => this.#set({ agent: this.opponents[Number(input.value)].agent }),
    });
    input.value = String(at);
    const ends = h("div.ends", { "aria-hidden": "true" }, h("span", {}, "easier"), h("span", {}, "harder"));
    return h("div.field", {}, h("label.label", { for: id }, "Difficulty"), input, ends, output, this.agents.length ? this.#other() : null);
  }

  #named(one) {
    return one ? [h("strong", {}, one.title), h("span.muted", {}, one.words)] : [h("strong", {}, this.agent)];
  }

  #other() {
    const id = fresh("agent");
    const names = h("datalist", { id: `${id}-names` }, this.agents.map((one) => h("option", { value: one.name }, one.summary)));
    const input = h("input", { type: "text", id, list: names.id, placeholder: "name of an agent or run", "data-part": "other", autocomplete: "off", spellcheck: "false", maxlength: 200 });
    const form = h("form.row", { onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim()) this.#set({ agent: input.value.trim() });
    } }, h("label.unseen", { for: id }, "Another agent or run by name"), input, names, h("button", { type: "submit" }, "Play"));
    return h("details", {}, h("summary", {}, "Another agent"), form);
  }
}
