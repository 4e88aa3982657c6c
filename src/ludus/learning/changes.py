"""Changes of a learner's settings on the way: what holds from which game on."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ludus.errors import LudusError
from ludus.parameters import format_value, make, split_at_commas

NEVER = 1 << 62  # in place of a number of games


class Change(NamedTuple):
    """A setting, as it is written, and the number of games after which it holds."""

    name: str
    value: str
    games: int


class Changes(NamedTuple):
    """All changes of a training, separated by commas; `none` for none.

    Written `epsilon=0.05@5000`: the setting holds once 5,000 games are played. A value may have an @ of its own,
    `epsilon=1..0.05@20000@5000`.
    """

    changes: tuple[Change, ...]

    @classmethod
    def parse(cls, text: str) -> Changes:
        """Read such words."""
        parts = [part.strip() for part in split_at_commas(text)]
        return cls(()) if parts == ["none"] else cls(()).and_also(*(_change(part) for part in parts))

    def __str__(self) -> str:
        return ",".join(f"{name}={value}@{games}" for name, value, games in self.changes) or "none"

    def and_also(self, *more: Change) -> Changes:
        """These and more, in the order of their games; of one setting at one number of games the last counts."""
        known = {(change.games, change.name): change for change in (*self.changes, *more)}
        return Changes(tuple(known[key] for key in sorted(known)))

    def learner(self, learner: Any, games: int) -> Any:
        """The settings of a learner once so many games are played."""
        due = {change.name: change.value for change in self.changes if change.games <= games}
        return changed(learner, due) if due else learner

    def after(self, games: int) -> int:
        """The number of games of the first change that is still to come; NEVER if there is none."""
        return min((change.games for change in self.changes if change.games > games), default=NEVER)

    def check(self, learner: Any) -> None:
        """Raise LudusError for a change that the learner cannot make."""
        for change in self.changes:
            self.learner(learner, change.games)


def changeable(learner: Any) -> tuple[str, ...]:
    """The settings of a learner that may change while it learns."""
    return tuple(getattr(learner, "changeable", ()))


def changed(learner: Any, settings: dict[str, str]) -> Any:
    """A learner with some settings changed; LudusError if they cannot be, or not to this."""
    for name in settings:
        if name not in changeable(learner):
            allowed = ", ".join(changeable(learner)) or "nothing"
            raise LudusError(f"{name} cannot change while {type(learner).__name__} learns; what can: {allowed}")
    words = {name: format_value(value) for name, value in learner._asdict().items()}
    return make(type(learner), type(learner).__name__, words | settings)


def _change(text: str) -> Change:
    match = re.fullmatch(r"([a-z_]+)=(\S+)@([0-9]{1,18})", text)
    if match is None:
        raise ValueError(f"write SETTING=VALUE@GAMES, as in epsilon=0.05@5000, not {text!r}")
    return Change(match[1], match[2], int(match[3]))
