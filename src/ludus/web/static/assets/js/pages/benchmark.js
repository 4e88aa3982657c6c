// The benchmark: learners side by side on solved games.
import { compact, Curves, percent } from "../curves.js";
import { fresh, h, replace, titled } from "../dom.js";
import { field } from "../form_fields.js";
import { link } from "../pages.js";
import { benchmarks } from "../server_api.js";
import { followStudies, StudyPanel } from "../studies.js";

const MOST = 6; // curves in a chart

export async function show(place, query, source) {
  titled(place, "Benchmark");
  place.className = "benchmark";
  const gone = new AbortController();
  const results = h("div.results-of-all");
  let charts = [];
  const draw = async () => {
    const found = await benchmarks();
    charts.forEach((chart) => chart.close());
    charts = [];
    const benchmark = found.find((one) => one.scale === query.get("scale")) ?? found[0];
    if (!benchmark) {
      replace(results, h("p.muted.empty", {}, "There are no benchmark results yet. Run it to have the first."));
      return;
    }
    const games = [...new Set(benchmark.scores.map((one) => one.game))];
    replace(results, found.length > 1 ? scales(found, benchmark) : null, games.map((game) => section(game, benchmark, charts)));
  };
  const scale = field({ name: "scale", kind: "choice", choices: ["small", "quick"], default: "small", help: "Small: one game, about a minute; quick: three games, some minutes." });
  const panel = new StudyPanel(source, {
    kind: "benchmark",
    title: "Run the benchmark",
    words: "All standard learners train on solved games, on this machine.",
    button: "Run it",
    fields: [scale.element],
    order: () => ({ scale: scale.read() }),
    onResults: (isFinished) => isFinished && draw(),
  });
  await draw();
  replace(place, h("div.page-head", {}, h("div", {}, h("h1", {}, "Benchmark"), h("p.muted", {}, "Learners side by side on solved games: how soon they decide optimally, and how exploitable they are in the end."))), results, panel.element);
  followStudies([panel], gone.signal);
  return () => {
    gone.abort();
    charts.forEach((chart) => chart.close());
  };
}

function scales(found, benchmark) {
  const id = fresh("scale");
  const select = h("select", { id, onchange: () => (location.hash = link("/benchmark", { scale: select.value })) }, found.map((one) => h("option", { value: one.scale, selected: one === benchmark }, one.scale)));
  return h("div.field.narrow", {}, h("label.unseen", { for: id }, "Scale"), select);
}

function section(game, benchmark, charts) {
  const scores = benchmark.scores.filter((one) => one.game === game);
  const trained = scores.filter((one) => one.games).slice(0, MOST);
  const chart = new Curves("Optimal decisions", { unit: "plies" });
  charts.push(chart);
  chart.show({ series: trained.map((one, look) => ({ name: one.name, look, ...mean(one) })) });
  const heads = ["Learner or agent", "Accuracy", `Plies to ${percent(benchmark.enough)}`, "Seconds", "Seeds", "Exploitability first", "Exploitability second"];
  const row = (one) => h("tr", {}, h("th", { scope: "row" }, swatch(one, trained), one.name), h("td.number", {}, percent(one.accuracy.mean), error(one.accuracy, 100)), h("td.number", {}, one.plies === null ? "\u2013" : compact(one.plies)), h("td.number", {}, one.seconds === null ? "\u2013" : one.seconds.toFixed(2)),
    h("td.number", {}, one.games ? `${one.reached} of ${one.seeds}` : ""), h("td.number", {}, Math.abs(one.exploitability.first.mean).toFixed(2)), h("td.number", {}, Math.abs(one.exploitability.second.mean).toFixed(2)));
  return h("section.card.panel", {}, h("h2", {}, game), chart.element,
    h("div.scroll", { tabindex: "0", role: "region", "aria-label": `Scores at ${game}` }, h("table.list", {}, h("thead", {}, h("tr", {}, heads.map((words) => h("th", { scope: "col" }, words)))), h("tbody", {}, scores.map(row)))),
    h("p.muted", {}, "Exploitability: the value of the game minus the score that the agent guarantees, in each seat."));
}

function swatch(one, trained) {
  const look = trained.indexOf(one);
  return look < 0 ? h("span.swatch") : h("span", { class: `swatch look-${look}` });
}

function error(mean, times) {
  return mean.error === null ? null : h("span.muted", {}, ` \u00b1${(times * mean.error).toFixed(1)}`);
}

// The mean over seeds at each evaluation, with a band of one standard error to either side.
function mean({ outcomes }) {
  const places = outcomes[0].plies.map((_, place) => place).filter((place) => outcomes.every((one) => place < one.plies.length));
  const rows = places.map((place) => {
    const shares = outcomes.map((one) => one.optimal[place] / Math.max(one.decisions, 1));
    const middle = average(shares);
    const spread = shares.length > 1 ? Math.sqrt(average(shares.map((share) => (share - middle) ** 2)) / (shares.length - 1)) : 0;
    return [average(outcomes.map((one) => one.plies[place])), middle, spread];
  });
  const points = rows.map(([plies, middle]) => [plies, middle]);
  if (outcomes.length < 2) return { points };
  return { points, low: rows.map(([, middle, spread]) => middle - spread), high: rows.map(([, middle, spread]) => Math.min(middle + spread, 1)) };
}

const average = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
