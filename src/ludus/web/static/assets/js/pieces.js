// Pieces keep their ids from picture to picture, and slide to where they moved.

const SLIDE = 320; // milliseconds
const FADE = 200;

// The pieces of a picture: element, kind and place, by "kind place".
export function piecesOf(svg) {
  const found = new Map();
  for (const element of svg.querySelectorAll(".piece")) {
    const name = element.id || element.dataset.piece;
    const kind = name.replace(/-\d+$/, "");
    element.removeAttribute("id"); // several boards may be on one page
    element.dataset.piece = name;
    found.set(`${kind} ${element.dataset.place}`, { element, kind, name });
  }
  return found;
}

// Pairs pieces before and now: one that stayed keeps its id, one that moved takes a vacant id of its kind.
export function follow(before, now) {
  const gone = new Map([...before].filter(([key]) => !now.has(key)));
  const pairs = new Map();
  for (const [key, piece] of now) {
    if (before.has(key)) {
      pairs.set(piece, before.get(key));
      continue;
    }
    const vacant = [...gone].find(([, other]) => other.kind === piece.kind);
    if (vacant) {
      gone.delete(vacant[0]);
      pairs.set(piece, vacant[1]);
    }
  }
  const names = new Set([...before.values()].map((piece) => piece.name));
  for (const piece of now.values()) {
    piece.name = pairs.get(piece)?.name ?? unused(piece.kind, names);
    names.add(piece.name);
    piece.element.dataset.piece = piece.name;
  }
  return { pairs, gone: [...gone.values()] };
}

function unused(kind, names) {
  let number = 0;
  while (names.has(`${kind}-${number}`)) number += 1;
  return `${kind}-${number}`;
}

// Move the pieces of the new picture from where they were; captured ones fade.
export function animate(svg, { pairs, gone }, now) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const piece of now.values()) {
    const before = pairs.get(piece);
    if (!before) appear(piece.element);
    else slide(piece.element, placeOf(before.element), placeOf(piece.element));
  }
  for (const piece of gone) vanish(svg, piece.element);
}

function placeOf(element) {
  const [x, y] = (element.getAttribute("transform")?.match(/-?\d[\d.]*(?:e-?\d+)?/g) ?? [0, 0]).map(Number);
  return { x, y };
}

function slide(element, from, to) {
  if (from.x === to.x && from.y === to.y) return;
  element.parentNode.append(element); // above what it passes
  const at = ({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` });
  element.animate([at(from), at(to)], { duration: SLIDE, easing: "cubic-bezier(.3,.7,.2,1)" });
}

function appear(element) {
  element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FADE, easing: "ease-out" });
}

function vanish(svg, element) {
  const ghost = element.cloneNode(true);
  ghost.removeAttribute("data-piece");
  ghost.setAttribute("aria-hidden", "true");
  svg.append(ghost);
  ghost.animate([{ opacity: 1 }, { opacity: 0 }], { duration: FADE, easing: "ease-in" }).finished.finally(() => ghost.remove());
}
