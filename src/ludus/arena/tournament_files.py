"""Tournaments as the TapnSwap paper's program writes them: a matrix as CSV, and a ranking as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from ludus.arena.tournament import Tournament
from ludus.files import made_folder, write_whole


def write_files(held: Tournament, folder: Path) -> list[Path]:
    """Write tournamentK.csv and tournamentK.txt into a folder, K being the first free number."""
    names = [(one.name,) for one in held.agents]
    ranking = [(points, held.agents[place].name) for place, points in held.ranking()]
    made_folder(folder)
    stem = next_stem(folder)
    files = {
        folder / f"{stem}.csv": matrix_csv(names, held.matrix(), corner=""),
        folder / f"{stem}.txt": ranking_text(ranking),
    }
    for path, content in files.items():
        write_whole(path, [content.encode()])
    return list(files)


def next_stem(folder: Path) -> str:
    """`tournamentK`, one more than the highest in a folder."""
    numbers = [path.stem.removeprefix("tournament") for path in folder.glob("tournament*.csv")]
    return f"tournament{1 + max((int(number) for number in numbers if number.isdecimal()), default=0)}"


def matrix_csv(labels: Sequence[Sequence[str]], matrix: Sequence[Sequence[float]], corner: str = "-1") -> str:
    """Points by row against each column, under and beside the labels of all agents, one or several for each.

    The paper's labels are epsilon and the numbers of the opponents, and its corner is filled with -1.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    depth = len(labels[0])
    for row in range(depth):
        writer.writerow([*[corner] * depth, *(label[row] for label in labels)])
    for label, points in zip(labels, matrix, strict=True):
        writer.writerow([*label, *(f"{number:.12g}" for number in points)])
    return file.getvalue()


def ranking_text(ranking: Iterable[tuple[float, str]]) -> str:
    """Points and words of each agent, best first as given, written from last to best as the paper does."""
    lines = [f"{place}:\t{points:.12g}\t{words}\n" for place, (points, words) in enumerate(reversed(list(ranking)), 1)]
    return "Best players (from last to best):\n\n" + "".join(lines)
