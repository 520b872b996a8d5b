"""Typed, read-only, column-wise tables over pandas and polars frames and NumPy arrays."""

from frote.table.blocks import Block
from frote.table.frames import ColumnData
from frote.table.lending import lent
from frote.table.schema import Column, Kind, Schema
from frote.table.table import Table
from frote.table.typed import TypedFrame

__all__ = ["Block", "Column", "ColumnData", "Kind", "Schema", "Table", "TypedFrame", "lent"]
