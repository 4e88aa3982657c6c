"""Agents as they are sent to where they play, and made ready there."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.agent import agent_for

_KEPT = 16  # agents that a process keeps ready between jobs


class Sent(NamedTuple):
    """An agent as it is sent to where it plays; files: those of its run, where they may not be found otherwise."""

    text: str
    digest: str
    files: tuple[tuple[str, bytes], ...] = ()


def sent(text: str, digest: str, on: str) -> Sent:
    """An agent sent to a place; to a cluster, a run with its files: settings, and what was learned."""
    run = catalog.run_meant(text) if on.startswith("ray") else None
    return Sent(text, digest, run.files() if run else ())


@lru_cache(_KEPT)
def ready(game: str, agent: Sent) -> Any:
    """An agent ready to play a game."""
    return agent_for(made(agent), catalog.make_game(game))


def made(agent: Sent) -> Any:
    """An agent where it has been sent to."""
    if not agent.files:
        return catalog.make_agent(agent.text)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in agent.files:
            (Path(folder) / name).write_bytes(content)
        return catalog.make_agent(folder)
