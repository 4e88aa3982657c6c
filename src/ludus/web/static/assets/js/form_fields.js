// Forms for the parameters of a game and the settings of a training.
import { fresh, h } from "./dom.js";

export class FormFields {
  // values: what the fields show at first in place of their defaults.
  constructor(fields, values = {}) {
    this.known = fields;
    this.fields = new Map(fields.map((one) => [one.name, field({ ...one, default: values[one.name] ?? one.default })]));
  }

  // The elements of some fields, in this order; all by default.
  elements(names = this.names) {
    return names.filter((name) => this.fields.has(name)).map((name) => this.fields.get(name).element);
  }

  get names() {
    return this.known.map((one) => one.name);
  }

  fill(values) {
    for (const one of this.known) this.fields.get(one.name).write(values[one.name] ?? one.default);
  }

  // What differs from the values given, or from the defaults.
  read(values = {}) {
    const given = this.known.map((one) => [one.name, this.fields.get(one.name).read(), values[one.name] ?? one.default]);
    return Object.fromEntries(given.filter(([, now, before]) => now !== before && now !== "").map(([name, now]) => [name, now]));
  }

  // Buttons that fill in named sets of values; null if there are none. presets: [{ name, settings }].
  presets(presets) {
    if (!presets.length) return null;
    const buttons = presets.map(({ name, settings }) => h("button.chip", { type: "button", onclick: () => this.fill(settings) }, name));
    return h("div.row", { role: "group", "aria-label": "Well-known variants" }, buttons);
  }

  // The text that names a variant of a game.
  variant(name) {
    const given = Object.entries(this.read());
    return given.length ? `${name}(${given.map(([parameter, value]) => `${parameter}=${value}`).join(", ")})` : name;
  }
}

export function inWords(name) {
  const words = name.replace(/_/g, " ");
  return words[0].toUpperCase() + words.slice(1);
}

export function field({ name, kind, choices, default: value, help, least, most }) {
  const id = fresh("setting");
  const words = [help, rangeOf(least, most)].filter(Boolean).join(" ");
  const about = words ? h("p.help", { id: `${id}-help` }, words) : null;
  const attributes = { id, "aria-describedby": about ? `${id}-help` : null, "data-setting": name };
  const label = h("label.label", { for: id }, inWords(name));
  if (kind === "switch") {
    const input = h("input", { type: "checkbox", checked: value === "true", ...attributes });
    return { element: h("div.field.setting", {}, h("div.row", {}, input, label), about), read: () => String(input.checked), write: (next) => (input.checked = next === "true") };
  }
  const input = kind === "choice"
    ? h("select", attributes, choices.map((one) => h("option", { value: one, selected: one === value }, one)))
    : h("input", { type: "text", value, inputmode: kind === "whole" ? "numeric" : kind === "number" ? "decimal" : null, autocomplete: "off", spellcheck: "false", maxlength: 400, ...attributes });
  return { element: h("div.field.setting", {}, label, input, about), read: () => input.value.trim(), write: (next) => (input.value = next) };
}

function rangeOf(least, most) {
  const isKnown = (limit) => limit !== null && limit !== undefined;
  if (isKnown(least) && isKnown(most)) return `From ${least} to ${most}.`;
  return isKnown(least) ? `At least ${least}.` : isKnown(most) ? `At most ${most}.` : "";
}
