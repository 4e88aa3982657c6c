// The page's side of the worker that solves or searches an exported game.

export class Searching {
  #worker;
  #asked = new Map();
  #count = 0;
  #loaded;

  // `source` is the text of the worker's script.
  constructor(engine, source, memory) {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.#worker = new Worker(address);
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#fail(new Error(message || "The search of this page does not start."));
    this.#loaded = this.#ask("load", { engine, memory });
    this.#loaded.then(() => URL.revokeObjectURL(address), () => {});
  }

  hints(position, { signal, ...limits } = {}, onUpdate = () => {}) {
    return this.#question("hints", { position, ...limits }, signal, onUpdate);
  }

  values(positions, { signal, ...limits } = {}) {
    return this.#question("values", { positions, ...limits }, signal);
  }

  best(position, { signal, ...limits } = {}) {
    return this.#question("best", { position, ...limits }, signal);
  }

  policy(position, { signal, ...limits } = {}) {
    return this.#question("policy", { position, ...limits }, signal);
  }

  line(position, { signal, ...limits } = {}) {
    return this.#question("line", { position, ...limits }, signal);
  }

  close() {
    this.#worker.terminate();
    this.#fail(new Error("The search was closed."));
  }

  async #question(ask, question, signal, onUpdate) {
    signal?.throwIfAborted();
    await this.#loaded;
    return this.#ask(ask, question, signal, onUpdate);
  }

  #ask(ask, question, signal, onUpdate) {
    signal?.throwIfAborted();
    const id = (this.#count += 1);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#asked.delete(id);
        this.#worker.postMessage({ ask: "cancel", id });
        reject(signal.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#asked.set(id, { resolve, reject, onUpdate, settled: () => signal?.removeEventListener("abort", abort) });
      this.#worker.postMessage({ ask, id, ...question });
    });
  }

  #receive({ id, done, answer, problem }) {
    const asked = this.#asked.get(id);
    if (!asked) return;
    if (!done) {
      asked.onUpdate?.(answer);
      return;
    }
    this.#asked.delete(id);
    asked.settled();
    if (problem === undefined) {
      asked.onUpdate?.(answer);
      asked.resolve(answer);
    } else asked.reject(new Error(problem));
  }

  #fail(error) {
    for (const { reject, settled } of this.#asked.values()) {
      settled();
      reject(error);
    }
    this.#asked.clear();
  }
}
