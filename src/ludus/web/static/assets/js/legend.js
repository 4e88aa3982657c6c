// What the short forms of values on a board mean, for somebody who sees them for the first time.

const PLY = "a ply is one move of one player";

// In words, as far as they are among the values of some actions; null if there are none.
export function legendOf(actions) {
  const values = Object.values(actions);
  const known = values.filter(({ low }) => low === null || low === undefined);
  const marks = values.some(({ margin }) => margin) ? marginsOf(known) : marksOf(known);
  if (known.length < values.length) marks.push("?: not known yet");
  return marks.length ? `${marks.join("; ")}.` : null;
}

// Points, and the plies until the end.
function marginsOf(values) {
  const found = values.find(({ plies: left }) => left);
  const points = "+5 and \u22125: the points by which the side to move wins or loses in the end";
  return found ? [points, `in ${found.plies}: after so many plies`, PLY] : [points];
}

// The letters of wins, draws and losses, and what a ply is.
function marksOf(values) {
  const first = (outcome) => values.find((value) => value.outcome === outcome && value.plies !== null);
  const [win, loss] = [first("win"), first("loss")];
  const marks = [
    win ? `W${win.plies}: the side to move wins in ${plies(win.plies)}` : "",
    loss ? `L${loss.plies}: it loses in ${plies(loss.plies)}` : "",
    values.some(({ outcome }) => outcome === "draw") ? "D: a draw" : "",
    win || loss ? PLY : "",
  ];
  return marks.filter(Boolean);
}

const plies = (count) => `${count} ${count === 1 ? "ply" : "plies"}`;
