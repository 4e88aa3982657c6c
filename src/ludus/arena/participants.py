"""Agents that take part: how they are written, their digests, and how they are sent to where they play."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import ludus
from ludus import catalog
from ludus.agents.agent import agent_for
from ludus.agents.gumbel_search import Guided
from ludus.agents.program import Program
from ludus.compiled import digests
from ludus.errors import LudusError
from ludus.files import made_folder


class Contestant(NamedTuple):
    """An agent in a tournament: the text that names it, its display name, and the digest of its content."""

    text: str
    name: str
    digest: str


def contestants(game: Any, texts: Sequence[str], *, repeated: bool = False) -> tuple[list[Contestant], list[Any]]:
    """The agents by name, and each ready for the game; LudusError if one cannot play it or is named twice."""
    if not texts:
        raise LudusError("name agents to play, for example: random smart-random perfect")
    found, ready = zip(*(_contestant(game, text.strip()) for text in texts), strict=True)
    known: dict[str, str] = {}
    for one in () if repeated else found:
        if one.digest in known:
            raise LudusError(f"{known[one.digest]} and {one.text} are the same agent: name each once")
        known[one.digest] = one.text
    names = [one.name for one in found]
    return [one._replace(name=one.text) if names.count(one.name) > 1 else one for one in found], list(ready)


def _contestant(game: Any, text: str) -> tuple[Contestant, Any]:
    agent = catalog.make_agent(text)
    name = catalog.name_of(agent)
    if name == "human":
        raise LudusError("people do not play tournaments: name agents that play by themselves")
    if isinstance(agent, Program) and shutil.which(agent.words[0]) is None:
        raise LudusError(f"{text} cannot be started: there is no program {agent.words[0]}")
    ready = agent_for(agent, game)
    return Contestant(text, name, identity(agent)), ready


def identity(agent: Any) -> str:
    """A digest of 32 hex digits: of a run's parameters, a program's or file's text, or name, settings and version."""
    run = getattr(agent, "run", None)
    if run is not None and hasattr(run, "digest"):
        return str(run.digest())
    whole = hashlib.blake2b(catalog.name_of(agent).encode(), digest_size=16)
    for content in _contents(agent):
        whole.update(content)
    return whole.hexdigest()


def _contents(agent: Any) -> list[bytes]:
    """What the policy of an agent depends on besides its name."""
    if isinstance(agent, Program):
        program, *arguments = agent.words
        named = [Path(shutil.which(program) or program), *map(Path, arguments)]
        return [path.read_bytes() for path in named if path.is_file()]
    if isinstance(agent, Guided):
        run = catalog.run_meant(agent.run)
        return [ludus.__version__.encode(), run.digest().encode() if run else b""]
    module = type(agent).__module__
    if module.partition(".")[0] == "ludus":
        return [ludus.__version__.encode()]
    return digests.contents(module)


Files = tuple[tuple[str, bytes], ...]  # names and contents
Runs = tuple[tuple[str, Files], ...]  # as they are named, with what they need to be agents
_folders: dict[str, Path] = {}


def sent_to(name: str) -> Path | None:
    """The folder of a run that was sent with a job; None if there is none of this name."""
    return _folders.get(name)


@contextmanager
def at_hand(runs: Runs) -> Iterator[None]:
    """Make sent runs available by their names within this context."""
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


class Sent(NamedTuple):
    """An agent as it is sent: its name, its digest, and the runs it needs where they are not on disk."""

    text: str
    digest: str
    runs: Runs = ()


def sent(text: str, digest: str, on: str) -> Sent:
    """An agent as it is sent to a place; to a cluster with its runs."""
    return Sent(text, digest, packed(runs_named(text)) if on.startswith("ray") else ())


def written(agent: Any) -> str:
    """The name of an agent that is valid in any folder: runs and files by absolute path."""
    run: Any = getattr(agent, "run", None)
    return str(run.path.resolve()) if hasattr(run, "path") else catalog.lasting_name(agent)


def is_made_of_words(agent: Any) -> bool:
    """Whether any process can make the agent from its name."""
    if hasattr(getattr(agent, "run", None), "path"):
        return True
    try:
        return isinstance(agent, tuple) and bool(catalog.make_agent(written(agent)) == agent)
    except LudusError:
        return False


def runs_named(text: str) -> list[str]:
    """The run behind an agent given by name: itself, or the one that guides its search."""
    if catalog.run_meant(text):
        return [text.strip()]
    agent = catalog.make_agent(text)
    return runs_named(agent.run) if isinstance(agent, Guided) else []


def packed(names: Iterable[str]) -> Runs:
    """The files of runs by name, each run once."""
    return tuple((name, catalog.run_meant(name).files()) for name in dict.fromkeys(names))


@lru_cache(16)  # agents that a process keeps ready between jobs
def ready(game: str, agent: Sent) -> Any:
    """An agent ready to play a game."""
    with at_hand(agent.runs):
        return agent_for(catalog.make_agent(agent.text), catalog.make_game(game))
