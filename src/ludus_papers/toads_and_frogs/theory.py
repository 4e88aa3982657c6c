"""What the Toads and Frogs paper says of the game itself, judged by canonical forms, solutions and searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

import ludus
from ludus.cgt.positions import Evaluator
from ludus.cgt.strips.outcomes import decide
from ludus.cgt.strips.starts import families
from ludus.game import with_mover
from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED
from ludus.study.paper import Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working
from ludus_papers.toads_and_frogs.tasks import LARGE, SMALL, line, toads_to_move, winning, winning_by_pass

_PATIENCE = 300_000  # positions that are explored to solve one of few
_FIRST_FAMILIES = 2  # those that the paper names: (TF)^m T_ (TF)^n and (T_ (TF)^n TTFF)^k
_MANY = 1e15  # nodes of a tree
_EXPLAIN = "ludus value TFTF_ --explain"


# ---- tasks ----


def _on_strip(strip: str) -> Any:
    return ludus.make_game(f"toads-and-frogs(strip={strip})")


def solving_strips(strips: Sequence[str]) -> Task:
    """Strips in which toads are to move; its result is what `solved_strips` returns."""
    command = f"ludus solve 'toads-and-frogs(strip={strips[0]})'"
    return Task(f"the solutions of {', '.join(strips)}", solved_strips, (list(strips),), command=command)


def solved_strips(strips: list[str]) -> list[dict[str, Any]]:
    """Of each strip the legal moves of the toads, those that win, and the legal moves of the frogs."""
    found = []
    for strip in strips:
        game = _on_strip(strip)
        pos = game.start()
        frogs = ludus.actions(game.legal(with_mover(game, pos, 1)))
        found.append({"legal": ludus.actions(game.legal(pos)), "wins": winning(game, pos, _PATIENCE), "frogs": frogs})
    return found


def passing(strips: Sequence[str]) -> Task:
    """Strips of a board too large to enumerate, toads and frogs to move in turn; see `passed_strips`."""
    command = f"ludus value --symmetric {strips[0].count('T')} {strips[0].count('_')}"
    return Task(f"winning moves in {', '.join(strips)}", passed_strips, (list(strips),), command=command)


def passed_strips(strips: list[str]) -> list[dict[str, list[int]]]:
    """The legal moves of the side to move in each strip and those that win, by a pass; the toads are to move first."""
    found = []
    for number, strip in enumerate(strips):
        seen = turned(strip) if number % 2 else strip
        game, pos = _on_strip(seen), toads_to_move(seen)
        found.append({"legal": ludus.actions(game.legal(pos)), "wins": winning_by_pass(game, [pos])[0]})
    return found


def turned(strip: str) -> str:
    """The strip as the frogs see it: turned round, with toads and frogs exchanged."""
    return strip[::-1].translate(str.maketrans("TF", "FT"))


def large_game(lab: Lab) -> list[str]:
    """The strips of the listed game on the large board, corrected, before and after each move of the toads."""
    return [strip for move in lab.moves("large-game-corrected") for strip in move[:2]]


def tree_size(board: str, games: int) -> Task:
    """The size of a game tree; its result is what `bounded_tree` returns."""
    return Task(f"the size of the tree of {board}", bounded_tree, (board, games), command=f"ludus solve '{board}'")


def bounded_tree(board: str, games: int) -> float:
    """A number of nodes that a game tree surely exceeds.

    The products of the numbers of moves along random descents, summed, have the number of nodes as their mean (Knuth,
    1975). Three descents of four imply more than the lower quartile, so the mean is above half of it.
    """
    game, generator = ludus.make_game(board), np.random.default_rng(0)
    found = []
    for _ in range(games):
        pos, nodes, wide = game.start(), 1.0, 1.0
        while legal := ludus.actions(game.legal(pos)):
            wide *= len(legal)
            nodes += wide
            pos = game.play(pos, legal[generator.integers(len(legal))])
        found.append(nodes)
    return float(np.quantile(found, 0.25)) / 2


def _valuing(*strips: str) -> Task:
    return Task(f"values of {', '.join(strips)}", valued, (strips,), command=f"ludus value '{strips[0]}'")


def valued(strips: Sequence[str]) -> list[dict[str, str]]:
    """The canonical form of each strip, and its outcome."""
    forms = [ludus.canonical_form(_on_strip(strip)) for strip in strips]
    return [{"value": str(form), "outcome": form.outcome} for form in forms]


def deciding(pieces: int, gaps: int) -> Task:
    """A start with as many frogs as toads; its result is what `decided` returns."""
    command = f"ludus value --symmetric {pieces} {gaps}"
    return Task(f"T^{pieces} _^{gaps} F^{pieces}", decided, (pieces, gaps), command=command)


def decided(pieces: int, gaps: int) -> dict[str, Any]:
    """Whether the value is 0, * or neither, how many arrangements there are, and the cost."""
    found = decide(pieces, gaps, threads=1)
    return {"value": found.value, "arrangements": found.arrangements, "seconds": found.seconds, "bytes": found.bytes}


def _counting_zeros(lab: Lab, function: Callable[[int], Any]) -> Task:
    squares = lab.pick(9, 7, 5)
    return Task(f"{function.__name__} of {squares} squares", function, (squares,), command=_EXPLAIN)


def death_leaps(squares: int) -> dict[str, int]:
    """How many strips the Death Leap Principle applies to, and how many of these have value 0."""
    return _zeros_among(squares, lambda game, strip: bool(game.shaping(toads_to_move(strip))))


def quiet_strips(squares: int) -> dict[str, int]:
    """How many strips up to this many squares have none of TF__, __TF, T_ and _F, and how many of these are 0."""
    return _zeros_among(squares, lambda game, strip: not any(part in strip for part in ("TF__", "__TF", "T_", "_F")))


def _zeros_among(squares: int, chosen: Callable[[Any, str], bool]) -> dict[str, int]:
    zeros = []
    for number in range(1, squares + 1):
        game = _on_strip("_" * number)
        strips = ["".join(signs) for signs in product("TF_", repeat=number)]
        forms = Evaluator(game).forms_of([toads_to_move(strip) for strip in strips if chosen(game, strip)])
        zeros += [form == 0 for form in forms]
    return {"strips": len(zeros), "zero": sum(zeros)}


def temperatures(strips: Sequence[str]) -> list[float]:
    """The temperature of each strip."""
    return [float(ludus.canonical_form(_on_strip(each)).temperature) for each in strips]


def checked_families(squares: int) -> list[dict[str, Any]]:
    """Of each family of strips that has a claimed value, how many strips were checked and how many fail."""
    return [
        {"family": each.family.shape, "strips": each.checked, "fails": len(each.failed)} for each in families(squares)
    ]


def counting(lab: Lab, board: str) -> Task:
    """The positions of a board; its result is what `counted` returns."""
    arguments = board, lab.pick(400, 100, 10)
    return Task(f"positions of {board}", counted, arguments, command=f"ludus solve '{board}'")


def counted(board: str, games: int) -> dict[str, float | None]:
    """Reachable positions and strips, None of a board too large to enumerate.

    leaps: the share of positions in games of random play that the Death Leap Principle makes zero.
    """
    game, random = ludus.make_game(board), ludus.make_agent("random")
    explored = ludus.explore(game, game.start(), limit=1_000_000)
    strips = len({tuple(row[:2]) for row in explored.positions.tolist()}) if explored.complete else None
    played: list[Any] = []
    ludus.play_match(game, random, random, games, seats=ludus.Seats.FIRST, threads=1, record=played.append)
    met = [game.shaping(game.play(pos, action)) for one in played for pos, action in line(game, one)]
    positions = len(explored.positions) if explored.complete else None
    return {"positions": positions, "strips": strips, "leaps": sum(met) / len(met)}


# ---- claims ----


def _sum_of_parts(lab: Lab) -> Working[Judged]:
    strips = "T__TTFTFF_F", "T__", "_F"
    found = yield {"values": _valuing(*strips)}
    whole, *parts = [each["value"] for each in found["values"]]
    words = f"{strips[0]} has value {whole}; {strips[1]} {parts[0]} and {strips[2]} {parts[1]}"
    return Judged(PROVED if whole == "1" else REFUTED, words, f"ludus value {strips[0]} --explain")


def _all_zero(function: Callable[[int], Any], source: str, which: str, lab: Lab) -> Working[Judged]:
    if function is not death_leaps:
        yield {"first": _counting_zeros(lab, death_leaps)}  # so that what both need is compiled once
    found = (yield {"zeros": _counting_zeros(lab, function)})["zeros"]
    squares = lab.pick(9, 7, 5)
    words = f"{found['zero']:,} of the {found['strips']:,} strips of up to {squares} squares {which} have value 0"
    holds = found["zero"] == found["strips"]
    return Judged(SUPPORTED if holds else REFUTED, f"Erickson's {source}; {words}", _EXPLAIN)


def hot_strips(lab: Lab) -> Working[dict[int, float]]:
    """The temperature of T^a __ FF by a."""
    toads = range(3, lab.pick(10, 8, 5) + 1)
    strips = [f"{'T' * number}__FF" for number in toads]
    yield {"first": _counting_zeros(lab, death_leaps)}  # likewise
    command = f"ludus value {strips[-1]}"
    found = yield {"found": Task(f"temperatures of {', '.join(strips)}", temperatures, (strips,), command=command)}
    return dict(zip(toads, found["found"], strict=True))


def _hot(lab: Lab) -> Working[Judged]:
    found = (yield {"found": hot_strips(lab)})["found"]
    toads, shown = list(found), ", ".join(f"{each:g}" for each in found.values())
    words = f"Erickson's theorem; T^a __ FF with a = {toads[0]} to {toads[-1]} has the temperatures {shown}"
    grows = all(one < other for one, other in pairwise(found.values()))
    return Judged(SUPPORTED if grows else REFUTED, words, f"ludus value {'T' * toads[-1]}__FF")


def _dyadic(lab: Lab) -> Working[Judged]:
    squares = lab.pick(15, 12, 8)
    command = f"ludus value --families --squares {squares}"
    task = Task(f"families of at most {squares} squares", checked_families, (squares,), command=command)
    found = (yield {"families": task})["families"][:_FIRST_FAMILIES]
    words = "; ".join(f"{each['family']}: {each['fails']} of {each['strips']} strips fail" for each in found)
    verdict = REFUTED if any(each["fails"] for each in found) else SUPPORTED
    return Judged(verdict, f"strips of up to {squares} squares, {words}", command)


def _frog_moves(lab: Lab) -> Working[Judged]:
    found = yield {"strips": solving_strips(["TT_TF_F_F"])}
    moves = [str(action + 1) for action in found["strips"][0]["frogs"]]
    command = "ludus play 'toads-and-frogs(strip=TT_TF_F_F, first=frogs)'"
    return Judged(PROVED if moves == ["2", "3"] else REFUTED, f"Right can move {', '.join(moves)}", command)


def _zeros(lab: Lab) -> Working[Judged]:
    found = yield {"small": deciding(3, 3), "medium": deciding(4, 6)}
    values = [each["value"] for each in found.values()]
    words = f"they have value {' and '.join(values)}"
    return Judged(PROVED if values == ["0", "0"] else REFUTED, words, "ludus value --symmetric 4 6")


def wide_starts(lab: Lab) -> dict[tuple[int, int], Task]:
    """The starts T^a _^b F^a with b >= a, by a and b."""
    sizes = [(a, b) for a in range(1, lab.pick(6, 4, 3) + 1) for b in range(a, lab.pick(12, 8, 4) + 1)]
    sizes += lab.pick([(7, b) for b in range(7, 11)], [], [])
    return {size: deciding(*size) for size in sizes}


def _wide(lab: Lab) -> Working[Judged]:
    found = yield wide_starts(lab)
    failed = [f"T^{a} _^{b} F^{a}" for (a, b), each in found.items() if each["value"] == "neither"]
    words = f"of {len(found)} starts {len(failed)} fail" + (f": {', '.join(failed)}" if failed else "")
    command = "ludus value --symmetric 6 12; ludus value --symmetric 7 10"
    return Judged(REFUTED if failed else OPEN, words, command, "a start that fails: --scale full tries larger ones")


def _large_value(lab: Lab) -> Working[Judged]:
    value = (yield {"large": deciding(6, 9)})["large"]["value"]
    words = f"{LARGE.strip} has value {value}"
    return Judged(PROVED if value in ("0", "*") else REFUTED, words, "ludus value --symmetric 6 9")


def _beyond(lab: Lab) -> Working[Judged]:
    found = yield {"large": deciding(6, 9), "tree": tree_size(LARGE.game, lab.pick(5_000, 1_000, 100))}
    large, nodes = found["large"], found["tree"]
    words = (
        f"the tree has over {nodes:.0e} nodes, as Knuth's estimate by random descents shows. But who wins needs no"
        f" tree: a pass through all {large['arrangements']:,} arrangements decided it in"
        f" {large['seconds']:.1f} seconds with one thread and {large['bytes'] / 1e6:,.0f} MB. Supported if the tree has"
        f" over {_MANY:.0e} nodes, which take petabytes"
    )
    return Judged(SUPPORTED if nodes > _MANY else REFUTED, words, "ludus value --symmetric 6 9 --json")


def _small_bound(lab: Lab) -> Working[Judged]:
    found = (yield {"small": counting(lab, SMALL.game)})["small"]
    words = f"{found['strips']:,} strips can be reached, {found['positions']:,} positions with the side to move"
    holds = found["strips"] <= lab.number("small-bound").value
    return Judged(PROVED if holds else REFUTED, words, "ludus solve toads-and-frogs")


def _large_bound(lab: Lab) -> Working[Judged]:
    found = (yield {"large": deciding(6, 9)})["large"]
    ways = math.factorial(21) // (math.factorial(6) * math.factorial(9) * math.factorial(6))
    same = ways == found["arrangements"] == lab.number("large-bound").value
    words = f"21!/(6!9!6!) = {ways:,}, and that many arrangements were searched"
    return Judged(PROVED if same else REFUTED, words, "ludus value --symmetric 6 9 --json")


def _positive(lab: Lab) -> Working[Judged]:
    (found,) = (yield {"values": _valuing("T__T_F_")})["values"]
    is_positive = found["outcome"] == "L"
    words = f"it has value {found['value']}" + (", so Left wins whoever moves first" if is_positive else "")
    return Judged(PROVED if is_positive else REFUTED, words, "ludus value T__T_F_")


def _advantageous(lab: Lab) -> Working[Judged]:
    strips = [move.before for move in lab.moves("medium-game")]
    first = (yield {"strips": solving_strips(strips)})["strips"][0]
    wins = [action + 1 for action in first["wins"]]
    words = f"in {strips[0]} the toads win by {', '.join(map(str, wins)) or 'no move'}"
    words += ", which is any legal move" if first["wins"] == first["legal"] else ""
    return Judged(PROVED if 2 in wins else REFUTED, words, f"ludus solve 'toads-and-frogs(strip={strips[0]})'")


def _narrative(lab: Lab) -> Working[tuple[list[str], list[dict[str, list[int]]]]]:
    strips = large_game(lab)
    return strips, (yield {"found": passing(strips)})["found"]


def _tempo(lab: Lab) -> Working[Judged]:
    strips, found = (yield {"found": _narrative(lab)})["found"]
    toads, frogs = found[::2], found[1::2]
    all_win, none_win = all(one["wins"] == one["legal"] for one in toads), not any(one["wins"] for one in frogs)
    words = (
        f"from {strips[0]} on toads win by {'every legal move' if all_win else 'some legal moves'} whenever they are to"
        f" move, and frogs by {'none' if none_win else 'some'} of theirs: no listed move changes who wins"
    )
    return Judged(REFUTED if all_win and none_win else OPEN, words, passing(strips).command, "a look at each move")


def _blockade(lab: Lab) -> Working[Judged]:
    last = large_game(lab)[-1]
    (found,) = (yield {"values": _valuing(last)})["values"]
    words = f"{last} has value {found['value']}: toads can make that many moves more than frogs, whoever begins"
    return Judged(PROVED if found["outcome"] == "L" else REFUTED, words, f"ludus value {last}")


OF_THE_GAME: Sequence[Claim] = (
    Claim("T__TTFTFF_F has value 2 - 1 = 1, because the pieces in its middle are dead.", _sum_of_parts),
    Claim(
        "A position in which the only moves are jumps into isolated spaces has value 0 (Death Leap Principle).",
        partial(_all_zero, death_leaps, "theorem", "that it speaks of"),
    ),
    Claim(
        "A position with none of TF__, __TF, T_ and _F in it has value 0 (corollary 2.2).",
        partial(_all_zero, quiet_strips, "corollary", "without them"),
    ),
    Claim("There are positions of arbitrarily high temperature.", _hot),
    Claim("(TF)^m T_ (TF)^n has value 1/2^n, and so every dyadic number occurs.", _dyadic),
    Claim("In TT_TF_F_F Right can move 2 and 3.", _frog_moves),
    Claim("T^3 _^3 F^3 and T^4 _^6 F^4 have value 0.", _zeros),
    Claim("T^a _^b F^a has value 0 or * for all b >= a (a conjecture that the paper quotes).", _wide),
    Claim("T^6 _^9 F^6 has value 0 or *.", _large_value),
    Claim("Expanding a game tree for T^6 _^9 F^6 would be extremely memory intensive.", _beyond),
    Claim("The small board has at most 1,680 positions.", _small_bound),
    Claim("The large board has at most some 270 million.", _large_bound),
    Claim("T__T_F_, which the blockade leaves on the medium board, is clearly positive.", _positive),
    Claim("The blockade in the listed game, move 2, is advantageous.", _advantageous),
    Claim("The blockade in the listed game on the large board leaves an easy win.", _blockade),
    Claim(
        "There a frog's move gives the toads the tempo for it, and frogs lose because they do not address the threat.",
        _tempo,
    ),
)
