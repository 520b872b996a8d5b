"""What came of an edit, in words that do not flatter: which numbers rose and fell for certain, and what that means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.layout import counted
from frote.report.cases import broken_cases
from frote.report.words import percent, some_of

if TYPE_CHECKING:
    from frote.report.contents import JudgedRule, Judgement, MovedPart, Number, Report, ResultPart, TestRows, Trend

__all__ = ["judgement", "verdict"]

MOST = 3  # rules followed less that are named, at most; the others are counted
# What a model that holds its rules does with them, by how they got into it.
NEEDED = {
    "switches": "which has a column for each of them",
    "anchored": "which asks the model before about all rows outside them",
}
REACHED = 0.95  # of what the rules themselves would reach: from here on the edit did what was asked


def judgement(result: ResultPart, moved: MovedPart) -> Judgement:
    """Tell which numbers got better and which worse; see `frote.report.gather`.

    Parameters
    ----------
    result, moved : ResultPart and MovedPart
        These parts of the report, as plain data.

    Returns
    -------
    Judgement
        The part of the report of this name.
    """
    trends = {line["measure"]: _trend(line["change"]) for line in result["measures"]}
    rises = {
        rule["name"]: rule["after"] - rule["before"]
        for rule in result["rules"]
        if rule["after"] is not None and rule["before"] is not None
    }
    fallen = [name for name, rise in rises.items() if rise < 0]
    return {
        "agreement": trends["agreement"],
        "f1": trends["f1"],
        "f1_macro": trends["f1_macro"],
        "objective": trends["objective"],
        "less": sorted(fallen, key=lambda name: rises[name]),
        "outside": next(part["rows"] for part in moved["parts"] if part["part"] == "unintended"),
    }


def _known(value: float | None) -> float:
    """Return a number that is defined, as the caller knows."""
    assert value is not None
    return value


def _trend(change: Number) -> Trend | None:
    """Tell whether a change is for certain one for the better or for the worse; None if it is not defined."""
    if change["value"] is None or change["low"] is None:
        return None
    if change["low"] > 0:
        return "better"
    if _known(change["high"]) < 0:
        return "worse"
    return "unclear" if change["value"] else "same"


def verdict(summary: Report) -> str:
    r"""Say what came of an edit, in two or three plain sentences.

    They say first that a sample decided, if so; then what was not done: rules that were left out, or that resolving
    conflicts left nothing of, and parts of rules that cannot apply; and how many rows to judge on were trained on. Then
    whether it did what was asked, which is never said where a rule was left out; whether it made the model worse on
    the rows judged, which rules are followed less than before, and how many predictions changed outside the rules.

    Parameters
    ----------
    summary : dict
        From `gather`, or the same read back from JSON.

    Returns
    -------
    str
        The same as its `verdict`.

    Examples
    --------
    >>> import frote
    >>> from frote.report import gather, verdict
    >>> loans = frote.datasets.load_loans(500)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", max_fits=2, random_state=0)
    >>> summary = gather(editor.fit(loans.X, loans.y), before, loans.X, loans.y)
    >>> print(verdict(summary).replace(chr(160), " ").replace(". ", ".\n"))
    The edit did what was asked: the model follows the rules on 100 % of the covered rows (before: 13 %).
    Outside the rules weighted F1 rose from 0.913 to 0.933, and 17 of 438 predictions changed.
    """
    result, judgement, seen = summary["result"], summary["judgement"], _seen(summary["run"]["test"])
    if not result["rules"]:
        return " ".join(["No rule was given.", *_broken(summary), *seen, *_worse(summary), f"{_upper(_f1(summary))}."])
    sentences = [*_sampled(summary), *_not_done(summary), *_broken(summary), *seen, *_worse(summary)]
    if result["covered"]:
        sentences.append(_followed(summary, worse=judgement["objective"] == "worse"))
        sentences += _less(result["rules"], judgement["less"])
    else:
        sentences.append(
            f"None of the {counted(result['rows'], 'row')} judged is covered by a rule, so how far the edited model "
            "follows the rules cannot be said from them."
        )
    if result["uncovered"]:
        sentences.append(f"Outside the rules {_f1(summary)}, and {_outside(summary)}.")
    if summary["how"] in NEEDED:
        sentences.append(
            f"The rules are needed at prediction time: they are inside the model, {NEEDED[summary['how']]}."
        )
    return " ".join(sentences)


def _sampled(summary: Report) -> list[str]:
    """Say first that a sample decided, where it did."""
    sampled = summary.get("sampled")
    if sampled is None or sampled["brought"] == sampled["rows"]:
        return []
    trained = ", and models were trained on them alone" if sampled["trained"] == "sample" else ""
    return [f"A sample decided: batches were made on {sampled['brought']:,} of {sampled['rows']:,} rows{trained}."]


def _seen(test: TestRows | None) -> list[str]:
    """Say how many rows to judge on were trained on, and what was done with them, if there are such."""
    if test is None or not test["seen"]:
        return []
    fact = f"{test['seen']:,} of the {counted(test['given'], 'row')} to judge on also {_stand(test['seen'])}"
    if not test["kept"]:
        left = f"{'was' if test['seen'] == 1 else 'were'} left out"
        return [f"{fact} in the training data and {left}: the verdict is on the {_others(test['rows'])}."]
    why = f", of which {percent(test['recur'])} of the rows come again by themselves" if test["recur"] else ""
    return [f"{fact} in the training data{why}."]


def _stand(rows: int) -> str:
    return "stands" if rows == 1 else "stand"


def _others(rows: int) -> str:
    return "other one" if rows == 1 else f"{rows:,} others"


def _not_done(summary: Report) -> list[str]:
    """Say first what was not done: no edit at all, rules left out or lost to conflicts, those that apply in part."""
    skipped, in_part = (
        [f"“{one['rule']}” ({one['why']})" for one in missed] for missed in (summary["skipped"], summary["in_part"])
    )
    sentences = [summary["unedited"]] if summary["unedited"] else []
    if skipped:
        who, them = ("It was", "it") if len(skipped) == 1 else ("They were", "them")
        sentences.append(
            f"Not done: {some_of(skipped, MOST, 'rule')}. {who} left out of the edit, since no row can satisfy {them}."
        )
    gone = [f"“{name}”" for name in summary["asked"]["gone"]]
    if gone:
        how = summary["asked"]["resolved"]
        by = f" by {how}" if how else ""
        sentences.append(f"Nothing is left of {some_of(gone, MOST, 'rule')}, since conflicts were resolved{by}.")
    if in_part:
        sentences.append(f"Not all of it can apply: {some_of(in_part, MOST, 'rule')}.")
    return sentences


def _broken(summary: Report) -> list[str]:
    """Say which cases the edited model answers otherwise than expected."""
    broken = [f"“{line['name']}” ({line['after']}, not {line['expected']})" for line in broken_cases(summary)]
    return [f"Answered otherwise than expected: {some_of(broken, MOST, 'case')}."] if broken else []


def _worse(summary: Report) -> list[str]:
    """Say that the model got worse by the objective, for certain or perhaps by chance, where that can be seen."""
    trend = summary["judgement"]["objective"]
    before, after = (summary["scores"][name]["objective"] for name in ("before", "after"))
    lower = trend == "unclear" and round(_known(after), 3) < round(_known(before), 3)
    if trend != "worse" and not lower:
        return []
    change = next(line["change"] for line in summary["result"]["measures"] if line["measure"] == "objective")
    rows = "the rows judged" if summary["on"] == "test" else "the very rows that it was trained on"
    fell = f"the objective by coverage fell from {before:.3f} to {after:.3f}"
    interval = f"95\xa0% interval of the change: {change['low']:.3f} to {change['high']:.3f}"
    if trend == "worse":
        return [f"The edit made the model worse on {rows}: {fell} ({interval})."]
    return [f"On {rows} {fell}, which may be chance ({interval})."]


def _followed(summary: Report, worse: bool) -> str:
    """Say how far the model follows the rules, and whether that is what was asked."""
    scores = summary["scores"]
    before, after, most = (_known(one["agreement"]) for one in (scores["before"], scores["after"], scores["override"]))
    trend = summary["judgement"]["agreement"]
    reached = after >= REACHED * most
    # Where every rule names one class for certain, agreement is a share of rows.
    text = (
        f"follows the rules on {percent(after)} of the covered rows (before: {percent(before)})"
        if most == 1
        else f"agrees with the rules to {percent(after)} on the covered rows (before: {percent(before)}; the rules "
        f"themselves, which leave some answers to chance, would reach {percent(most)})"
    )
    skipped = bool(summary["skipped"])
    if skipped and most == 1:
        # Of all that was asked no share is known; of the rows that are left, their number says as much.
        rows = summary["result"]["covered"]
        now, then = (round(share * rows) for share in (after, before))
        text = f"follows the other rules on {now:,} of {counted(rows, 'row')} that they cover (before: {then:,})"
    if worse or summary["unedited"]:
        return f"It {text}."
    if trend == "worse":
        return f"The edit made the model follow the rules less: it {text}."
    if skipped:
        part = "did a part of what" if trend == "better" else "did not do all that"
        return f"The edit {part} was asked: the model {text}."
    asked = "what could be done of what was asked" if summary["in_part"] else "what was asked"
    if trend == "better":
        return f"The edit did {asked if reached else 'a part of what was asked'}: the model {text}."
    if reached and before >= REACHED * most:
        return f"The model does {asked}, as it did before the edit: it {text}."
    if reached:
        return f"The model does {asked}, though it is not clear that the edit did it: it {text}."
    return f"The edit did not clearly change how far the model follows the rules: it {text}."


def _less(rules: list[JudgedRule], names: list[str]) -> list[str]:
    """Say which rules are followed less than before, those that fell most first."""
    shares = {
        rule["name"]: (percent(_known(rule["before"])), percent(_known(rule["after"])))
        for rule in rules
        if rule["name"] in names
    }
    rules_said = [
        f"“{name}” (from {shares[name][0]} to {shares[name][1]})" for name in names if len(set(shares[name])) == 2
    ]
    if not rules_said:
        return []
    return [f"Followed less than before: {some_of(rules_said, MOST, 'rule')}."]


def _f1(summary: Report) -> str:
    """Say what became of the F1 that was asked for."""
    leading = summary["result"]["leading"]
    name = "weighted F1" if leading == "f1" else "macro F1"
    before, after = (f"{summary['scores'][model][leading]:.3f}" for model in ("before", "after"))
    if before == after:
        return f"{name} stayed at {after}"
    moved = {"better": "rose", "worse": "fell"}.get(summary["judgement"][leading] or "", "went")
    return f"{name} {moved} from {before} to {after}"


def _outside(summary: Report) -> str:
    """Count the predictions that changed outside the rules."""
    moved, changed = summary["moved"], summary["judgement"]["outside"]
    if moved["rows"] < moved["of"]:
        where = f"of {moved['rows']:,} rows looked at {changed:,} lie there and"
        return f"{where} {'is' if changed == 1 else 'are'} predicted otherwise"
    if not changed:
        return "no prediction changed"
    total = counted(summary["result"]["uncovered"], "prediction")
    return f"{changed:,} of {total} changed"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
