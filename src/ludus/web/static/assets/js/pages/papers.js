// Reports on the papers behind the games, as `ludus paper` wrote them.
import { h, replace, titled } from "../dom.js";
import { field } from "../form_fields.js";
import { paperNames, papers } from "../server_api.js";
import { followStudies, StudyPanel } from "../studies.js";

const LOOKS = { agrees: "win", proved: "win", supported: "win", differs: "loss", refuted: "loss", open: "draw" };
const WORDS = { agrees: "agree", differs: "differ", "needs full scale": "need full scale" };

export async function show(place, query, source) {
  titled(place, "Papers");
  place.className = "papers";
  const names = await paperNames();
  const gone = new AbortController();
  const reports = h("div");
  const paper = field({ name: "paper", kind: "choice", choices: names, default: names[0], help: "One of the papers behind the games." });
  const scale = field({ name: "scale", kind: "choice", choices: ["tiny", "quick"], default: "quick", help: "Quick takes minutes; tiny only shows that it works." });
  const changes = field({ name: "changes", kind: "text", default: "", help: "Settings of its learner to change, such as epsilon=0.5, games=2000; both stand side by side in the report." });
  const panel = new StudyPanel(source, {
    kind: "papers",
    title: "Reproduce a paper",
    words: "Its experiments are run again, on this machine, and compared with what it printed.",
    button: "Reproduce it",
    fields: [h("div.setting-grid", {}, paper.element, scale.element, changes.element)],
    order: () => ({ paper: paper.read(), scale: scale.read(), changes: changes.read() }),
    onResults: (isFinished) => isFinished && draw(),
  });
  const draw = async () => {
    const found = await papers();
    replace(reports, found.length ? h("ul.grid", {}, found.map(card)) : h("p.muted.empty", {}, "There are no reports yet. Reproduce a paper to have the first."));
  };
  await draw();
  replace(place, h("div.page-head", {}, h("div", {}, h("h1", {}, "Papers, reproduced"), h("p.muted", {}, "Each paper behind a game, reproduced by its own method and compared with the exact solution."))), reports, panel.element);
  followStudies([panel], gone.signal);
  return () => gone.abort();
}

function card(report) {
  const chips = Object.entries(report.verdicts).map(([verdict, count]) => h("span", { class: `value-tag ${LOOKS[verdict] ?? ""}` }, `${count} ${WORDS[verdict] ?? verdict}`));
  return h("li", {}, h("a.card.game.report", { href: report.url, target: "_blank", rel: "noopener" },
    h("div.thumb", { "aria-hidden": "true" }, h("img", { src: report.board, alt: "", loading: "lazy" })),
    h("h2", {}, report.title),
    h("p.muted", {}, report.authors),
    report.finding !== "" && h("p", {}, report.finding.replaceAll("`", "")),
    h("div.row", {}, chips, h("span.tag", {}, report.scale)),
  ));
}
