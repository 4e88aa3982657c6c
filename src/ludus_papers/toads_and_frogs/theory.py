"""What the Toads and Frogs paper says of the game itself, judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED
from ludus.study.paper import Claim, Judged, Lab
from ludus.study.paper.tasks import Working
from ludus_papers.toads_and_frogs.tasks import (
    LARGE,
    SMALL,
    counting,
    deciding,
    judging_families,
    leaping,
    quiet_strips,
    truths,
    values,
    warming,
)

_FIRST_FAMILIES = 2  # those that the paper tells: (TF)^m T_ (TF)^n and (T_ (TF)^n TTFF)^k


def _sum_of_parts(lab: Lab) -> Working[Judged]:
    strips = "T__TTFTFF_F", "T__", "_F"
    (found,) = yield [values(strips)]
    whole, *parts = [each["value"] for each in found]
    words = f"{strips[0]} has value {whole}; {strips[1]} {parts[0]} and {strips[2]} {parts[1]}"
    return Judged(PROVED if whole == "1" else REFUTED, words, f"ludus value {strips[0]} --explain")


def _death_leap(lab: Lab) -> Working[Judged]:
    squares = lab.pick(9, 7, 5)
    (found,) = yield [leaping(squares)]
    words = (
        f"{found['zero']:,} of the {found['strips']:,} strips of up to {squares} squares that it speaks of have value 0"
    )
    holds = found["zero"] == found["strips"]
    return Judged(SUPPORTED if holds else REFUTED, f"Erickson's theorem; {words}", "ludus value TFTF_ --explain")


def _quiet(lab: Lab) -> Working[Judged]:
    squares = lab.pick(9, 7, 5)
    yield [leaping(squares)]  # so that what both need is compiled once
    (found,) = yield [quiet_strips(squares)]
    words = f"{found['zero']:,} of the {found['strips']:,} strips of up to {squares} squares without them have value 0"
    holds = found["zero"] == found["strips"]
    return Judged(SUPPORTED if holds else REFUTED, f"Erickson's corollary; {words}", "ludus value TFTF_ --explain")


def _hot(lab: Lab) -> Working[Judged]:
    toads = range(3, lab.pick(10, 8, 5) + 1)
    yield [leaping(lab.pick(9, 7, 5))]  # likewise
    (found,) = yield [warming([f"{'T' * number}__FF" for number in toads])]
    words = (
        f"T^a __ FF with a = {toads[0]} to {toads[-1]} has the temperatures {', '.join(f'{each:g}' for each in found)}"
    )
    grows = all(one < other for one, other in pairwise(found))
    return Judged(SUPPORTED if grows else OPEN, f"Erickson's theorem; {words}", f"ludus value {'T' * toads[-1]}__FF")


def _dyadic(lab: Lab) -> Working[Judged]:
    squares = lab.pick(15, 12, 8)
    (found,) = yield [judging_families(squares)]
    told = found[:_FIRST_FAMILIES]
    words = "; ".join(f"{each['family']}: {each['fails']} of {each['strips']} strips fail" for each in told)
    verdict = REFUTED if any(each["fails"] for each in told) else SUPPORTED
    return Judged(verdict, f"strips of up to {squares} squares, {words}", f"ludus value --families --squares {squares}")


def _right_moves(lab: Lab) -> Working[Judged]:
    (found,) = yield [truths(["TT_TF_F_F"])]
    moves = [str(action + 1) for action in found[0]["frogs"]]
    words = f"Right can move {', '.join(moves)}"
    command = "ludus play 'toads-and-frogs(strip=TT_TF_F_F, first=frogs)'"
    return Judged(PROVED if moves == ["2", "3"] else REFUTED, words, command)


def _zeros(lab: Lab) -> Working[Judged]:
    found = yield [deciding(3, 3), deciding(4, 6)]
    words = f"they have value {found[0]['value']} and {found[1]['value']}"
    proved = all(each["value"] == "0" for each in found)
    return Judged(PROVED if proved else REFUTED, words, "ludus value --symmetric 4 6")


def _wide(lab: Lab) -> Working[Judged]:
    most = lab.pick(6, 4, 3)
    sizes = [(a, b) for a in range(1, most + 1) for b in range(a, lab.pick(12, 8, 4) + 1)]
    found = yield [deciding(a, b) for a, b in sizes]
    failed = [f"T^{a} _^{b} F^{a}" for (a, b), each in zip(sizes, found, strict=True) if each["value"] == "neither"]
    words = f"of {len(sizes)} starts {len(failed)} fail" + (f": {', '.join(failed)}" if failed else "")
    return Judged(REFUTED if failed else OPEN, words, "ludus value --symmetric 6 12")


def _large_value(lab: Lab) -> Working[Judged]:
    (found,) = yield [deciding(6, 9)]
    words = f"{LARGE.strip} has value {found['value']}"
    return Judged(PROVED if found["value"] in ("0", "*") else REFUTED, words, "ludus value --symmetric 6 9")


def _beyond(lab: Lab) -> Working[Judged]:
    (found,) = yield [deciding(6, 9)]
    words = (
        f"a pass through all {found['arrangements']:,} arrangements decided it in {found['seconds']:.1f} seconds with"
        f" one thread and {found['bytes'] / 1e6:,.0f} MB"
    )
    return Judged(REFUTED if found["bytes"] < 1e9 else SUPPORTED, words, "ludus value --symmetric 6 9 --json")


def _small_bound(lab: Lab) -> Working[Judged]:
    (found,) = yield [counting(SMALL.game, lab.pick(400, 100, 10))]
    bound = lab.number("small-bound").value
    words = f"{found['strips']:,} strips can be reached, {found['positions']:,} positions with the side to move"
    return Judged(PROVED if found["strips"] <= bound else REFUTED, words, "ludus solve toads-and-frogs")


def _large_bound(lab: Lab) -> Working[Judged]:
    (found,) = yield [deciding(6, 9)]
    ways = math.factorial(21) // (math.factorial(6) * math.factorial(9) * math.factorial(6))
    same = ways == found["arrangements"] == lab.number("large-bound").value
    words = f"21!/(6!9!6!) = {ways:,}, and that many arrangements were searched"
    return Judged(PROVED if same else REFUTED, words, "ludus value --symmetric 6 9 --json")


def _positive(lab: Lab) -> Working[Judged]:
    (found,) = yield [values(["T__T_F_"])]
    (told,) = found
    words = f"it has value {told['value']}" + (", so Left wins whoever moves first" if told["outcome"] == "L" else "")
    return Judged(PROVED if told["outcome"] == "L" else REFUTED, words, "ludus value T__T_F_")


def _advantageous(lab: Lab) -> Working[Judged]:
    strips = [move.before for move in lab.moves("medium-game")]
    (found,) = yield [truths(strips)]
    wins = [action + 1 for action in found[0]["wins"]]
    legal = [action + 1 for action in found[0]["legal"]]
    words = f"in {strips[0]} the toads win by {', '.join(map(str, wins)) or 'no move'}"
    words += ", which is any legal move" if wins == legal else ""
    return Judged(PROVED if 2 in wins else REFUTED, words, f"ludus solve 'toads-and-frogs(strip={strips[0]})'")


OF_THE_GAME: Sequence[Claim] = (
    Claim("T__TTFTFF_F has value 2 - 1 = 1, because the pieces in its middle are dead.", _sum_of_parts),
    Claim(
        "A position in which the only moves are jumps into isolated spaces has value 0 (Death Leap Principle).",
        _death_leap,
    ),
    Claim("A position with none of TF__, __TF, T_ and _F in it has value 0 (corollary 2.2).", _quiet),
    Claim("There are positions of arbitrarily high temperature.", _hot),
    Claim("(TF)^m T_ (TF)^n has value 1/2^n, and so every dyadic number occurs.", _dyadic),
    Claim("In TT_TF_F_F Right can move 2 and 3.", _right_moves),
    Claim("T^3 _^3 F^3 and T^4 _^6 F^4 have value 0.", _zeros),
    Claim("T^a _^b F^a has value 0 or * for all b >= a (a conjecture that the paper quotes).", _wide),
    Claim("T^6 _^9 F^6 has value 0 or *.", _large_value),
    Claim("T^6 _^9 F^6 is beyond computing: its game tree would take an extreme amount of memory.", _beyond),
    Claim("The small board has at most 1,680 positions.", _small_bound),
    Claim("The large board has at most some 270 million.", _large_bound),
    Claim("T__T_F_, which the blockade leaves on the medium board, is clearly positive.", _positive),
    Claim("The blockade in the listed game, move 2, is advantageous.", _advantageous),
)
