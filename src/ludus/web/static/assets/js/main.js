// The frame around all pages: the header, and the page that the address names.
import { isAborted } from "./ask.js";
import { announce, h, replace } from "./dom.js";
import { link, PAGES } from "./pages.js";
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

function header(source, current) {
  const links = PAGES.filter((page) => !page.hidden && offered(page, source)).map((page) =>
    h("a", { href: link(page.path), "aria-current": page === current || page.path === current.under ? "page" : null }, page.title),
  );
  replace(
    document.getElementById("header"),
    h("a.wordmark", { href: link("/") }, "Ludus"),
    h("nav", { "aria-label": "Pages" }, links),
    themeButton(),
  );
  document.querySelector("#header [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

export function trouble(error) {
  return h("section.card.trouble", { role: "alert" }, h("h1", {}, "That did not work"), h("p", {}, error.message), h("p", {}, h("a", { href: link("/") }, "Back to the games")));
}
