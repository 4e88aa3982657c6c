"""Games that break the contract, one rule each; `BROKEN` says what `ludus check` must find."""

import enum
import functools
import math
import random
import sys
from typing import NamedTuple

import numpy as np

from ludus import CHANCE, helper
from ludus.svg import Drawing, circle


class Position(NamedTuple):
    heap: int
    turn: int


class OtherPosition(NamedTuple):
    heap: int
    turn: int


class Countdown(NamedTuple):
    """Take one or two from a heap; who takes the last wins. This one keeps the contract."""

    heap: int = 6

    def start(self):
        return Position(self.heap, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return 3 if pos.heap > 1 else 1 if pos.heap == 1 else 0

    def play(self, pos, action):
        return Position(pos.heap - action - 1, 1 - pos.turn)

    def score(self, pos):
        return 1 if pos.turn == 1 else -1


# ---- form ----


class NoScore(NamedTuple):
    start = Countdown.start
    player = Countdown.player
    legal = Countdown.legal
    play = Countdown.play


class LegalWithoutPosition(Countdown):
    def legal(self):
        return 1


class CapAsMethod(Countdown):
    def max_plies(self):
        return 10


class ObserveWithoutShape(Countdown):
    def observe(self, pos, out):
        out[0] = pos.heap


class TextParameter(NamedTuple):
    name: str = "six"
    start = Countdown.start
    player = Countdown.player
    legal = Countdown.legal
    play = Countdown.play
    score = Countdown.score


class RefusesItself(Countdown):
    def validate(self):
        raise ValueError(f"heap must be odd, not {self.heap}")


class ValidateFails(Countdown):
    def validate(self):
        return self.heap > "six"


class CapRaises(Countdown):
    @property
    def max_plies(self):
        return [][self.heap]


class HalfAnAction(Countdown):
    num_actions = 2.5


class ActionsRaise(Countdown):
    @property
    def num_actions(self):
        return self.nosuch


class StartAsProperty(Countdown):
    @property
    def start(self):
        return Position(self.heap, 0)


class LegalInTheBackground(Countdown):
    async def legal(self, pos):
        return 1


class ParameterCalledBoard(NamedTuple):
    heap: int = 6
    board: int = 3
    start = Countdown.start
    player = Countdown.player
    legal = Countdown.legal
    play = Countdown.play
    score = Countdown.score


class TooManyActions(Countdown):
    num_actions = 10**12


class TooManySymmetries(Countdown):
    symmetries = 10**9

    def transform(self, pos, symmetry):
        return pos


# ---- positions, masks, ends ----


class StartIsTuple(Countdown):
    def start(self):
        return (self.heap, 0)


class ListInPosition(Countdown):
    def start(self):
        return Position([self.heap], 0)


class FloatInPosition(Countdown):
    def play(self, pos, action):
        return Position(pos.heap / 2, 1 - pos.turn)


class TooLargeForAWord(Countdown):
    def play(self, pos, action):
        return Position(1 << 64, 1 - pos.turn)


class ChangesItsClass(Countdown):
    def play(self, pos, action):
        return OtherPosition(pos.heap - action - 1, 1 - pos.turn)


class NumPyInPosition(Countdown):
    def play(self, pos, action):
        return Position(np.int64(pos.heap - action - 1), 1 - pos.turn)


class BoardOf64Squares(Countdown):
    def start(self):
        return Position(1 << 63, 0)


class ThirdPlayer(Countdown):
    def player(self, pos):
        return 7


class PlayersOneAndTwo(Countdown):
    def player(self, pos):
        return pos.turn + 1


class FloatPlayer(Countdown):
    def player(self, pos):
        return pos.turn / 1


class TruthAsPlayer(Countdown):
    def player(self, pos):
        return pos.turn == 1


class Exits(Countdown):
    def play(self, pos, action):
        sys.exit("bye")


class ListOfActions(Countdown):
    def legal(self, pos):
        return [0, 1]


class SignBitInMask(Countdown):
    def legal(self, pos):
        return 1 << 63 if pos.heap else 0


class ComplementAsMask(Countdown):
    def legal(self, pos):
        return ~3 if pos.heap else 0


class SeventyFiveActions(Countdown):
    def legal(self, pos):
        return (1 << 75) - 1 if pos.heap else 0


class BeyondNumActions(Countdown):
    num_actions = 1


class CannotPlayItsActions(Countdown):
    def play(self, pos, action):
        return {0: Position(pos.heap - 1, 1 - pos.turn)}[action]


class NeverOver(Countdown):
    def play(self, pos, action):
        return Position(pos.heap % 6 + 1, 1 - pos.turn)


class Endless(Countdown):
    def play(self, pos, action):
        return Position(pos.heap + 1, 1 - pos.turn)


class HalfScore(Countdown):
    def score(self, pos):
        return 0.5


class ScoreRaises(Countdown):
    def score(self, pos):
        raise KeyError("winner")


class ChanceAtTheEnd(Countdown):
    def player(self, pos):
        return pos.turn if pos.heap else CHANCE


class ScoreBeyondJson(Countdown):
    def score(self, pos):
        return 2**63 - 1 if pos.turn == 1 else -(2**63)


class NoNumberAsScore(Countdown):
    def score(self, pos):
        return float("nan")


class ArrayInPosition(Countdown):
    def start(self):
        return Position(np.zeros(9, np.int64), 0)


class TextInPosition(Countdown):
    def start(self):
        return Position(self.heap, "0")


class Nothing(NamedTuple):
    pass


class NoFields(Countdown):
    def start(self):
        return Nothing()


class NoWords(Countdown):
    def legal(self, pos):
        return ()


class TupleOfActions(Countdown):
    def legal(self, pos):
        return tuple(action for action in (0, 1) if action < pos.heap)


class TupleOfTruths(Countdown):
    def legal(self, pos):
        return (pos.heap > 0, pos.heap > 1)


CALLS = [0]


class CountsItsCalls(Countdown):
    def legal(self, pos):
        CALLS[0] += 1
        return (1 << min(pos.heap, 1 + CALLS[0] % 2)) - 1


class Forgetful(Countdown):
    def play(self, pos, action):
        return Position(random.randrange(pos.heap), 1 - pos.turn)


# ---- compiling ----


class Overflowing(Countdown):
    def score(self, pos):
        return (pos.heap + 1 << 70) >> 70


class SeldomAHalf(Countdown):
    def score(self, pos):
        return 0.5 if pos.heap < 0 else 1 if pos.turn == 1 else -1


class SeldomAHalfPlayer(Countdown):
    def player(self, pos):
        return pos.turn / 2 if pos.heap < 0 else pos.turn


class Replaces(Countdown):
    def play(self, pos, action):
        return pos._replace(heap=pos.heap - action - 1, turn=1 - pos.turn)


class Recursive(Countdown):
    def legal(self, pos):
        return self.legal(Position(pos.heap - 1, pos.turn)) if pos.heap > 2 else min(3, (1 << pos.heap) - 1)


class Wordy(Countdown):
    def score(self, pos):
        winner = "first" if pos.turn == 1 else "second"
        return 1 if winner == "first" else -1 if winner.startswith("s") else int(winner)


def unmarked(heap):
    return min(heap, 2)


class CallsUnmarked(Countdown):
    def legal(self, pos):
        return (1 << unmarked(pos.heap)) - 1


CHOICES = {0: 0, 1: 1}


class ReadsADict(Countdown):
    def legal(self, pos):
        return CHOICES.get(pos.heap, 3)


@helper
def counts_down(heap):
    return 3 if heap > 1 else int(f"{heap}")


class HelperWithText(Countdown):
    def legal(self, pos):
        return counts_down(pos.heap)


class CatchesErrors(Countdown):
    def legal(self, pos):
        try:
            return (0, 1, 3, 3, 3, 3, 3)[pos.heap]
        except (IndexError, TypeError) as error:
            return len(error.args)


class ObservesText(Countdown):
    observation_shape = (1,)

    def observe(self, pos, out):
        out[0] = int(f"{pos.heap}")


class PrivateMethod(Countdown):
    def _winner(self, pos):
        return 1 - pos.turn

    def score(self, pos):
        return 1 if self._winner(pos) == 0 else -1


class StaticMethod(Countdown):
    @staticmethod
    def sign(turn):
        return 2 * turn - 1

    def score(self, pos):
        return self.sign(pos.turn)


class CachedMethod(Countdown):
    @functools.lru_cache  # noqa: B019
    def sign(self, turn):
        return 2 * turn - 1

    def score(self, pos):
        return self.sign(pos.turn)


class CountsBits(Countdown):
    def score(self, pos):
        return 2 * pos.turn.bit_count() - 1


class MeasuresBits(Countdown):
    def score(self, pos):
        return 2 * pos.turn.bit_length() - 1


class Combines(Countdown):
    def score(self, pos):
        return math.comb(2, 1) * pos.turn - 1


class AsksForTheKind(Countdown):
    def score(self, pos):
        return 1 if isinstance(pos, Position) and pos.turn else -1


class ListsFields(Countdown):
    def play(self, pos, action):
        fields = list(pos)
        return Position(fields[0] - action - 1, 1 - fields[1])


class MakesFromFields(Countdown):
    def play(self, pos, action):
        return Position._make((pos.heap - action - 1, 1 - pos.turn))


WINS = 1


class ChangesAGlobal(Countdown):
    def score(self, pos):
        global WINS
        WINS = 1
        return WINS if pos.turn else -WINS


class MutuallyRecursive(Countdown):
    def even(self, number):
        return 1 if number == 0 else self.odd(number - 1)

    def odd(self, number):
        return 0 if number == 0 else self.even(number - 1)

    def score(self, pos):
        return -1 if self.even(pos.turn) else 1


class FloatConstant(Countdown):
    weight = 2.0

    def score(self, pos):
        return int(self.weight) * pos.turn - 1


class TextConstant(Countdown):
    marks = "-+"

    def score(self, pos):
        return 1 if self.marks[pos.turn] == self.marks[1] else -1


class Kind(enum.IntEnum):
    LOST = 0
    WON = 1


class CallsAnEnum(Countdown):
    def score(self, pos):
        return 1 if Kind(pos.turn) == Kind.WON else -1


class CountsDownInReverse(Countdown):
    def score(self, pos):
        last = 0
        for number in reversed(range(pos.turn, 2)):
            last = number
        return 2 * last - 1


class NamesInPassing(Countdown):
    def score(self, pos):
        return (turn := pos.turn) + turn - 1


TAKES = ((), (1,), (1, 2))


class UnlikeTuples(Countdown):
    def legal(self, pos):
        return (1 << len(TAKES[min(pos.heap, 2)])) - 1


class BestByKey(Countdown):
    def score(self, pos):
        return max((1, -1), key=lambda score: score * (2 * pos.turn - 1))


class SetsAnAttribute(Countdown):
    def play(self, pos, action):
        SetsAnAttribute.last = action
        return Position(pos.heap - action - 1, 1 - pos.turn)


class SaysNone(Countdown):
    def score(self, pos):
        won = 1 if pos.turn else None
        return won or -1


class UnknownAttribute(Countdown):
    def score(self, pos):
        return 2 * pos.turn.as_integer_ratio()[0] - 1


class Unrecognised(Countdown):
    def score(self, pos):
        first, *others = pos
        return 2 * others[0] - 1 + 0 * first


# ---- hooks ----


class ChanceWithoutOdds(Countdown):
    def player(self, pos):
        return CHANCE if pos.heap == 3 else pos.turn


class NoOdds(ChanceWithoutOdds):
    def odds(self, pos, action):
        return action


class OddsTooLarge(ChanceWithoutOdds):
    def odds(self, pos, action):
        return 1 << 31


class SwapsRaises(Countdown):
    symmetries = 2

    def transform(self, pos, symmetry):
        return pos

    def swaps_players(self, symmetry):
        return {}[symmetry]


class SymmetryOfActionRaises(SwapsRaises):
    swaps_players = None

    def transform_action(self, pos, action, symmetry):
        return [action][symmetry]


class ManySymmetriesOfNothing(Countdown):
    symmetries = 300

    def transform(self, pos, symmetry):
        return Position(pos.heap, (pos.turn + symmetry) % 2)


class SymmetryThatDoesNotCommute(Countdown):
    symmetries = 2

    def transform(self, pos, symmetry):
        return Position(9 - pos.heap if symmetry and pos.heap in (4, 5) else pos.heap, pos.turn)


class SymmetryThatMovesWrongActions(Countdown):
    symmetries = 2

    def transform(self, pos, symmetry):
        return pos

    def transform_action(self, pos, action, symmetry):
        return action ^ symmetry


class SymmetryThatChangesThePlayer(Countdown):
    symmetries = 2

    def transform(self, pos, symmetry):
        return Position(pos.heap, pos.turn ^ symmetry)


class SymmetryWithoutIdentity(Countdown):
    symmetries = 2

    def transform(self, pos, symmetry):
        return Position(pos.heap, pos.turn ^ 1 ^ symmetry)


class SymmetryWithoutInverse(Countdown):
    symmetries = 2

    def transform(self, pos, symmetry):
        return Position(0, 0) if symmetry else pos


class BanksTooMuch(Countdown):
    def banked(self, pos):
        return 5 if pos.heap == 0 else 0

    def unbanked(self, pos):
        return pos


class BanksWhatIsNotScored(Countdown):
    def banked(self, pos):
        return pos.heap

    def unbanked(self, pos):
        return Position(0, pos.turn)


class CandidatesNotLegal(Countdown):
    def candidates(self, pos):
        return 7


class PromisesHalves(Countdown):
    def promise(self, pos, action):
        return 0.5


class BoundsTooNarrow(Countdown):
    def bounds(self, pos):
        return 0, 1


class OneBound(Countdown):
    def bounds(self, pos):
        return 1


class WinsTooLate(Countdown):
    def plies_left(self, pos):
        return 2, 9


class CandidatesMissTheBest(Countdown):
    def candidates(self, pos):
        return 2 if pos.heap == 4 else self.legal(pos)


class CandidatesMissTheShortest(Countdown):
    def legal(self, pos):
        return 7 if pos.heap == 6 else 1 if pos.heap else 0

    def play(self, pos, action):
        return Position(0 if action == 0 and pos.heap == 6 else pos.heap - 1, 1 - pos.turn)

    def score(self, pos):
        return 1

    def candidates(self, pos):
        return 6 if pos.heap == 6 else 1


class BoundsMissTheValue(Countdown):
    def bounds(self, pos):
        return (-1, -1) if pos.heap == 4 and pos.turn == 0 else (-1, 1)


class LastsLonger(Countdown):
    def plies_left(self, pos):
        return 1, 3


class Heaps(Countdown):
    """Countdown with the hooks of endgames, and nothing to win."""

    symmetries = 2
    endgame_heaps = 1

    def transform(self, pos, symmetry):
        return Position(pos.heap, pos.turn ^ symmetry)

    def swaps_players(self, symmetry):
        return symmetry == 1

    def score(self, pos):
        return 0

    def banked(self, pos):
        return 0

    def unbanked(self, pos):
        return pos

    def endgame_heap(self, pos, number):
        return pos.heap

    def endgame_position(self, sizes):
        return Position(sizes[0], 0)


class EndgamesWithoutPoints(Countdown):
    endgame_heaps = 1

    def endgame_heap(self, pos, number):
        return pos.heap

    def endgame_position(self, sizes):
        return Position(sizes[0], 0)


class EndgamesWithoutPositions(Heaps):
    endgame_position = None


class HalfAHeap(Heaps):
    endgame_heaps = 0.5


class WinsMoreThanTheHeaps(Heaps):
    def score(self, pos):
        return 1 if pos.turn == 1 else -1


class HeapsDifferWhenCompiled(Heaps):
    def endgame_heap(self, pos, number):
        return pos.heap + (((pos.heap + 1) << 62) * 4 != 0) - 1


class EndgamesForgetTheTurn(Heaps):
    symmetries = 1


class EndgamesThatGrow(Countdown):
    symmetries = 2
    endgame_heaps = 1

    def banked(self, pos):
        return 0

    def unbanked(self, pos):
        return pos

    def transform(self, pos, symmetry):
        return Position(pos.heap, pos.turn ^ symmetry)

    def swaps_players(self, symmetry):
        return symmetry == 1

    def endgame_heap(self, pos, number):
        return self.heap - pos.heap

    def endgame_position(self, sizes):
        return Position(self.heap - sizes[0], 0)


class MoverStays(Countdown):
    def with_mover(self, pos, player):
        return pos


class MoverChangesTheBoard(Countdown):
    def with_mover(self, pos, player):
        return Position(0, player)


class MoverFlipsTheBoard(Countdown):
    def with_mover(self, pos, player):
        return Position(pos.heap ^ 1, player)


class Divided(Countdown):
    def with_mover(self, pos, player):
        return Position(pos.heap, player)

    def num_parts(self, pos):
        return 2


class PartsOfParts(Divided):
    def part(self, pos, number):
        return Position(pos.heap // 2, pos.turn)


class PartsOfLessValue(Divided):
    def num_parts(self, pos):
        return 1

    def part(self, pos, number):
        return Position(min(pos.heap, 2), pos.turn)


class PartsWithoutMovers(Countdown):
    def num_parts(self, pos):
        return 1

    def part(self, pos, number):
        return pos


class IndexOfHalfPositions(Countdown):
    num_positions = 14.0

    def index(self, pos):
        return 2 * pos.heap + pos.turn

    def position_at(self, index):
        return Position(index // 2, index % 2)


class SeatsRaise(Countdown):
    def num_seat_positions(self, player):
        return [7][player]

    def seat_index(self, pos):
        return pos.heap

    def seat_position_at(self, player, index):
        return Position(index, player)


class IndexTooLarge(Countdown):
    num_positions = 3

    def index(self, pos):
        return 2 * pos.heap + pos.turn

    def position_at(self, index):
        return Position(index // 2, index % 2)


class IndexForgetsTheTurn(Countdown):
    num_positions = 7

    def index(self, pos):
        return pos.heap

    def position_at(self, index):
        return Position(index, 0)


class SeatIndexForgetsTheHeap(Countdown):
    def num_seat_positions(self, player):
        return 7

    def seat_index(self, pos):
        return 0

    def seat_position_at(self, player, index):
        return Position(self.heap, player)


class ObservationTooSmall(Countdown):
    observation_shape = (2,)

    def observe(self, pos, out):
        out[pos.heap] = 1


class ObservesTooMuch(Countdown):
    observation_shape = (100_000, 100_000)

    def observe(self, pos, out):
        out[0, 0] = pos.heap


class ObservesNothing(Countdown):
    observation_shape = (1,)

    def observe(self, pos, out):
        return [pos.heap]


class ShapingOfAnOddKind(Countdown):
    def shaping(self, pos):
        return 10**400


class ObservationNotFinite(Countdown):
    observation_shape = (1,)

    def observe(self, pos, out):
        out[0] = float("nan")


class EndlessReward(Countdown):
    def shaping(self, pos):
        return float("inf")


class NegativeCap(Countdown):
    max_plies = -1


# ---- faces ----


class OneName(Countdown):
    """Both players are called alike."""

    players = ("Me", "Me")


class TitleOfANumber(Countdown):
    """Its title is a year."""

    title = 1848


class TitleOnTwoLines(Countdown):
    """Its title does not fit a line."""

    title = "Count\ndown"


class VariantsWithoutNames(Countdown):
    """Its variants are parameters alone."""

    variants = ("heap=7",)


class VariantsOfNothing(Countdown):
    """Its variants have another game's parameters."""

    variants = (("Long", "stones=7"),)


class BoardOfNothing(Countdown):
    """Its board forgets to return."""

    def board(self, pos):
        str(pos.heap)


class KindRaises(Countdown):
    """Its actions have no kinds."""

    def action_kind(self, pos, action):
        return [][action]


class TooWide(Countdown):
    """A board for a very wide terminal."""

    def board(self, pos):
        return "=" * 100


class ForgetsTheTurn(Countdown):
    """Its notation does not say the side to move."""

    def format_position(self, pos):
        return str(pos.heap)

    def parse_position(self, words):
        return Position(int(words), 0)


class ReadsAnything(Countdown):
    """Every text is a position."""

    def format_position(self, pos):
        return f"{pos.heap} {pos.turn}"

    def parse_position(self, words):
        return Position(*map(int, words.split())) if words[:1].isdigit() else self.start()


class OneNameForAll(Countdown):
    """Every action is called alike."""

    def action_name(self, pos, action):
        return "take"


class NamelessAction(Countdown):
    """Its actions have no names."""

    def action_name(self, pos, action):
        return ""


class TargetNobodyDrew(Countdown):
    """Paths lead to what is not drawn."""

    def action_path(self, pos, action):
        return ("nowhere",)


class SaysNothing(Countdown):
    """What stands on its target is not said."""

    def draw(self, pos):
        drawing = Drawing(100, 100, "A heap")
        for action in range(3):
            drawing.target(f"action-{action}", 0, 0, 100, 100)
        return drawing

    def describe(self, pos, target):
        return ""


class TwoPiecesInOnePlace(Countdown):
    """Two pieces of a kind stand at one place."""

    def draw(self, pos):
        drawing = Drawing(100, 100, "A heap")
        for _ in range(2):
            drawing.piece("stone", "heap", 0, 0, circle(0, 0, 5, "first"))
        return drawing


class NotesThatRaise(Countdown):
    """Its expert fails."""

    def notes(self, pos):
        raise RuntimeError("no idea")


class NoPages(Countdown):
    """No rules to read."""

    def rules(self):
        return []


# (game, method that the message names, words of what is wrong, words of what to write instead)
BROKEN = (
    (NoScore, "score", "is missing", "def score(self, pos)"),
    (LegalWithoutPosition, "legal", "takes (self)", "def legal(self, pos)"),
    (CapAsMethod, "max_plies", "is a method", "@property"),
    (ObserveWithoutShape, "observe", "without observation_shape", "give observation_shape too"),
    (TextParameter, "name", "'six'", "use int, bool, an IntEnum"),
    (RefusesItself, "validate", "heap must be odd, not 6", "parameters that it allows"),
    (ValidateFails, "validate", "raises TypeError", "or raise ValueError"),
    (CapRaises, "max_plies", "raises IndexError", "must return"),
    (HalfAnAction, "num_actions", "is 2.5", "a whole number"),
    (ActionsRaise, "num_actions", "raises AttributeError", "must return"),
    (StartAsProperty, "start", "is no plain method", "def start(self)"),
    (LegalInTheBackground, "legal", "is no plain method", "def legal(self, pos)"),
    (ParameterCalledBoard, "board", "is a parameter", "call it otherwise"),
    (TooManyActions, "num_actions", "is 1000000000000", "at most 1,048,576"),
    (TooManySymmetries, "symmetries", "is 1000000000", "at most 4,096"),
    (ScoreBeyondJson, "score", "returns 9223372036854775807", "keep it within 9,007,199,254,740,992"),
    (NoNumberAsScore, "score", "returns nan", "return a whole number"),
    (ArrayInPosition, "start", "array([0, 0, 0, 0, 0, 0, 0, 0, 0]) into the field heap", "in the bits of an int"),
    (TextInPosition, "start", "'0' into the field turn", "in the bits of an int"),
    (NoFields, "start", "a position without fields", "give it a field"),
    (NoWords, "legal", "returns ()", "an int with bit a set"),
    (TupleOfActions, "legal", "allows action 63", "(0, 1) is read as 2 words of 63 bits"),
    (TupleOfTruths, "legal", "returns (True, True)", "an int with bit a set"),
    (CountsItsCalls, "legal", "another answer when asked again", "no counters"),
    (StartIsTuple, "start", "returns (6, 0)", "a NamedTuple of ints"),
    (ListInPosition, "start", "[6] into the field heap", "in the bits of an int"),
    (FloatInPosition, "play", "3.0 into the field heap", "write int(...) or //"),
    (NumPyInPosition, "play", "np.int64(5) into the field heap", "write int(...) or //"),
    (TooLargeForAWord, "play", "18446744073709551616 into the field heap", "63 bits"),
    (BoardOf64Squares, "start", "9223372036854775808 into the field heap", "low = board & (1 << 32) - 1 and high ="),
    (ChangesItsClass, "play", "returns a OtherPosition", "return a Position"),
    (ThirdPlayer, "player", "returns 7", "players are 0 and 1"),
    (PlayersOneAndTwo, "player", "returns 2", "players are 0 and 1"),
    (FloatPlayer, "player", "returns 0.0", "return an int"),
    (TruthAsPlayer, "player", "returns False", "return an int"),
    (Exits, "play", "raises SystemExit(bye) for 0", "must return"),
    (ListOfActions, "legal", "returns [0, 1]", "an int with bit a set"),
    (SignBitInMask, "legal", "more than 63 bits", "a tuple of ints above 63 actions"),
    (ComplementAsMask, "legal", "returns -4, which is negative", "mask it, ~board & ((1 << squares) - 1)"),
    (SeventyFiveActions, "legal", "more than 63 bits", "(mask & (1 << 63) - 1, mask >> 63)"),
    (BeyondNumActions, "legal", "action 1, but num_actions is 1", "a larger num_actions"),
    (CannotPlayItsActions, "play", "raises KeyError(1) for 1", "must return for every position"),
    (NeverOver, "legal", "is never empty", "an empty mask when the game is over"),
    (Endless, "play", "over 10,000 plies", "give max_plies"),
    (HalfScore, "score", "returns 0.5", "a whole number: use // instead of /, or count in smaller units"),
    (ScoreRaises, "score", "raises KeyError('winner')", "must return"),
    (ChanceAtTheEnd, "player", "returns CHANCE in an ended position", "who would be to move"),
    (Forgetful, "play", "another answer when asked again", "no random numbers"),
    (Overflowing, "score", "when compiled and 1 in plain Python", "keep within 63 bits"),
    (SeldomAHalf, "score", "returns a fraction in some position", "a whole number on every path"),
    (SeldomAHalfPlayer, "player", "returns a fraction in some position", "a whole number on every path"),
    (Replaces, "play", "calls _replace", "Position(...)"),
    (Recursive, "legal", "calls itself", "a loop instead of recursion"),
    (Wordy, "score", "uses a string", "rules hold numbers only"),
    (CallsUnmarked, "legal", "calls unmarked", "mark unmarked with @helper"),
    (ReadsADict, "legal", "reads the dict CHOICES", "make CHOICES a tuple"),
    (HelperWithText, "counts_down", "makes a string", "rules hold numbers only"),
    (CatchesErrors, "legal", "catches exceptions", "test for the case"),
    (ObservesText, "observe", "makes a string", "rules hold numbers only"),
    (PrivateMethod, "score", "uses self._winner", "rename it to winner"),
    (StaticMethod, "score", "uses self.sign, a staticmethod", "a plain method with self"),
    (CachedMethod, "score", "uses self.sign, a cached function", "a plain method with self"),
    (CountsBits, "score", "calls bit_count", "from ludus.compiled.bits import popcount"),
    (MeasuresBits, "score", "calls bit_length", "from ludus.compiled.bits import highest"),
    (Combines, "score", "uses math.comb", "write a loop"),
    (AsksForTheKind, "score", "calls isinstance", "compare them instead"),
    (ListsFields, "play", "calls list", "name the fields one by one"),
    (MakesFromFields, "play", "calls _make", "Position(...)"),
    (ChangesAGlobal, "score", "changes a global", "in a field of the position"),
    (MutuallyRecursive, "odd", "calls even, which calls it again", "a loop instead of recursion"),
    (FloatConstant, "score", "reads the float self.weight", "a tuple or an int"),
    (TextConstant, "score", "reads the str self.marks", "a tuple or an int"),
    (CallsAnEnum, "score", "calls Kind", "use the int itself"),
    (CountsDownInReverse, "score", "calls reversed", "range(n - 1, -1, -1)"),
    (NamesInPassing, "score", "uses :=", "on a line of its own"),
    (UnlikeTuples, "legal", "reads TAKES, whose entries are unlike", "one length"),
    (BestByKey, "score", "calls max with a key", "write a for loop"),
    (SetsAnAttribute, "play", "sets .last", "in a field of the position"),
    (SaysNone, "score", "uses None", "such as -1"),
    (UnknownAttribute, "score", "uses .as_integer_ratio", "whole numbers, tuples and loops"),
    (Unrecognised, "score", '"first, *others = pos"', "whole numbers, tuples and loops"),
    (ChanceWithoutOdds, "odds", "is missing", "the weight of an action"),
    (NoOdds, "odds", "returns 0 for action 0", "at least 1"),
    (OddsTooLarge, "odds", "sums up to 4294967296", "up to 2147483648"),
    (SwapsRaises, "swaps_players", "raises KeyError(0) for 0", "must return"),
    (SymmetryOfActionRaises, "transform_action", "raises IndexError", "must return"),
    (ManySymmetriesOfNothing, "transform", "changes the player for symmetry 1", "give swaps_players"),
    (SymmetryThatDoesNotCommute, "transform", "does not commute with play", "must equal playing then transforming"),
    (SymmetryThatMovesWrongActions, "transform_action", "not the legal ones", "does the same there"),
    (SymmetryThatChangesThePlayer, "transform", "changes the player", "give swaps_players"),
    (SymmetryWithoutIdentity, "transform", "for symmetry 0", "be the identity"),
    (SymmetryWithoutInverse, "transform", "no group", "each must have an inverse"),
    (BanksTooMuch, "unbanked", "leaves points banked", "0 banked points"),
    (BanksWhatIsNotScored, "unbanked", "changes the player or the legal actions", "take away points only"),
    (CandidatesNotLegal, "candidates", "returns the actions [0, 1, 2]", "at least one until the game ends"),
    (PromisesHalves, "promise", "0.5", "whole number"),
    (BoundsTooNarrow, "bounds", "returns 0 and 1 where -1 can be scored", "beyond what is banked"),
    (OneBound, "bounds", "returns 1", "two whole numbers"),
    (WinsTooLate, "plies_left", "returns 2 and 9 where one ply can win", "fewest and the most plies"),
    (CandidatesMissTheBest, "candidates", "returns the actions [1], while only [0] are best", "counting plies"),
    (CandidatesMissTheShortest, "candidates", "returns the actions [1, 2], while only [0] are best", "counting plies"),
    (BoundsMissTheValue, "bounds", "returns -1 and -1 where perfect play scores 1", "beyond what is banked"),
    (LastsLonger, "plies_left", "returns 1 and 3 where it takes 4", "with perfect play"),
    (EndgamesWithoutPoints, "endgame_heaps", "is given without banked", "give banked too"),
    (EndgamesWithoutPositions, "endgame_heaps", "is given without endgame_position", "give endgame_position too"),
    (HalfAHeap, "endgame_heaps", "is 0.5", "a whole number"),
    (WinsMoreThanTheHeaps, "endgame_heap", "adds up to 0 where 1 can be won", "can still be won"),
    (HeapsDifferWhenCompiled, "endgame_heap", "when compiled and 6 in plain Python", "keep within 63 bits"),
    (EndgamesForgetTheTurn, "endgame_position", "does not lead back from [5]", "up to symmetry"),
    (EndgamesThatGrow, "endgame_heap", "grows in all by action 0", "never added to"),
    (MoverStays, "with_mover", "does not let 1 move", "set the side to move"),
    (MoverChangesTheBoard, "with_mover", "changes more than the mover", "keep the board"),
    (MoverFlipsTheBoard, "with_mover", "in which 0 moves already", "return pos itself"),
    (Divided, "num_parts", "is given without part", "give part too"),
    (PartsOfParts, "part", "not its own only part", "cut away all that is dead"),
    (PartsOfLessValue, "part", "does not win as the position", "equal the position"),
    (PartsWithoutMovers, "num_parts", "is given without with_mover", "give with_mover too"),
    (IndexOfHalfPositions, "num_positions", "is 14.0", "a whole number"),
    (SeatsRaise, "num_seat_positions", "raises IndexError", "must return"),
    (IndexTooLarge, "index", "num_positions is 3", "0 .. num_positions - 1"),
    (IndexForgetsTheTurn, "position_at", "does not lead back", "make it the inverse"),
    (SeatIndexForgetsTheHeap, "seat_position_at", "does not lead back", "make it the inverse"),
    (ObservationTooSmall, "observe", "raises IndexError", "must return"),
    (ObservesTooMuch, "observation_shape", "makes 10,000,000,000 numbers", "at most 1,048,576"),
    (ObservesNothing, "observe", "the same for all positions", "out[i] = "),
    (ShapingOfAnOddKind, "", "raises OverflowError", "shaping is a number"),
    (ObservationNotFinite, "observe", "not finite", "ordinary numbers"),
    (EndlessReward, "shaping", "returns inf", "a finite number"),
    (NegativeCap, "max_plies", "is -1", "0 for no cap"),
    (OneName, "players", "('Me', 'Me')", "two different names"),
    (TitleOfANumber, "title", "is 1848", "text of one line"),
    (TitleOnTwoLines, "title", "is 'Count\\ndown'", "text of one line"),
    (VariantsWithoutNames, "variants", "cannot be read", "pairs of a name and parameters"),
    (VariantsOfNothing, "variants", "cannot be read", "pairs of a name and parameters"),
    (BoardOfNothing, "board", "returns None", "return text"),
    (KindRaises, "action_name", "raises IndexError", "must work for every position"),
    (TooWide, "board", "does not fit a terminal", "76 columns"),
    (ForgetsTheTurn, "parse_position", "does not read back", "read what format_position writes"),
    (ReadsAnything, "parse_position", "accepts '?!'", "raise ValueError"),
    (OneNameForAll, "action_name", "'take' that do different things", "different names"),
    (NamelessAction, "action_name", "calls action 0 ''", "a name of one line"),
    (TargetNobodyDrew, "action_path", "no such target", "drawing.target"),
    (SaysNothing, "describe", "calls the target 'action-0' ''", "one line for every target"),
    (TwoPiecesInOnePlace, "draw", "two pieces one place", "at different places"),
    (NotesThatRaise, "notes", "raises RuntimeError(no idea)", "must work for every position"),
    (NoPages, "rules", "an empty page, or none", "Page(title, words, position)"),
)
