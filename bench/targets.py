"""The targets of Ludus, and whether they are met."""

from __future__ import annotations

from typing import NamedTuple

from bench.contest import GAMES, Entry


class Comparison(NamedTuple):
    """The speed of one contestant over that of another; for games with a bound, this is the target."""

    fast: str
    slow: str
    bounds: dict[str, float]
    from_above: bool = False

    def met(self, game: str, ratio: float) -> bool | None:
        """Whether the ratio is within the bound for a game."""
        if game not in self.bounds:
            return None
        return ratio <= self.bounds[game] if self.from_above else ratio >= self.bounds[game]

    def target(self, game: str) -> str | None:
        """The bound for a game as it is printed."""
        if game not in self.bounds:
            return None
        return f"{'at most' if self.from_above else 'at least'} {self.bounds[game]:g}x"


COMPARISONS = {
    "openspiel": Comparison("ludus", "openspiel", {"tic_tac_toe": 7, "connect_four": 18, "mancala": 4}),
    "openspiel_python": Comparison("ludus", "openspiel_python", dict.fromkeys(GAMES, 40)),
    "pgx": Comparison("ludus", "pgx", {"tic_tac_toe": 12, "connect_four": 12}),
    "pgx_tuned": Comparison("ludus", "pgx_tuned", {}),
    "match": Comparison("match", "ludus", dict.fromkeys(GAMES, 0.5)),
    "openspiel_bots": Comparison("match", "openspiel_bots", {}),
    "c": Comparison("c", "ludus", dict.fromkeys(GAMES, 1.25), from_above=True),
    "c_tuned": Comparison("c_tuned", "ludus", {}),
    "two_threads": Comparison("two_threads", "one_thread", dict.fromkeys(GAMES, 1.8)),
}


class Row(NamedTuple):
    """One line of the table; what does not apply is None."""

    game: str
    contestant: str
    plies_per_second: float | None = None
    cores: float | None = None
    ratio: float | None = None
    target: str | None = None
    met: bool | None = None
    note: str = ""


def rows(entries: dict[tuple[str, str], Entry]) -> list[Row]:
    """Every entry with its ratio and target, game by game."""
    return [row(entry, entries) for game in GAMES for entry in entries.values() if entry.game == game]


def row(entry: Entry, entries: dict[tuple[str, str], Entry]) -> Row:
    """One entry with its ratio and target, if it has them."""
    game, name, run = entry.game, entry.contestant, entry.best
    if run is None:
        return Row(game, name, note=entry.missing)
    plain = Row(game, name, run.speed, run.processor_seconds / run.seconds, note=entry.note)
    comparison = COMPARISONS.get(name)
    if comparison is None:
        return plain
    ratio = entries[game, comparison.fast].best.speed / entries[game, comparison.slow].best.speed
    return plain._replace(ratio=ratio, target=comparison.target(game), met=comparison.met(game, ratio))
