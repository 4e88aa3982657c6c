// All games, the unfinished ones, and a way in for somebody who is here for the first time.
import { picture } from "../board.js";
import { capital, h, plural, replace, titled } from "../dom.js";
import { link } from "../pages.js";
import { recall } from "../preferences.js";

const SIZES = [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]];

export async function show(place, query, source) {
  titled(place, "Games");
  const games = await source.games();
  const unfinished = h("section.unfinished", { hidden: true });
  place.className = "home";
  const isNew = !Object.keys(recall("rules-seen", {})).length;
  replace(
    place,
    h("div.intro", {}, h("h1", {}, "Small games, solved exactly"), h("p", {}, "Play with hints from perfect play, see what a trained agent thinks of each move, and train your own.")),
    isNew ? welcome(games) : null,
    unfinished,
    h("ul.grid", {}, games.map(card)),
  );
  if (source.can.save) showUnfinished(unfinished, games, source);
}

// What to do first.
function welcome(games) {
  const first = games.find((one) => one.name === "tic-tac-toe") ?? games[0];
  const step = (words, more, path, game) => h("li", {}, h("a.card.way", { href: link(path, { game }) }, h("strong", {}, words), h("span.muted", {}, more)));
  return h("section.welcome", { "aria-labelledby": "welcome" }, h("h2", { id: "welcome" }, "New here?"), h("ol.row", {},
    step(`Play ${first.title}`, "Turn on hints, and see which moves win", "/play", first.game),
    step("Solve a puzzle", "One move keeps the win. Find it", "/puzzles", first.game),
    step("Train an agent", "Watch it learn in seconds, and see where it errs", "/train", first.game)));
}

function card(game) {
  const size = game.reachable ? `${rounded(game.reachable)} positions` : "";
  const known = game.known.split(/[,;:(]/)[0].trim(); // the formulas that follow stand under Rules
  return h("li", {}, h("a.card.game", { href: link("/play", { game: game.game }) },
    h("div.thumb", { "aria-hidden": "true" }, picture(game.svg, game.title)),
    h("h2", {}, game.title),
    h("p", {}, game.summary),
    h("p.muted", {}, capital([size, known].filter(Boolean).join(" \u00b7 "))),
  ));
}

// A count as people say it: 5,478, or about 4.5 trillion.
function rounded(count) {
  const size = SIZES.find(([least]) => count >= least);
  return size ? `about ${Number((count / size[0]).toPrecision(2)).toLocaleString("en")} ${size[1]}` : count.toLocaleString("en");
}

async function showUnfinished(place, games, source) {
  const saved = (await source.savedGames().catch(() => [])).filter((one) => !one.result).slice(0, 4);
  const titles = new Map(games.map((one) => [one.name, one.title]));
  if (!saved.length) return;
  place.hidden = false;
  replace(place, h("h2", {}, "Continue"), h("ul.row", {}, saved.map((one) => h("li", {}, h("a.chip", { href: link("/play", { game: one.game, saved: one.id }) },
    h("strong", {}, titles.get(one.game.split("(")[0]) ?? one.game), h("span.muted", {}, plural(one.actions.length, "move")))))));
}
