"""Games, agents and learners by name: built in, from installed packages, or from a file."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ludus.activity import doing
from ludus.compiled import digests
from ludus.compiled.compiling import member
from ludus.errors import LudusError, in_one_line
from ludus.game import RULES
from ludus.parameters import format_with_parameters, make, parse_written


class Registry(NamedTuple):
    """One kind of thing found by name: the entry-point group of packages, the built-in ones, and the methods of each.

    any_of: one of these methods is enough, and so is an ordinary class; besides: what else may be given, in words.
    """

    kind: str
    group: str
    built_in: Mapping[str, str]
    methods: tuple[str, ...]
    any_of: bool = False
    besides: str = "a path to a .py file"

    @property
    def form(self) -> str:
        """What a class of this kind is, in words."""
        if self.any_of:
            return f"a class with a method {' or '.join(self.methods)}"
        return f"a NamedTuple class with the methods {', '.join(self.methods)}"


GAMES = Registry(
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
        "dobutsu-shogi": "ludus.games.dobutsu_shogi:DobutsuShogi",
    },
    RULES,
)
AGENTS = Registry(
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
        "guided": "ludus.agents.gumbel_search:Guided",
        "human": "ludus.commands.terminal:Person",
    },
    ("policy", "choose", "policies"),
    any_of=True,
    besides="a path to a .py file, a run, or cmd:PROGRAM",
)
LEARNERS = Registry(
    "learner",
    "ludus.learners",
    {
        "q-table": "ludus.learning.q_table:QTable",
        "sarsa": "ludus.learning.sarsa:Sarsa",
        "monte-carlo": "ludus.learning.monte_carlo:MonteCarlo",
        "move-weights": "ludus.learning.move_weights:MoveWeights",
        "alphazero": "ludus.learning.alphazero:AlphaZero",
        "dqn": "ludus.learning.dqn:Dqn",
        "td-lambda": "ludus.learning.td_lambda:TDLambda",
    },
    ("trainer", "agent"),
)
FILE_MODULES = "ludus_file_"  # how the names of modules begin that are loaded from a file
AGENT_SCHEMES = {"cmd": "ludus.agents.program:Program"}  # agents written as scheme:rest
GAME_SCHEMES = {"open-spiel": "ludus.adapters.from_open_spiel:from_open_spiel"}  # games likewise


def make_game(text: str) -> Any:
    """The game written as `name`, `name(param=value)`, `path/to/file.py` or `path/to/file.py:Class(param=value)`.

    `open-spiel:GAME` is a game of OpenSpiel, listed. A game that is not built in must pass the first part of `check`.
    """
    scheme, colon, rest = text.strip().partition(":")
    if colon and scheme in GAME_SCHEMES:
        return EntryPoint(scheme, GAME_SCHEMES[scheme], GAMES.group).load()(rest.strip())
    return admitted(find(GAMES, text))


def admitted(game: Any) -> Any:
    """The same game; LudusError for one that is not built in and breaks the contract."""
    if not type(game).__module__.startswith("ludus.games."):
        EntryPoint("door", "ludus.checking.door:require_sound", GAMES.group).load()(game)
    return game


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
    if name in AGENTS.built_in or name in _entries(AGENTS) or name.partition(":")[0] in AGENT_SCHEMES:
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


def names(registry: Registry) -> list[str]:
    """All names of one kind, without importing anything."""
    return list(_entries(registry))


def about(cls: Any) -> str:
    """The first line of the docstring of a game, agent or learner."""
    return (cls.__doc__ or "").strip().partition("\n")[0]


def descriptions(registry: Registry) -> dict[str, str]:
    """A line about everything of one kind, by name; imports neither Numba nor JAX."""
    return {name: about(cls) for name, cls in _all_of(registry).items()}


def learners() -> dict[str, Any]:
    """The config class of every learner by name, without those whose package is broken."""
    return _all_of(LEARNERS)


def agents() -> dict[str, Any]:
    """The class of every agent by name; what a package announces wrongly is left out, as among games."""
    return _all_of(AGENTS)


def games() -> dict[str, Any]:
    """The class of every game by name, built-in ones first, without those whose package is broken; no Numba yet."""
    return _all_of(GAMES)


def _all_of(registry: Registry) -> dict[str, Any]:
    found = {}
    for name, entry in _entries(registry).items():
        with contextlib.suppress(LudusError):
            found[name] = _load(registry, name, entry)
    return found


def name_of(thing: Any) -> str:
    """How a game or agent is written, with the parameters that differ from their defaults."""
    cls = type(thing)
    if not hasattr(cls, "_fields"):
        return getattr(thing, "_called", None) or getattr(cls, "_written", None) or str(thing)
    target = f"{cls.__module__}:{cls.__qualname__}"
    built_in = (GAMES.built_in.items(), AGENTS.built_in.items())
    announced = ((name, entry.value) for registry in (GAMES, AGENTS) for name, entry in _entries(registry).items())
    for name, value in chain(*built_in, announced):  # lazily: finding out what packages announce takes a while
        if value == target:
            return format_with_parameters(name, thing)
    return format_with_parameters(getattr(cls, "_written", None) or _kebab(cls.__name__), thing)


def lasting_name(game: Any) -> str:
    """How a game is written, wherever one stands: a file by its whole path."""
    name, written = name_of(game), getattr(type(game), "_written", "")
    if written.partition(":")[0] in GAME_SCHEMES:
        return name
    return name.replace(written, str(Path(written).resolve()), 1) if written else name


def find(registry: Registry, text: str) -> Any:
    """The game, agent or learner that a text names."""
    written = parse_written(text)
    if len(text) > 1000:
        raise LudusError(f"a {registry.kind} is written in at most 1000 letters")
    cls = _class_called(registry, written.name)
    made = make(cls, written.name, written.parameters)
    if not hasattr(cls, "_fields"):
        with contextlib.suppress(AttributeError):  # a class with slots
            made._called = text.strip()
    return made


def _entries(registry: Registry) -> dict[str, EntryPoint]:
    """Everything announced under a name; what is built in cannot be replaced."""
    found = _announced(registry.group, tuple(sys.path))
    own = {name: EntryPoint(name, value, registry.group) for name, value in registry.built_in.items()}
    return own | {name: entry for name, entry in found.items() if name not in own}


@cache
def _announced(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """What installed packages announce; looked for once, unless the path on which Python finds them changes."""
    return {entry.name: entry for entry in sorted(entry_points(group=group))}


def _class_called(registry: Registry, name: str) -> Any:
    """The class of this name, or in this file."""
    if name.endswith(".py") or ".py:" in name or "/" in name:
        path, _, class_name = name.partition(".py:")
        return _class_in_file(registry, Path(path + ".py" if class_name else path), class_name)
    return _class_by_name(registry, name)


def _class_by_name(registry: Registry, name: str) -> Any:
    if name in registry.built_in:
        return _load(registry, name, EntryPoint(name, registry.built_in[name], registry.group))
    entries = _entries(registry)
    if name in entries:
        return _load(registry, name, entries[name])
    near = difflib.get_close_matches(name.lower().replace("_", "-").replace(" ", "-"), entries, cutoff=0.5)
    if near:
        raise LudusError(f"no {registry.kind} is called {name!r}; did you mean {' or '.join(near)}?")
    known = ", ".join(entries) or "none yet"
    raise LudusError(f"no {registry.kind} is called {name!r}; there are: {known}, or give {registry.besides}")


def _load(registry: Registry, name: str, entry: EntryPoint) -> Any:
    try:
        cls = entry.load()
    except (Exception, SystemExit) as error:  # an outside package may raise anything
        raise LudusError(
            f"the {registry.kind} {name} ({entry.value}) cannot be imported: {in_one_line(error)}"
        ) from error
    return _checked(registry, cls, entry.value)


def _class_in_file(registry: Registry, path: Path, class_name: str) -> Any:
    module = load_file(path)
    own = {name: one for name, one in vars(module).items() if getattr(one, "__module__", None) == module.__name__}
    classes = {name: one for name, one in own.items() if isinstance(one, type) and _may_be(registry, one)}
    if class_name:
        found = {class_name: classes[class_name]} if class_name in classes else {}
    else:
        found = {name: cls for name, cls in classes.items() if _resembles(registry, cls)}
        found = found or (_of_functions(registry, path.stem, own) if registry.any_of else {})
    if not found:
        wanted = f"no class {class_name}" if class_name else f"no {registry.kind}"
        raise LudusError(
            f"{path} holds {wanted}: {'an' if registry.kind[0] in 'aeiou' else 'a'} {registry.kind} is {registry.form}"
        )
    if len(found) > 1:
        choices = " or ".join(f"{path}:{name}" for name in found)
        raise LudusError(f"{path} holds several {registry.kind}s: say {choices}")
    cls = _checked(registry, next(iter(found.values())), str(path))
    cls._written = f"{path}:{class_name}" if class_name else str(path)
    return cls


def _may_be(registry: Registry, cls: type) -> bool:
    return registry.any_of or hasattr(cls, "_fields")


def _of_functions(registry: Registry, name: str, own: dict[str, Any]) -> dict[str, type]:
    """A class whose methods are the functions of a file; none if the file has no such function."""
    functions = {
        method: staticmethod(own[method]) for method in registry.methods if inspect.isfunction(own.get(method))
    }
    if not functions:
        return {}
    module = next(iter(functions.values())).__func__.__module__
    return {name: type(name, (), {**functions, "__module__": module})}


def _resembles(registry: Registry, cls: Any) -> bool:
    """Whether a class has one of the methods; a field of that name is none."""
    return any(callable(member(cls, method)) for method in registry.methods)


def load_file(path: Path) -> ModuleType:
    """Import a Python file under a name made of the digest of its sources; it may import its neighbours."""
    try:
        if not path.is_file():
            raise LudusError(f"there is no file {path}")
        if path.suffix != ".py":
            raise LudusError(f"{path} is no Python file: its name must end in .py")
        with doing(f"loading {path}"), _neighbours_first(path.resolve().parent):
            name = f"{FILE_MODULES}{digests.module_digest('ludus_file', path.resolve())}"
            return sys.modules.get(name) or _execute(name, path.resolve())
    except LudusError:
        raise
    except (Exception, SystemExit) as error:  # the file may contain anything
        raise LudusError(f"{path} cannot be loaded: {in_one_line(error)}") from error


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


def _checked(registry: Registry, cls: Any, where: str) -> Any:
    if not (isinstance(cls, type) and _may_be(registry, cls)):
        raise LudusError(f"{where} is no {registry.kind}: it must be {registry.form}")
    missing = [method for method in registry.methods if member(cls, method) is None]
    if missing and not (registry.any_of and len(missing) < len(registry.methods)):
        raise LudusError(f"{where}: the {registry.kind} {cls.__name__} has no method {missing[0]}")
    return cls


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
