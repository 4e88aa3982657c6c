// All games, and the unfinished ones.
import { picture } from "../board.js";
import { capital, h, plural, replace, titled } from "../dom.js";
import { link } from "../pages.js";

export async function show(place, query, source) {
  titled(place, "Games");
  const games = await source.games();
  const unfinished = h("section.unfinished", { hidden: true });
  place.className = "home";
  replace(
    place,
    h("div.intro", {}, h("h1", {}, "Small games, solved exactly"), h("p", {}, "Play with hints from perfect play, see what a trained agent thinks of each move, and train your own.")),
    unfinished,
    h("ul.grid", {}, games.map(card)),
  );
  if (source.can.save) showUnfinished(unfinished, games, source);
}

function card(game) {
  const size = game.reachable ? `${plural(game.reachable, "position")}` : "";
  return h("li", {}, h("a.card.game", { href: link("/play", { game: game.game }) },
    h("div.thumb", { "aria-hidden": "true" }, picture(game.svg, game.title)),
    h("h2", {}, game.title),
    h("p", {}, game.summary),
    h("p.muted", {}, capital([size, game.known].filter(Boolean).join(" \u00b7 "))),
  ));
}

async function showUnfinished(place, games, source) {
  const saved = (await source.savedGames().catch(() => [])).filter((one) => !one.result).slice(0, 4);
  const titles = new Map(games.map((one) => [one.name, one.title]));
  if (!saved.length) return;
  place.hidden = false;
  replace(place, h("h2", {}, "Continue"), h("ul.row", {}, saved.map((one) => h("li", {}, h("a.chip", { href: link("/play", { game: one.game, saved: one.id }) },
    h("strong", {}, titles.get(one.game.split("(")[0]) ?? one.game), h("span.muted", {}, ` ply ${one.actions.length}`))))));
}
