// What was measured, as curves.
import { Curves } from "./curves.js";
import { h } from "./dom.js";

// A row of charts that shows one run, or several beside each other.
export class MeasuredCharts {
  constructor() {
    this.charts = new Map();
    this.element = h("div.charts");
  }

  // runs: [{ name, measures, changes }]; most: how many games there will be.
  show(runs, most = 0) {
    const several = runs.length > 1;
    const marks = several ? [] : (runs[0]?.changes ?? []).map(({ name, value, games }) => ({ x: games, label: `${name} = ${value} from game ${games.toLocaleString("en")} on` }));
    const rivals = [...new Set(runs.flatMap((one) => one.measures.flatMap((measure) => Object.keys(measure.against))))];
    const graded = runs.some((one) => one.measures.some((measure) => measure.accuracy !== null));
    if (graded || !rivals.length) this.#draw("Optimal decisions", {}, runs.map((one, look) => series(several ? one.name : "optimal", look, one.measures, (measure) => measure.accuracy)), marks, most);
    if (several) for (const rival of rivals) this.#draw(`Games won against ${rival}`, {}, runs.map((one, look) => series(one.name, look, one.measures, (measure) => won(measure, rival))), marks, most);
    else if (rivals.length) this.#draw("Games won", {}, rivals.map((rival, look) => series(`against ${rival}`, look, runs[0].measures, (measure) => won(measure, rival))), marks, most);
    for (const [title, what] of [["Error of its values", "error"], ["Loss", "loss"]]) {
      if (runs.some((one) => one.measures.some((measure) => measure[what] !== null))) {
        this.#draw(title, { shares: false }, runs.map((one, look) => series(several ? one.name : "mean", look, one.measures, (measure) => measure[what])), marks, most);
      }
    }
  }

  close() {
    for (const chart of this.charts.values()) chart.close();
  }

  #draw(title, options, drawn, marks, most) {
    if (!this.charts.has(title)) {
      this.charts.set(title, new Curves(title, options));
      this.element.append(this.charts.get(title).element);
    }
    this.charts.get(title).show({ series: drawn, marks, most });
  }
}

function series(name, look, measures, height) {
  return { name, look, points: measures.map((measure) => [measure.games, height(measure)]).filter(([, value]) => value !== null && value !== undefined) };
}

export function won(measure, rival) {
  const found = measure.against[rival];
  return found ? found.wins / Math.max(found.wins + found.draws + found.losses, 1) : null;
}

// The guaranteed result against every opponent, in words.
export function guaranteed(guarantee) {
  if (!guarantee) return null;
  const [first, second] = guarantee;
  return first === second ? `a ${first} in either seat`.replace("a +", "+").replace("a -", "-") : `${first} moving first, ${second} moving second`;
}
