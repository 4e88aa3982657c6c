"""OpenSpiel: games of Ludus as games of OpenSpiel. `ludus.adapters.from_open_spiel` is the way back."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np

from ludus import catalog, face
from ludus.adapters import missing, seen, seen_shape
from ludus.compiled.masks import actions, is_empty
from ludus.game import ANY_SCORE, CHANCE, gives_odds, max_plies, num_actions, odds
from ludus.parameters import format_value, make

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as error:
    raise missing("open_spiel") from error

_MOST_PLIES = 1 << 20  # of a game that does not say how long it may last
_MARGIN = "margin"
Parameters = dict[str, Any]


def register(game: Any) -> str:
    """Make a game known to OpenSpiel, and return how it is written there: `pyspiel.load_game(register("mancala"))`.

    Its parameters are OpenSpiel's too. Results are 1, 0 or -1; with the parameter `margin=True` scores.
    """
    rules = catalog.make_game(game) if isinstance(game, str) else game
    written = catalog.name_of(rules)
    given = _parameters(rules)
    name = "ludus_" + re.sub(r"\W+", "_", written.partition("(")[0] if given is not None else written).strip("_")
    if name not in pyspiel.registered_names():
        kind = _kind(name, rules, given or {})
        # OpenSpiel lets go of it when Python is gone, which only a class survives.
        pyspiel.register_game(kind, type(name, (LudusGame,), {"kind": kind, "like": rules}))
    changed = [f"{key}={value}" for key, value in (given or {}).items() if value != _default(rules, key)]
    return f"{name}({','.join(changed)})" if changed else name


def _loaded(game: str, written: str) -> Any:
    """A game as OpenSpiel writes it, made known before if need be."""
    register(game)
    return pyspiel.load_game(written)


def register_all() -> list[str]:
    """Make all games that have a name known to OpenSpiel, and return their names there."""
    return [register(name) for name in catalog.games()]


def _parameters(rules: Any) -> Parameters | None:
    """What OpenSpiel can set of a game; None for a game whose parameters it cannot hold, such as a graph."""
    values = {key: _spiel_value(value) for key, value in zip(rules._fields, rules, strict=True)}
    return None if any(isinstance(value, np.ndarray) for value in values.values()) else values


def _spiel_value(value: Any) -> Any:
    """A parameter as OpenSpiel holds it: enumerations and the like as text."""
    return value if type(value) in (bool, int, float, np.ndarray) else format_value(value)


def _default(rules: Any, key: str) -> Any:
    return _spiel_value(rules._field_defaults[key]) if key in rules._field_defaults else None


def _kind(name: str, rules: Any, given: Parameters) -> Any:
    """What OpenSpiel wants to know of a game, whatever its parameters."""
    defaults = {key: value if _default(rules, key) is None else _default(rules, key) for key, value in given.items()}
    kind = pyspiel.GameType
    return kind(
        short_name=name,
        long_name=f"Ludus: {catalog.name_of(rules)}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if gives_odds(rules) else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**defaults, _MARGIN: False},
    )


class LudusGame(pyspiel.Game):
    """A game of Ludus with its parameters; `rules` is the game as Ludus knows it.

    Registering makes a class of it for each game: `kind` is what OpenSpiel wants to know of it, `like` one such game.
    """

    kind: ClassVar[Any]
    like: ClassVar[Any]

    def __init__(self, params: Parameters) -> None:
        given = {key: value for key, value in params.items() if key != _MARGIN and value != _default(self.like, key)}
        written = {key: format_value(value) for key, value in given.items()}
        is_fixed = _parameters(self.like) is None
        self.rules = self.like if is_fixed else make(type(self.like), self.kind.short_name, written)
        self.margin = bool(params.get(_MARGIN, False))
        self.cap = max_plies(self.rules)
        most = float(ANY_SCORE if self.margin else 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=num_actions(self.rules),
            max_chance_outcomes=num_actions(self.rules) if gives_odds(self.rules) else 0,
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.cap or _MOST_PLIES,
        )
        super().__init__(self.kind, info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (catalog.lasting_name(self.like), str(self))

    def new_initial_state(self, state: Any = None) -> LudusState:
        """The start."""
        return LudusState(self)

    def max_chance_nodes_in_history(self) -> int:
        """How often chance may play."""
        return (self.cap or _MOST_PLIES) if gives_odds(self.rules) else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What sees the states."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.rules)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class LudusState(pyspiel.State):
    """A position of a game of Ludus, and how many plies led to it."""

    def __init__(self, game: LudusGame) -> None:
        super().__init__(game)
        self.pos, self.plies = game.rules.start(), 0

    def current_player(self) -> int:
        """The player to move, in OpenSpiel's numbers."""
        game = self.get_game()
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        player = int(game.rules.player(self.pos))
        return int(pyspiel.PlayerId.CHANCE) if player == CHANCE else player

    def is_terminal(self) -> bool:
        """Whether the game has ended, or is cut as a draw."""
        game = self.get_game()
        return is_empty(game.rules.legal(self.pos)) or 0 < game.cap <= self.plies

    def returns(self) -> list[float]:
        """The result for each player; 0 until the game ends, or if it was cut."""
        game = self.get_game()
        if not is_empty(game.rules.legal(self.pos)):
            return [0.0, 0.0]
        score = game.rules.score(self.pos)
        own = float(score if game.margin else np.sign(score))
        return [own, -own]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each action of chance with its probability."""
        rules = self.get_game().rules
        weights = {action: odds(rules, self.pos, action) for action in actions(rules.legal(self.pos))}
        return [(action, weight / sum(weights.values())) for action, weight in weights.items()]

    def _legal_actions(self, player: int) -> list[int]:
        return actions(self.get_game().rules.legal(self.pos))

    def _apply_action(self, action: int) -> None:
        self.pos, self.plies = self.get_game().rules.play(self.pos, action), self.plies + 1

    def _action_to_string(self, player: int, action: int) -> str:
        rules = self.get_game().rules
        return dict(face.menu(rules, self.pos)).get(action) or f"action {action}"

    def __str__(self) -> str:
        game = self.get_game()
        written = face.format_position(game.rules, self.pos)
        return f"{written}, cut" if 0 < game.cap <= self.plies else written


class Observer:
    """What the game observes, or else the fields of its positions, as OpenSpiel asks for it."""

    def __init__(self, rules: Any) -> None:
        shape = seen_shape(rules)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: LudusState, player: int) -> None:
        """Look at a state."""
        self.dict["observation"][:] = seen(state.get_game().rules, state.pos)

    def string_from(self, state: LudusState, player: int) -> str:
        """The state as text."""
        return str(state)
