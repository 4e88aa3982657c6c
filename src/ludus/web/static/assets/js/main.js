// The frame around all pages: the header, and the page that the address names.
import { isAborted } from "./ask.js";
import { announce, h, replace } from "./dom.js";
import { GROUPS, link, PAGES } from "./pages.js";
import { soundsButton } from "./sounds.js";
import { themeButton } from "./theme.js";

const PATIENCE = 300; // milliseconds until a slow page shows that it loads

let leave = null;
let shown = 0;

export function start(source) {
  const open = () => show(source);
  window.addEventListener("hashchange", open);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // addresses with # are pages
    document.getElementById("main").focus();
  });
  open();
}

async function show(source) {
  const number = (shown += 1);
  const [path, search = ""] = (location.hash.slice(1) || "/").split("?");
  const page = PAGES.find((one) => one.path === path && offered(one, source)) ?? PAGES.find((one) => offered(one, source));
  const place = h("div"); // a page that was left writes into its own, which is seen no more
  header(source, page);
  leave?.();
  leave = null;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close(); // it belongs to the page that was left
  replace(document.getElementById("main"), place);
  const slow = setTimeout(() => place.hasChildNodes() || replace(place, h("p.muted.empty", { role: "status" }, "Loading \u2026")), PATIENCE);
  try {
    const loaded = await page.load();
    if (number !== shown) return;
    const cleanup = await loaded.show(place, new URLSearchParams(search), source);
    if (number === shown) leave = cleanup ?? null;
    else cleanup?.();
  } catch (error) {
    if (!isAborted(error) && number === shown) replace(place, trouble(error));
  } finally {
    clearTimeout(slow);
  }
  if (number === shown && !document.title.startsWith(page.title)) announce(document.title);
}

function offered(page, source) {
  return !page.needs || page.needs(source);
}

// The groups of pages, and below them the pages of the group that is shown.
function header(source, current) {
  const listed = PAGES.filter((page) => !page.hidden && offered(page, source));
  const here = current.hidden ? listed.find((page) => page.path === current.under) : current;
  const groups = GROUPS.map((group) => listed.filter((page) => page.group === group)).filter((pages) => pages.length);
  const own = listed.filter((page) => page.group === here?.group);
  const toGroup = (pages) => h("a", { href: link(pages[0].path), "aria-current": pages[0].group === here?.group ? "true" : null }, pages[0].group);
  const toPage = (page) => h("a", { href: link(page.path), "aria-current": page === current ? "page" : page === here ? "true" : null }, page.title);
  replace(
    document.getElementById("header"),
    h("div.bar", {}, h("a.wordmark", { href: link("/") }, "Ludus"), h("nav.groups", { "aria-label": "Menu" }, groups.map(toGroup))),
    h("div.icons", {}, soundsButton(), themeButton()),
    own.length > 1 ? h("nav.pages", { "aria-label": here.group }, own.map(toPage)) : null,
  );
}

export function trouble(error) {
  return h("section.card.trouble", { role: "alert" }, h("h1", {}, "That did not work"), h("p", {}, error.message), h("p", {}, h("a", { href: link("/") }, "Back to the games")));
}
