"""Jobs for the tests of clusters: top-level functions, which workers import."""

import os
import signal
import time
from pathlib import Path

from ludus.errors import LudusError


def square(number):
    return number * number


def process(number):
    return os.getpid()


def refuse(number):
    raise LudusError(f"{number} is not wanted")


def divide(number):
    return 1 // number


def unlike(number):
    return lambda: number  # does not travel


def die_once(folder, number):
    """End the whole process the first time."""
    mark = Path(folder) / f"died-{number}"
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(number):
    os.kill(os.getpid(), signal.SIGKILL)


def sleep_marked(folder, seconds):
    """Write a file named by the process id, sleep, and record an interruption in it."""
    mark = Path(folder) / f"{os.getpid()}"
    mark.touch()
    try:
        time.sleep(seconds)
    except KeyboardInterrupt:
        mark.write_text("saved")
        raise


def noted(number, folder, folders):
    """A task of a paper that takes some time, and keeps a file."""
    time.sleep(0.5)
    (folder / "number").write_text(str(number))
    return number * number


def summed(folders):
    """A task that reads what others have kept."""
    return sum(int((folder / "number").read_text()) for folder in folders)


def threads(number):
    from ludus.networks import runtime

    return runtime.threads()


def network(seed):
    """Bytes that depend on how many threads compute them."""
    import numpy as np

    from ludus.networks.runtime import jax

    numbers = np.random.default_rng(seed).normal(size=(700, 700)).astype(np.float32)
    return np.asarray(jax().numpy.dot(numbers, numbers)).tobytes()


def slow_square(folder, number):
    """Record the node it starts on, and take some time, the first job less."""
    import ray

    (Path(folder) / f"{number}-{ray.get_runtime_context().get_node_id()}").touch()
    time.sleep(2 if number else 0.5)
    return number * number
