// Studies started from the page: tournaments, leagues, the benchmark, papers.
import { follow } from "./ask.js";
import { announce, capital, h, plural, replace } from "./dom.js";
import { duration } from "./duration.js";
import { cancelStudy, startStudy } from "./server_api.js";

// Keeps the panels of a page up to date until the signal.
export function followStudies(panels, signal) {
  follow("studies/stream", ({ studies }) => {
    for (const panel of panels) panel.update(studies.find((one) => one.kind === panel.kind));
  }, { signal });
}

export class StudyPanel {
  // fields: elements of its form; order(): what they say; onResults(): there may be new results.
  constructor(source, { kind, title, words, button, fields = [], order, onResults = () => {} }) {
    Object.assign(this, { source, kind, button, order, onResults });
    this.form = h("form.stack.wide", { hidden: !source.isHere, onsubmit: (event) => this.#submit(event) }, fields, h("div.row", {}, h("button.primary", { type: "submit" }, button)));
    this.progress = h("div.stack.wide", { hidden: true });
    this.ended = h("div.row", { hidden: true });
    this.problem = h("p.problem", { role: "alert" });
    const elsewhere = source.isHere ? null : h("p.muted", {}, "It can be started at the machine that serves this page, not from another one.");
    this.element = h("section.card.panel.study", {}, h("h2", {}, title), h("p.muted", {}, words), elsewhere, this.form, this.progress, this.ended, this.problem);
  }

  update(study) {
    const before = this.study;
    this.study = study;
    const runs = study.state === "running";
    this.form.hidden = runs || !this.source.isHere;
    this.progress.hidden = !runs;
    if (runs) this.#drawProgress(study);
    this.#drawEnd(study);
    if (!before) return;
    if (study.state !== before.state) announce(this.#words(study));
    if (study.state !== before.state || study.done !== before.done) this.onResults(study.state === "finished");
  }

  #drawProgress({ jobs, done, left, latest, words, step }) {
    this.bar ??= h("progress", { "aria-label": "Progress" });
    this.counts ??= h("p.counts.number");
    this.cancel ??= h("button", { type: "button", onclick: () => this.#do(() => cancelStudy(this.kind)) }, "Cancel");
    if (!this.bar.isConnected) replace(this.progress, this.bar, this.counts, this.source.isHere ? h("div.row", {}, this.cancel) : null);
    if (jobs) {
      this.bar.max = jobs;
      this.bar.value = done;
    } else this.bar.removeAttribute("value");
    const remaining = left === null ? "" : `about ${duration(left)} left`;
    this.counts.textContent = jobs ? [this.#what(), `${capital(step)}: ${done} of ${jobs}`, words || remaining, latest].filter(Boolean).join(" \u00b7 ") : capital(words || "getting ready \u2026");
  }

  // What came of it, and how to resume it.
  #drawEnd(study) {
    this.ended.hidden = ["none", "running"].includes(study.state);
    const again = ["stopped", "refused"].includes(study.state) && study.order && this.source.isHere;
    replace(this.ended, h("p.muted", {}, this.#words(study)), again ? h("button", { type: "button", onclick: () => this.#do(() => startStudy(this.kind, study.order)) }, "Resume") : null);
  }

  #what() {
    const order = this.study.order ?? {};
    return this.kind === "benchmark" ? order.scale : this.kind === "papers" ? order.paper : order.game;
  }

  #words({ state, words, done, jobs }) {
    const far = jobs ? `, ${done} of ${plural(jobs, "part")} done` : "";
    const found = { running: "Running", finished: "Finished", stopped: `Stopped${far}; what is done is kept`, refused: `That did not work: ${words}` }[state] ?? "";
    return found && `${found.replace(/\.$/, "")}${state === "refused" ? "" : ` (${this.#what()})`}.`;
  }

  #submit(event) {
    event.preventDefault();
    this.#do(() => startStudy(this.kind, this.order()));
  }

  async #do(work) {
    this.problem.textContent = "";
    try {
      this.update(await work());
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }
}
