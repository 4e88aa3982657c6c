// The positions that a person practises: each comes back after 1, 3, 7 and 21 days, as long as it is answered well.
// The browser keeps them, and so does the server for its owner.
const KEY = "ludus-practice";
const DAY = 86_400; // seconds
const AFTER = [1, 3, 7, 21]; // days at each level
const MOST = 500; // positions; the oldest are forgotten
const AT_ONCE = 20; // in a request, whose size is limited
const LONGEST = 400; // letters of a game or a position
const LATEST = 2 ** 40; // seconds since 1970

const LEARNED = AFTER.length;
const NEW = -1; // the level of what was never seen

export class Practice {
  constructor(source) {
    this.source = source;
    this.items = stored();
  }

  // The positions that the server keeps, too; a browser that was elsewhere adds its own.
  async load() {
    if (!this.source.can.practise) return this;
    const own = this.items;
    for (let from = 0; from === 0 || from < own.length; from += AT_ONCE) this.items = await this.source.practice(own.slice(from, from + AT_ONCE));
    this.#store();
    return this;
  }

  // Adds positions that are not there yet: { game, at, kind, played, words }; one that was learned begins anew. A mistake
  // comes back tomorrow, a position of a crib sheet is new and comes at once.
  async add(found) {
    const known = new Map(this.items.map((item) => [keyOf(item), item]));
    const added = found.filter((item) => (known.get(keyOf(item))?.level ?? LEARNED) === LEARNED).map((item) => ({ ...item, ...(item.kind === "mistake" ? { level: 0, due: now() + AFTER[0] * DAY } : { level: NEW, due: now() }), changed: now() }));
    await this.#change(added);
    return added.length;
  }

  // Notes whether a position was answered well.
  answer(item, isRight) {
    const level = isRight ? item.level + 1 : 0;
    return this.#change([{ ...item, level, due: now() + (AFTER[level] ?? 0) * DAY, changed: now() }]);
  }

  forget(item) {
    return this.#change([{ ...item, level: LEARNED, changed: now() }]);
  }

  // Those in practice, and of them those whose day has come, the longest waiting first.
  get open() {
    return this.items.filter(({ level }) => level < LEARNED).sort((one, other) => one.due - other.due);
  }

  get due() {
    return this.open.filter(({ due }) => due <= now());
  }

  async #change(items) {
    if (!items.length) return;
    this.items = merged(this.items, items);
    this.#store();
    if (this.source.can.practise) await this.source.practice(items);
  }

  #store() {
    try {
      localStorage.setItem(KEY, JSON.stringify(this.items));
    } catch {
      // they last as long as the page, or on the server
    }
  }
}

const keyOf = ({ game, at }) => `${game} ${at}`;
const now = () => Math.floor(Date.now() / 1000);

// Of two items for one position the one that was changed last.
function merged(...lists) {
  const found = new Map();
  for (const item of lists.flat()) if (!(found.get(keyOf(item))?.changed > item.changed)) found.set(keyOf(item), item);
  return [...found.values()].sort((one, other) => other.changed - one.changed).slice(0, MOST);
}

// What the browser keeps, without what nobody could have put there.
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]").flatMap((item) => sound(item ?? {}));
  } catch {
    return [];
  }
}

function sound({ game, at, kind, played = "", words = "", level, due, changed }) {
  const areTexts = [game, at, played, words].every((text) => typeof text === "string" && text.length <= LONGEST && text.isWellFormed());
  const areTimes = [due, changed].every((time) => Number.isSafeInteger(time) && time >= 0 && time < LATEST);
  const isSound = areTexts && areTimes && ["mistake", "crib"].includes(kind) && Number.isInteger(level) && level >= 0 && level <= LEARNED;
  return isSound ? [{ game, at, kind, played, words, level, due, changed }] : [];
}
