// The rules of a game in front of the page: one page of its tutorial after the other.
import { picture } from "./board.js";
import { announce, fresh, h, replace } from "./dom.js";
import { recall, remember } from "./preferences.js";

// Opens the rules, unless `once` and this person has seen them.
export function showRules(game, { once = false } = {}) {
  const [name] = game.name.split("("); // in an exported game the name has its parameters
  if (once && recall("rules-seen", {})[name]) return;
  remember("rules-seen", { [name]: true });
  const id = fresh("rules");
  const content = h("div.rules-page");
  const buttons = h("div.row.end");
  const dialog = h("dialog.card.rules", { "aria-labelledby": id, onclose: () => dialog.remove() }, h("div.stack", {}, h("h2", { id }, `How to play ${game.title}`), content, buttons));
  let number = 0;
  const turn = (to) => {
    number = to;
    const { title, words, view } = game.rules[number];
    const isLast = number === game.rules.length - 1;
    replace(content, view ? h("div.thumb", {}, picture(view.svg, view.board)) : null, h("h3", {}, title), words.split(/\n\s*\n/).map((part) => h("p", {}, part.trim())));
    replace(
      buttons,
      h("span.muted.number", {}, `${number + 1} of ${game.rules.length}`),
      number ? h("button.quiet", { type: "button", onclick: () => turn(number - 1) }, "Back") : null,
      isLast ? null : h("button.quiet", { type: "button", onclick: () => dialog.close() }, "Skip"),
      h("button.primary", { type: "button", onclick: () => (isLast ? dialog.close() : turn(number + 1)) }, isLast ? "Play" : "Next"),
    );
    buttons.lastChild.focus();
    announce(`${title}. ${words}`);
  };
  document.body.append(dialog);
  dialog.showModal();
  turn(0);
}
