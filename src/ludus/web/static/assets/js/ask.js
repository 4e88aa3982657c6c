// Requests to the server.

const EVERY = 400; // milliseconds between two requests for work in progress
const PATIENCE = 500; // milliseconds until somebody wants to know what is being done
const TRIES = 6; // 31 seconds in all
const AGAIN = 3000; // milliseconds until a lost stream is opened again

export async function ask(path, { method = "GET", query = {}, body, signal } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const text = body === undefined ? undefined : JSON.stringify(body);
  let response;
  try {
    response = await fetch(`api/${path}${search}`, { method, headers, body: text, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is `ludus serve` still running?");
  }
  if (response.status === 204) return null;
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(problem(found, response.status)), { status: response.status });
  return found;
}

function problem(found, status) {
  if (typeof found.detail === "string") return found.detail;
  if (Array.isArray(found.detail)) return found.detail.map((one) => one.msg).join("; ");
  return `The server answered ${status}.`;
}

// Asks again until the work is done; `onUpdate` gets every response.
export async function poll(path, options, onUpdate = () => {}) {
  for (;;) {
    const found = await ask(path, options);
    onUpdate(found);
    if (found.state !== "working") return found;
    await sleep(EVERY, options.signal);
  }
}

// The answer to a request that may take long; meanwhile `onWords` gets what the server does.
export async function attended(request, onWords = () => {}) {
  let isOver = false;
  const watch = async () => {
    for (await sleep(PATIENCE); !isOver; await sleep(EVERY)) {
      const { words } = await ask("doing");
      if (!isOver && words) onWords(words);
    }
  };
  watch().catch(() => {}); // the request itself reports the problem
  try {
    return await request;
  } finally {
    isOver = true;
  }
}

// A request that is repeated, less and less often, while the server is busy; `onWords` gets what it says meanwhile.
export async function patient(request, onWords = () => {}, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (error.status !== 429 || tries === TRIES) throw error;
      onWords(error.message);
      await sleep(PATIENCE * 2 ** tries, signal);
    }
  }
}

export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    }, { once: true });
  });
}

// Follows server-sent events until one is ready or refused, and returns that one.
export function listen(path, query, onUpdate, signal) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`api/${path}?${new URLSearchParams(query)}`);
    const end = (finish, value) => {
      events.close();
      finish(value);
    };
    signal?.addEventListener("abort", () => end(reject, new DOMException("aborted", "AbortError")), { once: true });
    events.onmessage = (event) => {
      const update = JSON.parse(event.data);
      onUpdate(update);
      if (update.state === "ready" || update.state === "refused") end(resolve, update);
    };
    events.onerror = () => end(reject, new Error("The server does not answer."));
  });
}

// Follows a document that the server sends whenever it changes; onLost(whether) hears of the connection. A page that is
// not seen follows nothing, because browsers allow few connections to a server; it hears of all when it is seen again.
export function follow(path, onUpdate, { signal, onLost = () => {} }) {
  let events = null;
  const open = () => {
    if (events || document.hidden || signal.aborted) return;
    events = new EventSource(`api/${path}`);
    events.onmessage = ({ data }) => {
      onLost(false);
      onUpdate(JSON.parse(data));
    };
    events.onerror = ({ target }) => {
      onLost(true);
      if (target.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      close();
      setTimeout(open, AGAIN);
    };
  };
  const close = () => {
    events?.close();
    events = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()), { signal });
  signal.addEventListener("abort", close, { once: true });
  open();
}

export const isAborted = (error) => error?.name === "AbortError";
