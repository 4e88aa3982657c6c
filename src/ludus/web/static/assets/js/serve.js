// The page of `ludus serve`: everything comes from the server.
import { start } from "./main.js";
import { ServerSource } from "./source.js";

start(new ServerSource());
