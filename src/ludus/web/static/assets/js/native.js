// The compiled rules and searches of an exported game: functions of WebAssembly, and the arrays they work on.

const KINDS = { bool: Uint8Array, int8: Int8Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float64: Float64Array };
const PAGE = 65536; // bytes
const MOST_PAGES = 65536;
const LINE = 64; // bytes, on which arrays begin
const RAISED = [-1, -3]; // what a function returns that failed

export class Native {
  // A module with a memory of its own; `stack` is the address from which on memory is free.
  static async of(code, stack) {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(stack / PAGE) + 1, maximum: MOST_PAGES });
    const env = { __linear_memory: memory, __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack) };
    for (const name of ["log", "exp", "pow", "sin", "cos"]) env[name] = Math[name];
    const { instance } = await WebAssembly.instantiate(code, { env });
    return new Native(memory, instance.exports, stack);
  }

  #memory;
  #functions;
  #free;
  #result;

  constructor(memory, functions, free) {
    this.#memory = memory;
    this.#functions = functions;
    this.#free = free;
    this.#result = this.array("int64", 4);
  }

  // An array of zeros. It is never given back; `shape` may be made shorter.
  array(kind, ...shape) {
    const length = shape.reduce((one, other) => one * other, 1);
    const at = Math.ceil(this.#free / LINE) * LINE;
    this.#free = at + length * KINDS[kind].BYTES_PER_ELEMENT;
    const missing = Math.ceil((this.#free - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.#memory.grow(missing);
    return { kind, at, shape };
  }

  // The items of an array, valid until the next array is made.
  items({ kind, at, shape }) {
    return new KINDS[kind](this.#memory.buffer, at, shape.reduce((one, other) => one * other, 1));
  }

  // An array with these items.
  copied(kind, items, ...shape) {
    const array = this.array(kind, ...(shape.length ? shape : [items.length]));
    this.items(array).set(items);
    return array;
  }

  // Calls a function; an array among the arguments goes as its address and shape, a list as its items.
  call(name, ...args) {
    const status = this.#functions[name](this.#result.at, ...args.flatMap(passed));
    if (RAISED.includes(status)) throw new Error(`The rules failed in ${name}.`);
  }

  // Calls a function that returns a whole number.
  number(name, ...args) {
    this.call(name, ...args);
    return Number(this.items(this.#result)[0]);
  }

  // Calls a function that returns some whole numbers.
  numbers(count, name, ...args) {
    this.call(name, ...args);
    return Array.from(this.items(this.#result).subarray(0, count), Number);
  }
}

function passed(arg) {
  if (Array.isArray(arg)) return arg.flatMap(passed);
  return typeof arg === "object" ? [arg.at, ...arg.shape] : [arg];
}
