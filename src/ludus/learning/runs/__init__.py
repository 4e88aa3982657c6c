"""Runs: trainings on disk (docs/runs.md), which can be stopped, gone on with, listed, and used as agents."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from safetensors.numpy import save as as_bytes

from ludus import catalog
from ludus.agents.agent import opinions_of
from ludus.arena.remote import Files, sent_to
from ludus.errors import LudusError
from ludus.files import home, made_folder, write_whole
from ludus.fingerprints import fingerprint
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.plan import Graded, Name, Plan
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs.files import (
    MANIFEST,
    Head,
    computing,
    digest,
    match_compute,
    read_arrays,
    read_manifest,
    snapshot_name,
    snapshots,
    versions,
    write_arrays,
    write_manifest,
    write_snapshot,
)
from ludus.learning.runs.lineage import Digests, begin, digests, init_digest, lasting, require_unchanged
from ludus.learning.runs.locks import alone, deferred_interrupts
from ludus.parameters import format_value, make

METRICS, TIMES = "metrics.jsonl", "times.jsonl"

CHECKPOINT, AGENT = "checkpoint.safetensors", "agent.safetensors"


class Run(NamedTuple):
    """A training on disk: where it is, and what it was set up with."""

    path: Path
    game: Any
    learner: Any
    plan: Plan

    @property
    def name(self) -> str:
        """What it is called."""
        return self.path.resolve().name

    @property
    def is_finished(self) -> bool:
        """Whether the training came to its end."""
        return (self.path / AGENT).is_file()

    def metrics(self) -> list[Line]:
        """What was measured so far."""
        return _lines(self.path / METRICS)

    def _repr_html_(self) -> str:
        title = f"{self.name}: {catalog.learner_name(self.learner)} on {catalog.name_of(self.game)}"
        from ludus.learning.runs.history import run_as_html

        return run_as_html(title, self.metrics())

    def agent(self) -> Any:
        """The agent, final or as of the last checkpoint."""
        parameters, games = self.parameters()
        return self.learner_at(games).agent(self.game, parameters)

    def learner_at(self, games: int) -> Any:
        """The learner with the settings that hold after so many games."""
        return self.plan.changes.learner(self.learner, games)

    def parameters(self) -> tuple[Any, int]:
        """What was learned, and in how many games."""
        file = AGENT if self.is_finished else CHECKPOINT
        if not (self.path / file).is_file():
            raise LudusError(f"{self.path} has learned nothing yet: ludus train --resume {self.path}")
        arrays, notes = _read(self, file)
        return (arrays if self.is_finished else _own(self, arrays)), notes["games"]

    def snapshots(self) -> list[int]:
        """The numbers of games after which it is known what it knew."""
        return snapshots(self.path)

    def agent_at(self, games: int) -> Any:
        """The agent as it was after so many games, one of its snapshots."""
        return self.learner_at(games).agent(self.game, _read(self, snapshot_name(games))[0])

    def files(self) -> Files:
        """What it takes to be an agent elsewhere: names and contents."""
        needed = MANIFEST, AGENT if self.is_finished else CHECKPOINT
        return tuple((name, (self.path / name).read_bytes()) for name in needed)

    def digest(self) -> str:
        """What tells its agent from any other: a digest of the game, the learner and what was learned so far."""
        parameters, games = self.parameters()
        notes = metadata_for(self._replace(learner=self.learner_at(games)), AGENT, 0)
        chosen = dict(notes["learner"].items() - _defaults(self.learner).items())  # one added later is no change
        return digest(json.dumps(notes | {"learner": chosen}, sort_keys=True).encode() + as_bytes(parameters))


def _own(run: Run, arrays: Any) -> Any:
    trainer = run.learner.trainer(run.game, twin=run.plan.has_twin)
    trainer.restore(arrays)
    return trainer.parameters()


# ---- making and going on ----


def create(game: Any, learner: Any, plan: Plan, path: Path) -> Run:
    """A new run that has not begun."""
    if (path / MANIFEST).exists():
        raise LudusError(f"{path} holds a run already: go on with it by --resume {path}, or name another folder")
    if path.exists() and (not path.is_dir() or any(file.suffix != ".partial" for file in path.iterdir())):
        raise LudusError(f"{path} is there already and is no empty folder")
    try:
        plan = lasting(plan)
        beginning = _try_out(game, learner, plan)
        opponents = digests(plan)
    except LudusError:
        with suppress(OSError):
            path.rmdir()  # if it was made for this run, it is empty
        raise
    made_folder(path)
    told = {"name": catalog.learner_name(learner), **_words(learner)}
    made = opponents, versions(learner), computing(learner), beginning
    write_manifest(path, Head(catalog.lasting_name(game), fingerprint(game), told, _words(plan), *made))
    return Run(path, game, learner, plan)


def _try_out(game: Any, learner: Any, plan: Plan) -> Digests:
    """Raise LudusError for what cannot be trained, or against whom; the digest of the run that it would begin with."""
    training = Training(game, learner, plan._replace(grade=Graded.NO, stop=False))
    try:
        training.meet_opponents()
        return init_digest(training.trainer, plan)
    finally:
        training.close()


def extend(run: Run, games: int) -> Run:
    """The same run with more games to play."""
    if games <= run.plan.games:
        raise LudusError(f"{run.name} was set to {run.plan.games:,} games: name more of them")
    with alone(run.path):
        head = read_manifest(run.path)
        _require_the_same(run, head, begun=_checkpoint(run) is not None)  # raises before the agent goes
        _try_out(run.game, run.learner, run.plan._replace(init_from=Name("")))
        more = {"games": str(games)}
        if not run.plan.eval_every:  # what was measured stays where it was
            more["eval_every"] = str(max(run.plan.games // 10, 1))
        (run.path / AGENT).unlink(missing_ok=True)
        write_manifest(run.path, head._replace(plan=head.plan | more))
    return read_run(run.path)


def _words(config: Any) -> dict[str, str]:
    return {name: format_value(value) for name, value in config._asdict().items()}


def _defaults(learner: Any) -> dict[str, str]:
    return {name: format_value(value) for name, value in type(learner)._field_defaults.items()}


def new_path(game: Any, learner: Any) -> Path:
    """Where a run is kept that was given no place: in the user's folder, under the first free number."""
    name = "-".join(_plain(name) for name in (catalog.name_of(game), catalog.learner_name(learner)))
    folder = made_folder(home() / "runs")
    for number in count(1):
        with suppress(FileExistsError):
            (folder / f"{name}-{number}").mkdir()  # claims it: another training may look for one right now
            break
    return folder / f"{name}-{number}"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.rpartition("/")[2].lower())[:80].strip("-")


def resume(run: Run, watcher: Watcher = Watcher()) -> None:  # noqa: B008, a tuple
    """Train from the last checkpoint, or from nothing, to the end; whatever stops it, it can be gone on with."""
    if run.is_finished and (run.path / METRICS).is_file():
        return
    with alone(run.path):
        _go_on(run, watcher)


def _go_on(run: Run, watcher: Watcher) -> None:
    training = _restored(run)
    began, games = time.time(), training.games

    def save(training: Training) -> None:
        save_training(run, training)
        _keep_snapshot(run, training)
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
            write_arrays(run.path / AGENT, training.trainer.parameters(), metadata_for(run, AGENT, training.games))
    finally:
        training.close()
        _note_time(run, began, games, training.games)


def change(run: Run, training: Training, settings: dict[str, str]) -> None:
    """Change settings of a run at work from its next game on; that is recorded before it takes effect."""
    plan = training.changed_plan(settings)
    head = read_manifest(run.path)
    write_manifest(run.path, head._replace(plan=head.plan | {"changes": str(plan.changes)}))
    training.plan = plan


def _restored(run: Run) -> Training:
    checkpoint = _checkpoint(run)
    _require_the_same(run, read_manifest(run.path), begun=checkpoint is not None)
    training = Training(run.game, run.learner, run.plan)
    if checkpoint is None:
        begin(training.trainer, run.plan)
    else:
        arrays, notes = checkpoint
        training.trainer.restore(arrays)
        training.lines = [json.loads(line) for line in notes["metrics"]]
    return training


def _require_the_same(run: Run, head: Head, *, begun: bool) -> None:
    """Raise LudusError unless all that a run needs, to go on or to begin, is as it was."""
    require_unchanged(run.path, head.opponents)
    if not begun:
        require_unchanged(run.path, head.init_from, "begins with")
    match_compute(run.path, head)


def _checkpoint(run: Run) -> tuple[Any, dict[str, Any]] | None:
    """What the last checkpoint holds, None if the run has not begun; LudusError if it is damaged or gone."""
    if (run.path / CHECKPOINT).is_file():
        return _read(run, CHECKPOINT)
    for file in (AGENT, METRICS):
        if (run.path / file).is_file():
            raise LudusError(f"{run.path / CHECKPOINT} is missing: there is {file}, but nothing to go on from")
    return None


def save_training(run: Run, training: Training) -> None:
    """Write a checkpoint, which is what counts when going on and holds the metrics too, and then these beside it."""
    notes = metadata_for(run, CHECKPOINT, training.games) | {"metrics": [json.dumps(line) for line in training.lines]}
    write_arrays(run.path / CHECKPOINT, training.trainer.arrays(), notes)
    _write_metrics(run, training)


def _keep_snapshot(run: Run, training: Training) -> None:
    """Keep what is known now, if it was just measured."""
    if training.lines and training.lines[-1]["games"] == training.games:
        notes = metadata_for(run, snapshot_name(training.games), training.games)
        write_snapshot(run.path, training.games, training.trainer.parameters(), notes)


def _write_metrics(run: Run, training: Training) -> None:
    write_whole(run.path / METRICS, ["".join(f"{json.dumps(line)}\n" for line in training.lines).encode()])


def metadata_for(run: Run, file: str, games: int) -> dict[str, Any]:
    """What every file of arrays tells: which one it is, of which rules and which learner."""
    learner = {"name": catalog.learner_name(run.learner).rpartition("/")[2], **_words(run.learner)}
    return {"file": file, "fingerprint": fingerprint(run.game), "learner": learner, "games": games}


def _read(run: Run, file: str) -> tuple[Any, dict[str, Any]]:
    """The arrays and notes in a file of a run; one of another run is refused."""
    arrays, notes = read_arrays(run.path / file)
    notes["learner"] = _defaults(run.learner) | notes.get("learner", {})  # it may be older than some setting
    if notes | metadata_for(run, file, notes.get("games", 0)) != notes:
        raise LudusError(f"{run.path / file} is not of this run: its rules or its learner are others")
    return arrays, notes


def _note_time(run: Run, began: float, before: int, after: int) -> None:
    note = {"began": round(began, 3), "seconds": round(time.time() - began, 3), "games": [before, after]}
    try:
        with (run.path / TIMES).open("a") as file:
            file.write(json.dumps(note) + "\n")
    except OSError as error:
        raise LudusError(f"{run.path / TIMES} cannot be written: {error.strerror}") from None


# ---- finding and reading ----


def find_run(text: str) -> Run | None:
    """The run sent along under this name, in a folder of it, or among the user's runs; None if there is none."""
    for path in (sent_to(text), Path(text), home() / "runs" / text):
        if path is not None and os.path.isfile(path / MANIFEST):  # False for a text that can be no name of a file, too
            return read_run(path)
    return None


def get_run(name: str) -> Run:
    """The same; LudusError if there is none."""
    run = find_run(name)
    if run is None:
        raise LudusError(f"there is no run {name}; ludus runs lists them")
    return run


def read_run(path: Path) -> Run:
    """The run in a folder; LudusError says what is damaged."""
    head = read_manifest(path)
    try:
        game = catalog.make_game(head.game)
        settings = dict(head.learner)
        name = settings.pop("name")
        learner = make(catalog.learner_class(name), name, settings)
        plan = make(Plan, "plan", head.plan)
    except LudusError as error:
        raise LudusError(f"{path / MANIFEST} cannot be used: {error}") from None
    if head.fingerprint != fingerprint(game):
        raise LudusError(f"{path} was trained on other rules than {head.game} has now")
    return Run(path, game, learner, plan)


def _lines(path: Path) -> list[Line]:
    try:
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    except (OSError, ValueError) as error:
        raise LudusError(f"{path} is damaged: {error}") from None


class Trained:
    """A run as an agent: it plays the game that it was trained on."""

    def __init__(self, run: Run) -> None:
        self.run, self._agent = run, run.agent()

    def __str__(self) -> str:
        return self.run.name

    def for_game(self, game: Any, starts: tuple[Any, ...]) -> Any:
        """The agent itself; LudusError for another game."""
        if type(game) is not type(self.run.game) or game != self.run.game:
            theirs = catalog.name_of(self.run.game)
            raise LudusError(f"{self.run.name} was trained on {theirs}; it cannot play {catalog.name_of(game)}")
        return self._agent

    def policy(self, game: Any, pos: Any, out: Any) -> None:
        """What the agent for the game does."""
        self.for_game(game, ()).policy(game, pos, out)

    def opinion(self, game: Any, pos: Any) -> Any:
        """What it thinks each action is worth."""
        return self.for_game(game, ()).opinion(game, pos)

    def opinions(self, game: Any, positions: Sequence[Any]) -> Any:
        """The same in many positions."""
        return opinions_of(self.for_game(game, ()), game, positions)

    def visits(self, game: Any, pos: Any) -> int:
        """How often it was taught something about a position."""
        return int(self.for_game(game, ()).visits(game, pos))


def train(
    game: Any,
    learner: str,
    *,
    preset: str | None = None,
    out: str | Path | None = None,
    watch: Callable[[Line], None] = lambda line: None,
    **settings: Any,
) -> Run:
    """Train a learner on a game, which may be given by name, and keep the run in the folder `out`, or the user's.

    The settings are those of the learner and of `Plan`, as values or as they are written: `games=10_000, epsilon=0.2,
    opponent="random:5000,self"`. `watch` is told each line of metrics.
    """
    game = catalog.make_game(game) if isinstance(game, str) else game
    words = {name: format_value(value) for name, value in settings.items()}
    config, plan = configured(game, learner, words, preset)
    run = create(game, config, plan, new_path(game, config) if out is None else Path(out))
    resume(run, Watcher(line=watch))
    return run
