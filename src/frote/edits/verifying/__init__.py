"""The folder of an edit, verified without its data: what it says of itself, held against itself."""

from __future__ import annotations

from frote.edits.verifying.checks import Check, Verification
from frote.edits.verifying.verify import verify

__all__ = ["Check", "Verification", "verify"]
