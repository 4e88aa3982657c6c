// Settings of a training as a form: one field each, with what it means.
import { fresh, h } from "./dom.js";

export class SettingFields {
  constructor(settings) {
    this.settings = settings;
    this.fields = new Map(settings.map((one) => [one.name, field(one)]));
  }

  // The elements of some settings, in this order.
  elements(names) {
    return names.filter((name) => this.fields.has(name)).map((name) => this.fields.get(name).element);
  }

  get names() {
    return this.settings.map((one) => one.name);
  }

  fill(values) {
    for (const one of this.settings) this.fields.get(one.name).write(values[one.name] ?? one.default);
  }

  // What differs from the values given, or from the defaults.
  read(values = {}) {
    const given = this.settings.map((one) => [one.name, this.fields.get(one.name).read(), values[one.name] ?? one.default]);
    return Object.fromEntries(given.filter(([, now, before]) => now !== before && now !== "").map(([name, now]) => [name, now]));
  }
}

export function inWords(name) {
  const words = name.replace(/_/g, " ");
  return words[0].toUpperCase() + words.slice(1);
}

export function field({ name, kind, choices, default: value, help }) {
  const id = fresh("setting");
  const about = help ? h("p.help", { id: `${id}-help` }, help) : null;
  const described = about ? `${id}-help` : null;
  const label = h("label.label", { for: id }, inWords(name));
  if (kind === "switch") {
    const input = h("input", { type: "checkbox", id, checked: value === "true", "aria-describedby": described, "data-setting": name });
    return { element: h("div.field.setting", {}, h("div.row", {}, input, label), about), read: () => String(input.checked), write: (next) => (input.checked = next === "true") };
  }
  const input = kind === "choice"
    ? h("select", { id, "aria-describedby": described, "data-setting": name }, choices.map((one) => h("option", { value: one, selected: one === value }, one)))
    : h("input", { type: "text", id, value, inputmode: kind === "whole" ? "numeric" : kind === "number" ? "decimal" : null, autocomplete: "off", spellcheck: "false", maxlength: 400, "aria-describedby": described, "data-setting": name });
  return { element: h("div.field.setting", {}, label, input, about), read: () => input.value.trim(), write: (next) => (input.value = next) };
}
