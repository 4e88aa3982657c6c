// What translated Python needs (ludus.web.export.javascript): its values, operators, builtins and methods, with the same results.
// An int is a BigInt, a float a Number, a list an Array, a tuple a Tuple. Attributes carry a $ before their names.

class Tuple extends Array {
  static get [Symbol.species]() {
    return Array;
  }
}

export class PythonError extends Error {
  constructor(kinds, message) {
    super(message);
    this.kinds = kinds;
  }
}

const failure = (kind, words) => new PythonError([kind, "Exception", "BaseException"], words);
const isInt = (thing) => typeof thing === "bigint";
const isNumber = (thing) => ["bigint", "number", "boolean"].includes(typeof thing);
const whole = (thing) => (typeof thing === "boolean" ? BigInt(thing) : thing);
const kindName = (thing) =>
  thing === null ? "NoneType" : ({ bigint: "int", number: "float", boolean: "bool", string: "str" })[typeof thing] ?? thing.type?.title ?? thing.constructor?.name ?? "object";

// ---- keys, dicts and sets ----

function keyOf(thing) {
  if (typeof thing === "boolean") return BigInt(thing);
  if (typeof thing === "number") return Number.isInteger(thing) ? BigInt(thing) : thing;
  if (thing instanceof Tuple) return `\u0000${[...thing].map((one) => `${typeof keyOf(one)} ${keyOf(one)}`).join("\u0001")}`;
  if (thing instanceof Unique) return `\u0002${[...thing].map((one) => `${typeof keyOf(one)} ${keyOf(one)}`).sort().join("\u0001")}`;
  return thing;
}

class Dict {
  constructor(pairs) {
    this.map = new Map();
    for (const [key, value] of pairs) this.set(key, value);
  }

  set(key, value) {
    const own = keyOf(key);
    this.map.set(own, [this.map.has(own) ? this.map.get(own)[0] : key, value]);
  }

  get(key, otherwise = null) {
    return this.map.get(keyOf(key))?.[1] ?? otherwise;
  }

  has(key) {
    return this.map.has(keyOf(key));
  }

  get pairs() {
    return [...this.map.values()];
  }

  *[Symbol.iterator]() {
    for (const [key] of this.map.values()) yield key;
  }
}

class Unique {
  constructor(items) {
    this.map = new Map();
    for (const item of items) this.add(item);
  }

  add(item) {
    const own = keyOf(item);
    if (!this.map.has(own)) this.map.set(own, item);
  }

  has(item) {
    return this.map.has(keyOf(item));
  }

  filter(test) {
    return new Unique([...this].filter(test));
  }

  [Symbol.iterator]() {
    return this.map.values();
  }
}

class Range {
  constructor(start, stop, step) {
    Object.assign(this, { start, stop, step });
  }

  get length() {
    const span = this.step > 0n ? this.stop - this.start : this.start - this.stop;
    const step = this.step > 0n ? this.step : -this.step;
    return span <= 0n ? 0 : Number((span + step - 1n) / step);
  }

  at(index) {
    return this.start + BigInt(index) * this.step;
  }

  *[Symbol.iterator]() {
    for (let now = this.start; this.step > 0n ? now < this.stop : now > this.stop; now += this.step) yield now;
  }
}

const sized = (thing) => {
  if (typeof thing === "string" || Array.isArray(thing)) return thing.length;
  if (thing instanceof Dict || thing instanceof Unique) return thing.map.size;
  if (thing instanceof Range) return thing.length;
  if (thing?.$__len__) return Number(thing.$__len__());
  throw failure("TypeError", `object of type '${kindName(thing)}' has no len()`);
};

function iter(thing) {
  if (thing?.$__iter__) return iter(thing.$__iter__());
  if (thing === null || typeof thing?.[Symbol.iterator] !== "function") throw failure("TypeError", `'${kindName(thing)}' object is not iterable`);
  return thing;
}

function truth(thing) {
  if (thing === null || typeof thing !== "object") return Boolean(thing);
  if (Array.isArray(thing) || thing instanceof Dict || thing instanceof Unique || thing instanceof Range || thing.$__len__) return sized(thing) > 0;
  return true;
}

// ---- comparison ----

function eq(one, other) {
  if (one === other) return true;
  if (isNumber(one) && isNumber(other)) return one == other; // eslint-disable-line eqeqeq
  if (Array.isArray(one) && Array.isArray(other)) {
    return one instanceof Tuple === other instanceof Tuple && one.length === other.length && one.every((item, place) => eq(item, other[place]));
  }
  if (one instanceof Unique && other instanceof Unique) return sized(one) === sized(other) && [...one].every((item) => other.has(item));
  if (one instanceof Dict && other instanceof Dict) return sized(one) === sized(other) && one.pairs.every(([key, value]) => other.has(key) && eq(value, other.get(key)));
  if (one instanceof Range && other instanceof Range) return eq([...one], [...other]);
  return Boolean(one?.$__eq__?.(other));
}

// Below 0 if one comes before the other, 0 for equals, else above 0.
function compare(one, other, sign) {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one === "string" && typeof other === "string") {
    const [a, b] = [Array.from(one, (letter) => letter.codePointAt(0)), Array.from(other, (letter) => letter.codePointAt(0))];
    return compare(a, b, sign);
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let place = 0; place < Math.min(one.length, other.length); place += 1) {
      if (!eq(one[place], other[place])) return compare(one[place], other[place], sign);
    }
    return one.length - other.length;
  }
  throw failure("TypeError", `'${sign}' not supported between instances of '${kindName(one)}' and '${kindName(other)}'`);
}

function ordered(sign, test, subset) {
  return (one, other) => {
    if (isInt(one) && isInt(other)) return test(one < other ? -1 : one > other ? 1 : 0);
    if (one instanceof Unique && other instanceof Unique) return subset(one, other);
    return test(compare(one, other, sign));
  };
}

const within = (one, other) => [...one].every((item) => other.has(item));
const lt = ordered("<", (order) => order < 0, (one, other) => within(one, other) && sized(one) < sized(other));
const le = ordered("<=", (order) => order <= 0, within);
const gt = ordered(">", (order) => order > 0, (one, other) => lt(other, one));
const ge = ordered(">=", (order) => order >= 0, (one, other) => within(other, one));

function isIn(item, owner) {
  if (typeof owner === "string") return owner.includes(item);
  if (owner instanceof Dict || owner instanceof Unique) return owner.has(item);
  if (owner?.$__contains__) return truth(owner.$__contains__(item));
  for (const one of iter(owner)) if (eq(one, item)) return true;
  return false;
}

// ---- arithmetic ----

// An operator for whole numbers and one for fractions; other things by `more`.
function arithmetic(sign, onWhole, onFractions, more = () => undefined) {
  return (one, other) => {
    if (isInt(one) && isInt(other)) return onWhole(one, other);
    if (isNumber(one) && isNumber(other)) {
      const [a, b] = [whole(one), whole(other)];
      if (isInt(a) && isInt(b)) return onWhole(a, b);
      if (onFractions) return onFractions(Number(a), Number(b));
    }
    const found = more(one, other);
    if (found === undefined) throw failure("TypeError", `unsupported operand type(s) for ${sign}: '${kindName(one)}' and '${kindName(other)}'`);
    return found;
  };
}

function nonzero(number) {
  if (!number) throw failure("ZeroDivisionError", "division by zero");
  return number;
}

const floorDivided = (one, other) => {
  const found = one / nonzero(other);
  return one % other !== 0n && one < 0n !== other < 0n ? found - 1n : found;
};
const remainder = (one, other) => {
  const found = one % nonzero(other);
  return found && found < 0 !== other < 0 ? found + other : found;
};
const repeated = (one, other) => {
  const [times, thing] = isNumber(one) && !Number.isFinite(one) ? [whole(one), other] : [whole(other), one];
  if (!isInt(times)) return undefined;
  if (typeof thing === "string") return thing.repeat(Math.max(Number(times), 0));
  if (!Array.isArray(thing)) return undefined;
  const items = Array.from({ length: Math.max(Number(times), 0) }, () => [...thing]).flat();
  return thing instanceof Tuple ? tupleOf(items) : items;
};
const added = (one, other) => {
  if (typeof one === "string" && typeof other === "string") return one + other;
  if (one instanceof Tuple && other instanceof Tuple) return tupleOf([...one, ...other]);
  return Array.isArray(one) && Array.isArray(other) && !(one instanceof Tuple) && !(other instanceof Tuple) ? [...one, ...other] : undefined;
};
const bits = (sign, onWhole, onBooleans, onSets) => {
  const numbers = arithmetic(sign, onWhole, null, (one, other) => (one instanceof Unique && other instanceof Unique ? onSets(one, other) : undefined));
  return (one, other) => {
    if (typeof one === "boolean" && typeof other === "boolean") return onBooleans(one, other);
    if (one instanceof Dict && other instanceof Dict && sign === "|") return new Dict([...one.pairs, ...other.pairs]);
    return numbers(one, other);
  };
};

const add = arithmetic("+", (a, b) => a + b, (a, b) => a + b, added);
const operators = {
  add,
  iadd(one, other) {
    if (!Array.isArray(one) || one instanceof Tuple) return add(one, other);
    one.push(...iter(other));
    return one;
  },
  sub: arithmetic("-", (a, b) => a - b, (a, b) => a - b, (a, b) => (a instanceof Unique && b instanceof Unique ? a.filter((item) => !b.has(item)) : undefined)),
  mul: arithmetic("*", (a, b) => a * b, (a, b) => a * b, repeated),
  truediv: arithmetic("/", (a, b) => Number(a) / Number(nonzero(b)), (a, b) => a / nonzero(b)),
  floordiv: arithmetic("//", floorDivided, (a, b) => Math.floor(a / nonzero(b))),
  mod: arithmetic("%", remainder, remainder),
  pow: arithmetic("**", (a, b) => (b < 0n ? Number(a) ** Number(b) : a ** b), (a, b) => a ** b),
  lshift: arithmetic("<<", (a, b) => a << unsigned(b)),
  rshift: arithmetic(">>", (a, b) => a >> unsigned(b)),
  and: bits("&", (a, b) => a & b, (a, b) => a && b, (a, b) => a.filter((item) => b.has(item))),
  or: bits("|", (a, b) => a | b, (a, b) => a || b, (a, b) => new Unique([...a, ...b])),
  xor: bits("^", (a, b) => a ^ b, (a, b) => a !== b, (a, b) => new Unique([...a.filter((item) => !b.has(item)), ...b.filter((item) => !a.has(item))])),
  invert: (one) => ~whole(one),
  neg: (one) => -whole(one),
  pos: (one) => whole(one),
};

function unsigned(count) {
  if (count < 0n) throw failure("ValueError", "negative shift count");
  return count;
}

// ---- text ----

// A fraction with so many digits after the point, halves to even.
function fixed(number, digits) {
  const text = number.toFixed(digits);
  const parts = Math.abs(number) * 2 ** (digits + 1);
  if (!Number.isInteger(parts) || parts % 2 === 0) return text; // not between two neighbours
  const last = Number(text.at(-1));
  if (last % 2 === 0) return text;
  const step = 10 ** -digits;
  return (number > 0 ? number - step / 2 : number + step / 2).toFixed(digits);
}

function exponential(number, digits) {
  return number.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
}

function general(number, digits) {
  if (!number) return Object.is(number, -0) ? "-0" : "0";
  const exponent = Number(number.toExponential(digits - 1).split("e")[1]);
  const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < digits) return bare(fixed(number, digits - 1 - exponent));
  const [mantissa, rest] = exponential(number, digits - 1).split("e");
  return `${bare(mantissa)}e${rest}`;
}

function fraction(number) {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
  if (Object.is(number, -0)) return "-0.0";
  const size = Math.abs(number);
  if (size && (size < 1e-4 || size >= 1e16)) return number.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  if (size < 1e-6 && size) return number.toFixed(20);
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

function str(thing) {
  if (typeof thing === "string") return thing;
  if (isInt(thing)) return thing.toString();
  if (thing?.$__str__) return thing.$__str__();
  if (thing instanceof PythonError) return thing.message;
  return repr(thing);
}

function repr(thing) {
  if (thing === null) return "None";
  if (typeof thing === "boolean") return thing ? "True" : "False";
  if (isInt(thing)) return thing.toString();
  if (typeof thing === "number") return fraction(thing);
  if (typeof thing === "string") return quoted(thing);
  if (thing.$__repr__) return thing.$__repr__();
  if (thing.type?.fields) return `${thing.type.title}(${thing.type.fields.map((field) => `${field}=${repr(thing[`$${field}`])}`).join(", ")})`;
  if (thing instanceof Tuple) return thing.length === 1 ? `(${repr(thing[0])},)` : `(${[...thing].map(repr).join(", ")})`;
  if (Array.isArray(thing)) return `[${thing.map(repr).join(", ")}]`;
  if (thing instanceof Dict) return `{${thing.pairs.map(([key, value]) => `${repr(key)}: ${repr(value)}`).join(", ")}}`;
  if (thing instanceof Unique) return sized(thing) ? `{${[...thing].map(repr).join(", ")}}` : "set()";
  return String(thing);
}

function quoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\\n\r\t]/g, (letter) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[letter]);
  return mark + escaped.replaceAll(mark, `\\${mark}`) + mark;
}

const SPEC = /^(?:(.)?([<>=^]))?([ +-])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u;
const BASES = { b: 2, o: 8, x: 16, X: 16 };

function format(thing, spec) {
  if (spec === "") return str(thing);
  const found = SPEC.exec(spec);
  if (!found) throw failure("ValueError", `Invalid format specifier '${spec}'`);
  const [, letter, align, sign, alternate, zero, width, comma, precision, kind] = found;
  const isText = !isNumber(thing);
  let text = isText ? str(thing) : digitsOf(typeof thing === "boolean" && kind ? whole(thing) : thing, kind, precision, alternate);
  if (isText && precision !== undefined) text = Array.from(text).slice(0, Number(precision)).join("");
  if (comma) text = text.replace(/^(-?)(\d+)/, (_, minus, whole) => minus + whole.replace(/\B(?=(\d{3})+(?!\d))/g, comma));
  if (!isText && sign && sign !== "-" && !text.startsWith("-")) text = sign + text;
  const missing = Math.max(Number(width ?? 0) - Array.from(text).length, 0);
  const fill = letter ?? (zero ? "0" : " ");
  const where = align ?? (zero && !isText ? "=" : isText ? "<" : ">");
  if (where === "=") return text.replace(/^[+-]?/, (first) => first + fill.repeat(missing));
  const left = where === ">" ? missing : where === "^" ? Math.floor(missing / 2) : 0;
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function digitsOf(number, kind, precision, alternate) {
  if (BASES[kind]) {
    const text = number.toString(BASES[kind]);
    const shown = alternate ? text.replace(/^-?/, (minus) => `${minus}0${kind}`) : text;
    return kind === "X" ? shown.toUpperCase() : shown;
  }
  if (kind === "c") return String.fromCodePoint(Number(number));
  if ("fFeEgG%".includes(kind ?? "?") || (kind === undefined && precision !== undefined)) {
    const [value, digits] = [Number(number), Number(precision ?? 6)];
    if (!Number.isFinite(value)) return fraction(value);
    if (kind === "%") return `${fixed(value * 100, digits)}%`;
    const text = "fF".includes(kind ?? "?") ? fixed(value, digits) : "eE".includes(kind ?? "?") ? exponential(value, digits) : general(value, Math.max(digits, 1));
    return "FEG".includes(kind ?? "?") ? text.toUpperCase() : text;
  }
  return str(number);
}

// ---- indices ----

const placed = (index, size) => Number(index) + (index < 0 ? size : 0);

class Slice {
  constructor(...ends) {
    this.ends = ends;
  }
}

const sliceOf = (one, other, step = null) => (other === undefined ? new Slice(null, one, null) : new Slice(one, other, step));

function item(owner, index) {
  if (index instanceof Slice) return slice(owner, ...index.ends);
  if (Array.isArray(owner) || typeof owner === "string" || owner instanceof Range) {
    const size = sized(owner);
    const place = placed(whole(index), size);
    if (!(place >= 0 && place < size)) throw failure("IndexError", `${kindName(owner)} index out of range`);
    return owner instanceof Range ? owner.at(place) : owner[place];
  }
  if (owner instanceof Dict) {
    if (!owner.has(index)) throw failure("KeyError", repr(index));
    return owner.get(index);
  }
  if (owner?.members) return item(owner.members, index);
  if (owner?.$__getitem__) return owner.$__getitem__(index);
  throw failure("TypeError", `'${kindName(owner)}' object is not subscriptable`);
}

function setItem(owner, index, value) {
  if (owner instanceof Dict) owner.set(index, value);
  else if (Array.isArray(owner) && !(owner instanceof Tuple)) owner[placed(whole(index), owner.length)] = value;
  else throw failure("TypeError", `'${kindName(owner)}' object does not support item assignment`);
}

function slice(owner, from, to, by) {
  const items = typeof owner === "string" || Array.isArray(owner) ? owner : [...iter(owner)];
  const [size, step] = [items.length, by === null ? 1 : Number(by)];
  const clamp = (index, low, high) => Math.min(Math.max(placed(whole(index), size), low), high);
  const start = from === null ? (step > 0 ? 0 : size - 1) : step > 0 ? clamp(from, 0, size) : clamp(from, -1, size - 1);
  const stop = to === null ? (step > 0 ? size : -1) : step > 0 ? clamp(to, 0, size) : clamp(to, -1, size - 1);
  const found = [];
  for (let place = start; step > 0 ? place < stop : place > stop; place += step) found.push(items[place]);
  return typeof owner === "string" ? found.join("") : owner instanceof Tuple || owner instanceof Range ? tupleOf(found) : found;
}

function unpack(thing, count, star) {
  const items = [...iter(thing)];
  const rest = items.length - count + 1;
  if (star < 0 ? items.length !== count : rest < 0) {
    const words = star < 0 && items.length > count ? `too many values to unpack (expected ${count})` : `not enough values to unpack (expected ${star < 0 ? count : `at least ${count - 1}`}, got ${items.length})`;
    throw failure("ValueError", words);
  }
  return star < 0 ? items : [...items.slice(0, star), items.slice(star, star + rest), ...items.slice(star + rest)];
}

// ---- classes and functions ----

function tupleOf(items) {
  const made = new Tuple();
  for (const one of items) made.push(one);
  return made;
}

function def(params, made) {
  made.params = params;
  return made;
}

// A class is a function that makes its instances, with their prototype beside it.
function classOf(title, fields, prototype, make) {
  return Object.assign(make, { title, fields, own: prototype, params: fields, isClass: true });
}

function withDefaults(title, fields, defaults, values) {
  if (values.length > fields.length) throw failure("TypeError", `${title} takes ${fields.length} arguments, not ${values.length}`);
  return fields.map((field, place) => {
    const value = values[place] === undefined ? defaults[field] : values[place];
    if (value === undefined) throw failure("TypeError", `${title} misses ${field}`);
    return value;
  });
}

function namedTuple(title, fields, defaults) {
  class Made extends Tuple {}
  fields.forEach((field, place) => Object.defineProperty(Made.prototype, `$${field}`, { get() { return this[place]; } }));
  const type = classOf(title, fields, Made.prototype, (...values) => {
    const made = new Made();
    made.push(...withDefaults(title, fields, defaults, values));
    return made;
  });
  Made.prototype.type = type;
  Object.assign(type, { $_fields: tupleOf(fields), $_make: (items) => type(...iter(items)) });
  Made.prototype.$_fields = type.$_fields;
  Made.prototype.$_replace = function () {
    return this;
  };
  Made.prototype.$_replace.named = (owner, named) => type(...fields.map((field, place) => named[field] ?? owner[place]));
  Made.prototype.$_asdict = function () {
    return new Dict(fields.map((field, place) => [field, this[place]]));
  };
  return type;
}

// An object with named fields: a model or a data class.
function record(title, fields, defaults) {
  const prototype = { isRecord: true };
  const type = classOf(title, fields, prototype, (...values) => {
    const made = Object.create(prototype);
    withDefaults(title, fields, defaults, values).forEach((value, place) => (made[`$${fields[place]}`] = value));
    return made;
  });
  prototype.type = type;
  return type;
}

function plainClass(title) {
  const prototype = {};
  const type = classOf(title, null, prototype, (...values) => {
    const made = Object.create(prototype);
    made.$__init__?.(...values);
    return made;
  });
  type.params = undefined;
  prototype.type = type;
  return type;
}

function enumOf(title, pairs) {
  const members = new Dict(pairs);
  const type = (value) => {
    if (!pairs.some(([, one]) => eq(one, value))) throw failure("ValueError", `${repr(value)} is not a valid ${title}`);
    return value;
  };
  for (const [name, value] of pairs) type[`$${name}`] = value;
  type[Symbol.iterator] = () => pairs.map(([, value]) => value)[Symbol.iterator]();
  return Object.assign(type, { title, members, isClass: true });
}

const memberKinds = {
  member_method: (type, name, made) => {
    type.own[`$${name}`] = made;
    if (name === "__init__") type.params = made.params;
  },
  member_property: (type, name, made) => {
    Object.defineProperty(type.own, `$${name}`, { get: made, configurable: true });
    type.gives = (type.gives ?? new Set()).add(name);
  },
  member_class: (type, name, made) => (type.own[`$${name}`] = type[`$${name}`] = def(made.params, made.bind(type))),
  member_value: (type, name, value) => (type.own[`$${name}`] = type[`$${name}`] = value),
};

const gives = (type, name) => type.gives?.has(name) || type.own?.[`$${name}`] !== undefined;

function get(owner, name) {
  const found = owner?.[`$${name}`];
  if (found === undefined) {
    const method = methodOf(owner, name);
    return def(method.params, (...given) => method(owner, ...given));
  }
  if (typeof found !== "function" || found.isClass || owner.isClass) return found;
  const bound = def(found.params, found.bind(owner));
  if (found.named) bound.named = (given, named) => found.named(owner, named);
  return bound;
}

function call(owner, name, ...given) {
  const own = owner?.[`$${name}`];
  return own === undefined ? methodOf(owner, name)(owner, ...given) : own.apply(owner, given);
}

function methodOf(owner, name) {
  const found = kindOf(owner)?.[name];
  if (!found) throw failure("AttributeError", `'${kindName(owner)}' object has no attribute '${name}'`);
  return def(found.params, (...given) => found(...given));
}

function callNamed(made, given, named) {
  const all = [...given];
  const { params } = made;
  for (const [name, value] of Object.entries(named)) {
    const place = params ? params.indexOf(name) : -1;
    if (place < 0) throw failure("TypeError", `an unexpected argument ${name}`);
    all[place] = value;
  }
  return made(...Array.from(all));
}

// ---- regular expressions ----

function translated(pattern) {
  return pattern
    .replace(/\(\?P<(\w+)>/g, "(?<$1>")
    .replace(/\(\?P=(\w+)\)/g, "\\k<$1>")
    .replace(/\\A/g, "^")
    .replace(/\\Z/g, "$");
}

class Pattern {
  constructor(pattern, flags) {
    this.source = translated(pattern);
    this.flags = flags & 2n ? "i" : "";
  }

  // The matches of a form of the pattern in a text.
  all(text, form = this.source) {
    return [...text.matchAll(new RegExp(form, `g${this.flags}`))].map((found) => new Match(found));
  }

  one(text, before, after) {
    const found = new RegExp(`${before}(?:${this.source})${after}`, this.flags).exec(text);
    return found ? new Match(found) : null;
  }
}

class Match {
  constructor(found) {
    this.found = found;
  }

  group(index = 0n) {
    const text = typeof index === "string" ? this.found.groups?.[index] : this.found[Number(index)];
    return text ?? null;
  }
}

const patternOf = (thing, flags = 0n) => (thing instanceof Pattern ? thing : new Pattern(thing, flags));
const textOf = (match) => (match.found.length > 2 ? tupleOf(match.found.slice(1).map((one) => one ?? "")) : match.found[match.found.length - 1]);

function substituted(pattern, by, text, count) {
  let left = count ? Number(count) : Infinity;
  return text.replace(new RegExp(pattern.source, `g${pattern.flags}`), (...given) => {
    const names = typeof given.at(-1) === "object" ? given.pop() : undefined;
    if (left-- <= 0) return given[0];
    const match = new Match(Object.assign(given.slice(0, -2), { groups: names, index: given.at(-2) }));
    return typeof by === "function" ? by(match) : by.replace(/\\(?:g<(\w+)>|(\d))/g, (_, name, digit) => match.group(digit ? BigInt(digit) : /^\d+$/.test(name) ? BigInt(name) : name) ?? "");
  });
}

const re = {
  compile: patternOf,
  fullmatch: (pattern, text, flags) => patternOf(pattern, flags).one(text, "^", "$"),
  match: (pattern, text, flags) => patternOf(pattern, flags).one(text, "^", ""),
  search: (pattern, text, flags) => patternOf(pattern, flags).one(text, "", ""),
  findall: (pattern, text, flags) => patternOf(pattern, flags).all(text).map(textOf),
  finditer: (pattern, text, flags) => patternOf(pattern, flags).all(text),
  sub: def(["pattern", "repl", "string", "count", "flags"], (pattern, by, text, count, flags) => substituted(patternOf(pattern, flags), by, text, count)),
  split: (pattern, text) => text.split(new RegExp(patternOf(pattern).source, patternOf(pattern).flags)),
  escape: (text) => text.replace(/[^\w]/g, "\\$&"),
  IGNORECASE: 2n,
  I: 2n,
  ASCII: 0n,
  A: 0n,
};

// ---- methods ----

const letters = (text) => text.replace(/[.*+?^${}()|[\]\\\-]/g, "\\$&");
const stripped = (form) => (text, given = null) => text.replace(new RegExp(form(given === null ? "\\s" : `[${letters(given)}]`), "gu"), "");
const cut = (text, mark, place) => (place < 0 ? null : [text.slice(0, place), mark, text.slice(place + mark.length)]);
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
const padded = (where) => (text, width, fill = " ") => format(text, `${fill}${where}${width}`);
const centred = (text, width, fill = " ") => {
  const missing = Math.max(Number(width) - text.length, 0);
  const left = Math.floor(missing / 2) + (missing & Number(width) & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
};

function splitText(text, mark = null, most = -1n) {
  let left = most < 0n ? Infinity : Number(most);
  if (mark === null) {
    const parts = [];
    let rest = text.trimStart();
    while (rest) {
      const found = left > 0 ? /\s+/.exec(rest) : null;
      if (!found) {
        parts.push(left > 0 ? rest : rest.trimEnd());
        break;
      }
      parts.push(rest.slice(0, found.index));
      rest = rest.slice(found.index + found[0].length);
      left -= 1;
    }
    return parts;
  }
  const parts = text.split(mark);
  return parts.length <= left + 1 ? parts : [...parts.slice(0, left), parts.slice(left).join(mark)];
}

function formatted(text, ...given) {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\d*)(?::([^{}]*))?\}/g, (whole, place, spec) => {
    if (whole === "{{" || whole === "}}") return whole[0];
    return format(given[place === "" || place === undefined ? next++ : Number(place)], spec ?? "");
  });
}

const located = (things, thing) => {
  const place = [...things].findIndex((one) => eq(one, thing));
  if (place < 0) throw failure("ValueError", `${repr(thing)} is not in ${things instanceof Tuple ? "tuple" : "list"}`);
  return BigInt(place);
};

const TEXT = {
  strip: (text, given) => stripped((set) => `^${set}+|${set}+$`)(text, given),
  lstrip: stripped((set) => `^${set}+`),
  rstrip: stripped((set) => `${set}+$`),
  split: def(["sep", "maxsplit"], splitText),
  splitlines: (text) => text.replace(/\r?\n$/, "").split(/\r?\n/).filter((line, number, all) => all.length > 1 || line),
  join: (text, items) => {
    const parts = [...iter(items)];
    const wrong = parts.findIndex((one) => typeof one !== "string");
    if (wrong >= 0) throw failure("TypeError", `sequence item ${wrong}: expected str instance, ${kindName(parts[wrong])} found`);
    return parts.join(text);
  },
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  title: (text) => text.replace(/\p{L}+/gu, capital),
  capitalize: capital,
  casefold: (text) => text.toLowerCase(),
  replace: (text, before, after, count = -1n) => {
    if (count < 0n) return text.replaceAll(before, () => after);
    return text.split(before).reduce((one, other, number) => one + (number <= Number(count) ? after : before) + other);
  },
  startswith: (text, given) => (Array.isArray(given) ? given : [given]).some((one) => text.startsWith(one)),
  endswith: (text, given) => (Array.isArray(given) ? given : [given]).some((one) => text.endsWith(one)),
  removeprefix: (text, given) => (given && text.startsWith(given) ? text.slice(given.length) : text),
  removesuffix: (text, given) => (given && text.endsWith(given) ? text.slice(0, -given.length) : text),
  find: (text, given) => BigInt(text.indexOf(given)),
  rfind: (text, given) => BigInt(text.lastIndexOf(given)),
  index: (text, given) => {
    if (!text.includes(given)) throw failure("ValueError", "substring not found");
    return BigInt(text.indexOf(given));
  },
  count: (text, given) => BigInt(text.split(given).length - 1),
  partition: (text, mark) => tupleOf(cut(text, mark, text.indexOf(mark)) ?? [text, "", ""]),
  rpartition: (text, mark) => tupleOf(cut(text, mark, text.lastIndexOf(mark)) ?? ["", "", text]),
  center: centred,
  ljust: padded("<"),
  rjust: padded(">"),
  zfill: (text, width) => text.replace(/^[+-]?/, (sign) => sign + "0".repeat(Math.max(Number(width) - text.length, 0))),
  isdigit: (text) => /^\d+$/.test(text),
  isdecimal: (text) => /^\d+$/.test(text),
  isnumeric: (text) => /^\d+$/.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isspace: (text) => /^\s+$/.test(text),
  isupper: (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
  islower: (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
  swapcase: (text) => Array.from(text, (one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join(""),
  format: formatted,
};

const LIST = {
  append: (list, thing) => (list.push(thing), null),
  extend: (list, things) => (list.push(...iter(things)), null),
  insert: (list, place, thing) => (list.splice(placed(whole(place), list.length), 0, thing), null),
  pop: (list, place = -1n) => {
    if (!list.length) throw failure("IndexError", "pop from empty list");
    return list.splice(placed(whole(place), list.length), 1)[0];
  },
  remove: (list, thing) => (list.splice(Number(located(list, thing)), 1), null),
  reverse: (list) => (list.reverse(), null),
  sort: def(["key", "reverse"], (list, key, reverse) => (list.splice(0, list.length, ...sorted(list, key, reverse)), null)),
  copy: (list) => [...list],
  index: located,
  count: (list, thing) => BigInt(list.filter((one) => eq(one, thing)).length),
};

const DICT = {
  items: (dict) => dict.pairs.map(tupleOf),
  keys: (dict) => [...dict],
  values: (dict) => dict.pairs.map(([, value]) => value),
  get: (dict, key, otherwise = null) => (dict.has(key) ? dict.get(key) : otherwise),
  setdefault: (dict, key, value = null) => {
    if (!dict.has(key)) dict.set(key, value);
    return dict.get(key);
  },
  pop: (dict, key, otherwise) => {
    if (!dict.has(key) && otherwise === undefined) throw failure("KeyError", repr(key));
    const found = dict.has(key) ? dict.get(key) : otherwise;
    dict.map.delete(keyOf(key));
    return found;
  },
  update: (dict, other) => {
    for (const [key, value] of pairs(other)) dict.set(key, value);
    return null;
  },
  copy: (dict) => new Dict(dict.pairs),
};

const SET = {
  add: (set, thing) => (set.add(thing), null),
  discard: (set, thing) => (set.map.delete(keyOf(thing)), null),
  remove: (set, thing) => (set.map.delete(keyOf(thing)), null),
  union: (set, other) => new Unique([...set, ...iter(other)]),
  intersection: (set, other) => {
    const both = new Unique(iter(other));
    return set.filter((one) => both.has(one));
  },
  difference: (set, other) => {
    const without = new Unique(iter(other));
    return set.filter((one) => !without.has(one));
  },
  issubset: (set, other) => within(set, new Unique(iter(other))),
  issuperset: (set, other) => within(new Unique(iter(other)), set),
  isdisjoint: (set, other) => !within(set, new Unique(iter(other))) || !sized(set),
  copy: (set) => new Unique(set),
};

const INT = {
  bit_count: (number) => {
    let [left, count] = [number < 0n ? -number : number, 0n];
    while (left) {
      left &= left - 1n;
      count += 1n;
    }
    return count;
  },
  bit_length: (number) => (number ? BigInt((number < 0n ? -number : number).toString(2).length) : 0n),
};

const MATCH = {
  group: (match, ...given) => (given.length > 1 ? tupleOf(given.map((one) => match.group(one))) : match.group(...given)),
  groups: (match) => tupleOf(match.found.slice(1).map((one) => one ?? null)),
  groupdict: (match) => new Dict(Object.entries(match.found.groups ?? {}).map(([name, text]) => [name, text ?? null])),
  start: (match) => BigInt(match.found.index),
  end: (match) => BigInt(match.found.index + match.found[0].length),
  span: (match) => tupleOf([BigInt(match.found.index), BigInt(match.found.index + match.found[0].length)]),
};
Match.prototype.$__getitem__ = function (index) {
  return this.group(index);
};

const PATTERN = Object.fromEntries(
  ["fullmatch", "match", "search", "findall", "finditer", "split"].map((name) => [name, (pattern, text) => re[name](pattern, text)]).concat([["sub", (pattern, by, text) => re.sub(pattern, by, text)]]),
);

function kindOf(owner) {
  if (typeof owner === "string") return TEXT;
  if (isInt(owner) || typeof owner === "boolean") return BITS;
  if (Array.isArray(owner)) return owner instanceof Tuple ? TUPLE : LIST;
  if (owner instanceof Dict) return DICT;
  if (owner instanceof Unique) return SET;
  if (owner instanceof Match) return MATCH;
  if (owner instanceof Pattern) return PATTERN;
  if (owner?.isClass && typeof owner.own === "object") return unbound(owner);
  return NUMBER[typeof owner];
}

// The methods of a class, called with an instance: Game.method(game, ...).
const unbound = (type) => new Proxy({}, { get: (_, name) => (typeof type.own[`$${name}`] === "function" ? (_type, owner, ...given) => type.own[`$${name}`].apply(owner, given) : undefined) });

const BITS = Object.fromEntries(Object.entries(INT).map(([name, method]) => [name, (number) => method(whole(number))]));
const TUPLE = { index: LIST.index, count: (tuple, thing) => BigInt([...tuple].filter((one) => eq(one, thing)).length) };
const NUMBER = { number: { is_integer: (number) => Number.isInteger(number) } };

// ---- builtins ----

function sorted(things, key = null, reverse = false) {
  const items = [...iter(things)].map((one) => [key ? key(one) : one, one]);
  const order = (one, other) => (lt(one[0], other[0]) ? -1 : lt(other[0], one[0]) ? 1 : 0);
  return items.sort(truth(reverse) ? (one, other) => order(other, one) : order).map(([, one]) => one);
}

// The first of the extremes among things, or among the items of one, with a key and a default by name.
function choosing(name, before) {
  const made = (...given) => made.named(given, {});
  made.named = (given, { key = null, default: otherwise }) => {
    const items = [...(given.length === 1 ? iter(given[0]) : given)].map((one) => [key ? key(one) : one, one]);
    if (!items.length && otherwise !== undefined) return otherwise;
    if (!items.length) throw failure("ValueError", `${name}() arg is an empty sequence`);
    return items.reduce((one, other) => (before(other[0], one[0]) ? other : one))[1];
  };
  return made;
}

function zip(...given) {
  return zip.named(given, {});
}
zip.named = function* (given, { strict = false }) {
  const iterators = given.map((one) => iter(one)[Symbol.iterator]());
  for (;;) {
    const found = iterators.map((one) => one.next());
    const ended = found.filter((one) => one.done).length;
    if (ended && strict && ended < found.length) throw failure("ValueError", "zip() arguments have different lengths");
    if (ended || !found.length) return;
    yield tupleOf(found.map((one) => one.value));
  }
};

function* map(made, ...given) {
  for (const items of zip(...given)) yield made(...items);
}

function* enumerate(things, start = 0n) {
  let number = start;
  for (const one of iter(things)) yield tupleOf([number++, one]);
}

function* filter(test, things) {
  for (const one of iter(things)) if (truth(test ? test(one) : one)) yield one;
}

function toInt(thing = 0n, base = 10n) {
  if (isNumber(thing)) {
    if (typeof thing === "number" && !Number.isFinite(thing)) throw failure("ValueError", `cannot convert float ${str(thing)} to integer`);
    return typeof thing === "number" ? BigInt(Math.trunc(thing)) : whole(thing);
  }
  const text = String(thing).trim().replace(/(\d)_(?=\d)/g, "$1");
  const digits = text.replace(/^[+-]/, "").toLowerCase();
  const allowed = [..."0123456789abcdefghijklmnopqrstuvwxyz"].slice(0, Number(base));
  if (!digits || [...digits].some((one) => !allowed.includes(one))) throw failure("ValueError", `invalid literal for int() with base ${base}: ${repr(thing)}`);
  const found = [...digits].reduce((number, one) => number * base + BigInt(allowed.indexOf(one)), 0n);
  return text.startsWith("-") ? -found : found;
}

function toFloat(thing = 0n) {
  const found = isNumber(thing) ? Number(thing) : Number(String(thing).trim() || "?");
  if (Number.isNaN(found) && String(thing).trim().toLowerCase() !== "nan") throw failure("ValueError", `could not convert string to float: ${repr(thing)}`);
  return found;
}

function rounded(number, digits = null) {
  if (isInt(whole(number))) return whole(number);
  if (digits !== null) return Number(fixed(number, Number(digits)));
  const low = Math.floor(number);
  const up = number - low > 0.5 || (number - low === 0.5 && low % 2 !== 0);
  return BigInt(low) + (up ? 1n : 0n);
}

function next(iterator, otherwise) {
  const found = (typeof iterator.next === "function" ? iterator : iter(iterator)[Symbol.iterator]()).next();
  if (!found.done) return found.value;
  if (otherwise === undefined) throw failure("StopIteration", "");
  return otherwise;
}

const pairs = (thing) => (thing instanceof Dict ? thing.pairs : [...iter(thing)].map((one) => [...iter(one)]));
const absolute = (number) => (whole(number) < 0 ? -whole(number) : whole(number));
const KINDS = new Map();

function isinstance(thing, kinds) {
  return (Array.isArray(kinds) ? [...kinds] : [kinds]).some((kind) => KINDS.get(kind)?.(thing) ?? (thing?.type === kind));
}

const builtins = {
  abs: absolute,
  all: (things) => [...iter(things)].every(truth),
  any: (things) => {
    for (const one of iter(things)) if (truth(one)) return true;
    return false;
  },
  bool: (thing = false) => truth(thing),
  chr: (number) => String.fromCodePoint(Number(number)),
  dict: (things = []) => new Dict(pairs(things)),
  divmod: (one, other) => tupleOf([operators.floordiv(one, other), operators.mod(one, other)]),
  enumerate: def(["iterable", "start"], enumerate),
  filter,
  float: toFloat,
  frozenset: (things = []) => new Unique(iter(things)),
  getattr: (owner, name, otherwise) => (otherwise !== undefined && owner?.[`$${name}`] === undefined ? otherwise : get(owner, name)),
  hasattr: (owner, name) => owner?.[`$${name}`] !== undefined,
  int: def(["x", "base"], toInt),
  isinstance,
  iter: (things) => iter(things)[Symbol.iterator](),
  len: (things) => BigInt(sized(things)),
  list: (things = []) => [...iter(things)],
  map,
  max: choosing("max", gt),
  min: choosing("min", lt),
  next,
  ord: (letter) => BigInt(letter.codePointAt(0)),
  pow: operators.pow,
  range: (one, other, step = 1n) => (other === undefined ? new Range(0n, whole(one), 1n) : new Range(whole(one), whole(other), whole(step))),
  repr,
  reversed: (things) => [...iter(things)].reverse(),
  round: def(["number", "ndigits"], rounded),
  set: (things = []) => new Unique(iter(things)),
  sorted: def(["iterable", "key", "reverse"], sorted),
  str: (thing = "") => str(thing),
  sum: def(["iterable", "start"], (things, start = 0n) => [...iter(things)].reduce((one, other) => add(one, other), start)),
  tuple: (things = []) => tupleOf(iter(things)),
  type: (thing) => thing?.type ?? TYPES[kindName(thing)] ?? null,
  zip,
};
const TYPES = { int: builtins.int, float: builtins.float, bool: builtins.bool, str: builtins.str, Tuple: builtins.tuple, Array: builtins.list };
for (const [kind, test] of [
  ["int", (thing) => isInt(thing) || typeof thing === "boolean"],
  ["float", (thing) => typeof thing === "number"],
  ["bool", (thing) => typeof thing === "boolean"],
  ["str", (thing) => typeof thing === "string"],
  ["tuple", (thing) => thing instanceof Tuple],
  ["list", (thing) => Array.isArray(thing) && !(thing instanceof Tuple)],
  ["dict", (thing) => thing instanceof Dict],
  ["set", (thing) => thing instanceof Unique],
]) KINDS.set(builtins[kind], test);

const real = (made) => (...given) => made(...given.map(Number));
const math = {
  ...Object.fromEntries(["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log2", "log10", "hypot"].map((name) => [name, real(Math[name])])),
  sqrt: real(Math.sqrt),
  fabs: real(Math.abs),
  log: (number, base) => Math.log(Number(number)) / (base === undefined ? 1 : Math.log(Number(base))),
  radians: (degrees) => (Number(degrees) * Math.PI) / 180,
  degrees: (radians) => (Number(radians) * 180) / Math.PI,
  floor: (number) => (isInt(whole(number)) ? whole(number) : BigInt(Math.floor(number))),
  ceil: (number) => (isInt(whole(number)) ? whole(number) : BigInt(Math.ceil(number))),
  trunc: (number) => toInt(number),
  isqrt: (number) => {
    let root = BigInt(Math.floor(Math.sqrt(Number(number))));
    while (root * root > number) root -= 1n;
    while ((root + 1n) * (root + 1n) <= number) root += 1n;
    return root;
  },
  comb: (n, k) => {
    let found = 1n;
    for (let i = 0n; i < k; i += 1n) found = (found * (n - i)) / (i + 1n);
    return k > n ? 0n : found;
  },
  gcd: (one, other) => (other ? math.gcd(other, remainder(one, other)) : absolute(one)),
  pi: Math.PI,
  tau: 2 * Math.PI,
  e: Math.E,
  inf: Infinity,
};

// ---- errors ----

function exceptionOf(kinds) {
  const made = (...given) => new PythonError(kinds, given.length ? str(given[0]) : "");
  return Object.assign(made, { kind: kinds[0] });
}

// JavaScript's own errors under the names that Python gives them.
function asError(caught) {
  if (caught instanceof PythonError) return caught;
  const kind = caught instanceof RangeError ? "ValueError" : caught instanceof SyntaxError ? "ValueError" : "TypeError";
  return failure(kind, String(caught?.message ?? caught));
}

const isCaught = (caught, kinds) => kinds === null || (Array.isArray(kinds) ? [...kinds] : [kinds]).some((one) => asError(caught).kinds.includes(one.kind));

// ---- what leaves the translated code ----

// Values as the rest of the page has them: numbers, arrays and objects.
export function plain(thing) {
  if (isInt(thing)) return Number(thing);
  if (Array.isArray(thing)) return Array.from(thing, plain);
  if (thing instanceof Dict) return Object.fromEntries(thing.pairs.map(([key, value]) => [str(key), plain(value)]));
  if (thing?.isRecord) return Object.fromEntries(thing.type.fields.map((field) => [field, plain(thing[`$${field}`])]));
  return thing;
}

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

export const py = {
  ...operators,
  ...builtins,
  ...memberKinds,
  eq,
  ne: (one, other) => !eq(one, other),
  lt,
  le,
  gt,
  ge,
  is: (one, other) => one === other,
  isNot: (one, other) => one !== other,
  isIn,
  notIn: (one, other) => !isIn(one, other),
  truth,
  iter,
  pairs,
  item,
  setItem,
  slice,
  sliceOf,
  unpack,
  get,
  call,
  callNamed: (made, given, named) => (made.named ? made.named(given, named) : callNamed(made, given, named)),
  def,
  format,
  tupleOf,
  listOf: (items) => items,
  setOf: (items) => new Unique(items),
  dictOf: (items) => new Dict(items),
  namedTuple,
  record,
  plainClass,
  enumOf,
  member: (type, name) => (gives(type, name) ? true : null),
  exceptionOf,
  raised: (thing) => (typeof thing === "function" ? thing() : thing),
  isCaught,
  asError,
  escape: (text) => text.replace(/[&<>"']/g, (letter) => ESCAPED[letter]),
  re,
  math,
};
