// The graph of an exported game as it was packed: a head in JSON, and columns of numbers, byte by byte, behind it.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };
const LISTS = ["pieces", "pictures", "squares", "actions", "notes"];

export const graphOf = ({ head, rest }) => new Graph(head, columns(head.columns, rest));

function columns(listed, bytes) {
  const found = new Map();
  let at = 0;
  for (const [name, kind, length] of listed) {
    const numbers = new ARRAYS[kind](length);
    const { BYTES_PER_ELEMENT: width } = numbers;
    const own = new Uint8Array(numbers.buffer);
    for (let plane = 0; plane < width; plane += 1) {
      for (let row = 0; row < length; row += 1) own[row * width + plane] = bytes[at + plane * length + row];
    }
    at += width * length;
    found.set(name, numbers);
  }
  return found;
}

export class Graph {
  constructor(head, found) {
    this.head = head;
    this.columns = found;
    this.numbers = new Map(head.at.map((at, number) => [at, number]));
    this.starts = new Map(LISTS.map((name) => [name, sums(found.get(`${name}.count`))]));
  }

  // A number of a column.
  get(column, row) {
    return this.columns.get(column)[row];
  }

  // The numbers that a row has in a column of lists.
  list(column, row) {
    const starts = this.starts.get(column);
    return [...this.columns.get(column).subarray(starts[row], starts[row + 1])];
  }

  // The edges of a position: [{ edge, action, name, path, to }].
  edges(number) {
    const first = this.starts.get("actions")[number];
    return this.list("actions", number).map((action, place) => ({ ...this.head.actions[action], edge: first + place, to: this.get("targets", first + place) }));
  }

  player(number) {
    return this.get("player", number);
  }

  // A position as the page shows it.
  view(number) {
    const player = this.player(number);
    const result = this.get("result", number);
    return {
      at: this.head.at[number],
      player,
      mover: this.head.movers[Math.min(player, 2)],
      over: result > 0,
      result: result ? this.head.results[result - 1] : null,
      svg: this.list("pictures", number).flatMap((piece) => this.list("pieces", piece)).map((shape) => this.head.shapes[shape]).join(""),
      squares: Object.fromEntries(this.list("squares", number).map((square) => this.head.squares[square])),
      actions: this.list("actions", number).map((action) => this.head.actions[action]),
      notes: this.list("notes", number).map((note) => this.head.notes[note]),
    };
  }

  // The value of a position for a player; "before": of the action that leads to it.
  value(number, player, when = "here") {
    return this.head.values[this.get("value", number)][when][player === 1 ? 1 : 0];
  }
}

// Where the list of each row begins, and at last where all end.
function sums(counts) {
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, row) => (starts[row + 1] = starts[row] + count));
  return starts;
}
