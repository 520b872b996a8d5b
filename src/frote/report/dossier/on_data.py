"""What is known of the augmented data: where they come from, what they are made of, and how they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.report.dossier.contents import Block, Facts, Grid, Points, Text
from frote.report.figures import NONE, fact

if TYPE_CHECKING:
    from frote.report.contents import ColumnFacts
    from frote.report.dossier.known import Known

__all__ = ["cleaning", "composition", "inputs", "labelling", "motivation", "source", "synthetic"]

KINDS = {
    "continuous": "number",
    "integer": "whole number",
    "categorical": "category",
    "boolean": "truth value",
    "datetime": "date",
}

FOR_RULES = (
    "The data were made so that a model trained on them follows the rules: what became of the rows as they came, and "
    "which were added, is counted below."
)
FOR_LESSON = (
    "The model holds the rules, and the data teach it what they mean: rows as they came, covered rows once more with "
    "their rule's label, and made-up ones."
)


def motivation(known: Known) -> tuple[Block, ...]:
    """Tell what the augmented data are for."""
    name, digest = known.of_file("augmented")
    told = FOR_RULES if known.by_data else FOR_LESSON
    return (
        Text(f"{told} They are training data of this edit, and no sample of what happened."),
        Facts((("file", name or NONE), ("SHA-256", digest or NONE))),
    )


def source(known: Known) -> tuple[Block, ...]:
    """Tell which files went in."""
    pairs = [
        (f"{one['name']}, {name}", f"{value:,}" if type(value) is int else fact(value))
        for one in known.report["repeat"]["files"]
        for name, value in (one["value"].items() if isinstance(one["value"], dict) else [("name", one["value"])])
    ]
    return (Facts(tuple(pairs)),) if pairs else ()


def composition(known: Known) -> tuple[Block, ...]:
    """Tell rows, labels and columns."""
    rows, made_of = known.report["done"]["rows"], known.report["composition"]
    counts = {
        "rows of data as they came": rows["data"],
        "kept as they are": rows["kept"],
        "given another label": rows["relabelled"],
        "dropped": rows["dropped"],
        "made up and added": rows["added"],
        "made up just outside the rules": rows["guards"],
        "rows trained on in the end": rows["result"],
    }
    labels = tuple((one["label"], f"{one['data']:,}", f"{one['result']:,}") for one in made_of["labels"])
    return (
        Facts(tuple((name, f"{count:,}") for name, count in counts.items())),
        Grid("Labels, by rows", ("label", "as they came", "in the end"), labels),
        *inputs(known),
    )


def inputs(known: Known) -> tuple[Block, ...]:
    """Tell the columns that the model was trained on."""
    columns = known.report["composition"]["columns"]
    lines = tuple((one["name"], KINDS[one["kind"]], _values(one), f"{one['missing']:,}") for one in columns)
    return (Grid("Columns of the data as they came", ("column", "kind", "values", "missing"), lines, 3),)


def _values(column: ColumnFacts) -> str:
    """Write what occurs in a column."""
    if column["low"] is not None:
        return f"{column['low']} to {column['high']}"
    more = [f"and {column['more']:,} more"] if column["more"] else []
    return ", ".join([*column["levels"], *more]) or NONE


def cleaning(known: Known) -> tuple[Block, ...]:
    """Tell which columns were left out or read otherwise than they seem, and what became of missing values."""
    asked = known.record["asked"]
    told = {
        "columns left out": asked.get("ignore"),
        "read as categories": asked.get("categorical"),
        "read as numbers": asked.get("numeric"),
        "levels declared": asked.get("levels"),
    }
    return (
        Text("The edit removed no outliers and filled no missing values: what is missing stays so in the file."),
        Facts(tuple((name, fact(value) if value else "none") for name, value in told.items())),
    )


def labelling(known: Known) -> tuple[Block, ...]:
    """Tell which labels the edit changed, and on account of which rule."""
    lines = tuple(
        (rule["name"], *line)
        for rule in known.report["done"]["rules"]
        for line in (
            *((one["old"], one["new"], f"{one['rows']:,}") for one in rule["relabelled"]),
            *((one["old"], "dropped", f"{one['rows']:,}") for one in rule["dropped"]),
        )
    )
    if not lines:
        return (Text("No row of the data was given another label, and none was dropped."),)
    told = "Labels of covered rows that are against a rule were changed to what the rule says, or their rows dropped."
    head = ("rule", "label", "became", "rows")
    return (
        Text(f"{told} The ledger tells it row by row."),
        Grid("Rows relabelled and dropped, by rule", head, lines, 3),
    )


def synthetic(known: Known) -> tuple[Block, ...]:
    """Tell which rows were made up, and how."""
    rules = [rule for rule in known.report["done"]["rules"] if rule["added"]]
    if not rules:
        return (Text("No row was made up inside a rule."),)
    told = (
        "A made-up row lies between a row of the data and a neighbour of it, or is one moved into a rule by the "
        "columns that failed. It satisfies its rule, and its label is drawn from what the rule says. Base and "
        "neighbour of each stand in the ledger."
    )
    lines = tuple((one["name"], f"{one['added']:,}", f"{one['strong']:,}", f"{one['weak']:,}") for one in rules)
    relaxed = tuple(
        f"“{one['name']}” covers too few rows to start from; its conditions on these columns were left aside to find "
        f"some: {', '.join(one['relaxed'])}"
        for one in rules
        if one["relaxed"]
    )
    head = ("rule", "rows made up", "from rows inside", "from rows outside")
    return (Text(told), Grid("Made-up rows, by rule", head, lines), *([Points(relaxed)] if relaxed else []))
