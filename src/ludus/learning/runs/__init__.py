"""Runs: trainings on disk (docs/runs.md), which can be stopped, resumed, listed, and used as agents."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from safetensors.numpy import save as as_bytes

from ludus import catalog, signatures
from ludus.agents.agent import evaluations_of
from ludus.arena.participants import Files, sent_to
from ludus.documents import Count, digest, read_document, write_document
from ludus.errors import LudusError, in_one_line
from ludus.files import home, is_there, made_folder, read_regular, remove_abandoned, write_whole
from ludus.fingerprints import fingerprint
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.interrupts import deferred_interrupts
from ludus.learning.loop.plan import Graded, Plan
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs import files
from ludus.learning.runs.files import (
    MANIFEST,
    Manifest,
    Notes,
    read_arrays,
    read_manifest,
    read_notes,
    write_arrays,
    write_manifest,
)
from ludus.learning.runs.lineage import init_run, opponent_digests, require_unchanged, with_paths
from ludus.locks import locked
from ludus.parameters import format_values, make

METRICS, TIMES = "metrics.jsonl", "times.json"
CHECKPOINT, AGENT = "checkpoint.safetensors", "agent.safetensors"
LOCK, _TRAINED = "training.lock", "being trained"
_TIMES_VERSION = 1


class Session(NamedTuple):
    """A stretch of training without a stop: when it started, its seconds, and the games before and after."""

    started: float
    seconds: float
    games: tuple[Count, Count]


class Times(NamedTuple):
    """All sessions of a run."""

    sessions: tuple[Session, ...] = ()

    @property
    def seconds(self) -> float:
        """The seconds of all sessions."""
        return sum(session.seconds for session in self.sessions)


class Run(NamedTuple):
    """A training on disk: its folder and its settings."""

    path: Path
    game: Any
    learner: Any
    plan: Plan

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.resolve().name

    @property
    def is_finished(self) -> bool:
        """Whether the training has reached its end."""
        return is_there(self.path / AGENT)

    def metrics(self) -> list[Line]:
        """The evaluations so far; the file of metrics is a copy for other programs."""
        file = self.path / self._last_file
        return list(read_notes(file).metrics) if is_there(file) else []

    def games(self) -> int:
        """The games played, up to the last checkpoint."""
        file = self.path / self._last_file
        return read_notes(file).games if is_there(file) else 0

    def times(self) -> Times:
        """The sessions in which it was trained."""
        file = self.path / TIMES
        return read_document(file, _TIMES_VERSION, Times) if is_there(file) else Times()

    @property
    def _last_file(self) -> str:
        """The file with the parameters so far."""
        return AGENT if self.is_finished else CHECKPOINT

    def _repr_html_(self) -> str:
        from ludus.learning.runs.history import run_as_html

        title = f"{self.name}: {catalog.learner_name(self.learner)} on {catalog.name_of(self.game)}"
        return run_as_html(title, self.metrics())

    def agent(self) -> Any:
        """The agent, final or as of the last checkpoint."""
        return self._agent_of(self._last_file, *self.parameters())

    def learner_at(self, games: int) -> Any:
        """The learner with the settings that hold after a number of games."""
        return self.plan.changes.learner(self.learner, games)

    def parameters(self) -> tuple[Any, int]:
        """The learned table or network, and the number of games it was learned in."""
        file = self._last_file
        if not is_there(self.path / file):
            raise LudusError(f"{self.path} has learned nothing yet: ludus train --resume {self.path}")
        arrays, notes = _read(self, file)
        if not self.is_finished:
            trainer = self.learner.trainer(self.game, twin=self.plan.has_twin)
            with _fitting(self.path / file):
                trainer.restore(arrays)
            arrays = trainer.parameters()
        return arrays, notes.games

    def snapshots(self) -> list[int]:
        """The numbers of games after which its parameters were kept."""
        return files.snapshots(self.path)

    def agent_at(self, games: int) -> Any:
        """The agent of the snapshot after a number of games."""
        file = files.snapshot_name(games)
        return self._agent_of(file, _read(self, file)[0], games)

    def _agent_of(self, file: str, parameters: Any, games: int) -> Any:
        with _fitting(self.path / file):
            return self.learner_at(games).agent(self.game, parameters)

    def files(self) -> Files:
        """The names and contents of the files that its agent needs elsewhere."""
        needed = MANIFEST, self._last_file
        return tuple((name, read_regular(self.path / name)) for name in needed)

    def digest(self) -> str:
        """A digest of its agent: of the game, the learner and the parameters so far."""
        parameters, games = self.parameters()
        notes = notes_for(self._replace(learner=self.learner_at(games)), AGENT, 0)
        defaults = format_values(type(self.learner)._field_defaults)
        chosen = dict(notes.learner.items() - defaults.items())  # a setting added later is no change
        whole = notes._replace(learner=chosen)._asdict()
        return digest(json.dumps(whole, sort_keys=True).encode() + as_bytes(parameters))


# ---- creating and resuming ----


def create(game: Any, learner: Any, plan: Plan, path: Path) -> Run:
    """Creates a run that has not started."""
    _require_no_run(path)
    if path.exists() and (not path.is_dir() or any(map(_is_foreign, path.iterdir()))):
        raise LudusError(f"{path} is there already and is no empty folder")
    try:
        plan = with_paths(plan)
        _try_out(game, learner, plan)
        source, opponents = init_run(game, learner, plan), opponent_digests(plan)
        init_from = {} if source is None else {plan.init_from.name: source.digest()}
    except LudusError:
        with suppress(OSError):
            path.rmdir()  # if it was made for this run, it is empty
        raise
    made_folder(path)
    named = {"name": catalog.learner_name(learner), **format_values(learner._asdict())}
    origins = opponents, files.versions(learner), files.compute(learner), init_from
    settings = named, format_values(plan._asdict())
    with locked(path / LOCK, _TRAINED):
        _require_no_run(path)  # another process may have been quicker
        write_manifest(path, Manifest(catalog.lasting_name(game), fingerprint(game), *settings, *origins))
    return Run(path, game, learner, plan)


def _is_foreign(file: Path) -> bool:
    """Whether a file in the folder of a new run is none that a killed process may have left there."""
    return file.name != LOCK and file.suffix != ".partial"


def _require_no_run(path: Path) -> None:
    if is_there(path / MANIFEST):
        raise LudusError(f"{path} holds a run already: resume it by --resume {path}, or name another folder")


def _try_out(game: Any, learner: Any, plan: Plan) -> None:
    """Raises LudusError for a learner or an opponent that cannot play the game."""
    training = Training(game, learner, plan._replace(grade=Graded.NO, stop=False))
    try:
        training.meet_opponents()
    finally:
        training.close()


def extend(run: Run, games: int) -> Run:
    """The same run with more games to play."""
    if games <= run.plan.games:
        raise LudusError(f"{run.name} was set to {run.plan.games:,} games: name more of them")
    with locked(run.path / LOCK, _TRAINED):
        manifest = read_manifest(run.path)
        _require_the_same(run, manifest, started=_checkpoint(run) is not None)  # raises before the agent is removed
        _try_out(run.game, run.learner, run.plan)
        more = {"games": str(games)}
        if not run.plan.eval_every:  # earlier evaluations stay where they were
            more["eval_every"] = str(max(run.plan.games // 10, 1))
        (run.path / AGENT).unlink(missing_ok=True)
        write_manifest(run.path, manifest._replace(plan=manifest.plan | more))
    return read_run(run.path)


def new_path(game: Any, learner: Any) -> Path:
    """A new folder among the user's runs, with the first free number."""
    names = catalog.name_of(game), catalog.learner_name(learner)
    plain = [re.sub(r"[^a-z0-9.]+", "-", name.rpartition("/")[2].lower())[:80].strip("-") for name in names]
    folder = made_folder(home() / "runs")
    for number in count(1):
        with suppress(FileExistsError):
            (folder / f"{'-'.join(plain)}-{number}").mkdir()  # claims it: another training may look for one right now
            break
    return folder / f"{'-'.join(plain)}-{number}"


def resume(run: Run, watcher: Watcher = Watcher()) -> None:  # noqa: B008, a tuple
    """Trains from the last checkpoint, or from the start, to the end; the result is that of an uninterrupted run."""
    remove_abandoned(run.path)
    is_over = run.is_finished and (run.path / METRICS).is_file()
    if is_over and not (run.path / LOCK).exists():
        return
    with locked(run.path / LOCK, _TRAINED):
        if is_over:  # a process that was killed left its lock behind
            return
        training = _restored(run)
        started, games = time.time(), training.games

        def save(training: Training) -> None:
            evaluated = [line["games"] for line in training.lines]
            if training.games in evaluated[-1:]:  # first, because no later save writes this snapshot
                notes = notes_for(run, files.snapshot_name(training.games), training.games)
                files.write_snapshot(run.path, evaluated, training.trainer.parameters(), notes)
            save_checkpoint(run, training)
            watcher.save(training)

        def progress(training: Training) -> None:
            try:
                watcher.progress(training)
            except KeyboardInterrupt:
                interrupted.append(signal.SIGINT)
            if interrupted:
                save(training)
                raise KeyboardInterrupt

        try:
            with deferred_interrupts() as interrupted:
                training.run(watcher._replace(save=save, progress=progress))
                _write_metrics(run, training)
                notes = notes_for(run, AGENT, training.games, training.lines)
                write_arrays(run.path / AGENT, training.trainer.parameters(), notes)
        finally:
            training.close()
            with suppress(LudusError):  # the times are no reason to fail
                _note_time(run, started, games, training.games)


def change(run: Run, training: Training, settings: dict[str, str]) -> None:
    """Changes settings of a training from its next game on; the manifest records them before they take effect."""
    plan = training.changed_plan(settings)
    manifest = read_manifest(run.path)
    write_manifest(run.path, manifest._replace(plan=manifest.plan | {"changes": str(plan.changes)}))
    training.plan = plan


def _restored(run: Run) -> Training:
    checkpoint = _checkpoint(run)
    _require_the_same(run, read_manifest(run.path), started=checkpoint is not None)
    training = Training(run.game, run.learner, run.plan)
    if checkpoint is not None:
        _restore(training, *checkpoint, run.path / CHECKPOINT)
    elif source := init_run(run.game, run.learner, run.plan):
        training.trainer.init_from(source.parameters()[0])
    return training


def _require_the_same(run: Run, manifest: Manifest, *, started: bool) -> None:
    """Raises LudusError unless everything that the run depends on is as it was."""
    require_unchanged(run.path, manifest.opponents, "plays")
    if not started:
        require_unchanged(run.path, manifest.init_from, "is initialised from")
    files.match_compute(run.path, manifest)


def _restore(training: Training, arrays: Any, notes: Notes, path: Path) -> None:
    """Continue a training from a checkpoint; LudusError if its parts contradict each other."""
    with _fitting(path):
        training.trainer.restore(arrays)
        again = training.trainer.arrays()
        if {name: array.tobytes() for name, array in again.items()} != {n: a.tobytes() for n, a in arrays.items()}:
            raise LudusError("its arrays are not those of a training")
        evaluated = [line["games"] for line in notes.metrics]
        if training.games != notes.games or evaluated != sorted({*evaluated}) or notes.games > training.plan.games:
            raise LudusError(f"it counts {training.games:,} games and {notes.games:,}, of {training.plan.games:,}")
        if evaluated and evaluated[-1] > notes.games:
            raise LudusError("it was evaluated after more games than it has played")
    training.lines = list(notes.metrics)


@contextmanager
def _fitting(path: Path) -> Iterator[None]:
    """Whatever a learner raises at arrays that do not fit it becomes one line about their file."""
    try:
        yield
    except LudusError as error:
        raise LudusError(f"{path} is damaged: {error}") from None
    except Exception as error:
        raise LudusError(f"{path} is damaged: it does not fit its learner: {in_one_line(error)}") from error


def _checkpoint(run: Run) -> tuple[Any, Notes] | None:
    """The last checkpoint, None if the run has not started; LudusError if it is damaged or missing."""
    if is_there(run.path / CHECKPOINT):
        return _read(run, CHECKPOINT)
    for file in (AGENT, METRICS):
        if is_there(run.path / file):
            raise LudusError(f"{run.path / CHECKPOINT} is missing: there is {file}, but nothing to resume from")
    return None


def save_checkpoint(run: Run, training: Training) -> None:
    """Writes a checkpoint, which holds the metrics too, then the metrics beside it."""
    notes = notes_for(run, CHECKPOINT, training.games, training.lines)
    write_arrays(run.path / CHECKPOINT, training.trainer.arrays(), notes)
    _write_metrics(run, training)


def _write_metrics(run: Run, training: Training) -> None:
    write_whole(run.path / METRICS, ["".join(f"{json.dumps(line)}\n" for line in training.lines).encode()])


def notes_for(run: Run, file: str, games: int, lines: Sequence[Line] = ()) -> Notes:
    """The notes of a file of arrays."""
    learner = {"name": catalog.learner_name(run.learner).rpartition("/")[2], **format_values(run.learner._asdict())}
    return Notes(file, fingerprint(run.game), learner, games, tuple(lines))


def _read(run: Run, file: str) -> tuple[Any, Notes]:
    """The arrays and notes in a file of a run; LudusError for one of another run."""
    arrays, notes = read_arrays(run.path / file)
    defaults = format_values(type(run.learner)._field_defaults)
    learner = defaults | notes.learner  # it may be older than some setting
    if notes._replace(learner=learner, metrics=()) != notes_for(run, file, notes.games):
        raise LudusError(f"{run.path / file} is not of this run: its rules or its learner are others")
    return arrays, notes


def _note_time(run: Run, started: float, before: int, after: int) -> None:
    session = Session(round(started, 3), round(time.time() - started, 3), (before, after))
    times = Times((*run.times().sessions, session))
    write_document(run.path / TIMES, _TIMES_VERSION, {"sessions": [one._asdict() for one in times.sessions]})


# ---- finding and reading ----


def find_run(text: str) -> Run | None:
    """The run sent along under this name, in this folder, or among the user's runs; None if there is none."""
    if (sent := sent_to(text)) is not None:
        with signatures.sent_by_user():
            return read_run(sent)
    folder = _folder(text)
    return None if folder is None else read_run(folder)


def _folder(text: str) -> Path | None:
    """The folder of a run, by its path or by its name among the user's runs."""
    folders = Path(text), home() / "runs" / text
    return next((one for one in folders if os.path.isfile(one / MANIFEST)), None)  # False for what is no path, too


def get_run(name: str) -> Run:
    """The run with this name or folder; LudusError if there is none."""
    if (run := find_run(name)) is None:
        raise LudusError(f"there is no run {name}; ludus runs lists them")
    return run


def read_run(path: Path) -> Run:
    """Reads the run in a folder; LudusError if it is damaged, or comes from elsewhere and names code."""
    manifest = read_manifest(path)
    advice = f"if you know what it does: ludus runs --trust {shlex.quote(str(path))}"
    signatures.require_trusted(path / MANIFEST, manifest.unsigned, manifest.names, manifest.signature, advice)
    try:
        game = catalog.make_game(manifest.game)
        settings = dict(manifest.learner)
        name = settings.pop("name", "")
        learner = make(catalog.learner_class(name), name, settings)
        plan = make(Plan, "plan", manifest.plan)
    except LudusError as error:
        raise LudusError(f"{path / MANIFEST} cannot be used: {error}") from None
    if manifest.fingerprint != fingerprint(game):
        raise LudusError(f"{path} was trained on other rules than {manifest.game} has now")
    return Run(path, game, learner, plan)


def trust_run(name: str) -> None:
    """Lets a run from elsewhere use the files and programs that it names; LudusError if there is none."""
    folder = _folder(name)
    if folder is None:
        raise LudusError(f"there is no run {name}; ludus runs lists them")
    with locked(folder / LOCK, _TRAINED):
        write_manifest(folder, read_manifest(folder))


class Trained:
    """A run as an agent, which plays the game that it was trained on."""

    def __init__(self, run: Run) -> None:
        self.run, self._agent = run, run.agent()

    def __str__(self) -> str:
        return self.run.name

    def for_game(self, game: Any, starts: tuple[Any, ...]) -> Any:
        """The trained agent; LudusError for another game."""
        if type(game) is not type(self.run.game) or game != self.run.game:
            theirs = catalog.name_of(self.run.game)
            raise LudusError(f"{self.run.name} was trained on {theirs}; it cannot play {catalog.name_of(game)}")
        return self._agent

    def policy(self, game: Any, pos: Any, out: Any) -> None:
        """The policy of the trained agent."""
        self.for_game(game, ()).policy(game, pos, out)

    def evaluation(self, game: Any, pos: Any) -> Any:
        """The evaluation of each action."""
        return self.for_game(game, ()).evaluation(game, pos)

    def evaluations(self, game: Any, positions: Sequence[Any]) -> Any:
        """The evaluations in many positions."""
        return evaluations_of(self.for_game(game, ()), game, positions)

    def visits(self, game: Any, pos: Any) -> int:
        """The number of updates of a position."""
        return int(self.for_game(game, ()).visits(game, pos))


def train(
    game: Any,
    learner: str,
    *,
    preset: str | None = None,
    out: str | Path | None = None,
    on_evaluation: Callable[[Line], None] = lambda line: None,
    **settings: Any,
) -> Run:
    """Trains a learner on a game, given by name or as an object, and keeps the run in `out` or among the user's runs.

    The settings are those of the learner and of `Plan`, as values or as text: `games=10_000, epsilon=0.2,
    opponent="random:5000,self"`. Each evaluation is passed to `on_evaluation`.
    """
    game = catalog.make_game(game) if isinstance(game, str) else game
    config, plan = configured(game, learner, format_values(settings), preset)
    run = create(game, config, plan, new_path(game, config) if out is None else Path(out))
    resume(run, Watcher(line=on_evaluation))
    return run
