"""How long the first page of a server takes, and a move's answer with a hundred games at once.

Every game plays in turn with the server: a random legal action, the reply of a run of `q-table`, and both are saved.
"""

import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

GAMES = 100
GAME, AGENT = "tic-tac-toe", "learned"
SECONDS = 10.0


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUDUS_HOME"] = home
        train(Path(home))
        port = free_port()
        command = [sys.executable, "-c", "from ludus.commands import main; main()", "serve", "--port", str(port)]
        began = time.perf_counter()
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            address = f"http://127.0.0.1:{port}/"
            wait_for(address)
            print(f"server ready after          {time.perf_counter() - began:8.2f} s")
            print(f"first page, in Chromium     {first_page(address):8.2f} s (aim: 1)")
            report(asyncio.run(play_all(address)))
        finally:
            server.terminate()
            server.wait()


def train(home: Path) -> None:
    from ludus.learning.runs import train

    train(GAME, "q-table", games=2000, grade="no", eval_against="none", out=home / "runs" / AGENT)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(address: str) -> None:
    for _ in range(600):
        try:
            httpx.get(address)
            return
        except httpx.TransportError:
            time.sleep(0.05)
    raise SystemExit("the server does not answer")


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


async def play_all(address: str) -> dict[str, list[float]]:
    """Play games side by side for some seconds; returns the seconds that each kind of request took."""
    took: dict[str, list[float]] = {"move": [], "reply": [], "save": [], "hint": []}
    limits = httpx.Limits(max_connections=GAMES, max_keepalive_connections=GAMES)
    async with httpx.AsyncClient(base_url=f"{address}api/", limits=limits, timeout=60) as ask:
        await ask.post("move", json={"game": GAME, "agent": AGENT})
        while (await ask.get("hints", params={"game": GAME})).json()["state"] == "working":
            await asyncio.sleep(0.2)
        end = time.perf_counter() + SECONDS
        await asyncio.gather(*(play_on(ask, took, end, random.Random(number)) for number in range(GAMES)))
    return took


async def play_on(ask: httpx.AsyncClient, took: dict[str, list[float]], end: float, draw: random.Random) -> None:
    seats = ["person", AGENT]
    while time.perf_counter() < end:
        saved = (await ask.post("saved-games", json={"game": GAME, "seats": seats})).json()
        view, actions = (await ask.get("position", params={"game": GAME})).json(), []
        while not view["over"]:
            await asyncio.sleep(draw.uniform(0.5, 1.5))  # a quick person
            if view["player"] == 0:
                action = draw.choice(view["actions"])["action"]
                query = {"game": GAME, "at": view["at"], "action": action}
                view = (await timed(took["move"], ask.get("position", params=query))).json()
                await timed(took["hint"], ask.get("hints", params={"game": GAME, "at": view["at"]}))
            else:
                body = {"game": GAME, "at": view["at"], "agent": AGENT}
                reply = (await timed(took["reply"], ask.post("move", json=body))).json()
                action, view = reply["action"], reply["view"]
            actions.append(action)
            await timed(took["save"], ask.put(f"saved-games/{saved['id']}", json={"actions": actions, "seats": seats}))


async def timed(took: list[float], question):
    began = time.perf_counter()
    answer = await question
    took.append(time.perf_counter() - began)
    answer.raise_for_status()
    return answer


def report(took: dict[str, list[float]]) -> None:
    print(f"{GAMES} games at once for {SECONDS:.0f} s, milliseconds (aims: hint 100, answer 150):")
    print(f"{'':12}{'number':>8}{'median':>10}{'p99':>10}{'most':>10}")
    for kind, seconds in took.items():
        times = 1000 * np.array(seconds)
        print(f"{kind:12}{len(times):8}{np.median(times):10.1f}{np.percentile(times, 99):10.1f}{times.max():10.1f}")


if __name__ == "__main__":
    main()
