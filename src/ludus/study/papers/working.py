"""Workings: functions that yield tasks, are given their results, and return what they make of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeVar

from ludus.study.papers.task import Task

T = TypeVar("T")

# Yields tasks any number of times, and is sent their results in the same order.
Working = Generator[Sequence[Task], list[Any], T]


def together(workings: Sequence[Working[Any]]) -> Working[list[Any]]:
    """Several workings as one, which asks at once for all that they ask for, and returns what each returns."""
    returned: dict[int, Any] = {}
    asks: dict[int, Sequence[Task]] = {}

    def advance(number: int, results: list[Any] | None) -> None:
        try:
            asks[number] = workings[number].send(results)  # type: ignore[arg-type]
        except StopIteration as stop:
            asks.pop(number, None)
            returned[number] = stop.value

    for number in range(len(workings)):
        advance(number, None)
    while asks:
        waiting = list(asks.items())
        results = iter((yield [task for _, tasks in waiting for task in tasks]))
        for number, tasks in waiting:
            advance(number, [next(results) for _ in tasks])
    return [returned[number] for number in range(len(workings))]


def noted(working: Working[T], used: dict[str, Task]) -> Working[T]:
    """The same working, with a note of each task that it uses, by its key."""
    results: list[Any] | None = None
    while True:
        try:
            tasks = working.send(results)  # type: ignore[arg-type]
        except StopIteration as stop:
            returned: T = stop.value
            return returned
        used |= {task.key: task for task in with_needs(tasks)}
        results = yield tasks


def with_needs(tasks: Iterable[Task]) -> list[Task]:
    """Tasks and all that they need, each once, in an order in which they can be done."""
    found: dict[str, Task] = {}

    def add(task: Task) -> None:
        for need in task.needs:
            add(need)
        found.setdefault(task.key, task)

    for task in tasks:
        add(task)
    return list(found.values())
