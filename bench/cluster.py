"""The overhead of a job, in processes and on Ray, and how long a job must be for a second core to pay off."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.console import Console

from ludus.cluster import Job, run_jobs

PLACES = "local=2", "ray"
EMPTY = 2000  # jobs that do nothing
MILLISECONDS = 1, 3, 10, 30, 100
SECONDS = 4.0  # of work at each length of job
ENOUGH = 1.8  # times as fast with two cores


class Line(NamedTuple):
    """One backend: seconds to start, milliseconds per job, and the speed-up over one core by the length of a job."""

    place: str
    start: float
    overhead: float
    speed: dict[int, float]


def spin(milliseconds: float) -> None:
    """Keeps a core busy for this processor time."""
    end = time.process_time() + milliseconds / 1000
    while time.process_time() < end:
        pass


def took(place: str, milliseconds: float, jobs: int) -> float:
    """The seconds from the end of the first job to the end of the last."""
    ended: list[float] = []
    work = [Job(str(number), spin, (milliseconds,)) for number in range(jobs)]
    run_jobs(work, place, done=lambda number, result: ended.append(time.perf_counter()))
    return ended[-1] - ended[0]


def measure(place: str) -> Line:
    """Measures empty jobs, then busy ones of several lengths."""
    began = time.perf_counter()
    run_jobs([Job("first", spin, (0.0,))] * 2, place, done=lambda number, result: None)
    start = time.perf_counter() - began
    overhead = took(place, 0.0, EMPTY) / EMPTY * 1000
    speed = {}
    for length in MILLISECONDS:
        jobs = int(SECONDS * 1000 / length)
        speed[length] = jobs * length / 1000 / took(place, length, jobs)
    return Line(place, start, overhead, speed)


@contextmanager
def two_cores_of_ray() -> Any:
    """Ray, started once with two cores."""
    import ray

    ray.init(num_cpus=2, log_to_driver=False, logging_level="error", include_dashboard=False)
    try:
        yield
    finally:
        ray.shutdown()


def print_table(lines: list[Line], show: Callable[[str], None]) -> None:
    """The results as text."""
    for line in lines:
        speeds = ", ".join(f"{speed:.2f}x at {length} ms" for length, speed in line.speed.items())
        show(f"{line.place}: {line.overhead:.2f} ms a job, {line.start:.1f} s to begin; two cores: {speeds}")
        enough = [length for length, speed in line.speed.items() if speed >= ENOUGH]
        show(f"  {ENOUGH}x from {enough[0]} ms a job on" if enough else f"  never {ENOUGH}x: are two cores free?")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    lines = [measure(PLACES[0])]
    with two_cores_of_ray():
        lines.append(measure(PLACES[1]))
    if arguments.json:
        print(json.dumps([line._asdict() for line in lines], indent=2))
    else:
        print_table(lines, Console().print)


if __name__ == "__main__":
    main()
