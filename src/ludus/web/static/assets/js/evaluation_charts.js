// The evaluations of runs as charts.
import { Curves } from "./curves.js";
import { h } from "./dom.js";

// A row of charts that shows one run, or several beside each other.
export class EvaluationCharts {
  constructor() {
    this.charts = new Map();
    this.element = h("div.charts");
  }

  // runs: [{ name, evaluations, changes }]; most: how many games are planned.
  show(runs, most = 0) {
    const several = runs.length > 1;
    const all = runs.flatMap((one) => one.evaluations);
    const marks = several ? [] : (runs[0]?.changes ?? []).map(({ name, value, games }) => ({ x: games, label: `${name} = ${value} from game ${games.toLocaleString("en")} on` }));
    const rivals = [...new Set(all.flatMap((one) => Object.keys(one.against)))];
    const draw = (title, options, name, height) =>
      this.#draw(title, options, runs.map((one, look) => series(several ? one.name : name, look, one.evaluations, height)), marks, most);
    if (all.some((one) => one.accuracy !== null) || !rivals.length) draw("Optimal decisions", {}, "accuracy", (one) => one.accuracy);
    else this.#drop("Optimal decisions");
    if (several) for (const rival of rivals) draw(`Games won against ${rival}`, {}, "", (one) => winRate(one, rival));
    else if (rivals.length) this.#draw("Games won", {}, rivals.map((rival, look) => series(`against ${rival}`, look, runs[0].evaluations, (one) => winRate(one, rival))), marks, most);
    for (const [title, what] of [["Error of its values", "error"], ["Loss", "loss"]]) {
      if (all.some((one) => one[what] !== null)) draw(title, { shares: false }, "mean", (one) => one[what]);
    }
  }

  close() {
    for (const chart of this.charts.values()) chart.close();
  }

  #drop(title) {
    this.charts.get(title)?.close();
    this.charts.get(title)?.element.remove();
    this.charts.delete(title);
  }

  #draw(title, options, drawn, marks, most) {
    if (!this.charts.has(title)) {
      this.charts.set(title, new Curves(title, options));
      this.element.append(this.charts.get(title).element);
    }
    this.charts.get(title).show({ series: drawn, marks, most });
  }
}

function series(name, look, evaluations, height) {
  return { name, look, points: evaluations.map((one) => [one.games, height(one)]).filter(([, value]) => value !== null && value !== undefined) };
}

export function winRate(evaluation, rival) {
  const found = evaluation.against[rival];
  return found ? found.wins / Math.max(found.wins + found.draws + found.losses, 1) : null;
}

// The result that an agent guarantees against every opponent, in words.
export function guaranteeWords(guarantee) {
  if (!guarantee) return null;
  const [first, second] = [guarantee.first, guarantee.second].map(resultWords);
  return first === second ? `${first} in either seat` : `${first} moving first, ${second} moving second`;
}

function resultWords({ result, score }) {
  return result ?? `${score >= 0 ? "+" : "\u2212"}${Math.abs(score).toFixed(2)}`;
}
