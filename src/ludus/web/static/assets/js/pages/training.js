// A training in progress: its charts, its progress, and its controls.
import { announce, capital, fresh, h, plural, replace, titled } from "../dom.js";
import { compact, percent } from "../curves.js";
import { EvaluationCharts, guaranteeWords, winRate } from "../evaluation_charts.js";
import { duration } from "../duration.js";
import { link } from "../pages.js";
import { inWords } from "../form_fields.js";
import { TrainingBoard } from "../training_board.js";
import { control, follow, isOver, resume, training, trainingForm } from "../server_api.js";

const PACES = [1, 3, 10, 30, 100, 300, 1000, 10000, 0]; // games a second; 0: no limit

const STATES = {
  starting: "Starting: compiling, and solving the game",
  running: "Learning",
  paused: "Paused",
  finished: "Finished",
  stopped: "Stopped",
  refused: "Failed",
};

const LOST = "The connection is lost. Trying again \u2026";

export async function show(place, query, source) {
  const run = query.get("run") ?? "";
  titled(place, run);
  const status = await training(run).catch((error) => {
    if (error.status !== 404) throw error;
  });
  if (!status) { // it is not being trained now, but can be resumed there
    location.replace(link("/runs", { run }));
    return null;
  }
  const page = new TrainingPage(place, status, source);
  page.follow();
  return () => page.close();
}

class TrainingPage {
  constructor(place, status, source) {
    Object.assign(this, { place, status, evaluations: [] });
    this.gone = new AbortController();
    this.charts = new EvaluationCharts();
    this.board = new TrainingBoard(source, () => this.#order({ do: "pace", pace: 0 }));
    this.head = h("div.head");
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Games played" });
    this.counts = h("p.counts.number");
    this.controls = h("div.tools.left", { role: "toolbar", "aria-label": "Training" });
    this.problem = h("p.problem", { role: "alert" });
    this.results = h("div.results");
    this.last = h("section.card.panel", {}, h("h2", {}, "Last evaluation"), h("div"));
    this.knobs = h("section.card.panel", {}, h("h2", {}, "Change while it learns"), h("p.muted.about", {}, "A change takes effect with the next game. The run records it, so that repeating the run gives the same result."));
    this.log = h("ol.log");
    this.inputs = new Map();
    place.className = "play training";
    this.#pace();
    replace(
      place,
      h("div.main-column", {}, this.head, h("div.stack.wide", {}, this.bar, this.counts), this.controls, this.problem, this.board.element, this.charts.element),
      h("div.side", {}, this.last, h("section.card.panel", {}, h("h2", {}, "Its training games"), this.results), this.paces, this.knobs),
    );
    this.#knobs().catch(() => {});
    this.update(status, []);
  }

  follow() {
    follow(this.status.run, (...news) => this.update(...news), {
      signal: this.gone.signal,
      onLost: (isLost) => this.#lose(isLost),
      onGone: () => location.replace(link("/runs", { run: this.status.run })),
    });
  }

  #lose(isLost) {
    if (isLost === Boolean(this.isLost)) return;
    this.isLost = isLost;
    if (isLost) announce(LOST);
    this.#drawHead();
    this.#drawControls();
  }

  close() {
    this.gone.abort();
    this.charts.close();
    this.board.close();
  }

  update(status, evaluations, board = null) {
    const before = this.status.state;
    const grown = evaluations.length !== this.evaluations.length;
    Object.assign(this, { status, evaluations: [...evaluations] });
    if (status.state !== before) announce(`${STATES[status.state]}. ${status.words}`);
    this.board.update(status, board);
    this.#drawHead();
    this.#drawCounts();
    this.#drawControls();
    this.#drawResults();
    this.#drawKnobs();
    this.drawPace();
    if (grown || !evaluations.length || status.changes.length !== this.changed) {
      this.changed = status.changes.length;
      this.charts.show([{ name: status.run, evaluations, changes: status.changes }], status.planned);
      this.#drawLast();
    }
  }

  // ---- output ----

  #drawHead() {
    const { run, state, game, learner } = this.status;
    replace(
      this.head,
      h("div", {}, h("h1", {}, run), h("p.muted", {}, game ? h("a", { href: link("/learn", { game }) }, game) : "", ` \u00b7 ${learner}`)),
      h("p.turn", {}, h("span", { class: `state ${this.isLost ? "lost" : state}` }), h("span.words", {}, this.isLost ? LOST : STATES[state])),
    );
  }

  #drawCounts() {
    const { games, planned, speed, state, words } = this.status;
    this.bar.max = Math.max(planned, 1);
    if (state === "starting") this.bar.removeAttribute("value");
    else this.bar.value = games;
    const parts = planned ? [`${games.toLocaleString("en")} of ${plural(planned, "game")}`] : [];
    if (state === "running" && this.status.is_slow && !words) parts.push("slow at first, so that you can watch");
    else if (state === "running" && speed && !words) parts.push(`${compact(Math.round(speed * 10) / 10)} a second`, left((planned - games) / speed));
    if (words) parts.push(capital(words));
    this.counts.textContent = parts.filter(Boolean).join(" \u00b7 ") || "\u00a0";
  }

  #drawControls() {
    const { state, run, game, games, saved } = this.status;
    const key = `${state} ${game} ${saved !== null} ${this.status.changes.length} ${this.isLost}`;
    if (key === this.shownControls) return;
    this.shownControls = key;
    const active = document.activeElement?.dataset?.part;
    const tool = (words, part, order, look = "") => h(`button${look}`, { type: "button", "data-part": part, onclick: () => this.#order(order) }, words);
    const over = isOver(this.status);
    const alive = !over && state !== "starting" && !this.isLost;
    replace(
      this.controls,
      alive && (state === "paused" ? tool("Continue", "go", { do: "go" }, ".primary") : tool("Pause", "go", { do: "pause" }, ".primary")),
      alive && tool("Step one game", "step", { do: "step", games: 1 }),
      alive && tool("Step 100", "step-100", { do: "step", games: 100 }),
      !over && !this.isLost && tool("Stop", "stop", { do: "stop" }),
      state === "stopped" && h("button.primary", { type: "button", "data-part": "go", onclick: () => this.#resume() }, "Resume"),
      game && (alive || saved !== null || state === "finished") && h("button", { type: "button", "data-part": "play", onclick: () => this.#play() }, "Play against it"),
      h("a.button", { href: link("/runs", { run }) }, "Show the run"),
      over && game && h("a.button", { href: link("/train", { game }) }, "Train another"),
    );
    if (active) this.controls.querySelector(`[data-part="${active}"]`)?.focus();
    for (const input of [...this.inputs.values(), this.paceInput]) input.disabled = !alive;
    if (this.apply) this.apply.disabled = !alive;
    this.paces.hidden = over;
    this.knobs.hidden = over && !this.status.changes.length;
    for (const part of this.knobs.querySelectorAll("form, .muted.about")) part.hidden = over;
    this.knobs.firstChild.textContent = over ? "Changes" : "Change while it learns";
  }

  #drawLast() {
    const last = this.evaluations.at(-1);
    const rows = last ? [
      last.accuracy === null ? null : ["Optimal decisions", `${percent(last.accuracy)} of ${compact(last.decisions)}`],
      ...Object.keys(last.against).map((rival) => [`Won against ${rival}`, percent(winRate(last, rival))]),
      last.guarantee ? ["Guaranteed result", guaranteeWords(last.guarantee)] : null,
    ].filter(Boolean) : [];
    replace(this.last.lastChild, last ? h("dl.facts", {}, rows.map(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]), h("dt", {}, "After"), h("dd", {}, plural(last.games, "game"))) : h("p.muted", {}, "Not evaluated yet."));
  }

  #drawResults() {
    const [wins, draws, losses, cut] = this.status.results;
    const all = wins + draws + losses + cut;
    const parts = [["won", wins, "win"], ["drawn", draws, "draw"], ["lost", losses, "loss"], ["cut", cut, "open"]].filter(([, count]) => count > all / 2000);
    if (!all) {
      replace(this.results, h("p.muted", {}, "None yet."));
      return;
    }
    const bar = h("div.stacked", { role: "img", "aria-label": parts.map(([words, count]) => `${words} ${percent(count / all)}`).join(", ") }, parts.map(([, count, look]) => {
      const part = h("span", { class: look });
      part.style.setProperty("--share", count / all);
      return part;
    }));
    replace(this.results, bar, h("p.muted.number", { "aria-hidden": "true" }, parts.map(([words, count]) => `${words} ${percent(count / all)}`).join(" \u00b7 ")));
  }

  // ---- controls ----

  #pace() {
    const id = fresh("pace");
    const words = (place) => (this.status.is_slow ? "slow at first, then no limit" : PACES[place] ? `${PACES[place].toLocaleString("en")} ${PACES[place] === 1 ? "game" : "games"} a second` : "no limit");
    const output = h("output", { for: id });
    const label = () => {
      output.textContent = words(Number(input.value));
      input.setAttribute("aria-valuetext", output.textContent);
    };
    const input = h("input", { type: "range", id, min: 0, max: PACES.length - 1, step: 1, oninput: label, onchange: () => this.#order({ do: "pace", pace: PACES[Number(input.value)] }) });
    this.paceInput = input;
    this.drawPace = () => {
      const key = `${this.status.pace} ${this.status.is_slow}`;
      if (key === this.shownPace) return;
      this.shownPace = key;
      const place = PACES.findIndex((pace) => pace >= this.status.pace && this.status.pace);
      input.value = String(place < 0 ? PACES.length - 1 : place);
      label();
    };
    this.paces = h("section.card.panel", {}, h("h2", {}, "Speed"), h("div.field", {}, h("label.unseen", { for: id }, "Speed"), input, h("div.ends", { "aria-hidden": "true" }, h("span", {}, "slow"), h("span", {}, "fast")), output));
  }

  async #knobs() {
    const help = new Map();
    if (this.status.game) {
      const form = await trainingForm(this.status.game);
      for (const one of form.learners.find((each) => each.name === this.status.learner)?.settings ?? []) help.set(one.name, one.help);
    }
    const fields = Object.entries(this.status.now).map(([name, value]) => {
      const id = fresh("knob");
      const input = h("input", { type: "text", id, value, autocomplete: "off", spellcheck: "false", maxlength: 60, "aria-describedby": `${id}-help`, "data-setting": name });
      this.inputs.set(name, input);
      return h("div.field.setting", {}, h("label.label", { for: id }, inWords(name)), input, h("p.help", { id: `${id}-help` }, help.get(name) ?? ""));
    });
    this.apply = h("button", { type: "submit" }, "Apply");
    this.refused = h("p.problem", { role: "alert" });
    this.knobs.append(fields.length ? h("form.stack.wide", { onsubmit: (event) => this.#change(event) }, fields, this.refused, h("div.row", {}, this.apply)) : h("p.muted", {}, "This learner has no settings to change."), this.log);
    this.shownControls = "";
    this.#drawControls();
    this.#drawKnobs();
  }

  #drawKnobs() {
    const { now, changes, problem } = this.status;
    for (const [name, input] of this.inputs) {
      if (document.activeElement !== input && this.known?.[name] !== now[name]) input.value = now[name];
    }
    this.known = now;
    if (this.refused) this.refused.textContent = problem;
    const key = changes.length;
    if (key === this.logged) return;
    this.logged = key;
    replace(this.log, [...changes].reverse().map(({ name, value, games }) => h("li", {}, h("strong", {}, `${name} = ${value}`), h("span.muted.number", {}, `from game ${games.toLocaleString("en")} on`))));
  }

  async #order(order) {
    this.problem.textContent = "";
    try {
      await control(this.status.run, order);
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  #change(event) {
    event.preventDefault();
    const settings = {};
    for (const [name, input] of this.inputs) {
      if (input.value.trim() && input.value.trim() !== this.status.now[name]) settings[name] = input.value.trim();
    }
    if (Object.keys(settings).length) this.#order({ do: "change", settings });
  }

  async #resume() {
    try {
      this.status = await resume(this.status.run, null);
      this.follow();
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  // Saves a checkpoint first, and plays against that.
  async #play() {
    const { run, game, saved } = this.status;
    if (!isOver(this.status)) {
      await this.#order({ do: "save" });
      for (let tries = 0; tries < 30 && this.status.saved === saved && this.status.saved !== this.status.games; tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    location.hash = link("/play", { game, agent: run });
  }
}

function left(seconds) {
  return Number.isFinite(seconds) && seconds >= 1 ? `${duration(seconds)} left` : "";
}
