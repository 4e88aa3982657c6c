"""The plan of a training: games, opponents, evaluation, bans, and changes of the learner's settings."""

from __future__ import annotations

import enum
import re
from typing import Annotated, Any, NamedTuple

from ludus.arena import Seats
from ludus.errors import LudusError
from ludus.parameters import format_value, make, split_at_commas

NEVER = 1 << 62  # in place of a number of games
_EARLY = (*(times * 10**zeros for zeros in range(19) for times in (1, 3)), NEVER)  # evaluations


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
        """Parse the text form."""
        parts = [part.strip() for part in split_at_commas(text)]
        return cls(()) if parts == ["none"] else cls(()).and_also(*(_change(part) for part in parts))

    def __str__(self) -> str:
        return ",".join(f"{name}={value}@{games}" for name, value, games in self.changes) or "none"

    def and_also(self, *more: Change) -> Changes:
        """These and more, in the order of their games; of one setting at one number of games the last counts."""
        known = {(change.games, change.name): change for change in (*self.changes, *more)}
        return Changes(tuple(known[key] for key in sorted(known)))

    def learner(self, learner: Any, games: int) -> Any:
        """The settings of a learner after a number of games."""
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
    """The settings of a learner that may change during a training."""
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


SELF, TWIN = "self", "twin"


class Stretch(NamedTuple):
    """A number of games against one opponent; None for all that are left."""

    opponent: str
    games: int | None


class Opponents(NamedTuple):
    """The opponent schedule of a training, in stretches.

    Written `self`, `random`, `perfect(skill=0.8)` or as any agent; with numbers of games, `random:5000,self:5000`. The
    last stretch continues if there are more games. `self` plays both sides from one table; `twin` is a second learner
    of the same kind with a table of its own.
    """

    stretches: tuple[Stretch, ...]

    @classmethod
    def parse(cls, text: str) -> Opponents:
        """Parse the text form."""
        stretches = []
        for part in split_at_commas(text):
            match = re.fullmatch(r"(.+?)(?::([0-9]+))?", part.strip())
            if match is None or match[2] == "0":
                raise ValueError(f"write AGENT or AGENT:GAMES, separated by commas, not {text!r}")
            stretches.append(Stretch(match[1].strip(), int(match[2]) if match[2] else None))
        if not stretches:
            raise ValueError("write self, twin or an agent")
        if any(stretch.games is None for stretch in stretches[:-1]):
            raise ValueError(f"only the last opponent may go without a number of games, not {text!r}")
        return cls(tuple(stretches))

    def __str__(self) -> str:
        return ",".join(s.opponent if s.games is None else f"{s.opponent}:{s.games}" for s in self.stretches)

    def at(self, game: int) -> tuple[str, int]:
        """The opponent of a game, and the first game that is against another, NEVER if there is none."""
        end = 0
        for stretch in self.stretches[:-1]:
            end += stretch.games or 0
            if game < end:
                return stretch.opponent, end
        return self.stretches[-1].opponent, NEVER


class Name(NamedTuple):
    """A run by its name or folder; `none` for no run."""

    name: str

    @classmethod
    def parse(cls, text: str) -> Name:
        """Parse the text form."""
        return cls("" if text.strip() == "none" else text.strip())

    def __str__(self) -> str:
        return self.name or "none"


class Names(NamedTuple):
    """Agents by name, separated by commas; `none` for no agent."""

    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Names:
        """Parse the text form."""
        names = tuple(part.strip() for part in split_at_commas(text))
        return cls(() if names == ("none",) else names)

    def __str__(self) -> str:
        return ",".join(self.names) or "none"


class Ban(NamedTuple):
    """An action, a line or a kind of action that one side may not play, from one ply to another."""

    seat: str
    what: str
    plies: tuple[int, int]

    @property
    def action(self) -> str:
        """The name of a forbidden action, if it is one."""
        return self.what.removeprefix("action ") if self.what.startswith("action ") else ""

    @property
    def line(self) -> list[str]:
        """The names of a line whose last action is forbidden, if it is one."""
        words = self.what.removeprefix("line ") if self.what.startswith("line ") else ""
        return [name.strip() for name in words.split(">")] if words else []


class Bans(NamedTuple):
    """What a side may not do in training, separated by commas; `none` for nothing.

    Written `SEAT:WHAT`, the seat `first` or `second`; what: `win`, all that keeps a won game won; `last`, an action
    that wins at once; `action NAME`; `line NAME>NAME`, the last action of a line from the start. With `@10-20` only
    from ply 10 to ply 20 of a game, counted from 0; either number may be left out.
    """

    bans: tuple[Ban, ...]

    @classmethod
    def parse(cls, text: str) -> Bans:
        """Parse the text form."""
        parts = [part.strip() for part in split_at_commas(text)]
        return cls(() if parts == ["none"] else tuple(_ban(part) for part in parts))

    def __str__(self) -> str:
        return ",".join(f"{ban.seat}:{ban.what}{_span(*ban.plies)}" for ban in self.bans) or "none"


def _ban(text: str) -> Ban:
    match = re.fullmatch(r"(first|second):(win|last|action .+?|line .+?)(?:@([0-9]*)-([0-9]*))?", text)
    if not match:
        raise ValueError(f"write first:win, second:last@10-20, first:action NAME or first:line NAME>NAME, not {text!r}")
    begin, end = int(match[3] or 0), min(int(match[4] or NEVER), NEVER)
    if begin > end:
        raise ValueError(f"there is no ply from {begin} to {end}")
    return Ban(match[1], match[2], (begin, end))


def _span(begin: int, end: int) -> str:
    if (begin, end) == (0, NEVER):
        return ""
    return f"@{begin or ''}-{end if end < NEVER else ''}"


class Graded(enum.Enum):
    """Whether the agent is graded against the truth; auto: where the game has at most a million positions."""

    AUTO = 0
    YES = 1
    NO = 2


class Plan(NamedTuple):
    """The settings of a training beside the learner's own."""

    games: Annotated[int, "The number of games."] = 10_000
    opponent: Annotated[Opponents, "self, twin, any agent, or a schedule: random:5000,self:5000."] = Opponents.parse(
        SELF
    )
    init_from: Annotated[Name, "Initialise from this run of the same learner."] = Name("")
    seats: Annotated[Seats, "Where the learner sits, unless it plays both sides (opponent self)."] = Seats.ALTERNATE
    cap: Annotated[int, "Cut games after this many plies; 0: the game's own limit."] = 0
    forbid: Annotated[Bans, "What a side may not do: second:win, first:last, first:action NAME; @10- from ply 10."] = (
        Bans(())
    )
    changes: Annotated[Changes, "What changes on the way: epsilon=0.05@5000,gamma=0.9@8000, after so many games."] = (
        Changes(())
    )
    eval_every: Annotated[int, "Evaluate the agent every so many games; 0: ten times in all."] = 0
    eval_early: Annotated[bool, "Evaluate it early, too: after 1, 3, 10, 30, 100, ... games."] = False
    eval_against: Annotated[Names, "Evaluate it against these agents; none for nobody."] = Names.parse("random")
    eval_games: Annotated[int, "The number of evaluation games against each."] = 1000
    grade: Annotated[Graded, "Grade it against the exact solution."] = Graded.AUTO
    stop: Annotated[bool, "Stop early when every decision is optimal."] = False
    seed: Annotated[int, "The same seed gives the same agent."] = 0

    def validate(self) -> None:
        """Raise ValueError for a number out of range."""
        for name, least in {"games": 1, "eval_games": 1, "cap": 0, "eval_every": 0, "seed": 0}.items():
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"{name} must be {least} or more, not {value}")
            if value > NEVER and name != "seed":
                raise ValueError(f"{name} must be below 2**62, not {value}")

    @property
    def has_twin(self) -> bool:
        """Whether a second learner is among the opponents."""
        return any(stretch.opponent == TWIN for stretch in self.opponent.stretches)

    def next_evaluation(self, game: int) -> int:
        """The first number of games after this one at which the agent is evaluated."""
        every = self.eval_every or max(self.games // 10, 1)
        usual = min((game // every + 1) * every, self.games)
        early = next(number for number in _EARLY if number > game) if self.eval_early and game < every else usual
        return min(early, usual)
