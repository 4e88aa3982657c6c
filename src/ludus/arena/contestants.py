"""Who takes part in a tournament: agents as they are written, told apart by content."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ludus
from ludus import catalog
from ludus.agents.agent import agent_for
from ludus.agents.guided import Guided
from ludus.agents.program import Program
from ludus.compiled import digests
from ludus.errors import LudusError

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
