// Making and changing elements.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "selected", "indeterminate"]);

// h("button.primary", { type: "button", onclick }, "Play"): null children are left out.
export function h(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (PROPERTIES.has(name)) element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function replace(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

// Announces something to screen readers; a sentence may have its full stop twice.
export function announce(sentence) {
  const words = sentence.replace(/([.?!])\.$/, "$1");
  const live = document.getElementById("live");
  if (live) live.textContent = live.textContent === words ? `${words}\u00a0` : words;
}

let numbers = 0;

// An id that no other element has.
export function fresh(name) {
  numbers += 1;
  return `${name}-${numbers}`;
}

export function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

// With a capital letter.
export function capital(words) {
  return words ? `${words[0].toUpperCase()}${words.slice(1)}` : "";
}

// Names the page that is shown in this place, unless it was left.
export function titled(place, words) {
  if (place.isConnected) document.title = `${words} \u00b7 Ludus`;
}
