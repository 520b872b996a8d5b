"""The augmented data and the ledger of an edit, described for machines in Croissant 1.1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pandas as pd

from frote.estimators.ledger import COLUMNS
from frote.layout import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from frote.files import FileForm
    from frote.files.reading import FileTable
    from frote.report.dossier import Known, Owned
    from frote.table.spelling import DateSpelling

__all__ = ["croissant"]

PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
SPECIFICATIONS = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
# The context of the specification, as its own library writes it.
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            *(
                "annotation",
                "arrayShape",
                "citeAs",
                "column",
                "containedIn",
                "equivalentProperty",
                "excludes",
                "extract",
            ),
            *("field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset"),
            *(
                "jsonPath",
                "key",
                "md5",
                "parentField",
                "path",
                "readLines",
                "recordSet",
                "references",
                "regex",
                "repeated",
            ),
            *(
                "replace",
                "samplingRate",
                "sdVersion",
                "separator",
                "source",
                "subField",
                "transform",
                "unArchive",
                "value",
            ),
        )
    },
}
ENCODINGS = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "psv": "text/csv",
    "json lines": "application/jsonlines",
    "parquet": "application/x-parquet",
    "feather": "application/vnd.apache.arrow.file",
}
# What the columns of a ledger say.
LEDGER = {
    "row": "The row of the augmented data, from 0; missing if it was dropped.",
    "source": "The row of the data as they came, from 0; missing if it was made up.",
    "index": "The name of that row.",
    "status": "kept, relabelled, dropped, synthetic, or guard: made up just outside the rules.",
    "rule": "The rule on whose account the row was changed, dropped or made.",
    "old_label": "The label that the row came with.",
    "new_label": "The label that it was trained on with.",
    "base": "The row of the augmented data that a made-up row started from.",
    "neighbour": "The row of the augmented data that it lies towards.",
    "step": "The step of the run that it was made in.",
    "covered": "Whether its base is inside the rule (strongly) or was moved into it (weakly).",
}


def croissant(
    known: Known, owned: Owned, augmented: FileTable, path: Path, ledger: Path, places: Mapping[Path, str]
) -> dict[str, Any]:
    """Describe the augmented data of an edit.

    Parameters
    ----------
    known : Known
        The edit.

    owned : Owned
        What the owner says.

    augmented : FileTable
        The augmented data, as read from their file.

    path, ledger : Path
        The files.

    places : mapping of Path to str
        What to call each of them, from where the description lies.

    Returns
    -------
    dict
        JSON-LD.
    """
    form, files = augmented.form, known.record["files"]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": SPECIFICATIONS,
        "name": f"Augmented data: {known.report['title']}",
        "description": _description(known),
        **_said(owned),
        **_responsible(known, owned),
        "prov:wasDerivedFrom": _entity(known),
        "prov:wasGeneratedBy": {"@type": "prov:Activity", "prov:label": "frote edit"},
        "distribution": [
            _file(path, files[path.name], form, places[path]),
            _file(ledger, files[ledger.name], form, places[ledger]),
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "rows",
                "name": "rows",
                "description": "The rows that the edited model was trained on.",
                "field": [
                    _field(augmented, place, known.record["asked"]["target"], path)
                    for place in range(len(augmented.frame.columns))
                ],
            },
            {
                "@type": "cr:RecordSet",
                "@id": "ledger",
                "name": "ledger",
                "description": "A line for each row, and for each row dropped: what became of it, and why.",
                "field": [
                    _as_field(
                        f"ledger/{name}", name, ["sc:Integer" if kind == "Int64" else "sc:Text"], ledger, LEDGER[name]
                    )
                    for name, kind in {"row": "Int64", **COLUMNS}.items()
                ],
            },
        ],
    }


def _description(known: Known) -> str:
    rows = known.report["done"]["rows"]
    return (
        f"Training data of an edited model: {counted(rows['result'], 'row')}, {rows['kept']:,} of them as they came; "
        f"{rows['relabelled']:,} were given another label by rules, {rows['added']:,} were made up inside rules and "
        f"{rows['guards']:,} just outside them. {known.report['verdict']}"
    )


def _said(owned: Owned) -> dict[str, Any]:
    """Return what the owner says for machines."""
    said: dict[str, Any] = dict(owned.croissant)
    if "creator" in said:
        said["creator"] = {"@type": "sc:Organization", "name": said["creator"]}
    return said


def _responsible(known: Known, owned: Owned) -> dict[str, Any]:
    """Return the terms of responsible AI: what the edit did to labels and rows, and what the owner says of the data."""
    rules = [f"{rule['name']}: {rule['words']}" for rule in known.report["asked"]["rules"]]
    terms: dict[str, Any] = {
        "rai:dataAnnotationProtocol": "Labels by rules, row by row in the ledger. " + " ".join(rules),
        "rai:machineAnnotationTools": [f"frote {_version(known)}"],
        "rai:dataManipulationProtocol": "Rows were made up by interpolation between rows of the data, inside rules.",
        "rai:dataLimitations": known.report["limits"],
    }
    by_owner = {
        "rai:dataCollection": "provenance",
        "rai:dataPreprocessingProtocol": "cleaning",
        "rai:personalSensitiveInformation": "personal-data",
        "rai:dataUseCases": "data-uses",
        "rai:dataReleaseMaintenancePlan": "data-maintenance",
        "rai:dataSocialImpact": "ethics",
    }
    return terms | {term: owned.texts[key] for term, key in by_owner.items() if key in owned.texts}


def _version(known: Known) -> str:
    versions = known.report["repeat"]["versions"]
    return next((str(one["value"]) for one in versions if one["name"] == "frote"), "")


def _entity(known: Known) -> dict[str, Any]:
    data = known.record["data"]
    return {"@type": "prov:Entity", "@id": f"urn:sha256:{quote(data['sha256'], safe='')}", "name": data["name"]}


def _file(path: Path, digest: str, form: FileForm, place: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "description": " ".join(_told_of(form)),
        "contentUrl": place,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": [ENCODINGS[form.format], *(["application/gzip"] if form.gzipped else [])],
        "sha256": digest,
    }


def _told_of(form: FileForm) -> Iterator[str]:
    """Say what the encoding of a file does not: the vocabulary has no word for it."""
    if ENCODINGS[form.format].startswith("text/"):
        yield f"Cells are divided by {form.delimiter!r}, numbers have {form.decimal!r}, texts are in {form.encoding}."
    else:
        yield f"A file of {form.format}."


def _field(table: FileTable, place: int, target: str, path: Path) -> dict[str, Any]:
    name = str(table.frame.columns[place])
    kind = _type_of(table.frame.iloc[:, place])
    label = ["cr:Label"] if name == target else []
    told = "The label." if label else f"The column {name}."
    # A name may hold anything, and an identifier may not: neither blanks nor what would stand for them.
    own_id = f"rows/{name}" if PLAIN.fullmatch(name) else f"rows/column/{place}"
    field = _as_field(own_id, name, [kind, *label], path, told)
    spelling = table.form.dates.get(name)
    if spelling is not None:
        field["source"]["format"] = _pattern(spelling)
    return field


def _pattern(spelling: DateSpelling) -> str:
    """Return a spelling of dates as the patterns of Unicode write it, which tell months from minutes by their case."""
    day, blank, time = str(spelling).partition(" ")
    return day.replace("m", "M") + blank + time.replace("h", "H").replace("f", "S")


def _as_field(own_id: str, name: str, kinds: list[str], path: Path, told: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": own_id,
        "name": name,
        "description": told,
        "dataType": kinds if len(kinds) > 1 else kinds[0],
        "source": {"fileObject": {"@id": path.name}, "extract": {"column": name}},
    }


def _type_of(column: pd.Series[Any]) -> str:
    kinds = {
        "sc:Boolean": pd.api.types.is_bool_dtype,
        "sc:Integer": pd.api.types.is_integer_dtype,
        "sc:Float": pd.api.types.is_float_dtype,
    }
    kind = next((kind for kind, fits in kinds.items() if fits(column.dtype)), "sc:Text")
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        return kind
    days = column.dropna()
    return "sc:Date" if (days == days.dt.normalize()).all() else "sc:DateTime"
