// Leagues: the standings of all agents that played a game in tournaments.
import { percent } from "../curves.js";
import { fresh, h, plural, replace, s, titled } from "../dom.js";
import { field } from "../form_fields.js";
import { link } from "../pages.js";
import { leagues, ratings } from "../server_api.js";
import { followStudies, StudyPanel } from "../studies.js";

export async function show(place, query, source) {
  titled(place, "Leagues");
  place.className = "leagues";
  const games = await source.games();
  const status = h("p.muted.empty", { role: "status" }, "Computing the ratings \u2026");
  replace(place, status);
  const played = leagues();
  const chosen = query.get("game") ?? (await played)[0]?.game ?? games[0].name;
  const id = fresh("game");
  const select = h("select", { id, onchange: () => (location.hash = link("/leagues", { game: select.value })) }, options(games, await played, chosen));
  replace(place, h("div.page-head", {}, h("div", {}, h("h1", {}, "Leagues"), h("p.muted", {}, "All agents that played in tournaments, rated by all results.")), h("div.field.narrow", {}, h("label.unseen", { for: id }, "Game"), select)), status);
  const results = h("div.results-of-all");
  const draw = async () => {
    const standing = await ratings(chosen);
    replace(results, standing.members.length ? [standings(standing), crossTable(standing)] : h("p.muted.empty", {}, "Nobody has played this game in a tournament yet. Hold one."));
  };
  const [agents] = await Promise.all([source.opponents(chosen), draw()]);
  const gone = new AbortController();
  const panels = [tournamentPanel, leaguePanel].map((make) => make(source, chosen, agents, games, draw));
  status.replaceWith(results, h("div.studies", {}, panels.map((one) => one.element)));
  followStudies(panels, gone.signal);
  return () => gone.abort();
}

const SMALL = 1_000_000; // positions of a game that is solved soon

function tournamentPanel(source, game, agents, games, onResults) {
  const reachable = games.find((one) => one.name === game.split("(")[0])?.reachable;
  const isLight = (one) => one.kind !== "perfect" || (reachable && reachable <= SMALL);
  const boxes = agents.map((one) => h("input", { type: "checkbox", value: one.agent, checked: isLight(one), id: fresh("agent") }));
  const rows = agents.map((one, number) => h("label.row", { for: boxes[number].id }, boxes[number], h("span", {}, h("strong", {}, one.title), " ", h("span.muted", {}, one.run ? one.words : one.agent))));
  const each = gamesField();
  return new StudyPanel(source, {
    kind: "tournament",
    title: "Hold a tournament",
    words: "Each chosen agent plays against each, half of the games from either seat.",
    button: "Start the tournament",
    fields: [h("fieldset.stack.agents", {}, h("legend.label", {}, "Agents"), rows), each.element],
    order: () => ({ game, agents: boxes.filter((box) => box.checked).map((box) => box.value), games: Number(each.read()) }),
    onResults,
  });
}

function leaguePanel(source, game, agents, games, onResults) {
  const each = gamesField();
  return new StudyPanel(source, {
    kind: "league",
    title: "Play the whole league",
    words: "Every built-in agent and every run of this game plays against every other; those who have met do not play again.",
    button: "Play the league",
    fields: [each.element],
    order: () => ({ game, games: Number(each.read()) }),
    onResults,
  });
}

const gamesField = () => field({ name: "games_of_each_pair", kind: "whole", choices: [], default: "20", least: 2, most: 10000 });

// Every game, and every variant of it that was played, with how many took part.
function options(games, played, chosen) {
  const agents = new Map(played.map((one) => [one.game, plural(one.agents, "agent")]));
  const names = [...new Set([...games.map((one) => one.name), ...agents.keys(), chosen])];
  const places = new Map(games.map((one, place) => [one.name, place]));
  const place = (name) => places.get(name.split("(")[0]) ?? games.length;
  const title = (name) => (games[place(name)]?.title ?? name) + (name.includes("(") ? ` ${name.slice(name.indexOf("("))}` : "");
  return names.sort((one, other) => place(one) - place(other) || one.length - other.length)
    .map((name) => h("option", { value: name, selected: name === chosen }, agents.has(name) ? `${title(name)}: ${agents.get(name)}` : title(name)));
}

function standings(standing) {
  const low = Math.min(...standing.members.map((one) => one.rating.low));
  const high = Math.max(...standing.members.map((one) => one.rating.high));
  const first = standing.moving_first;
  const apart = new Set(standing.members.map((one) => one.group)).size > 1;
  return h("section.card.panel", {},
    h("h2", {}, "Standings"),
    h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Standings" }, h("table.list", {},
      h("thead", {}, h("tr", {}, ["", "Agent", "Rating", "95 % interval", "Games", "Points"].map((words) => h("th", { scope: "col" }, words || h("span.unseen", {}, "Place"))))),
      h("tbody", {}, standing.members.map((one, place) => h("tr", {},
        h("td.number.muted", {}, place + 1),
        h("th", { scope: "row" }, one.run ? h("a", { href: link("/runs", { run: one.run }) }, one.name) : one.name),
        h("td.number", {}, signed(one.rating.points)),
        h("td.interval", {}, interval(one.rating, low, high)),
        h("td.number", {}, one.games.toLocaleString("en")),
        h("td.number", {}, percent(one.share))))))),
    h("p.muted", {}, `Elo points, ${standing.origin}; moving first gains ${signed(first.points)} (${signed(first.low)} to ${signed(first.high)}).${apart ? " Some agents share no opponents with the others and cannot be compared." : ""}`));
}

const signed = (points) => `${points > 0 ? "+" : points < 0 ? "\u2212" : ""}${Math.abs(Math.round(points)).toLocaleString("en")}`;

// A rating with its interval, on a common scale.
function interval({ points, low, high }, least, most) {
  const x = (value) => 4 + (192 * (value - least)) / (most - least || 1);
  const words = `${signed(low)} to ${signed(high)}`;
  return [
    s("svg", { viewBox: "0 0 200 16", class: "whiskers", role: "img", "aria-label": words }, s("line", { class: "base", x1: 4, x2: 196, y1: 8, y2: 8 }), s("line", { class: "span", x1: x(low), x2: x(high), y1: 8, y2: 8 }), s("circle", { cx: x(points), cy: 8, r: 4 })),
    h("span.muted.number", { "aria-hidden": "true" }, words),
  ];
}

const SEATS = [["share", "Both seats"], ["first", "First"], ["second", "Second"]];

function crossTable(standing) {
  const place = h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Each against each" });
  const buttons = SEATS.map(([seat, words]) => h("button", { type: "button", onclick: () => show(seat) }, words));
  const show = (seat) => {
    buttons.forEach((button, number) => button.setAttribute("aria-pressed", String(SEATS[number][0] === seat)));
    replace(place, crossed(standing, seat));
  };
  show("share");
  return h("section.card.panel", {},
    h("h2", {}, "Each against each"),
    h("p.muted", {}, "Points of the row in per cent, against each column: in both seats, or where the row moves first or second."),
    h("div.segments.seats", { role: "group", "aria-label": "The row\u2019s seat" }, buttons),
    place);
}

function crossed(standing, seat) {
  const label = (one, place) => h("th", { scope: "row" }, h("span.muted.number", {}, `${place + 1} `), one.name);
  const cell = (found, row, column) => {
    if (!found || found[seat] === null) return h("td.cell", {}, row === column ? "" : "\u2013");
    const seats = [["moving first", found.first], ["moving second", found.second]].filter(([, share]) => share !== null).map(([words, share]) => `${words} ${percent(share)}`);
    const made = h("td.cell.number", { title: `${standing.members[row].name} against ${standing.members[column].name}: ${percent(found.share)} of the points in ${plural(found.games, "game")} (${seats.join(", ")})` }, Math.round(100 * found[seat]));
    made.classList.add(found[seat] < 0.5 ? "behind" : "ahead");
    made.style.setProperty("--share", Math.abs(2 * found[seat] - 1));
    return made;
  };
  return h("table.cross", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.unseen", {}, "Agent")), standing.members.map((one, place) => h("th", { scope: "col", title: one.name, "aria-label": one.name }, place + 1)))),
    h("tbody", {}, standing.table.map((cells, row) => h("tr", {}, label(standing.members[row], row), cells.map((found, column) => cell(found, row, column))))));
}
