// The page of an exported game: other scripts have left here its graph, or its rules and what searches by them.
import { opened } from "./archive.js";
import { replace } from "./dom.js";
import { graphOf } from "./graph.js";
import { GraphSource } from "./graph_source.js";
import { start, trouble } from "./main.js";
import { rulesSourceOf } from "./rules_source.js";

opened(globalThis.ludusGame)
  .then((found) => start(found.head.columns ? new GraphSource(graphOf(found)) : rulesSourceOf(found)))
  .catch((error) => replace(document.getElementById("main"), trouble(error)));
