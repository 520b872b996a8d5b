"""``python -m frote_experiments``."""

from __future__ import annotations

from frote_experiments.command import experiments

experiments(prog_name="python -m frote_experiments")
