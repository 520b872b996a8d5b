"""What is known of a model: what it is, its rules, how it was judged, and what the numbers do not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.report.dossier.contents import Block, Code, Facts, Grid, Points, Text
from frote.report.figures import NONE, day, fact, score, share, signed
from frote.report.page import measures_told, trade_tables

if TYPE_CHECKING:
    from frote.report.contents import FairnessPart, GroupRate, MovedPart, Number
    from frote.report.dossier.known import Known

__all__ = [
    "agreement",
    "architecture",
    "cases",
    "details",
    "evaluation",
    "groups",
    "limits",
    "moved",
    "people",
    "results",
    "rules",
]

# How the rules got into the model.
WAYS = {
    "data": "by its data: the model was trained anew on data that agree with the rules",
    "switches": "in the model: it has a column for each rule, and needs the rules to predict",
    "anchored": "in the model: it is asked about covered rows alone, and the model before about all others",
    "initial": "not at all: the model before was handed back",
}
WHERE = {"outside": "outside the rules", "inside": "inside the rules", "all": "all rows"}
PARTS = {"intended": "as the rules want", "wrong": "inside the rules, otherwise", "unintended": "outside the rules"}
MEASURES = {
    "agreement": "agreement with the rules",
    "f1": "weighted F1 outside the rules",
    "f1_macro": "macro F1 outside the rules",
    "objective": "objective by coverage",
}
RATES = {
    "selection_rate": "selection rate",
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "adverse_impact_ratio": "adverse-impact ratio",
}


def details(known: Known) -> tuple[Block, ...]:
    """Tell what the model is."""
    run, repeat = known.report["run"], known.report["repeat"]
    facts = [
        ("model", run["model"]),
        ("the rules got into it", WAYS[known.report["how"]]),
        ("date of the edit", day(run["date"]) if run["date"] else NONE),
        ("seed", repeat["seed"]),
        *((f"SHA-256 of {name}", digest) for name, digest in map(known.of_file, ("model", "before")) if name),
    ]
    unedited = known.report["unedited"]
    return (*([Text(unedited)] if unedited else []), Facts(tuple(facts)), *people(known))


def people(known: Known) -> tuple[Block, ...]:
    """Tell who stands for the edit, as far as that was said."""
    facts = known.report["asked"]["facts"]
    return (Facts(tuple((one["name"].replace("_", " "), fact(one["value"])) for one in facts)),) if facts else ()


def architecture(known: Known) -> tuple[Block, ...]:
    """Tell what the model is made of."""
    return (Text("The estimator, with its parameters:"), Code(known.report["repeat"]["model"]))


def rules(known: Known) -> tuple[Block, ...]:
    """Tell the rules in words, and what was not done of them."""
    asked = known.report["asked"]
    if not asked["rules"]:
        return (Text("No rule was given: the model was trained again on the data as they are."),)
    lines = tuple((rule["name"], rule["words"], f"{rule['rows']:,}", share(rule["share"])) for rule in asked["rules"])
    missed = {"left out": known.report["skipped"], "done in part": known.report["in_part"]}
    return (
        Grid(
            "The rules, and the rows of data that they cover as written",
            ("rule", "in words", "rows", "share"),
            lines,
            2,
        ),
        *(Points(tuple(f"{one['rule']}, {how}: {one['why']}" for one in some)) for how, some in missed.items() if some),
        *([Text("Conflicts between rules, before they were resolved:")] if asked["conflicts"] else []),
        *([Points(tuple(asked["conflicts"]))] if asked["conflicts"] else []),
        *([Text(f"They were resolved by: {asked['resolved']}.")] if asked["conflicts"] and asked["resolved"] else []),
    )


def agreement(known: Known) -> tuple[Block, ...]:
    """Tell how far the models do what each rule wants."""
    lines = tuple(
        (
            rule["name"],
            f"{rule['covered']:,}",
            f"{rule['rows']:,}",
            *(share(rule[model]) for model in ("before", "after", "override")),
        )
        for rule in known.report["result"]["rules"]
    )
    head = ("rule", "rows judged that it covers", "of these, count for it", "before", "after", "the rules themselves")
    return (Grid("Agreement with each rule, on the rows judged", head, lines),) if lines else ()


def results(known: Known) -> tuple[Block, ...]:
    """Tell how good both models are."""
    result, numbers = known.report["result"], known.report["numbers"]
    lines = tuple(
        (
            MEASURES[line["measure"]],
            score(line["before"]["value"]),
            score(line["after"]["value"]),
            *_changed(line["change"]),
        )
        for line in measures_told(result)
    )
    tables = trade_tables(numbers)
    return (
        Text(known.report["verdict"]),
        Grid(
            f"Scores; intervals hold 95 % of {result['draws']} resamples",
            ("", "before", "after", "change", "95 %"),
            lines,
        ),
        *([Text(numbers["decided"])] if numbers["decided"] else []),
        _by_part("Against the labels of the past, before → after", tables["all"], tables["parts"]),
        *(
            _by_part(f"The class {one['label']}, before → after", one["lines"], tables["parts"])
            for one in tables["classes"]
        ),
    )


def _changed(change: Number) -> tuple[str, str]:
    span = NONE if change["low"] is None else f"{signed(change['low'])} to {signed(change['high'])}"
    return signed(change["value"]), span


def _by_part(title: str, lines: list[dict[str, Any]], parts: list[str]) -> Grid:
    """Lay numbers out in a column for each part of the rows."""
    cells = tuple(
        (
            line["name"],
            *(
                f"{score(line['cells'][part]['before'])} → {score(line['cells'][part]['after'])}"
                if part in line["cells"]
                else NONE
                for part in parts
            ),
        )
        for line in lines
    )
    return Grid(title, ("", *(WHERE[part] for part in parts)), cells)


def evaluation(known: Known) -> tuple[Block, ...]:
    """Tell what the models were judged on."""
    test, result = known.report["run"]["test"], known.report["result"]
    if test is None:
        told = "The models were judged on the rows that they were trained on, since no others were given."
        facts = [("rows judged", f"{result['rows']:,}")]
    else:
        told = "The models were judged on a table of their own."
        facts = [
            ("table", test["name"] or NONE),
            ("rows that it has", f"{test['given']:,}"),
            ("of these, also in the training data", f"{test['seen']:,}"),
            *([("judged on these too", "yes" if test["kept"] else "no")] if test["seen"] else []),
            ("rows judged", f"{test['rows']:,}"),
            ("rows of labels that the training data do not have", f"{test['unknown']['rows']:,}"),
        ]
    covered = [("covered by rules", f"{result['covered']:,}"), ("outside all rules", f"{result['uncovered']:,}")]
    return (Text(told), Facts((*facts, *covered)))


def groups(known: Known) -> tuple[Block, ...]:
    """Tell how groups fare: those that were declared protected, and those that the report looked into."""
    return (*_protected(known.report["fairness"]), *_looked_into(known.report["moved"]))


def _protected(fairness: FairnessPart | None) -> tuple[Block, ...]:
    if fairness is None:
        return (Text("No group was declared protected in this edit, so no rates of protected groups are known."),)
    told = f"How often each group gets “{fairness['favourable']}”. {fairness['decided']}"
    head = ("protected", "group", "where", "measure", "rows", "before", "after", "change", "95 %")
    return (
        Text(told.strip()),
        *([Points(tuple(fairness["notices"]))] if fairness["notices"] else []),
        Grid("Rates of protected groups", head, tuple(map(_rate, fairness["rates"])), 4),
    )


def _looked_into(moved_part: MovedPart) -> tuple[Block, ...]:
    lines = tuple(
        (
            one["words"],
            f"{one['rows']:,}",
            share(one["changed"]),
            f"{score(one['f1_before'])} → {score(one['f1_after'])}",
        )
        for one in moved_part["subgroups"]
    )
    head = ("group", "rows", "predicted otherwise", "F1 before → after")
    return (Grid("Groups by the columns that the report looked into", head, lines),) if lines else ()


def _rate(rate: GroupRate) -> tuple[str, ...]:
    before, after = score(rate["before"]["value"]), score(rate["after"]["value"])
    names = (rate["protected"], rate["words"], WHERE[rate["where"]], RATES[rate["measure"]])
    return (*names, f"{rate['rows']:,}", before, after, *_changed(rate["change"]))


def cases(known: Known) -> tuple[Block, ...]:
    """Tell what the models answer to the cases that they were tried by."""
    tried = known.report["cases"]
    if tried is None:
        return (Text("The model was tried by no cases (--cases)."),)
    lines = tuple(
        (
            line["name"],
            line["why"],
            str(line["expected"]),
            str(line["before"]),
            str(line["after"]),
            "yes" if line["holds"] else "no",
        )
        for line in tried["lines"]
    )
    head = ("case", "why", "expected", "before", "after", "as expected")
    return (Grid("Cases", head, lines, 6),)


def moved(known: Known) -> tuple[Block, ...]:
    """Tell which predictions changed that no rule asked for."""
    part = known.report["moved"]
    lines = tuple((PARTS[one["part"]], f"{one['rows']:,}", share(one["share"])) for one in part["parts"])
    looked = Facts((("rows looked at", f"{part['rows']:,}"), ("predicted otherwise", f"{part['changed']:,}")))
    regions = tuple(
        (
            region["words"] or "everywhere",
            f"{region['before']} → {region['after']}",
            f"{region['rows']:,}",
            f"{region['changed']:,}",
        )
        for region in part["regions"]
        if region["part"] != "intended"
    )
    head = ("where", "change", "rows", "of these, changed so")
    return (
        looked,
        Grid("Changed predictions", ("", "rows", "share"), lines),
        *([Grid("Where predictions changed that no rule asked for", head, regions, 2)] if regions else []),
    )


def limits(known: Known) -> tuple[Block, ...]:
    """Tell what the numbers do not show."""
    return (Points(tuple(known.report["limits"])),)
