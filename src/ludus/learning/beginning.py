"""A run whose knowledge a training begins with."""

from __future__ import annotations

from typing import Any

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.opponents import Digests
from ludus.learning.plan import Plan
from ludus.learning.student import Student
from ludus.parameters import format_value


def begin(student: Student, plan: Plan) -> None:
    """Let a student begin with what the run in the plan has learned, if there is one; LudusError if it does not fit."""
    run = _run_for(student, plan)
    if run is not None:
        student.begin(run.knowledge()[0])


def beginning_digest(student: Student, plan: Plan) -> Digests:
    """A digest of the run that the student begins with, by its name in the plan."""
    run = _run_for(student, plan)
    return {} if run is None else {plan.begin.name: run.digest()}


def _run_for(student: Student, plan: Plan) -> Any:
    """The run in the plan, None if there is none; LudusError if it is of no use to the student."""
    if not plan.begin.name:
        return None
    run = catalog.run_meant(plan.begin.name)
    if run is None:
        raise LudusError(f"there is no run {plan.begin.name} to begin with; ludus runs lists them")
    game, learner = student.game, student.config
    if type(run.game) is not type(game) or run.game != game:
        raise LudusError(_refused(run, f"was trained on {catalog.name_of(run.game)}", f"on {catalog.name_of(game)}"))
    if type(run.learner) is not type(learner):
        theirs, own = (f"by {catalog.learner_name(config)}" for config in (run.learner, learner))
        raise LudusError(_refused(run, f"was trained {theirs}", own))
    for name in getattr(learner, "shaped_by", ()):
        theirs, own = (format_value(getattr(config, name)) for config in (run.learner, learner))
        if theirs != own:
            raise LudusError(_refused(run, f"has {name}={theirs}", f"{name}={own}"))
    return run


def _refused(run: Any, theirs: str, own: str) -> str:
    return f"a training cannot begin with {run.name}: it {theirs}, not {own}"
