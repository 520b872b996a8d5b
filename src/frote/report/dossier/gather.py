"""The dossier of an edit as a value: all that its pages tell, gathered once."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from frote.layout import counted
from frote.report.dossier.contents import Dossier, Facts, Part, Reference, Section
from frote.report.dossier.outline import OUTLINE
from frote.report.figures import NONE, day
from frote.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.report.dossier.known import Known
    from frote.report.dossier.outline import Planned, PlannedSection
    from frote.report.dossier.owner import Owned

__all__ = ["gather_dossier"]


def gather_dossier(known: Known, owned: Owned) -> Dossier:
    """Gather all that a dossier tells; what a reader would not see is made visible.

    Parameters
    ----------
    known : Known
        What the edit left.

    owned : Owned
        What the owner wrote.

    Returns
    -------
    Dossier
    """
    report, references = known.report, _references(owned)
    sections = tuple(
        Section(
            section.key,
            str(number),
            section.title,
            section.lead,
            tuple(_part(section, part, references, known, owned) for part in section.parts),
        )
        for number, section in enumerate(OUTLINE, start=1)
    )
    dossier: Dossier = _made_visible(
        Dossier(
            report["title"],
            report["verdict"],
            _about(known),
            tuple(_cautions(known)),
            sections,
            Facts((("edit.json", known.digest), ("report.json", known.record["files"]["report.json"]))),
        )
    )
    return dossier


def _references(owned: Owned) -> dict[str, Reference]:
    """Return the numbers and titles of all parts, by their keys."""
    return {
        part.key: Reference(part.key, f"{at}.{place}", part.title, bool(part.asks) and not owned.written(part.key))
        for at, section in enumerate(OUTLINE, start=1)
        for place, part in enumerate(section.parts, start=1)
    }


def _part(
    section: PlannedSection, part: Planned, references: Mapping[str, Reference], known: Known, owned: Owned
) -> Part:
    return Part(
        part.key,
        references[part.key].number,
        part.title,
        section.point_of(part),
        tuple(block for tell in part.tell for block in tell(known)),
        tuple(references[key] for key in part.see),
        part.asks,
        owned.written(part.key),
    )


def _about(known: Known) -> Facts:
    run = known.report["run"]
    data, test = run["data"], run["test"]
    judged = "the same rows" if test is None else f"{_named(test['name'])}{counted(test['rows'], 'row')}"
    return Facts(
        (
            ("Model", run["model"]),
            ("Data", f"{_named(data['name'])}{counted(data['rows'], 'row')}"),
            ("Judged on", judged),
            ("Date of the edit", day(run["date"]) if run["date"] else NONE),
            ("Folder", known.edit),
        )
    )


def _named(name: str | None) -> str:
    return f"{name}, " if name else ""


def _cautions(known: Known) -> list[str]:
    """Tell first what the numbers are not, and what was not done."""
    report = known.report
    told = [f"{one['rule']}: left out of the edit. {one['why']}" for one in report["skipped"]]
    if report["unedited"]:
        told.append(report["unedited"])
    if report["on"] == "data":
        told.append("The numbers were measured on the rows trained on. On new rows they will probably be lower.")
    return told


def _made_visible(value: Any) -> Any:
    """Return a value all of whose texts show what they hold: a page is read by eye."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, tuple):
        return tuple(map(_made_visible, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    return replace(value, **{one.name: _made_visible(getattr(value, one.name)) for one in fields(value)})
