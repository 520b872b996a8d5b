"""The report of an edit: plain data first (`gather`), then one page of HTML (`render`, `write_report`).

`verdict` says in a few sentences what came of the edit.
"""

from frote.report.gather import gather
from frote.report.page import render, write_report
from frote.report.verdict import verdict

__all__ = ["gather", "render", "verdict", "write_report"]
