"""``python -m frote.experiments``."""

from __future__ import annotations

from frote.experiments.command import experiments

experiments(prog_name="python -m frote.experiments")
