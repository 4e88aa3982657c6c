// Trainings, runs, leagues, benchmarks and papers: what only a server offers.
import { ask } from "./ask.js";

export const trainingForm = (game) => ask("training-form", { query: { game } });
export const trainings = () => ask("trainings");
export const training = (run) => ask(`trainings/${run}`);
export const startTraining = (order) => ask("trainings", { method: "POST", body: order });
export const control = (run, order) => ask(`trainings/${run}`, { method: "POST", body: order });
export const resume = (run, games) => ask(`trainings/${run}/resume`, { method: "POST", body: { games } });

export const runs = () => ask("runs");
export const run = (name) => ask(`runs/${name}`);

export const leagues = () => ask("leagues");
export const ratings = (game) => ask("ratings", { query: { game } });
export const benchmarks = () => ask("benchmarks");
export const startStudy = (kind, order) => ask(`studies/${kind}`, { method: "POST", body: order });
export const cancelStudy = (kind) => ask(`studies/${kind}`, { method: "DELETE" });
export const paperNames = () => ask("paper-names");
export const papers = () => ask("papers");

const AGAIN = 3000; // milliseconds until a lost stream is opened again

export const isOver = ({ state }) => ["finished", "stopped", "refused"].includes(state);

// Follows a training until it is over, or the page is left. onLost(whether) hears of the connection, and onGone that the
// server does not train it any more, as after a restart.
export function follow(run, onUpdate, { signal, onLost, onGone }) {
  let events = null;
  const evaluations = [];
  const open = () => {
    if (signal.aborted) return;
    events = new EventSource(`api/trainings/${run}/stream`);
    events.onmessage = ({ data }) => {
      const update = JSON.parse(data);
      evaluations.length = update.begin;
      evaluations.push(...update.evaluations);
      onLost(false);
      onUpdate(update.status, evaluations, update.board);
      if (isOver(update.status)) events.close();
    };
    events.onerror = async ({ target }) => {
      onLost(true);
      if (target.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      if (await isGone(run)) onGone();
      else setTimeout(open, AGAIN);
    };
  };
  signal.addEventListener("abort", () => events?.close(), { once: true });
  open();
}

function isGone(run) {
  return training(run).then(() => false, ({ status }) => status === 404);
}
