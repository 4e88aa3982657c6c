// Reports on the papers behind the games, as `ludus paper` wrote them.
import { h, replace, titled } from "../dom.js";
import { papers } from "../server_api.js";

const LOOKS = { agrees: "win", proved: "win", supported: "win", differs: "loss", refuted: "loss", open: "draw" };
const WORDS = { agrees: "agree", differs: "differ" };

export async function show(place) {
  titled(place, "Papers");
  place.className = "papers";
  const found = await papers();
  const head = h("div.page-head", {}, h("div", {}, h("h1", {}, "Papers, reproduced"), h("p.muted", {}, "Each paper behind a game, reproduced by its own method and compared with the exact solution.")));
  replace(place, head, found.length ? h("ul.grid", {}, found.map(card)) : h("section.card.empty", {}, h("p", {}, "There are no reports yet."), h("p.muted", {}, "In a terminal: ", h("code", {}, "ludus paper all --scale quick"))));
}

function card(report) {
  const chips = Object.entries(report.verdicts).map(([verdict, count]) => h("span", { class: `value-tag ${LOOKS[verdict] ?? ""}` }, `${count} ${WORDS[verdict] ?? verdict}`));
  return h("li", {}, h("a.card.game.report", { href: report.url, target: "_blank", rel: "noopener" },
    h("div.thumb", { "aria-hidden": "true" }, h("img", { src: report.board, alt: "", loading: "lazy" })),
    h("h2", {}, report.title),
    h("p.muted", {}, report.authors),
    h("div.row", {}, chips, h("span.tag", {}, report.scale)),
  ));
}
