"""Runs that were sent along with a job: found there under the names that they have where it comes from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.agent import agent_for
from ludus.agents.guided import Guided
from ludus.errors import LudusError
from ludus.files import made_folder

Files = tuple[tuple[str, bytes], ...]  # names and contents

Runs = tuple[tuple[str, Files], ...]  # as they are named, with what they need to be agents


_folders: dict[str, Path] = {}


def sent_to(name: str) -> Path | None:
    """The folder of a run that was sent along, None if none of this name was."""
    return _folders.get(name)


@contextmanager
def at_hand(runs: Runs) -> Iterator[None]:
    """Let runs be found by their names while this lasts, wherever it is."""
    before = dict(_folders)
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder:
        for number, (name, files) in enumerate(runs):
            path = made_folder(Path(folder) / str(number) / Path(name).name)
            for file, content in files:
                (path / file).write_bytes(content)
            _folders[name] = path
        try:
            yield
        finally:
            _folders.clear()
            _folders.update(before)


_KEPT = 16  # agents that a process keeps ready between jobs


class Sent(NamedTuple):
    """An agent as it is sent to where it plays; runs: those that it plays by, where they may not be found otherwise."""

    text: str
    digest: str
    runs: Runs = ()


def sent(text: str, digest: str, on: str) -> Sent:
    """An agent sent to a place; to a cluster, with the runs that it plays by."""
    return Sent(text, digest, packed(runs_named(text)) if on.startswith("ray") else ())


def written(agent: Any) -> str:
    """How an agent is written, wherever one stands: a run or a file by its path."""
    run: Any = getattr(agent, "run", None)
    return str(run.path.resolve()) if hasattr(run, "path") else catalog.lasting_name(agent)


def is_made_of_words(agent: Any) -> bool:
    """Whether the agent is what its name stands for, in any process."""
    if hasattr(getattr(agent, "run", None), "path"):
        return True
    try:
        return isinstance(agent, tuple) and bool(catalog.make_agent(written(agent)) == agent)
    except LudusError:
        return False


def runs_named(text: str) -> list[str]:
    """The run that an agent, as it is written, plays by: itself, or the one that guides it."""
    if catalog.run_meant(text):
        return [text.strip()]
    agent = catalog.make_agent(text)
    return runs_named(agent.run) if isinstance(agent, Guided) else []


def packed(names: Iterable[str]) -> Runs:
    """Runs by their names, each once: settings, and what was learned."""
    return tuple((name, catalog.run_meant(name).files()) for name in dict.fromkeys(names))


@lru_cache(_KEPT)
def ready(game: str, agent: Sent) -> Any:
    """An agent ready to play a game."""
    with at_hand(agent.runs):
        return agent_for(catalog.make_agent(agent.text), catalog.make_game(game))
