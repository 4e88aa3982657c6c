// The parameters of a game as a form, and the text that names the variant.
import { fresh, h } from "./dom.js";

export function variantFields(parameters, values) {
  const inputs = parameters.map((one) => [one, field(one, values[one.name] ?? one.default)]);
  return {
    element: h("div.fields", {}, inputs.map(([, { element }]) => element)),
    written: (name) => {
      const given = inputs.map(([one, { read }]) => [one, read()]).filter(([one, value]) => value !== one.default && value !== "");
      return given.length ? `${name}(${given.map(([one, value]) => `${one.name}=${value}`).join(", ")})` : name;
    },
  };
}

function field({ name, kind, choices }, value) {
  const id = fresh("parameter");
  const words = name.replace(/_/g, " ");
  const label = h("label.label", { for: id }, words[0].toUpperCase() + words.slice(1));
  if (kind === "switch") {
    const input = h("input", { type: "checkbox", id, checked: value === "true" });
    return { element: h("div.field.inline", {}, input, label), read: () => String(input.checked) };
  }
  if (kind === "choice") {
    const input = h("select", { id }, choices.map((one) => h("option", { value: one, selected: one === value }, one)));
    return { element: h("div.field", {}, label, input), read: () => input.value };
  }
  const input = h("input", { type: kind === "whole" ? "number" : "text", id, autocomplete: "off", value });
  return { element: h("div.field", {}, label, input), read: () => input.value.trim() };
}
