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
export const papers = () => ask("papers");

export const isOver = ({ state }) => ["finished", "stopped", "refused"].includes(state);

// Follows a training until it is over, or the page is left; the browser reconnects a lost stream.
export function follow(run, onUpdate, signal) {
  const events = new EventSource(`api/trainings/${run}/stream`);
  const evaluations = [];
  events.onmessage = (event) => {
    const update = JSON.parse(event.data);
    evaluations.length = update.begin;
    evaluations.push(...update.evaluations);
    onUpdate(update.status, evaluations, update.board);
    if (isOver(update.status)) events.close();
  };
  signal.addEventListener("abort", () => events.close(), { once: true });
}
