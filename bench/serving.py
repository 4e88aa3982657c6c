"""How long people wait for a server: its first page and first moves, and each move of many games at once.

Every game plays in turn with the server: a random legal action, the reply of a run of `q-table`, and both are saved.
Meanwhile others keep asking heavy questions: for the move of `perfect` in a game too large to enumerate.
"""

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

GAMES, HEAVY = 300, 40
SECONDS = 15.0
GAME, AGENT = "tic-tac-toe", "learned"
LARGE = "connect-four"
LONGEST_OPENING = 14  # plies before a heavy question
FIRST_MOVES = (
    (GAME, AGENT), (GAME, "perfect"), (LARGE, "mcts(sims=400)"), (LARGE, "minimax(depth=4)"), (LARGE, "perfect"),
    ("mancala", "perfect"), ("chung-toi", "perfect"),
)  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LUDUS_HOME"] = folder
        train(Path(folder))
        print("first move of a fresh server that has compiled nothing before, seconds (aim: 2):")
        for game, agent in FIRST_MOVES:
            print(f"{game:14}{agent:17}{first_move(game, agent):8.2f}", flush=True)
        for heavy in (0, HEAVY):
            with served() as server:
                print(f"\nserver ready after          {server.ready:8.2f} s")
                print(f"first page, in Chromium     {first_page(server.address):8.2f} s (aim: 1)")
                report(asyncio.run(crowd(server, heavy)), heavy)


def train(home: Path) -> None:
    from ludus.learning.runs import train

    train(GAME, "q-table", games=2000, grade="no", eval_against="none", out=home / "runs" / AGENT)


# ---- the server ----


class Server(NamedTuple):
    """A server: its address, its process, and the seconds until it answered."""

    address: str
    process: int
    ready: float

    @property
    def seconds(self) -> float:
        """The processor seconds that it has used, with its children."""
        found = 0.0
        for process in (self.process, *children(self.process)):
            times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            found += (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        return found


def children(process: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@contextmanager
def served(**environment: str) -> Iterator[Server]:
    """A server on a free port."""
    port, began = free_port(), time.perf_counter()
    command = [sys.executable, "-c", "from ludus.commands import main; main()", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | environment)
    try:
        address = f"http://127.0.0.1:{port}/"
        wait_for(address)
        yield Server(address, process.pid, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(address: str) -> None:
    for _ in range(1200):
        try:
            httpx.get(address)
            return
        except httpx.TransportError:
            time.sleep(0.05)
    raise SystemExit("the server does not answer")


def first_move(game: str, agent: str) -> float:
    """The seconds until a fresh server has answered its first question for a move."""
    with tempfile.TemporaryDirectory() as empty, served(NUMBA_CACHE_DIR=empty) as server:
        began = time.perf_counter()
        httpx.post(f"{server.address}api/move", json={"game": game, "agent": agent}, timeout=60).raise_for_status()
        return time.perf_counter() - began


def first_page(address: str) -> float:
    """The seconds that a new visitor waits until all games are shown."""
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options)
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".game")
        took = page.evaluate("performance.now()") / 1000
        browser.close()
    return float(took)


# ---- many games at once ----


class Connection:
    """A connection to the API that is kept, as browsers do; it costs far less than the answers it waits for."""

    def __init__(self, address: str) -> None:
        self.host = address.removeprefix("http://").rstrip("/")
        self.streams: Any = None

    async def ask(self, path: str, query: Any = None, *, method: str = "GET", body: Any = None) -> tuple[int, Any]:
        """The status of the answer, and the answer."""
        if self.streams is None:
            host, _, port = self.host.partition(":")
            self.streams = await asyncio.open_connection(host, int(port))
        reader, writer = self.streams
        content = b"" if body is None else json.dumps(body).encode()
        target = f"/api/{path}?{urlencode(query)}" if query else f"/api/{path}"
        head = f"{method} {target} HTTP/1.1\r\nhost: {self.host}\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        answered = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(answered.partition("content-length:")[2].split("\r\n")[0])
        return int(answered.split()[1]), json.loads(await reader.readexactly(length))

    async def need(self, path: str, query: Any = None, **more: Any) -> Any:
        """The answer, which is no refusal."""
        status, found = await self.ask(path, query, **more)
        if status >= 400:
            raise SystemExit(f"{path}: {status} {found}")
        return found


class Crowd(NamedTuple):
    """What some people and questions saw: seconds by kind of request, heavy answers by status, seconds of processor."""

    took: dict[str, list[float]]
    heavy: Counter[int]
    waited: list[float]
    cores: float


async def crowd(server: Server, heavy: int) -> Crowd:
    """Play games side by side for some seconds, beside heavy questions that never end."""
    ask = Connection(server.address)
    await ask.need("move", method="POST", body={"game": GAME, "agent": AGENT})
    for game in (GAME, LARGE):  # solved, or its search compiled
        while (await ask.need("hints", {"game": game}))["state"] == "working":
            await asyncio.sleep(0.2)
    seen = Crowd({"move": [], "reply": [], "save": [], "hint": []}, Counter(), [], 0.0)
    began, before = time.perf_counter(), server.seconds
    end = began + SECONDS
    games = [play_on(Connection(server.address), seen.took, end, random.Random(one)) for one in range(GAMES)]
    questions = [ask_on(Connection(server.address), seen, end, random.Random(one)) for one in range(heavy)]
    await asyncio.gather(*games, *questions)
    return seen._replace(cores=(server.seconds - before) / (time.perf_counter() - began))


async def play_on(ask: Connection, took: dict[str, list[float]], end: float, draw: random.Random) -> None:
    async def timed(kind: str, path: str, query: Any = None, **more: Any) -> Any:
        began = time.perf_counter()
        found = await ask.need(path, query, **more)
        took[kind].append(time.perf_counter() - began)
        return found

    seats = ["person", AGENT]
    await asyncio.sleep(draw.uniform(0, 1.5))
    while time.perf_counter() < end:
        saved = await ask.need("saved-games", method="POST", body={"game": GAME, "seats": seats})
        view, actions = await ask.need("position", {"game": GAME}), list[int]()
        while not view["over"] and time.perf_counter() < end:
            await asyncio.sleep(draw.uniform(0.5, 1.5))  # a quick person
            if view["player"] == 0:
                action = draw.choice(view["actions"])["action"]
                view = await timed("move", "position", {"game": GAME, "at": view["at"], "action": action})
                await timed("hint", "hints", {"game": GAME, "at": view["at"]})
            else:
                body = {"game": GAME, "at": view["at"], "agent": AGENT}
                reply = await timed("reply", "move", method="POST", body=body)
                action, view = reply["action"], reply["view"]
            actions.append(action)
            body = {"actions": actions, "seats": seats}
            await timed("save", f"saved-games/{saved['id']}", method="PUT", body=body)


async def ask_on(ask: Connection, seen: Crowd, end: float, draw: random.Random) -> None:
    """Ask for the move of `perfect` in one position after another; again in a while where the server is busy."""
    while time.perf_counter() < end:
        at, over = (await ask.need("position", {"game": LARGE}))["at"], False
        for _ in range(draw.randrange(LONGEST_OPENING)):
            view = await ask.need("position", {"game": LARGE, "at": at})
            action = draw.choice(view["actions"])["action"]
            view = await ask.need("position", {"game": LARGE, "at": at, "action": action})
            at, over = (view["at"], view["over"]) if not view["over"] else (at, over)
        began = time.perf_counter()
        status, _ = await ask.ask("move", method="POST", body={"game": LARGE, "at": at, "agent": "perfect"})
        seen.heavy[status] += 1
        seen.waited.append(time.perf_counter() - began)
        if status != 200:
            await asyncio.sleep(draw.uniform(0.5, 1.5))


def report(seen: Crowd, heavy: int) -> None:
    aims: Callable[[float], str] = lambda most: f" (aim: {most:.0f})" if heavy else ""  # noqa: E731
    beside = f" beside {heavy} heavy questions" if heavy else ""
    print(f"{GAMES} games at once for {SECONDS:.0f} s{beside}, milliseconds:")
    print(f"{'':12}{'number':>8}{'median':>10}{'p99':>10}{'most':>10}")
    for kind, seconds in seen.took.items():
        times = 1000 * np.array(seconds)
        worst = f"{np.percentile(times, 99):10.1f}{times.max():10.1f}"
        print(f"{kind:12}{len(times):8}{np.median(times):10.1f}{worst}{aims(300) if kind in ('move', 'reply') else ''}")
    print(f"the server used {seen.cores:.2f} cores, with its children")
    if not heavy:
        print(f"a request took {1000 * SECONDS * seen.cores / sum(map(len, seen.took.values())):.2f} ms of a processor")
    else:
        print(f"heavy answers by status: {dict(seen.heavy)}; half within {np.median(seen.waited):.1f} s")


if __name__ == "__main__":
    main()
