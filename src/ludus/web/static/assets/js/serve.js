// The page of `ludus serve`: everything comes from the server.
import { replace } from "./dom.js";
import { start, trouble } from "./main.js";
import { ServerSource } from "./source.js";

new ServerSource()
  .enter()
  .then(start)
  .catch((error) => replace(document.getElementById("main"), trouble(error)));
