"""Games and agents by name: built in, from installed packages, or from a file."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ludus.compiled import digests
from ludus.compiled.compiling import member
from ludus.errors import LudusError
from ludus.game import RULES
from ludus.parameters import format_with_parameters, make, parse_written


class Shelf(NamedTuple):
    """One kind of thing that is found by name: where packages announce theirs, and what each must be able to do.

    besides: what else may be given, in words.
    """

    kind: str
    group: str
    built_in: Mapping[str, str]
    methods: tuple[str, ...]
    besides: str = "a path to a .py file"


GAMES = Shelf(
    "game",
    "ludus.games",
    {
        "tic-tac-toe": "ludus.games.tic_tac_toe:TicTacToe",
        "connect-four": "ludus.games.connect_four:ConnectFour",
        "toads-and-frogs": "ludus.games.toads_and_frogs:ToadsAndFrogs",
        "tapnswap": "ludus.games.tapnswap:TapnSwap",
        "mancala": "ludus.games.mancala:Mancala",
        "fox-and-hounds": "ludus.games.fox_and_hounds:FoxAndHounds",
        "chung-toi": "ludus.games.chung_toi:ChungToi",
    },
    RULES,
)
AGENTS = Shelf(
    "agent",
    "ludus.agents",
    {
        "random": "ludus.agents.simple:Random",
        "first": "ludus.agents.simple:First",
        "last": "ludus.agents.simple:Last",
        "smart-random": "ludus.agents.simple:SmartRandom",
        "perfect": "ludus.agents.perfect:Perfect",
        "mcts": "ludus.agents.mcts:Mcts",
        "minimax": "ludus.agents.minimax:Minimax",
        "guided": "ludus.agents.guided:Guided",
        "human": "ludus.commands.terminal:Person",
    },
    ("policy",),
    "a path to a .py file, a run, or cmd:PROGRAM",
)
LEARNERS = Shelf(
    "learner",
    "ludus.learners",
    {
        "q-table": "ludus.learning.q_table:QTable",
        "move-weights": "ludus.learning.move_weights:MoveWeights",
        "alphazero": "ludus.learning.alphazero:AlphaZero",
        "dqn": "ludus.learning.dqn:Dqn",
        "td-lambda": "ludus.learning.td_lambda:TDLambda",
    },
    ("trainer", "agent"),
)
AGENT_SCHEMES = {"cmd": "ludus.agents.program:Program"}  # agents written as scheme:rest
GAME_SCHEMES = {"open-spiel": "ludus.adapters.from_open_spiel:from_open_spiel"}  # games likewise


def make_game(text: str) -> Any:
    """The game written as `name`, `name(param=value)`, `path/to/file.py` or `path/to/file.py:Class(param=value)`.

    `open-spiel:GAME` is a game of OpenSpiel, listed.
    """
    scheme, colon, rest = text.strip().partition(":")
    if colon and scheme in GAME_SCHEMES:
        return EntryPoint(scheme, GAME_SCHEMES[scheme], GAMES.group).load()(rest.strip())
    return find(GAMES, text)


def make_agent(text: str) -> Any:
    """The agent written in the same way, as `cmd:PROGRAM` for any outside program, or as the folder of a run."""
    scheme, colon, rest = text.strip().partition(":")
    if colon and scheme in AGENT_SCHEMES:
        return EntryPoint(scheme, AGENT_SCHEMES[scheme], AGENTS.group).load()(rest.strip())
    run = run_meant(text)
    if run is None:
        return find(AGENTS, text)
    return EntryPoint("trained", "ludus.learning.runs:Trained", AGENTS.group).load()(run)


def run_meant(agent: str) -> Any:
    """The run that an agent is written as, None if it is another agent."""
    name = agent.strip()
    if name in _entries(AGENTS) or name.partition(":")[0] in AGENT_SCHEMES:
        return None
    return EntryPoint("run", "ludus.learning.runs:find_run", AGENTS.group).load()(name)


def make_learner(text: str) -> Any:
    """The learner written in the same way."""
    return find(LEARNERS, text)


def learner_class(name: str) -> Any:
    """The config class of a learner."""
    return _class_called(LEARNERS, name)


def learner_name(learner: Any) -> str:
    """What the learner of a config is called; one from a file by its whole path."""
    for name, entry in _entries(LEARNERS).items():
        if entry.value == f"{type(learner).__module__}:{type(learner).__qualname__}":
            return name
    if hasattr(type(learner), "_written"):
        return f"{sys.modules[type(learner).__module__].__file__}:{type(learner).__name__}"
    raise LudusError(f"{type(learner).__name__} is no learner of a file, nor one that an installed package announces")


def names(shelf: Shelf) -> list[str]:
    """The names of everything of one kind, without importing any of it."""
    return list(_entries(shelf))


def about(cls: Any) -> str:
    """The first line of the docstring of a game, agent or learner."""
    return (cls.__doc__ or "").strip().partition("\n")[0]


def learners() -> dict[str, Any]:
    """The config class of every learner by name; what a package announces wrongly is left out, as among games."""
    return _all_of(LEARNERS)


def games() -> dict[str, Any]:
    """All games by name, built in ones first, each as its class; imports the rules but not Numba.

    What an installed package announces wrongly is left out; asked for by name, it says why.
    """
    return _all_of(GAMES)


def _all_of(shelf: Shelf) -> dict[str, Any]:
    found = {}
    for name, entry in _entries(shelf).items():
        with contextlib.suppress(LudusError):
            found[name] = _load(shelf, name, entry)
    return found


def name_of(thing: Any) -> str:
    """How a game or agent is written, with the parameters that differ from their defaults."""
    cls = type(thing)
    if not hasattr(cls, "_fields"):
        return str(thing)
    target = f"{cls.__module__}:{cls.__qualname__}"
    for shelf in (GAMES, AGENTS):
        for name, entry in _entries(shelf).items():
            if entry.value == target:
                return format_with_parameters(name, thing)
    return format_with_parameters(getattr(cls, "_written", None) or _kebab(cls.__name__), thing)


def lasting_name(game: Any) -> str:
    """How a game is written, wherever one stands: a file by its whole path."""
    name, written = name_of(game), getattr(type(game), "_written", "")
    if written.partition(":")[0] in GAME_SCHEMES:
        return name
    return name.replace(written, str(Path(written).resolve()), 1) if written else name


def find(shelf: Shelf, text: str) -> Any:
    """The thing on this shelf that the text names."""
    written = parse_written(text)
    if len(text) > 1000:
        raise LudusError(f"a {shelf.kind} is written in at most 1000 letters")
    return make(_class_called(shelf, written.name), written.name, written.parameters)


def _entries(shelf: Shelf) -> dict[str, EntryPoint]:
    """Everything announced under a name; what is built in cannot be replaced."""
    found = _announced(shelf.group, tuple(sys.path))
    own = {name: EntryPoint(name, value, shelf.group) for name, value in shelf.built_in.items()}
    return own | {name: entry for name, entry in found.items() if name not in own}


@cache
def _announced(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """What installed packages announce; looked for once, unless the path on which Python finds them changes."""
    return {entry.name: entry for entry in sorted(entry_points(group=group))}


def _class_called(shelf: Shelf, name: str) -> Any:
    """The class of this name, or in this file."""
    if name.endswith(".py") or ".py:" in name or "/" in name:
        path, _, class_name = name.partition(".py:")
        return _class_in_file(shelf, Path(path + ".py" if class_name else path), class_name)
    return _class_by_name(shelf, name)


def _class_by_name(shelf: Shelf, name: str) -> Any:
    entries = _entries(shelf)
    if name in entries:
        return _load(shelf, name, entries[name])
    near = difflib.get_close_matches(name.lower().replace("_", "-").replace(" ", "-"), entries, cutoff=0.5)
    if near:
        raise LudusError(f"no {shelf.kind} is called {name!r}; did you mean {' or '.join(near)}?")
    known = ", ".join(entries) or "none yet"
    raise LudusError(f"no {shelf.kind} is called {name!r}; there are: {known}, or give {shelf.besides}")


def _load(shelf: Shelf, name: str, entry: EntryPoint) -> Any:
    try:
        cls = entry.load()
    except (Exception, SystemExit) as error:  # whatever an outside package raises, the user gets one line
        raise LudusError(f"the {shelf.kind} {name} ({entry.value}) cannot be imported: {_one_line(error)}") from error
    return _checked(shelf, cls, entry.value)


def _class_in_file(shelf: Shelf, path: Path, class_name: str) -> Any:
    module = load_file(path)
    own = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    tuples = {value.__name__: value for value in own if isinstance(value, type) and hasattr(value, "_fields")}
    if class_name:
        found = {class_name: tuples[class_name]} if class_name in tuples else {}
    else:
        found = {name: cls for name, cls in tuples.items() if _resembles(shelf, cls)}
    if not found:
        wanted = f"no class {class_name}" if class_name else f"no {shelf.kind}"
        needs = ", ".join(shelf.methods)
        raise LudusError(f"{path} holds {wanted}: a {shelf.kind} is a NamedTuple class with the methods {needs}")
    if len(found) > 1:
        choices = " or ".join(f"{path}:{name}" for name in found)
        raise LudusError(f"{path} holds several {shelf.kind}s: say {choices}")
    cls = _checked(shelf, next(iter(found.values())), str(path))
    cls._written = f"{path}:{class_name}" if class_name else str(path)
    return cls


def _resembles(shelf: Shelf, cls: Any) -> bool:
    """Whether a class has some of the methods; fields of that name do not count."""
    return any(callable(member(cls, method)) for method in shelf.methods)


def load_file(path: Path) -> ModuleType:
    """Import a Python file under a name made of the digest of its sources; it may import its neighbours."""
    try:
        if not path.is_file():
            raise LudusError(f"there is no file {path}")
        if path.suffix != ".py":
            raise LudusError(f"{path} is no Python file: its name must end in .py")
        with _neighbours_first(path.resolve().parent):
            name = f"ludus_file_{digests.module_digest('ludus_file', path.resolve())}"
            return sys.modules.get(name) or _execute(name, path.resolve())
    except LudusError:
        raise
    except (Exception, SystemExit) as error:  # the file may contain anything; the user gets one line
        raise LudusError(f"{path} cannot be loaded: {_one_line(error)}") from error


@contextmanager
def _neighbours_first(folder: Path) -> Iterator[None]:
    """Let imports find the modules of a folder before all others, and leave no trace of them for the next file."""
    names = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_among(name, names)}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if _is_among(name, names)]:
            del sys.modules[name]
        sys.modules.update(hidden)


def _is_among(module: str, names: set[str]) -> bool:
    """Whether a loaded module, by its top name, is one of these; Ludus and Python's own are never hidden."""
    top = module.partition(".")[0]
    return top in names and top != "ludus" and not digests.is_library(top)


def _execute(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _checked(shelf: Shelf, cls: Any, where: str) -> Any:
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise LudusError(f"{where} is no {shelf.kind}: it must be a NamedTuple class")
    missing = [method for method in shelf.methods if member(cls, method) is None]
    if missing:
        raise LudusError(f"{where}: the {shelf.kind} {cls.__name__} has no method {missing[0]}")
    return cls


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".strip(": ")
