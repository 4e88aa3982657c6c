// Learning a game: its tutorial, its solution, and its sources.
import { isAborted } from "../ask.js";
import { picture } from "../board.js";
import { capital, h, plural, replace, titled } from "../dom.js";
import { link } from "../pages.js";

export async function show(place, query, source) {
  const games = await source.games();
  const text = query.get("game") ?? games[0].name;
  const game = await source.game(text);
  titled(place, `Learn ${game.title}`);
  place.className = "learn";
  const gone = new AbortController();
  const solution = h("section.card.panel", {}, h("h2", {}, "With perfect play"), game.known ? h("p", {}, sentence(game.known)) : null);
  replace(
    place,
    games.length > 1 ? h("nav.tabs", { "aria-label": "Games" }, games.map((one) => h("a.chip", { href: link("/learn", { game: one.name }), "aria-current": one.name === game.name ? "page" : null }, one.title))) : null,
    h("div.play.wide-side", {},
      h("article.main-column", {}, h("div.intro.slim", {}, h("h1", {}, game.title), h("p", {}, game.summary)), h("ol.tutorial", {}, game.rules.map((page, number) => tutorialPage(page, number, game)))),
      h("div.side", {}, h("section.card.panel", {}, h("h2", {}, "Try it"), actions(game, source)), solution, rules(game, games), sources(game)),
    ),
  );
  if (source.solution) showSolution(solution, game, source, gone.signal);
  return () => gone.abort();
}

function actions(game, source) {
  return h("div.stack.wide", {},
    h("a.button.primary", { href: link("/play", { game: game.game }) }, "Play"),
    source.can.puzzles ? h("a.button", { href: link("/puzzles", { game: game.game }) }, "Solve puzzles") : null,
    source.can.train ? h("a.button", { href: link("/train", { game: game.game }) }, "Train an agent") : null);
}

function tutorialPage({ title, words, view }, number, game) {
  const paragraphs = words.split(/\n\s*\n/).map((part) => h("p", {}, part.trim()));
  return h("li.card.tutorial-page", {},
    view ? h("div.thumb", {}, picture(view.svg, `${title}: ${view.board}`)) : null,
    h("div.tutorial-words", {}, h("p.step.number", { "aria-hidden": "true" }, number + 1), h("h2", {}, title), paragraphs,
      view && !view.over ? h("p", {}, h("a", { href: link("/play", { game: game.game, at: view.at }) }, "Play from here")) : null));
}

function rules(game, games) {
  const own = games.find((one) => one.name === game.name);
  if (!own?.parameters.length) return null;
  const words = (one) => (one.choices.length ? one.choices.join(", ") : one.kind === "switch" ? "true or false" : one.kind === "whole" ? "a number" : "");
  return h("section.card.panel", {}, h("h2", {}, "Variants"), h("dl.facts", {}, own.parameters.map((one) => [h("dt", {}, one.name.replace(/_/g, " ")), h("dd", {}, game.parameters[one.name] ?? one.default, h("div.muted", {}, words(one)))])));
}

function sources(game) {
  if (!game.sources?.length) return null;
  return h("section.card.panel", {}, h("h2", {}, "Sources"), h("ul.sources", {}, game.sources.map((words) => h("li", {}, words))));
}

// Shows the solution when the game is solved.
async function showSolution(place, game, source, signal) {
  const size = game.reachable ? `${plural(game.reachable, "position")} can be reached.` : "";
  const known = h("p", {}, sentence(game.known));
  const show = (...more) => replace(place, h("h2", {}, "With perfect play"), game.known && game.game === game.name ? known : null, more);
  try {
    const found = await source.solution(game.game, (now) => now.state === "working" && show(h("p.muted", {}, `${sentence(now.words || "solving").slice(0, -1)} \u2026`)), signal);
    if (!found.counts) show(h("p.muted", {}, `${sentence(found.words)} ${size}`));
    else show(value(found), counts(found.counts), opening(found));
  } catch (error) {
    if (!isAborted(error)) show(h("p.problem", {}, error.message));
  }
}

function value({ mover, value: found }) {
  return found ? h("p", {}, `${mover} moves first: `, valueTag(found)) : null;
}

function counts(found) {
  const rows = [["Positions", found.positions], ["Won by the side to move", found.wins, "win"], ["Drawn", found.draws, "draw"], ["Lost", found.losses, "loss"], ["Ended", found.terminal], ["Longest forced win", found.longest === null ? null : plural(found.longest, "ply").replace("plys", "plies"), null, "a ply is one move of one player"]];
  const bar = h("div.stacked", { "aria-hidden": "true" }, rows.filter((row) => row[2] && row[1]).map(([, count, look]) => {
    const part = h("span", { class: look });
    part.style.setProperty("--share", count / found.positions);
    return part;
  }));
  return [bar, h("dl.facts", {}, rows.filter(([, count]) => count !== null).map(([name, count, , about]) => [h("dt", {}, name), h("dd.number", {}, typeof count === "number" ? count.toLocaleString("en") : count, about ? h("div.muted", {}, about) : null)]))];
}

function opening({ actions: found, names }) {
  const values = Object.entries(found);
  if (!values.length || values.length > 24) return null;
  return h("details", {}, h("summary", {}, "First moves"), h("ul.openings", {}, values.map(([action, one]) => h("li", {}, h("span", {}, names[action]), valueTag(one)))));
}

function sentence(words) {
  return words ? `${capital(words)}.` : "";
}

function valueTag({ outcome, words }) {
  return h("span", { class: `value-tag ${outcome ?? ""}` }, words);
}
