// Starting a training: the game, the learner, and all settings.
import { fresh, h, plural, replace, titled } from "../dom.js";
import { link } from "../pages.js";
import { FormFields } from "../form_fields.js";
import { isOver, startTraining, trainingForm, trainings } from "../server_api.js";

const WATCHED = { eval_early: "true" }; // in place of the defaults: somebody looks on
const FIRST = ["games", "opponent", "seed"]; // shown first, beside what may change during the training

export async function show(place, query, source) {
  titled(place, "Train");
  const games = await source.games();
  const [name, variant] = split(query.get("game") ?? games[0].name);
  const page = new TrainPage(place, games, games.find((one) => one.name === name) ?? games[0], variant);
  page.showTrainings();
  await page.choose(query.get("learner"));
}

// "name(size=3)" as its name and its parameters.
function split(text) {
  const [, name, inside = ""] = text.match(/^([^(]+)(?:\((.*)\))?$/) ?? [null, text];
  return [name, Object.fromEntries(inside.split(",").map((one) => one.split("=").map((part) => part.trim())).filter((pair) => pair.length === 2))];
}

class TrainPage {
  constructor(place, games, game, variant) {
    Object.assign(this, { game });
    place.className = "train";
    const id = fresh("game");
    this.select = h("select", { id, onchange: () => (location.hash = link("/train", { game: this.select.value })) }, games.map((one) => h("option", { value: one.name, selected: one === game }, one.title)));
    this.variant = new FormFields(game.parameters, variant);
    this.learners = h("div.learners", { role: "radiogroup", "aria-label": "Learner" });
    this.settings = h("div.stack.wide");
    this.problem = h("p.problem", { role: "alert" });
    this.work = h("section.card.panel", { hidden: true });
    this.start = h("button.primary.large", { type: "submit", disabled: true }, "Start training");
    const rules = game.parameters.length ? h("details", { open: Object.keys(variant).length > 0 }, h("summary", {}, "Rules"), h("div.fields", {}, this.variant.elements())) : null;
    const form = h("form.training-form", { onsubmit: (event) => this.#submit(event, this.start) },
      h("section.card.panel", {}, h("h2", {}, "Game"), h("div.field", {}, h("label.unseen", { for: id }, "Game"), this.select), rules),
      h("section.card.panel", {}, h("h2", {}, "Learner"), this.learners),
      h("section.card.panel", {}, h("h2", {}, "Settings"), this.settings),
      h("div.row.submit", {}, this.start, this.problem),
    );
    replace(place, h("div.intro.slim", {}, h("h1", {}, "Train an agent"), h("p", {}, "Choose a game and a learner, and watch how close it comes to perfect play.")), this.work, form);
  }

  // The trainings of this server, if there are any.
  async showTrainings() {
    const found = (await trainings()).filter((one) => one.state !== "refused");
    if (!found.length) return;
    this.work.hidden = false;
    replace(this.work, h("h2", {}, found.some((one) => !isOver(one)) ? "Trainings in progress" : "Latest trainings"), h("ul.row", {}, found.slice(0, 8).map((one) => h("li", {}, h("a.chip", { href: link("/training", { run: one.run }) },
      h("span", { class: `state ${one.state}` }), h("strong", {}, one.run), h("span.muted", {}, one.state === "starting" ? "starting" : `${one.state}, ${plural(one.games, "game")}`))))));
  }

  async choose(learner) {
    const form = await trainingForm(this.game.name);
    this.form = form;
    this.#pick(form.learners.find((one) => one.name === learner) ?? form.learners.find((one) => one.presets.length) ?? form.learners[0]);
    this.start.disabled = false;
  }

  #pick(learner, focused = false) {
    this.learner = learner;
    const option = (one) => {
      const id = fresh("learner");
      const input = h("input", { type: "radio", name: "learner", id, checked: one === learner, onchange: () => this.#pick(one, true) });
      return h("label.learner", { for: id }, input, h("span.learner-words", {}, h("strong", {}, one.name), h("span.muted", {}, one.summary)));
    };
    replace(this.learners, this.form.learners.map(option));
    if (focused) this.learners.querySelector("input:checked").focus({ preventScroll: true });
    this.#fields();
  }

  #fields() {
    const { learner, form } = this;
    this.own = new FormFields(learner.settings);
    this.plan = new FormFields(form.plan, WATCHED);
    this.preset = null;
    const changeable = learner.settings.filter((one) => one.changeable).map((one) => one.name);
    const rest = this.own.names.filter((name) => !changeable.includes(name));
    const other = this.plan.names.filter((name) => !FIRST.includes(name));
    replace(
      this.settings,
      learner.presets.length ? this.#presets() : null,
      h("div.setting-grid", {}, this.plan.elements(FIRST), this.own.elements(changeable)),
      rest.length ? h("details", {}, h("summary", {}, `More settings of ${learner.name}`), h("div.setting-grid", {}, this.own.elements(rest))) : null,
      h("details", {}, h("summary", {}, "More settings of the training: opponents, evaluation, restrictions"), h("div.setting-grid", {}, this.plan.elements(other))),
    );
  }

  #presets() {
    const choice = (preset, words) => h("button", { type: "button", "aria-pressed": String(this.preset === preset), onclick: () => {
      this.preset = preset;
      const known = preset?.settings ?? {};
      this.own.fill(known);
      this.plan.fill({ ...WATCHED, ...known });
      group.replaceWith(this.#presets());
    } }, words);
    const group = h("div.field", {}, h("span.label", {}, "Presets"), h("div.segments", { role: "group", "aria-label": "Presets" }, choice(null, "default"), this.learner.presets.map((one) => choice(one, one.name))));
    return group;
  }

  async #submit(event, button) {
    event.preventDefault();
    this.problem.textContent = "";
    button.disabled = true;
    try {
      const known = this.preset?.settings ?? {};
      const settings = { ...this.own.read(known), ...this.plan.read(known) };
      const made = await startTraining({ game: this.variant.variant(this.game.name), learner: this.learner.name, preset: this.preset?.name ?? null, settings, slow_start: true });
      location.hash = link("/training", { run: made.run });
    } catch (error) {
      this.problem.textContent = error.message;
    }
    button.disabled = false;
  }
}
