// Trainings, runs, leagues, benchmarks and papers: what only a server can tell.
import { ask } from "./ask.js";

export const trainingForm = (game) => ask("training-form", { query: { game } });
export const trainings = () => ask("trainings");
export const training = (run) => ask(`trainings/${run}`);
export const begin = (order) => ask("trainings", { method: "POST", body: order });
export const steer = (run, order) => ask(`trainings/${run}`, { method: "POST", body: order });
export const resume = (run, games) => ask(`trainings/${run}/resume`, { method: "POST", body: { games } });

export const runs = () => ask("runs");
export const run = (name) => ask(`runs/${name}`);

export const leagues = () => ask("leagues");
export const ratings = (game) => ask("ratings", { query: { game } });
export const benchmarks = () => ask("benchmarks");
export const papers = () => ask("papers");

export const isOver = ({ state }) => ["finished", "stopped", "refused"].includes(state);

// Hears how a training goes until it is over, or the page is left; a lost line is taken up again.
export function follow(run, told, signal) {
  const events = new EventSource(`api/trainings/${run}/stream`);
  const measures = [];
  events.onmessage = (event) => {
    const update = JSON.parse(event.data);
    measures.length = update.begin;
    measures.push(...update.measures);
    told(update.status, measures);
    if (isOver(update.status)) events.close();
  };
  signal.addEventListener("abort", () => events.close(), { once: true });
}
