// The worker of an exported game: answers one question after another; a question may be cancelled.
import { Analysis } from "./analysis.js";

const EVERY = 100; // milliseconds between two updates of an answer

let analysis;
const waiting = [];
const cancelled = new Set();
let busy = false;

onmessage = ({ data }) => {
  if (data.ask === "cancel") {
    cancelled.add(data.id);
    return;
  }
  waiting.push(data);
  if (!busy) work();
};

async function work() {
  busy = true;
  while (waiting.length) await answer(waiting.shift());
  busy = false;
}

async function answer({ ask, id, ...question }) {
  try {
    const breathe = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      if (cancelled.has(id)) throw new Error("cancelled");
    };
    postMessage({ id, done: true, answer: await answered(ask, question, breathe, updates(id)) });
  } catch (error) {
    postMessage({ id, done: true, problem: error.message });
  } finally {
    cancelled.delete(id);
  }
}

async function answered(ask, question, breathe, onUpdate) {
  if (ask === "load") {
    analysis = await Analysis.of(question.engine, breathe, question.memory);
    return null;
  }
  if (!analysis) throw new Error("The game could not be loaded.");
  if (ask === "values") return analysis.values(question, breathe);
  const { position, ...limits } = question;
  return analysis[ask](position, limits, breathe, onUpdate);
}

// Sends what is found so far, a few times a second.
function updates(id) {
  let last = -Infinity;
  return (answer) => {
    if (performance.now() - last < EVERY) return;
    last = performance.now();
    postMessage({ id, done: false, answer });
  };
}
