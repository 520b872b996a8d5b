"""Tables in files: read by what they hold, and written as they were."""

from __future__ import annotations

from frote.files.delimited import marked, unmarked
from frote.files.form import FileForm
from frote.files.reading import FileTable, read_table

__all__ = ["FileForm", "FileTable", "marked", "read_table", "unmarked"]
