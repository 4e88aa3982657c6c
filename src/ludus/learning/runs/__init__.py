"""Runs: trainings on disk (docs/runs.md), with their checkpoints, history, locks and lineage."""
