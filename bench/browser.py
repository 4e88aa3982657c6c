"""How fast an exported page searches: the same searches in Chromium, by WebAssembly, and here, by machine code."""

import base64
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from ludus import catalog
from ludus.solving.alpha_beta import Searcher
from ludus.web.export.engine import engine_of
from ludus.web.export.page import bundled

MEMORY = 1 << 26  # bytes of the transposition table
OPENINGS = (("connect-four", (3, 3, 3, 3, 3, 2)), ("mancala(holes=6, stones=3)", (2, 5)))
SEARCH = """async ({ head, wasm, played }) => {
  const { Native } = globalThis["native.js"];
  const { Rules } = globalThis["rules.js"];
  const { Searcher } = globalThis["searcher.js"];
  const native = await Native.of(Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0)), head.stack);
  const rules = new Rules(native, head);
  const pos = played.reduce((at, action) => rules.play(at, action), rules.start);
  const searcher = new Searcher(native, rules, head, { memory: 2 ** 26 });
  const began = performance.now();
  const value = await searcher.searchValue(pos);
  return [value, searcher.nodes, (performance.now() - began) / 1000];
}"""


def main() -> None:
    print(f"{'game':30}{'nodes':>14}{'Chromium':>12}{'here':>12}   M nodes/s")
    for text, played in OPENINGS:
        game = catalog.make_game(text)
        here, there = by_machine_code(game, played), by_webassembly(game, played)
        assert here[0] == there[0], (here, there)
        rates = [nodes / seconds / 1e6 for _, nodes, seconds in (there, here)]
        print(f"{text:30}{here[1]:14,}{rates[0]:12.2f}{rates[1]:12.2f}", flush=True)


def by_machine_code(game: Any, played: tuple[int, ...]) -> tuple[int, int, float]:
    """The search value of a position, the nodes and the seconds; compiled before."""
    pos = game.start()
    for action in played:
        pos = game.play(pos, action)
    warm_up = Searcher(game, memory=1 << 20).narrowing(pos)
    _, _ = next(warm_up), next(warm_up)
    searcher = Searcher(game, memory=MEMORY)
    began = time.perf_counter()
    value = searcher.search_value(pos)
    return value, searcher.nodes, time.perf_counter() - began


def by_webassembly(game: Any, played: tuple[int, ...]) -> tuple[int, int, float]:
    """The same in Chromium."""
    engine = engine_of(game, lambda stage, done, total: None)
    wasm = base64.b64encode(engine.parts["wasm"]).decode()
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = chromium.new_page()
        file = Path(folder) / "page.html"
        file.write_text("<p>Search")
        page.goto(file.as_uri())
        page.set_default_timeout(0)
        for module in ("native.js", "rules.js", "searcher.js"):
            page.evaluate(bundled(module).replace(f'use("{module}");', f'globalThis["{module}"] = use("{module}");'))
        found = page.evaluate(SEARCH, {"head": engine.head, "wasm": wasm, "played": list(played)})
        chromium.close()
    return int(found[0]), int(found[1]), float(found[2])


if __name__ == "__main__":
    main()
