// A board: the game's own picture, with targets to touch one after another until an action is chosen.
import { h, s } from "./dom.js";
import { animate, follow, piecesOf } from "./pieces.js";

const LEAST = 11; // pixels of the letters on a badge
const FINGER = 44; // pixels that a target takes at least, to be hit by a finger
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  // choose(action) is called once all targets of an action are touched; touched(path) after every touch.
  constructor({ choose = () => {}, touched = () => {} } = {}) {
    this.element = h("div.board");
    this.choose = choose;
    this.touched = touched;
    this.path = [];
    this.actions = [];
    this.values = {};
    this.pieces = new Map();
    this.at = null; // the target that had the focus last, to which the tab key comes back
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", (event) => (this.at = event.target.dataset.target));
  }

  // Show a view; its actions can be chosen if `open`.
  show(view, { open = false, moving = true, last = [] } = {}) {
    const svg = parsed(view.svg);
    const pieces = piecesOf(svg);
    const followed = follow(this.pieces, pieces);
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(svg);
    // what can be touched stays above pieces, and above those that move
    this.front = s("g", { class: "front" });
    this.front.append(...[...svg.querySelectorAll(".target")].sort(asRead));
    if (Object.keys(view.squares ?? {}).length) for (const shape of svg.children) shape.setAttribute("aria-hidden", "true"); // the targets say it
    this.badges = s("g", { class: "badges", "aria-hidden": "true" });
    svg.append(this.front, this.badges);
    if (moving && this.pieces.size) animate(svg, followed, pieces);
    svg.append(this.front, this.badges);
    this.pieces = pieces;
    this.view = view;
    this.actions = open ? view.actions : [];
    this.path = [];
    this.values = {};
    for (const name of last) this.#target(name)?.classList.add("last");
    this.#mark();
    if (hadFocus) (this.#target(this.at) ?? this.#first())?.focus({ preventScroll: true });
  }

  // Colours targets by the values of their actions, {action: value}; null removes the colours.
  colour(values) {
    this.values = values ?? {};
    this.#mark();
  }

  // Point at some targets.
  point(names) {
    for (const target of this.#targets()) target.classList.toggle("pointed", names.includes(target.dataset.target));
  }

  // Take back the targets touched so far.
  cancel() {
    this.path = [];
    this.#mark();
    this.touched(this.path);
  }

  #targets() {
    return [...this.front.querySelectorAll(".target")];
  }

  #target(name) {
    return this.#targets().find((target) => target.dataset.target === name);
  }

  #first() {
    const targets = this.#targets();
    return targets.find((target) => target.classList.contains("legal")) ?? targets[0];
  }

  // The actions whose paths start with the targets touched so far.
  #left(path = this.path) {
    return this.actions.filter((one) => path.every((name, number) => one.path[number] === name));
  }

  #mark() {
    const next = new Map();
    for (const one of this.#left()) {
      const name = one.path[this.path.length];
      if (name !== undefined) next.set(name, [...(next.get(name) ?? []), one]);
    }
    this.badges.replaceChildren();
    for (const area of this.front.querySelectorAll(".reach")) area.remove();
    for (const target of this.#targets()) {
      const name = target.dataset.target;
      const actions = next.get(name);
      const chosen = this.path.includes(name);
      target.classList.toggle("legal", Boolean(actions));
      target.classList.toggle("chosen", chosen);
      this.#colour(target, actions);
      target.setAttribute("role", actions || chosen ? "button" : "img");
      target.setAttribute("tabindex", "-1");
      target.setAttribute("aria-label", actions ? this.#offer(name, actions) : chosen ? `${this.says(name)}, take back` : this.says(name));
      if (chosen) target.setAttribute("aria-pressed", "true");
      else target.removeAttribute("aria-pressed");
      target.onclick = actions || chosen ? () => this.#touch(name) : null;
      if (target.onclick) this.front.prepend(reach(target));
    }
    (this.#target(this.at) ?? this.#first())?.setAttribute("tabindex", "0");
  }

  // What stands on a target, as it is read aloud.
  says(name) {
    const own = this.view.actions.filter((one) => one.path.length === 1 && one.path[0] === name);
    return this.view.squares?.[name] ?? (own.length === 1 ? own[0].name : name.replace(/[-_]/g, " "));
  }

  // The same with what a touch does.
  #offer(name, actions) {
    const words = this.says(name);
    if (actions.length > 1 || actions[0].path.length > this.path.length + 1) return `${words}, ${actions.length === 1 ? actions[0].name : `${actions.length} moves`}`;
    const [{ action, name: called }] = actions;
    const move = words === called || words.split(/[ ,]+/).includes(called) ? words : `${words}: ${called}`;
    const value = this.values[action];
    return value ? `${move}: ${value.words}` : move;
  }

  #colour(target, actions) {
    target.classList.remove("win", "draw", "loss", "open", "best");
    const values = (actions ?? []).map((one) => this.values[one.action]).filter(Boolean);
    if (!values.length) return;
    const best = values.reduce((one, other) => (rank(other) > rank(one) ? other : one));
    target.classList.add(best.outcome ?? "open");
    const all = this.actions.map((one) => this.values[one.action]).filter(Boolean);
    if (Math.max(...all.map(rank)) === rank(best)) target.classList.add("best");
    this.badges.append(badge(target, best));
  }

  #touch(name) {
    if (this.path.includes(name) && !this.#left([...this.path, name]).length) {
      this.cancel();
      return;
    }
    let path = [...this.path, name];
    if (!this.#left(path).length) path = [name]; // begin anew from another target
    if (!this.#left(path).length) return;
    this.path = path;
    const done = this.#left().find((one) => one.path.length === path.length);
    if (done) {
      this.choose(done.action);
      return;
    }
    this.#mark();
    this.touched(path);
    if (this.element.contains(document.activeElement)) this.#first()?.focus();
  }

  #key(event) {
    const target = event.target.closest?.(".target");
    if (event.key === "Escape" && this.path.length) {
      this.cancel();
      this.#first()?.focus();
    } else if (target && (event.key === "Enter" || event.key === " ")) this.#touch(target.dataset.target);
    else if (target && ARROWS[event.key]) this.#step(target, ARROWS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Go to the nearest target in a direction.
  #step(from, [right, down]) {
    const here = middle(from);
    let nearest = null;
    let least = Infinity;
    for (const target of this.#targets()) {
      if (target === from) continue;
      const [x, y] = [middle(target).x - here.x, middle(target).y - here.y];
      const along = x * right + y * down;
      const across = Math.abs(x * down) + Math.abs(y * right);
      if (along <= 1) continue;
      const distance = along + 3 * across + (target.classList.contains("legal") ? 0 : 1); // of two in one place
      if (distance < least) [nearest, least] = [target, distance];
    }
    if (!nearest) return;
    from.setAttribute("tabindex", "-1");
    nearest.setAttribute("tabindex", "0");
    nearest.focus();
  }
}

function parsed(text) {
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  const title = svg.querySelector("title")?.textContent ?? "";
  svg.querySelector("title")?.remove(); // it would show as a tooltip everywhere
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", `Board: ${title}`);
  return svg;
}

// A picture that cannot be touched.
export function picture(text, words) {
  const svg = parsed(text);
  piecesOf(svg);
  for (const target of svg.querySelectorAll(".target")) target.remove();
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", words);
  return svg;
}

// The order in which targets are read: row by row from above.
function asRead(one, other) {
  const [[x, y], [right, down]] = [box(one), box(other)];
  return y - down || x - right;
}

// The area around a target in which a finger means it, below all targets.
function reach(target) {
  const [x, y, width, height] = box(target);
  const least = FINGER / shownSize(target);
  const [wider, higher] = [Math.max(0, least - width), Math.max(0, least - height)];
  const area = s("rect", { class: "reach", x: x - wider / 2, y: y - higher / 2, width: width + wider, height: height + higher });
  area.onclick = target.onclick;
  return area;
}

function middle(target) {
  const [x, y, width, height] = box(target);
  return { x: x + width / 2, y: y + height / 2 };
}

function box(target) {
  return ["x", "y", "width", "height"].map((name) => Number(target.getAttribute(name)));
}

export function rank(value) {
  const plies = value.plies ?? 0;
  return value.own * 10000 + (value.own > 0 ? -plies : value.own < 0 ? plies : 0);
}

// The value of an action in a corner of its target; on the edge of a small one, where it hides no piece.
function badge(target, value) {
  const [x, y, width] = box(target);
  const words = short(value);
  const wide = Math.max(24, 9.5 * words.length + 10);
  const size = Math.max(1, Math.min(LEAST / (14 * shownSize(target)), width / wide));
  const place = width < 2.4 * wide * size ? [x + (width - wide * size) / 2, y - 12 * size] : [x + width - wide * size - 3, y + 3];
  const group = s("g", { class: `badge-mark ${value.outcome ?? "open"}`, transform: `translate(${place.join(" ")}) scale(${size})` });
  group.append(s("rect", { width: wide, height: 22, rx: 11 }), s("text", { x: wide / 2, y: 11.5, "font-size": 14 }, words));
  return group;
}

// How large a unit of the picture is on the screen.
function shownSize(target) {
  return target.ownerSVGElement.getScreenCTM()?.a || 1;
}

function short(value) {
  if (value.low !== null && value.low !== undefined) return value.low === value.high ? signed(value.low) : "?";
  const letter = { win: "W", draw: "D", loss: "L" }[value.outcome];
  if (value.margin || !Number.isInteger(value.own)) return signed(value.own);
  return value.plies === null || value.plies === undefined || value.outcome === "draw" ? letter : `${letter}${value.plies}`;
}

function signed(number) {
  const rounded = Math.abs(number) < 10 && !Number.isInteger(number) ? number.toFixed(2) : String(Math.round(number));
  return number > 0 ? `+${rounded}` : rounded.replace("-", "\u2212");
}
