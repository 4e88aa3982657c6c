"""What is being done now, in words for whoever waits: the stage of the work, or the kernel that is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Event, Thread
from typing import Any

from ludus.compiled import compiling

PATIENCE = 0.5  # seconds that pass without a word


def in_words(stage: str, done: int = 0, total: int | None = None) -> str:
    """A stage of some work, and how far it is."""
    count = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
    return f"{stage}: {count}" if count else stage


class Activity:
    """The stage that some work has reached, and the kernel that it compiles meanwhile."""

    def __init__(self, stage: str) -> None:
        self.stage, self.compiling = stage, ""

    @property
    def words(self) -> str:
        """What is being done."""
        return self.compiling or self.stage

    def on_stage(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """Note a stage of the work."""
        self.stage = in_words(stage, done, total)

    def on_kernel(self, kernel: Any, done: int, total: int) -> None:
        """Note how much of a kernel is compiled: a listener of `ludus.compiled.compiling`."""
        name = f"{kernel.plain.__module__.rpartition('.')[2]}.{kernel.__name__}"
        self.compiling = f"compiling {name}, this once: {done} of {total} functions" if done < total else ""


@contextmanager
def following(activity: Activity) -> Iterator[None]:
    """Let an activity note the kernels that any thread of this process compiles, and what blocks of `doing` do."""
    compiling.listeners.append(activity.on_kernel)
    _followers.append(activity)
    try:
        yield
    finally:
        compiling.listeners.remove(activity.on_kernel)
        _followers.remove(activity)


@contextmanager
def doing(words: str) -> Iterator[Callable[..., None]]:
    """Let whoever follows know what this block does; it may name stages, as `Activity.on_stage` does."""
    before = [(activity, activity.stage) for activity in _followers]

    def on_stage(stage: str, done: int = 0, total: int | None = None) -> None:
        for activity, _ in before:
            activity.on_stage(stage, done, total)

    on_stage(words)
    try:
        yield on_stage
    finally:
        for activity, stage in before:
            activity.stage = stage


_followers: list[Activity] = []


@contextmanager
def ticking(tick: Callable[[], None], every: float, after: float) -> Iterator[None]:
    """Call `tick` again and again from a thread of its own, first after some seconds."""
    over = Event()

    def run() -> None:
        pause = after
        while not over.wait(pause):
            tick()
            pause = every

    thread = Thread(target=copy_context().run, args=[run], daemon=True, name="activity")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
