// All pages: their paths, their titles in the header, and whether a source can show them.
export const PAGES = [
  { path: "/", title: "Games", needs: (source) => source.can.variants, load: () => import("./pages/home.js") },
  { path: "/play", title: "Play", needs: (source) => !source.can.variants, load: () => import("./pages/play.js") },
  { path: "/learn", title: "Learn", load: () => import("./pages/learn.js") },
  { path: "/play", title: "Play", hidden: true, load: () => import("./pages/play.js") },
  { path: "/puzzles", title: "Puzzles", needs: (source) => source.can.puzzles, load: () => import("./pages/puzzles.js") },
  { path: "/train", title: "Train", needs: (source) => source.can.train, load: () => import("./pages/train.js") },
  { path: "/training", title: "Training", hidden: true, under: "/train", needs: (source) => source.can.train, load: () => import("./pages/training.js") },
  { path: "/runs", title: "Runs", needs: (source) => source.can.train, load: () => import("./pages/runs.js") },
  { path: "/leagues", title: "Leagues", needs: (source) => source.can.train, load: () => import("./pages/leagues.js") },
  { path: "/benchmark", title: "Benchmark", needs: (source) => source.can.train, load: () => import("./pages/benchmark.js") },
  { path: "/papers", title: "Papers", needs: (source) => source.can.train, load: () => import("./pages/papers.js") },
];

export const link = (path, query = {}) => {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return `#${path}${search.size ? `?${search}` : ""}`;
};
