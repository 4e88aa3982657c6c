// The page as `ludus serve` shows it: everything is asked of the server.
import { start } from "./main.js";
import { ServerSource } from "./source.js";

start(new ServerSource());
