"""A study in a process of its own: a tournament, the benchmark or papers; it reports as JSON lines.

    python -m ludus.study.steering < orders > reports

The first order names the study and its settings, as `STUDIES` reads them. Another order, or the end of input, stops it.
What is done is kept where the commands keep it, so that the same order continues there.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any, TextIO

from ludus import catalog
from ludus.activity import Activity
from ludus.cluster import JobProgress
from ludus.compiled import compiling
from ludus.errors import LudusError, diagnosed, in_one_line
from ludus.files import home, made_folder
from ludus.machine import confine

_PATIENCE = 8.0  # seconds to stop
Message = dict[str, Any]
OnProgress = Callable[[str, JobProgress], None]


# Each study imports its own: the processes that it starts import this module, too.


def _tournament(order: Message, on_progress: OnProgress) -> None:
    from ludus.arena.league import League, default_path
    from ludus.arena.tournament import tournament

    with League(default_path()) as league:
        game = catalog.make_game(order["game"])
        tournament(game, order["agents"], order["games"], league=league, on_progress=on_progress)


def _benchmark(order: Message, on_progress: OnProgress) -> None:
    from ludus.study.benchmark import benchmark, document

    folder = made_folder(home() / "benchmarks" / order["scale"])
    held = benchmark(order["scale"], out=folder, on_progress=partial(on_progress, "benchmark"))
    document.write(held, folder)


def _papers(order: Message, on_progress: OnProgress) -> None:
    from ludus.report.page import write_reports
    from ludus.study.paper import paper, paper_names, papers
    from ludus.study.paper.running import Order, run_papers

    folder = made_folder(home() / "papers" / order["scale"])
    chosen = list(papers().values()) if order["paper"] == "all" else [paper(order["paper"])]
    wanted = Order(order["scale"], None, folder, changes=order["changes"])
    write_reports(run_papers(chosen, wanted, on_progress), folder, paper_names())


STUDIES = {"league": _tournament, "tournament": _tournament, "benchmark": _benchmark, "papers": _papers}


def main() -> None:
    """Does what the first order says, with limited memory and at low priority."""
    confine()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a game, or a process of the study, prints is no report

    def report(message: Message) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, as in what a shell starts aside
    order = json.loads(sys.stdin.readline() or "{}")
    Thread(target=_listen, args=[sys.stdin], daemon=True).start()
    report(_study(order, report))


def _listen(lines: TextIO) -> None:
    """Stops the study at the next order, or when nobody is there any more."""
    lines.readline()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_PATIENCE)
    os._exit(1)  # its own processes end with it


def _study(order: Message, report: Callable[[Message], None]) -> Message:
    """Does a study; returns the last report."""
    doing = Activity("")

    def on_kernel(kernel: Any, done: int, total: int) -> None:
        doing.on_kernel(kernel, done, total)
        report({"words": doing.words})

    def on_progress(step: str, now: JobProgress) -> None:
        left = None if now.left is None else round(now.left)
        report({"step": step, "jobs": now.jobs, "done": now.done, "latest": now.latest, "left": left, "words": ""})

    try:
        compiling.listeners.append(on_kernel)
        report({"state": "running"})
        STUDIES[order["kind"]](order, on_progress)
        return {"state": "finished", "words": ""}
    except KeyboardInterrupt:
        return {"state": "stopped", "words": ""}
    except LudusError as error:
        return {"state": "refused", "words": str(error)}
    except Exception as error:  # a game or an agent from elsewhere may raise anything
        return {"state": "refused", "words": in_one_line(diagnosed(error))}


if __name__ == "__main__":
    main()
