"""Agents that take part: how they are written, their digests, and how they are sent to where they play."""

from __future__ import annotations

import hashlib
import shlex
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

_HUMAN = "human"


class Contestant(NamedTuple):
    """An agent in a tournament: how it is written, what it is called there, and a digest of all that it does."""

    text: str
    name: str
    digest: str


def contestants(game: Any, texts: Sequence[str], *, repeated: bool = False) -> tuple[list[Contestant], list[Any]]:
    """The agents written so, and each ready for the game.

    LudusError for one that cannot play it, or, unless that is allowed, one that is repeated.
    """
    if not texts:
        raise LudusError("name agents to play, for example: random smart-random perfect")
    found, ready = zip(*(_contestant(game, text.strip()) for text in texts), strict=True)
    if not repeated:
        _refuse_repeated(found)
    names = [one.name for one in found]
    return [one._replace(name=one.text) if names.count(one.name) > 1 else one for one in found], list(ready)


def _contestant(game: Any, text: str) -> tuple[Contestant, Any]:
    agent = catalog.make_agent(text)
    name = catalog.name_of(agent)
    if name == _HUMAN:
        raise LudusError("people do not play tournaments: name agents that play by themselves")
    if isinstance(agent, Program) and shutil.which(program := shlex.split(agent.command)[0]) is None:
        raise LudusError(f"{text} cannot be started: there is no program {program}")
    ready = agent_for(agent, game)
    return Contestant(text, name, identity(agent)), ready


def _refuse_repeated(found: Sequence[Contestant]) -> None:
    known: dict[str, str] = {}
    for one in found:
        if one.digest in known:
            raise LudusError(f"{known[one.digest]} and {one.text} are the same agent: name each once")
        known[one.digest] = one.text


def identity(agent: Any) -> str:
    """32 hex digits that tell an agent from all that play otherwise.

    Of a run they stand for what it learned; of a program or a file for its text; of what is built in for its name and
    settings and the version of Ludus.
    """
    run = getattr(agent, "run", None)
    if run is not None and hasattr(run, "digest"):
        return str(run.digest())
    whole = hashlib.blake2b(catalog.name_of(agent).encode(), digest_size=16)
    for content in _contents(agent):
        whole.update(content)
    return whole.hexdigest()


def _contents(agent: Any) -> list[bytes]:
    """What else an agent's play depends on."""
    if isinstance(agent, Program):
        return [path.read_bytes() for path in _files_named(agent.command)]
    if isinstance(agent, Guided):
        run = catalog.run_meant(agent.run)
        return [ludus.__version__.encode(), run.digest().encode() if run else b""]
    module = type(agent).__module__
    if module.partition(".")[0] == "ludus":
        return [ludus.__version__.encode()]
    return digests.contents(module)


def _files_named(command: str) -> list[Path]:
    """The program and all other files that are named when it is started."""
    words = shlex.split(command)
    named = [Path(shutil.which(words[0]) or words[0]), *map(Path, words[1:])]
    return [path for path in named if path.is_file()]


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
