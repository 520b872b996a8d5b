"""The report of an edit: plain data first (`gather`), then one page of HTML (`render`, `write_report`)."""

from frote.report.gather import gather
from frote.report.page import render, write_report

__all__ = ["gather", "render", "write_report"]
