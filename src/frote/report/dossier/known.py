"""What a dossier knows: the report of an edit, and of its record what the report does not have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from frote.report.contents import Report

__all__ = ["AskedFacts", "CroissantFacts", "DataFacts", "Known", "RecordFacts"]


class AskedFacts(TypedDict):
    """How the columns of the data were to be read."""

    target: str
    categorical: list[str]
    numeric: list[str]
    ignore: list[str]
    levels: NotRequired[dict[str, list[str]]]


class DataFacts(TypedDict):
    """The file that was trained on."""

    name: str
    sha256: str


class RecordFacts(TypedDict):
    """What a dossier takes from a record, of whichever format it is."""

    edit: int
    asked: AskedFacts
    data: DataFacts
    files: dict[str, str]
    timings: dict[str, float]
    picked_from: NotRequired[str]


class CroissantFacts(TypedDict, total=False):
    """What the owner says of the data for machines: all of it is missing until it is said."""

    license: str
    url: str
    creator: str
    datePublished: str
    version: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a dossier knows.

    Parameters
    ----------
    report : Report
        The report of the edit.

    record : RecordFacts
        Its record.

    edit : str
        What to call the folder of the edit.

    digest : str
        The SHA-256 of the record.

    croissant : CroissantFacts, default={}
        What the owner says of the data for machines.
    """

    report: Report
    record: RecordFacts
    edit: str
    digest: str
    croissant: CroissantFacts = field(default_factory=CroissantFacts)

    @property
    def by_data(self) -> bool:
        """Whether the rules got into the model by its data, and not as a part of it."""
        return self.report["how"] in ("data", "initial")

    def setting(self, name: str) -> str:
        """Return a setting of the run as it is written; empty if there is none of the name."""
        settings = self.report["repeat"]["settings"]
        return next((str(one["value"]).strip("'") for one in settings if one["name"] == name), "")

    def of_file(self, start: str) -> tuple[str, str]:
        """Return the name and the SHA-256 of a file of the edit, by how its name starts; empty if there is none."""
        return next(
            ((name, one) for name, one in self.record["files"].items() if name.startswith(f"{start}.")), ("", "")
        )
