// Asking the server.

const EVERY = 400; // milliseconds between two questions about work in progress

export async function ask(path, { method = "GET", query = {}, body, signal } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const text = body === undefined ? undefined : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(`api/${path}${search}`, { method, headers, body: text, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is `ludus serve` still running?");
  }
  if (answer.status === 204) return null;
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(problem(told, answer.status)), { status: answer.status });
  return told;
}

function problem(told, status) {
  if (typeof told.detail === "string") return told.detail;
  if (Array.isArray(told.detail)) return told.detail.map((one) => one.msg).join("; ");
  return `The server answered ${status}.`;
}

// Ask again and again until the work is done; `told` hears of every answer.
export async function poll(path, options, told = () => {}) {
  for (;;) {
    const answer = await ask(path, options);
    told(answer);
    if (answer.state !== "working") return answer;
    await sleep(EVERY, options.signal);
  }
}

export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("left", "AbortError"));
    }, { once: true });
  });
}

// Listen to server-sent events until one of them is ready or refused; returns that.
export function listen(path, query, told, signal) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`api/${path}?${new URLSearchParams(query)}`);
    const end = (finish, value) => {
      events.close();
      finish(value);
    };
    signal?.addEventListener("abort", () => end(reject, new DOMException("left", "AbortError")), { once: true });
    events.onmessage = (event) => {
      const update = JSON.parse(event.data);
      told(update);
      if (update.state === "ready" || update.state === "refused") end(resolve, update);
    };
    events.onerror = () => end(reject, new Error("The server does not answer."));
  });
}

export const isLeft = (error) => error?.name === "AbortError";
