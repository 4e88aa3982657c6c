// Values as the page shows them, as the server would send them: a score for player 0, and the plies to the end or null.

export const outcome = (own) => (own > 0 ? "win" : own < 0 ? "loss" : "draw");
const signed = (number) => (number < 0 ? `${number}` : `+${number}`);

// A value from a player's side.
export function valueView({ score, plies }, player, { margins, endless }) {
  const own = (player === 1 ? -score : score) + 0;
  const result = outcome(own);
  const margin = margins || Math.abs(own) > 1;
  const by = margin && own ? ` by ${Math.abs(own)}` : "";
  let words = `${result}${by}`;
  if (plies !== null) words += ` in ${plies}`;
  else if (result === "draw" && endless) words = "draw for ever";
  return { outcome: result, own, score: score + 0, plies, low: null, high: null, margin, words };
}

// The bounds of a value, from a player's side.
export function boundsView(one, other, player, { margins }) {
  const side = player === 1 ? -1 : 1;
  const [low, high] = [side * one.score + 0, side * other.score + 0].sort((a, b) => a - b);
  const margin = margins || Math.max(Math.abs(low), Math.abs(high)) > 1;
  const outcomes = [...new Set([outcome(low), outcome(high)])];
  const unknown = low < 0 && high > 0 ? "unknown" : outcomes.join(" or ");
  const own = (low + high) / 2;
  return {
    outcome: outcomes.length === 1 ? outcomes[0] : null,
    own,
    score: side * own + 0,
    plies: null,
    low,
    high,
    margin,
    words: margin ? `${signed(low)} to ${signed(high)}` : unknown,
  };
}

// The value one ply earlier.
export const before = ({ score, plies }) => ({ score, plies: plies === null ? null : plies + 1 });

// Orders by score, then by the sooner win and the later loss.
export function better(one, other) {
  const plies = ({ own, plies: length }) => (own > 0 ? -length : length);
  return one.own !== other.own ? one.own > other.own : plies(one) > plies(other);
}
