// All pages: their paths, their titles, the group of the menu that they stand in, and whether a source can show them.
export const GROUPS = ["Play", "Learn", "Train", "Research"];

export const PAGES = [
  { path: "/", title: "Games", group: "Play", needs: (source) => source.can.variants, load: () => import("./pages/home.js") },
  { path: "/friend", title: "Your game", group: "Play", needs: (source) => source.can.guest, load: () => import("./pages/friend.js") },
  { path: "/play", title: "Play", group: "Play", needs: (source) => !source.can.variants && !source.can.guest, load: () => import("./pages/play.js") },
  { path: "/friends", title: "Friends", group: "Play", needs: (source) => source.can.meet, load: () => import("./pages/friends.js") },
  { path: "/learn", title: "Rules", group: "Learn", load: () => import("./pages/learn.js") },
  { path: "/puzzles", title: "Puzzles", group: "Learn", needs: (source) => source.can.puzzles, load: () => import("./pages/puzzles.js") },
  { path: "/practice", title: "Practice", group: "Learn", needs: (source) => !source.can.guest, load: () => import("./pages/practice.js") },
  { path: "/train", title: "Train", group: "Train", needs: (source) => source.can.train, load: () => import("./pages/train.js") },
  { path: "/runs", title: "Runs", group: "Train", needs: (source) => source.can.train, load: () => import("./pages/runs.js") },
  { path: "/leagues", title: "Leagues", group: "Research", needs: (source) => source.can.train, load: () => import("./pages/leagues.js") },
  { path: "/benchmark", title: "Benchmark", group: "Research", needs: (source) => source.can.train, load: () => import("./pages/benchmark.js") },
  { path: "/papers", title: "Papers", group: "Research", needs: (source) => source.can.train, load: () => import("./pages/papers.js") },
  { path: "/play", title: "Play", hidden: true, under: "/", needs: (source) => source.can.variants, load: () => import("./pages/play.js") },
  { path: "/friend", title: "Play a friend", hidden: true, under: "/friends", needs: (source) => source.can.meet, load: () => import("./pages/friend.js") },
  { path: "/training", title: "Training", hidden: true, under: "/train", needs: (source) => source.can.train, load: () => import("./pages/training.js") },
];

export const link = (path, query = {}) => {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return `#${path}${search.size ? `?${search}` : ""}`;
};
