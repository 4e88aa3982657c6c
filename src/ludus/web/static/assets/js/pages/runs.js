// Runs: all of them, one of them, or some beside each other.
import { compact, percent } from "../curves.js";
import { openDialog } from "../dialog.js";
import { fresh, h, plural, replace, titled } from "../dom.js";
import { EvaluationCharts, guaranteeWords, winRate } from "../evaluation_charts.js";
import { link } from "../pages.js";
import { resume, run as runOf, runs as allRuns } from "../server_api.js";

const MOST = 6; // that are compared

export async function show(place, query) {
  const names = query.getAll("run").slice(0, MOST);
  place.className = "runs";
  if (!names.length) {
    titled(place, "Runs");
    new RunList(place, await allRuns());
    return null;
  }
  titled(place, names.length === 1 ? names[0] : "Runs compared");
  const charts = new EvaluationCharts();
  const found = await Promise.all(names.map(runOf));
  if (found.length === 1) showOne(place, found[0], charts);
  else showSome(place, found, charts);
  return () => charts.close();
}

// ---- all ----

class RunList {
  constructor(place, runs) {
    this.runs = runs;
    this.chosen = new Set();
    this.compare = h("button.primary", { type: "button", disabled: true, onclick: () => (location.hash = `#/runs?${new URLSearchParams([...this.chosen].map((name) => ["run", name]))}`) }, "Compare");
    const head = h("div.page-head", {}, h("div", {}, h("h1", {}, "Runs"), h("p.muted", {}, "Every training is saved as a run: play against it, resume it, compare it.")), h("div.row", {}, this.compare, h("a.button", { href: link("/train") }, "Train an agent")));
    replace(place, head, runs.length ? this.#table() : h("section.card.empty", {}, h("p", {}, "There are no runs yet. ", h("a", { href: link("/train") }, "Train an agent"), " to make one.")));
  }

  #table() {
    const heads = ["", "Run", "Learner", "Games", "Accuracy", "Won", ""].map((words) => h("th", { scope: "col" }, words || h("span.unseen", {}, "Choose")));
    heads[6] = h("th", { scope: "col" }, h("span.unseen", {}, "Open"));
    return h("div.card.scroll", { tabindex: "0", role: "region", "aria-label": "Runs" }, h("table.list.run-list", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, this.runs.map((one) => this.#row(one)))));
  }

  #row(one) {
    if (one.state === "damaged") return h("tr", {}, h("td"), h("th", { scope: "row" }, one.run), h("td.problem", { colspan: 5 }, one.words));
    const id = fresh("run");
    const box = h("input", { type: "checkbox", id, "aria-label": `Compare ${one.run}`, onchange: () => this.#choose(one.run, box.checked) });
    const rival = Object.keys(one.last?.against ?? {})[0];
    return h("tr", {},
      h("td", {}, h("label.pick", { for: id }, box)),
      h("th", { scope: "row" }, h("a", { href: link("/runs", { run: one.run }) }, one.run), h("div.muted", {}, one.game_name)),
      h("td", { "data-label": "Learner" }, one.learner),
      h("td.number", { "data-label": "Games" }, one.state === "finished" ? compact(one.games) : `${compact(one.games)} of ${compact(one.planned)}`, one.state === "finished" ? null : h("div", {}, h("span.tag", {}, one.state))),
      h("td.number", { "data-label": "Accuracy" }, one.last?.accuracy === null || !one.last ? "\u2013" : share(one.last.accuracy)),
      h("td.number", { "data-label": "Won" }, rival ? [share(winRate(one.last, rival)), h("div.muted", {}, `v ${rival}`)] : "\u2013"),
      h("td.end", {}, one.state === "training" ? h("a.button", { href: link("/training", { run: one.run }) }, "Watch") : one.playable ? h("a.button", { href: link("/play", { game: one.game, agent: one.run }) }, "Play") : null),
    );
  }

  #choose(name, chosen) {
    if (chosen) this.chosen.add(name);
    else this.chosen.delete(name);
    this.compare.disabled = this.chosen.size < 2 || this.chosen.size > MOST;
    this.compare.textContent = this.chosen.size > 1 ? `Compare ${this.chosen.size}` : "Compare";
  }
}

function share(value) {
  const bar = h("span.share", { "aria-hidden": "true" }, h("span.filled"));
  bar.style.setProperty("--share", value);
  return h("span.shared", {}, bar, percent(value));
}

// ---- one ----

function showOne(place, found, charts) {
  const { card, evaluations, settings, changes, seconds } = found;
  const last = evaluations.at(-1);
  const facts = [
    ["Games", card.state === "finished" ? card.games.toLocaleString("en") : `${card.games.toLocaleString("en")} of ${card.planned.toLocaleString("en")}`],
    last?.accuracy === null || !last ? null : ["Optimal decisions", `${percent(last.accuracy)} of ${last.decisions.toLocaleString("en")}`],
    ...Object.keys(last?.against ?? {}).map((rival) => [`Won against ${rival}`, percent(winRate(last, rival))]),
    last?.guarantee ? ["Guaranteed result", guaranteeWords(last.guarantee)] : null,
    ["Trained for", time(seconds)],
  ].filter(Boolean);
  replace(
    place,
    h("div.page-head", {}, h("div", {}, h("h1", {}, card.run), h("p.muted", {}, card.game ? h("a", { href: link("/learn", { game: card.game }) }, card.game) : card.game_name, ` \u00b7 ${card.written}`)), buttons(card)),
    h("div.play.wide-side", {},
      h("div.main-column", {}, charts.element, evaluationTable(evaluations)),
      h("div.side", {},
        h("section.card.panel", {}, h("h2", {}, "Result"), h("dl.facts", {}, facts.map(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]))),
        changes.length ? h("section.card.panel", {}, h("h2", {}, "Changes"), h("ol.log", {}, changes.map(({ name, value, games }) => h("li", {}, h("strong", {}, `${name} = ${value}`), h("span.muted.number", {}, `from game ${games.toLocaleString("en")} on`))))) : null,
        settingsPanel(card, settings),
      ),
    ),
  );
  charts.show([{ name: card.run, evaluations, changes }], card.planned);
}

// The settings of the training, then those of the learner.
function settingsPanel({ learner }, settings) {
  const list = (pairs) => h("dl.facts.small", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  const own = Object.entries(settings).filter(([name]) => name.includes(" "));
  const plan = Object.entries(settings).filter(([name]) => !name.includes(" ") && name !== "learner");
  return h("section.card.panel", {}, h("h2", {}, "Settings"), list(plan), h("h3", {}, learner), list(own.map(([name, value]) => [name.slice(name.lastIndexOf(" ") + 1), value])));
}

function buttons(card) {
  const more = () => {
    const id = fresh("games");
    const input = h("input", { type: "text", inputmode: "numeric", id, value: String(card.planned * 2), autocomplete: "off" });
    openDialog("Train longer", h("div.field", {}, h("label.label", { for: id }, "Games in all"), input), { confirm: "Train", answer: () => continueRun(Number(input.value.replace(/[,\s]/g, ""))) });
  };
  const continueRun = async (games) => {
    await resume(card.run, games);
    location.hash = link("/training", { run: card.run });
  };
  const problem = h("p.problem", { role: "alert" });
  return h("div.row", {},
    card.playable ? h("a.button.primary", { href: link("/play", { game: card.game, agent: card.run }) }, "Play against it") : null,
    card.state === "training" ? h("a.button", { href: link("/training", { run: card.run }) }, "Watch") : null,
    card.state === "stopped" ? h("button", { type: "button", onclick: () => continueRun(null).catch((error) => (problem.textContent = error.message)) }, "Resume") : null,
    card.state === "finished" ? h("button", { type: "button", onclick: more }, "Train longer") : null,
    h("a.button", { href: link("/runs") }, "All runs"),
    problem,
  );
}

function evaluationTable(evaluations) {
  if (!evaluations.length) return null;
  const rivals = Object.keys(evaluations.at(-1).against);
  const graded = evaluations.some((one) => one.accuracy !== null);
  const heads = ["Games", graded ? "Accuracy" : null, graded ? "Guaranteed result" : null, ...rivals.map((rival) => `v ${rival}: won, drawn, lost`)].filter(Boolean);
  const row = (one) => h("tr", {}, h("th.number", { scope: "row" }, one.games.toLocaleString("en")), graded ? h("td.number", {}, one.accuracy === null ? "\u2013" : percent(one.accuracy)) : null, graded ? h("td", {}, guaranteeWords(one.guarantee) ?? "\u2013") : null,
    rivals.map((rival) => h("td.number", {}, one.against[rival] ? ["wins", "draws", "losses"].map((kind) => one.against[rival][kind].toLocaleString("en")).join(", ") : "\u2013")));
  return h("details", {}, h("summary", {}, "All evaluations as a table"), h("div.scroll", { tabindex: "0", role: "region", "aria-label": "All evaluations" }, h("table.list", {}, h("thead", {}, h("tr", {}, heads.map((words) => h("th", { scope: "col" }, words)))), h("tbody", {}, evaluations.map(row)))));
}

function time(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

// ---- some ----

function showSome(place, found, charts) {
  const names = [...new Set(found.flatMap((one) => Object.keys(one.settings)))];
  const differing = names.filter((name) => new Set(found.filter((one) => name in one.settings).map((one) => one.settings[name])).size > 1);
  const rivals = [...new Set(found.flatMap((one) => Object.keys(one.evaluations.at(-1)?.against ?? {})))];
  const rows = [
    ["Games", (one) => one.card.games.toLocaleString("en")],
    ["Optimal decisions", (one) => (one.evaluations.at(-1)?.accuracy === null || !one.evaluations.length ? "\u2013" : percent(one.evaluations.at(-1).accuracy))],
    ["Guaranteed result", (one) => guaranteeWords(one.evaluations.at(-1)?.guarantee) ?? "\u2013"],
    ...rivals.map((rival) => [`Won against ${rival}`, (one) => (one.evaluations.at(-1)?.against[rival] ? percent(winRate(one.evaluations.at(-1), rival)) : "\u2013")]),
    ...differing.map((name) => [name, (one) => one.settings[name] ?? "\u2013"]),
  ];
  replace(
    place,
    h("div.page-head", {}, h("div", {}, h("h1", {}, `${plural(found.length, "run")} compared`), h("p.muted", {}, [...new Set(found.map((one) => one.card.game_name))].join(", "))), h("a.button", { href: link("/runs") }, "All runs")),
    charts.element,
    h("section.card.scroll", { tabindex: "0", role: "region", "aria-label": "Last evaluations, and settings that differ" }, h("table.list", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.unseen", {}, "Quantity")), found.map((one, look) => h("th", { scope: "col" }, h("span", { class: `swatch look-${look % 6}` }), h("a", { href: link("/runs", { run: one.card.run }) }, one.card.run))))),
      h("tbody", {}, rows.map(([name, cell]) => h("tr", {}, h("th", { scope: "row" }, name), found.map((one) => h("td.number", {}, cell(one)))))))),
  );
  charts.show(found.map((one) => ({ name: one.card.run, evaluations: one.evaluations, changes: [] })));
}
