// The page of an exported game: everything is in its graph, which another script has left here.
import { replace } from "./dom.js";
import { unpacked } from "./graph.js";
import { GraphSource } from "./graph_source.js";
import { start, trouble } from "./main.js";

unpacked(globalThis.ludusGame)
  .then((graph) => start(new GraphSource(graph)))
  .catch((error) => replace(document.getElementById("main"), trouble(error)));
