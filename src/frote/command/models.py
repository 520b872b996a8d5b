"""The address by which files of models know `CodedLabels`: it is a part of their bytes, and stays."""

from frote.edits.models import CodedLabels

__all__ = ["CodedLabels"]
