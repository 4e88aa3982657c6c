// Dark or light colours: the system's choice, unless a person chooses.
import { h } from "./dom.js";

const KEY = "ludus-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // pages from disk may have no storage
  }
}

function now() {
  return document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
}

if (stored()) document.documentElement.dataset.theme = stored();

export function themeButton() {
  const button = h("button.quiet.icon", { type: "button", onclick: turn });
  label();
  return button;

  function turn() {
    const next = now() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // it lasts as long as the page
    }
    label();
  }

  function label() {
    const other = now() === "dark" ? "light" : "dark";
    button.textContent = now() === "dark" ? "\u2600" : "\u263E";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
    button.title = `Switch to ${other} colours`;
  }
}
