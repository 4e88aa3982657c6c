// Leagues: how everybody who played a game in tournaments stands.
import { percent } from "../curves.js";
import { fresh, h, plural, replace, s, titled } from "../dom.js";
import { link } from "../pages.js";
import { leagues, ratings } from "../training_school.js";

export async function show(place, query, source) {
  titled("Leagues");
  place.className = "leagues";
  const games = await source.games();
  const status = h("p.muted.empty", { role: "status" }, "Working out the ratings \u2026");
  replace(place, status);
  const played = leagues();
  const chosen = query.get("game") ?? (await played)[0]?.game ?? games[0].name;
  const id = fresh("game");
  const known = games.some((one) => one.name === chosen) ? games : [...games, { name: chosen, title: chosen }];
  const select = h("select", { id, onchange: () => (location.hash = link("/leagues", { game: select.value })) },
    known.map((one) => h("option", { value: one.name, selected: one.name === chosen }, one.title)));
  played.then((found) => {
    for (const one of found) [...select.options].find((option) => option.value === one.game)?.append(` (${plural(one.agents, "agent")})`);
  });
  replace(place, h("div.page-head", {}, h("div", {}, h("h1", {}, "Leagues"), h("p.muted", {}, "Everybody who played in tournaments, rated by all results.")), h("div.field.narrow", {}, h("label.unseen", { for: id }, "Game"), select)), status);
  const stood = await ratings(chosen);
  status.remove();
  if (stood.members.length) place.append(standings(stood), crossTable(stood));
  else place.append(h("section.card.empty", {}, h("p", {}, "Nobody has played this game in a tournament yet."), h("p.muted", {}, "In a terminal: ", h("code", {}, `ludus tournament '${chosen}' smart-random 'mcts(sims=100)' --anchors`))));
}

function standings(stood) {
  const low = Math.min(...stood.members.map((one) => one.rating.low));
  const high = Math.max(...stood.members.map((one) => one.rating.high));
  const first = stood.moving_first;
  const apart = new Set(stood.members.map((one) => one.group)).size > 1;
  return h("section.card.panel", {},
    h("h2", {}, "Standings"),
    h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Standings" }, h("table.list", {},
      h("thead", {}, h("tr", {}, ["", "Agent", "Rating", "95 % interval", "Games", "Points"].map((words) => h("th", { scope: "col" }, words || h("span.unseen", {}, "Place"))))),
      h("tbody", {}, stood.members.map((one, place) => h("tr", {},
        h("td.number.muted", {}, place + 1),
        h("th", { scope: "row" }, one.run ? h("a", { href: link("/runs", { run: one.run }) }, one.name) : one.name),
        h("td.number", {}, signed(one.rating.points)),
        h("td.interval", {}, interval(one.rating, low, high)),
        h("td.number", {}, one.games.toLocaleString("en")),
        h("td.number", {}, percent(one.share))))))),
    h("p.muted", {}, `Elo points, ${stood.origin}; moving first is worth ${signed(first.points)} (${signed(first.low)} to ${signed(first.high)}).${apart ? " Some never met the others, not even through others, and cannot be compared." : ""}`));
}

const signed = (points) => `${points > 0 ? "+" : points < 0 ? "\u2212" : ""}${Math.abs(Math.round(points)).toLocaleString("en")}`;

// A rating with its interval, on the scale of all.
function interval({ points, low, high }, least, most) {
  const x = (value) => 4 + (192 * (value - least)) / (most - least || 1);
  const words = `${signed(low)} to ${signed(high)}`;
  return [
    s("svg", { viewBox: "0 0 200 16", class: "whiskers", role: "img", "aria-label": words }, s("line", { class: "base", x1: 4, x2: 196, y1: 8, y2: 8 }), s("line", { class: "span", x1: x(low), x2: x(high), y1: 8, y2: 8 }), s("circle", { cx: x(points), cy: 8, r: 4 })),
    h("span.muted.number", { "aria-hidden": "true" }, words),
  ];
}

function crossTable(stood) {
  const label = (one, place) => h("th", { scope: "row" }, h("span.muted.number", {}, `${place + 1} `), one.name);
  const cell = (found, row, column) => {
    if (!found) return h("td.cell", {}, row === column ? "" : "\u2013");
    const seats = [["moving first", found.first], ["moving second", found.second]].filter(([, share]) => share !== null).map(([words, share]) => `${words} ${percent(share)}`);
    const made = h("td.cell.number", { title: `${stood.members[row].name} against ${stood.members[column].name}: ${percent(found.share)} of the points in ${plural(found.games, "game")} (${seats.join(", ")})` }, Math.round(100 * found.share));
    made.style.setProperty("--share", found.share);
    return made;
  };
  return h("section.card.panel", {},
    h("h2", {}, "Each against each"),
    h("p.muted", {}, "Points of the row in per cent, against each column, in both seats together."),
    h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Each against each" }, h("table.cross", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.unseen", {}, "Agent")), stood.members.map((one, place) => h("th", { scope: "col", title: one.name, "aria-label": one.name }, place + 1)))),
      h("tbody", {}, stood.table.map((cells, row) => h("tr", {}, label(stood.members[row], row), cells.map((found, column) => cell(found, row, column))))))));
}
