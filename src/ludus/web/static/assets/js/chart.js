// A small line chart.
import { s } from "./dom.js";

const WIDTH = 640; // by default

// series: [{ name, look, points: [[x, y], ...] }]; y from low to high. Marks: [{ x, y, label, look, onclick }].
export function chart({ series, low, high, most, height = 120, width = WIDTH, marks = [], lines = [], label }) {
  const x = (value) => 12 + ((width - 24) * value) / Math.max(most, 1);
  const y = (value) => 10 + ((height - 20) * (high - value)) / (high - low || 1);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "group", "aria-label": label });
  for (const value of lines) svg.append(s("line", { class: "level", x1: 12, x2: width - 12, y1: y(value), y2: y(value) }));
  for (const { look, points } of series) {
    if (points.length < 2) continue;
    svg.append(s("polyline", { class: `series ${look}`, points: points.map((point) => `${x(point[0])},${y(point[1])}`).join(" ") }));
  }
  for (const mark of marks) svg.append(dot(x(mark.x), y(mark.y), mark));
  return svg;
}

function dot(x, y, { label, look, onclick, size = 4.5 }) {
  const hit = s("circle", { cx: x, cy: y, r: 14, class: "hit" });
  const seen = s("circle", { cx: x, cy: y, r: size });
  const tip = s("title", {});
  tip.textContent = label;
  if (!onclick) return s("g", { class: `dot ${look}` }, tip, seen);
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onclick();
  };
  return s("g", { class: `dot ${look}`, role: "button", tabindex: "0", "aria-label": label, onclick, onkeydown: press }, tip, seen, hit);
}
