"""`ludus tables`: Q-tables as files of the TapnSwap paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from ludus import catalog
from ludus.agents.tabular import NEW, Entries, locate, stored_action
from ludus.commands.options import example, show
from ludus.errors import LudusError
from ludus.files import made_folder, read_regular, write_whole
from ludus.games.tapnswap import Position
from ludus.learning.loop.plan import SELF, TWIN, Names, Opponents, Plan, Stretch
from ludus.learning.loop.settings import CONSTANT, Schedule, Tables, Ties
from ludus.learning.q_table import QTable
from ludus.learning.runs import AGENT, CHECKPOINT, Run, create, notes_for
from ludus.learning.runs.files import write_arrays
from ludus.learning.runs.history import read_history

app = typer.Typer(help="Tables as the TapnSwap paper's program keeps them.", no_args_is_help=True)


@app.command("export", epilog=example("tables export my-run Models"))
def export_tables(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run of q-table on tapnswap.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to put the files.")],
) -> None:
    """Write the table of a run, its visit counts and its learning curve in the shapes of the TapnSwap paper."""
    from ludus.learning.runs import get_run

    for path in export_run(get_run(run), folder):
        show(str(path))


@app.command("import", epilog=example("tables import Models/greedy_0_1_vsRandom.csv my-run"))
def import_tables(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table, greedy_0_1_vsRandom.csv.")],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the new run.")],
) -> None:
    """Make a run of a table of the TapnSwap paper's program, to be graded, played, or trained on."""
    show(str(import_table(file, run).path))


Matrix = npt.NDArray[np.float64]
_PAIRS = [(i, j) for i in range(5) for j in range(5) if i != j] + [(i, i) for i in range(5)]
_STATES = [Position(*own, *theirs, 0) for own in _PAIRS for theirs in _PAIRS]
_OPPONENTS = {"Random": "random", "Self": TWIN}
_REWARD = 10.0
_GAME = "tapnswap"
_PROGRAM = "tapnswap(distinct=true)"  # the actions among which the author's program chooses
_MOST_BYTES = 1 << 20  # of a table


class PaperName(NamedTuple):
    """The parts of the name of a table."""

    epsilon: str
    opponents: tuple[str, ...]

    @classmethod
    def parse(cls, stem: str) -> PaperName:
        """Read `greedy_0_1_vsRandom`."""
        match = re.fullmatch(r"greedy_?([01])_([0-9]+)((?:vs|_vs)(?:Random|Self)(?:vs(?:Random|Self))*)", stem)
        if not match or float(f"{match[1]}.{match[2]}") > 1:
            raise LudusError(f"{stem}.csv is no name of a table; one is greedy_0_1_vsRandomvsSelf.csv")
        return cls(f"{match[1]}.{match[2]}", tuple(_OPPONENTS[name] for name in re.findall(r"Random|Self", match[3])))

    def __str__(self) -> str:
        return f"greedy_{self.epsilon.replace('.', '_')}_{self.history}"

    @property
    def history(self) -> str:
        """The opponents as they are written in names."""
        return "".join("vsRandom" if opponent == "random" else "vsSelf" for opponent in self.opponents)


def export_run(run: Run, folder: Path) -> list[Path]:
    """Write the table, the counts and the learning curve of a run into a folder, as the paper's program names them."""
    name, agent = _name_of(run), run.agent()
    made_folder(folder)
    curve = ""  # games trained, and games won, finished and played against a random agent then
    for evaluation in read_history(run, run.name).evaluations:
        if result := evaluation.against.get("random"):
            curve += f"{evaluation.games} {result.wins} {result.finished} {run.plan.eval_games}\n"
    files = {
        folder / f"{name}.csv": _csv(_matrix(run.game, agent, agent.entries.values), "%.18g"),
        folder / f"count_{name}.csv": _csv(_matrix(run.game, agent, agent.entries.visits), "%d"),
        folder / f"GS_epsilon_{name.epsilon}_{name.history}.txt": curve.encode(),
    }
    for path, content in files.items():
        write_whole(path, [content])
    return list(files)


def _name_of(run: Run) -> PaperName:
    learner = run.learner
    if catalog.name_of(run.game) not in (_GAME, _PROGRAM) or not isinstance(learner, QTable):
        raise LudusError("only tables learned on tapnswap by q-table have the paper's shape")
    if learner.tables is not Tables.MOVER and not learner.symmetry:
        raise LudusError("the paper's tables are seen by the mover: train with --tables mover")
    opponents = tuple(stretch.opponent for stretch in run.plan.opponent.stretches)
    if learner.epsilon.kind != CONSTANT or not set(opponents) <= {"random", SELF, TWIN}:
        raise LudusError("the paper's names have a constant epsilon, and the opponents random and self, only")
    epsilon = learner.epsilon.start
    return PaperName(f"{epsilon:.1f}" if epsilon in (0, 1) else f"{epsilon:g}", opponents)


def _matrix(game: Any, agent: Any, array: Any) -> Matrix:
    matrix = np.zeros((len(_STATES), 8))
    for row, pos in zip(matrix, _STATES, strict=True):
        table, number, symmetry = locate(game, pos, agent.entries)
        if number != NEW:
            row[:] = [array[table, number, stored_action(game, pos, action, symmetry)] for action in range(8)]
    return matrix


def _csv(matrix: Matrix, form: str) -> bytes:
    return "".join(",".join(form % value for value in row) + "\n" for row in matrix).encode()


def import_table(path: Path, out: Path) -> Run:
    """A run that knows what a table of the paper's program says, and the counts beside it if they are there."""
    name = PaperName.parse(path.stem)
    values = _read(path)
    beside = [folder / f"count_{path.name}" for folder in (path.parent, path.parent / "data")]
    counts = [file for file in beside if file.is_file()]
    visits = _read(counts[0]) if counts else (values != 0).astype(np.float64)
    epsilon = Schedule.parse(name.epsilon)
    learner = QTable(epsilon=epsilon, tables=Tables.MOVER, win=_REWARD, loss=-_REWARD, ties=Ties.FIRST)
    last = Opponents((Stretch(name.opponents[-1], None),))
    plan = Plan(games=1, opponent=last, eval_against=Names(("random",)))
    run = create(catalog.make_game(_PROGRAM), learner, plan, out)
    trainer = learner.trainer(run.game, twin=name.opponents[-1] == TWIN)
    entries: Entries = trainer.store.state.entries
    for pos, row, taught in zip(_STATES, values, visits, strict=True):
        number = run.game.seat_index(pos)
        entries.values[:, number], entries.visits[:, number] = row, taught  # a twin starts from the same table
    write_arrays(run.path / CHECKPOINT, trainer.arrays(), notes_for(run, CHECKPOINT, 0))
    write_arrays(run.path / AGENT, trainer.parameters(), notes_for(run, AGENT, 0))
    return run


def _read(path: Path) -> Matrix:
    content = read_regular(path, _MOST_BYTES)
    try:
        matrix = np.loadtxt(content.decode().splitlines(), delimiter=",", ndmin=2)
    except ValueError as error:
        raise LudusError(f"{path} cannot be read as a table of numbers: {' '.join(str(error).split())}") from None
    if matrix.shape not in ((len(_STATES), 8), (len(_STATES) - 1, 8)):
        raise LudusError(f"{path} has {matrix.shape[0]} x {matrix.shape[1]} numbers instead of {len(_STATES)} x 8")
    for row in np.flatnonzero(~np.isfinite(matrix).all(axis=1)):
        bad = matrix[row][~np.isfinite(matrix[row])][0]
        raise LudusError(f"{path} has {bad} in row {row + 1}: write finite numbers")
    return matrix if len(matrix) == len(_STATES) else np.vstack([matrix, np.zeros(8)])
