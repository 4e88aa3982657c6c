// All games, and the ones that were begun.
import { picture } from "../board.js";
import { capital, h, plural, replace, titled } from "../dom.js";
import { link } from "../pages.js";

export async function show(place, query, source) {
  titled("Games");
  const games = await source.games();
  const begun = h("section.begun", { hidden: true });
  place.className = "home";
  replace(
    place,
    h("div.intro", {}, h("h1", {}, "A school for small games"), h("p", {}, "Play, and see what perfect play would do beside what an agent thinks.")),
    begun,
    h("ul.grid", {}, games.map(card)),
  );
  if (source.can.keep) showBegun(begun, games, source);
}

function card(game) {
  const size = game.reachable ? `${plural(game.reachable, "position")}` : "";
  return h("li", {}, h("a.card.game", { href: link("/play", { game: game.name }) },
    h("div.thumb", { "aria-hidden": "true" }, picture(game.svg, game.title)),
    h("h2", {}, game.title),
    h("p", {}, game.summary),
    h("p.muted", {}, capital([size, game.known].filter(Boolean).join(" \u00b7 "))),
  ));
}

async function showBegun(place, games, source) {
  const kept = (await source.keptGames().catch(() => [])).filter((one) => !one.result).slice(0, 4);
  const titles = new Map(games.map((one) => [one.name, one.title]));
  if (!kept.length) return;
  place.hidden = false;
  replace(place, h("h2", {}, "Go on with"), h("ul.row", {}, kept.map((one) => h("li", {}, h("a.chip", { href: link("/play", { game: one.game, kept: one.id }) },
    h("strong", {}, titles.get(one.game.split("(")[0]) ?? one.game), h("span.muted", {}, ` ply ${one.actions.length}`))))));
}
