// Curves over games or plies, with axes, a legend with numbers, and marks where something changed.
import { h, replace, s } from "./dom.js";

const LEFT = 46;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 26;
const HEIGHT = 232;
const MANY = 200; // times as long as the first part of an axis: the axis becomes logarithmic
const FLOORS = [0.95, 0.9, 0.8, 0.5, 0]; // where a chart of shares may begin

export const percent = (share) => `${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : share < 0.1 || share > 0.9 ? 1 : 0).replace(/\.0+$/, "")}\u202f%`;
export const compact = (number) => (number >= 1e6 ? `${trim(number / 1e6)}M` : number >= 1e3 ? `${trim(number / 1e3)}k` : trim(number));
export const precise = (number) => (number === 0 ? "0" : Math.abs(number) < 0.001 ? number.toExponential(1) : Number(number.toPrecision(3)).toString());

const trim = (number) => Number(number.toFixed(2)).toLocaleString("en");

export class Curves {
  // shares: whether heights are shares, shown in per cent; unit: what the horizontal axis counts.
  constructor(title, { shares = true, unit = "games" } = {}) {
    Object.assign(this, { title, shares, unit });
    this.data = { series: [], marks: [], most: 0 };
    this.legend = h("ul.legend");
    this.canvas = h("div.canvas");
    this.element = h("figure.curves", {}, h("figcaption", {}, h("strong", {}, title), this.legend), this.canvas);
    this.sizes = new ResizeObserver(() => this.#draw());
    this.sizes.observe(this.canvas);
  }

  // series: [{ name, look, points: [[x, y], ...] }]; marks: [{ x, label }]; most: the right end of the axis, if known.
  show({ series, marks = [], most = 0 }) {
    this.data = { series, marks, most };
    this.#draw();
  }

  close() {
    this.sizes.disconnect();
  }

  #format(value) {
    return this.shares ? percent(value) : precise(value);
  }

  #frame() {
    const { series, most } = this.data;
    const points = series.flatMap((one) => one.points);
    const width = Math.max(this.canvas.clientWidth, 240);
    const right = niceTop(Math.max(most, ...points.map(([x]) => x), 1), most);
    const least = Math.min(...points.map(([x]) => x).filter((x) => x > 0));
    const isLog = right > MANY * least;
    const place = isLog ? (value) => Math.log(Math.max(value, least) / least) / Math.log(right / least) : (value) => value / right;
    const heights = points.map(([, y]) => y);
    const low = this.shares ? (FLOORS.find((floor) => heights.every((y) => y >= floor + (1 - floor) * 0.04)) ?? 0) : 0;
    const high = this.shares ? 1 : Math.max(...heights, 1e-9) * 1.05;
    return {
      width, low, high,
      marks: isLog ? powers(least, right) : ticks(0, right, Math.max(2, Math.floor(width / 130))),
      x: (value) => LEFT + (width - LEFT - RIGHT) * place(value),
      y: (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - value)) / (high - low || 1),
    };
  }

  #draw() {
    const { series, marks } = this.data;
    const known = series.some((one) => one.points.length);
    this.element.classList.toggle("bare", !known);
    if (!known) {
      replace(this.canvas, h("p.muted", {}, "Not evaluated yet."));
      replace(this.legend);
      return;
    }
    const frame = this.#frame();
    const svg = s("svg", { width: frame.width, height: HEIGHT, viewBox: `0 0 ${frame.width} ${HEIGHT}`, role: "img", "aria-label": this.#summary(), tabindex: "0" });
    this.#axes(svg, frame);
    for (const mark of marks) svg.append(this.#mark(mark, frame));
    for (const one of series) this.#series(svg, one, frame);
    this.#watch(svg, frame);
    replace(this.canvas, svg);
    this.#legend(null);
  }

  #axes(svg, { x, y, low, high, marks, width }) {
    for (const value of ticks(low, high, 4)) {
      svg.append(s("line", { class: "grid-line", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }));
      svg.append(label(LEFT - 8, y(value) + 4, this.#format(value), "end"));
    }
    marks.forEach((value, number) => {
      const anchor = number === 0 ? "start" : x(value) > width - 40 ? "end" : "middle";
      svg.append(label(x(value), HEIGHT - 6, `${compact(value)}${number === 0 ? ` ${value === 1 ? this.unit.replace(/s$/, "") : this.unit}` : ""}`, anchor));
    });
  }

  #mark({ x: at, label: words }, { x }) {
    const tip = s("title", {});
    tip.textContent = words;
    return s("g", { class: "mark" }, tip, s("line", { x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }), s("circle", { cx: x(at), cy: TOP + 2, r: 4 }));
  }

  #series(svg, { look, points, low, high }, { x, y }) {
    if (low) {
      const around = [...points.map(([at], n) => `${x(at)},${y(high[n])}`), ...points.map(([at], n) => `${x(at)},${y(low[n])}`).reverse()];
      svg.append(s("polygon", { class: `band look-${look % 6}`, points: around.join(" ") }));
    }
    if (points.length > 1) svg.append(s("polyline", { class: `curve look-${look % 6}`, points: points.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }));
    const last = points.at(-1);
    if (last) svg.append(s("circle", { class: `end look-${look % 6}`, cx: x(last[0]), cy: y(last[1]), r: 3.5 }));
  }

  // The pointer or the arrow keys choose where the legend reads its numbers.
  #watch(svg, frame) {
    const places = [...new Set(this.data.series.flatMap((one) => one.points.map(([x]) => x)))].sort((a, b) => a - b);
    const line = s("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, x1: -9, x2: -9 });
    svg.append(line);
    let at = null;
    const point = (next) => {
      at = next;
      const to = at === null ? -9 : frame.x(places[at]);
      line.setAttribute("x1", to);
      line.setAttribute("x2", to);
      this.#legend(at === null ? null : places[at]);
    };
    svg.addEventListener("pointermove", (event) => {
      const far = (place) => Math.abs(frame.x(place) - event.offsetX);
      point(places.reduce((best, place, number) => (far(place) < far(places[best]) ? number : best), 0));
    });
    svg.addEventListener("pointerleave", () => point(null));
    svg.addEventListener("blur", () => point(null));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      point(Math.min(Math.max((at ?? (step > 0 ? -1 : places.length)) + step, 0), places.length - 1));
    });
  }

  #legend(at) {
    const items = this.data.series.filter((one) => one.points.length).map((one) => {
      const found = at === null ? one.points.at(-1) : one.points.filter(([x]) => x <= at).at(-1);
      return h("li", {}, h("span", { class: `swatch look-${one.look % 6}` }), one.name, h("strong.number", {}, found ? this.#format(found[1]) : "\u2013"));
    });
    replace(this.legend, at === null ? null : h("li.at.number", {}, `${compact(at)} ${this.unit}`), items);
  }

  #summary() {
    const shown = this.data.series.filter((one) => one.points.length).map((one) => `${one.name} ${this.#format(one.points.at(-1)[1])} after ${compact(one.points.at(-1)[0])} ${this.unit}`);
    return `${this.title}: ${shown.join("; ")}`;
  }
}

function label(x, y, words, anchor) {
  const text = s("text", { x, y, "text-anchor": anchor });
  text.textContent = words;
  return text;
}

function niceTop(value, wanted) {
  return wanted >= value ? wanted : value;
}

// The powers of ten between two numbers.
function powers(low, high) {
  const found = [];
  for (let value = 10 ** Math.ceil(Math.log10(low) - 1e-9); value <= high * (1 + 1e-9); value *= 10) found.push(value);
  return found;
}

// Round numbers from low to high, about as many as wanted.
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((times) => times * size >= rough * 0.999) * size;
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high * (1 + 1e-9) + 1e-12; value += step) found.push(Math.round(value / step) * step);
  return found;
}
