"""What the numbers do not show, in sentences made from the facts of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.coverage.labels import Beyond
from frote.estimators.to_judge import UNLEARNED
from frote.layout import counted
from frote.report.words import each_of

if TYPE_CHECKING:
    from frote.report.contents import Report

__all__ = ["limits"]

FEW_ROWS = 30  # covered rows below which a share says little


def limits(summary: Report) -> list[str]:
    """Say what the numbers of a report do not show.

    Parameters
    ----------
    summary : Report
        The report so far: all parts but this one.

    Returns
    -------
    list of str
        One or two sentences each, the weightiest first.
    """
    return [*_on_which_rows(summary), *_on_rules(summary), *_on_the_run(summary), *_on_all(summary)]


def _on_which_rows(summary: Report) -> list[str]:
    result, moved = summary["result"], summary["moved"]
    sentences = _on_the_sample(summary)
    test = summary["run"]["test"]
    if test is None and sentences:
        sentences.append(
            "The models were judged on all rows of the data, those that they were trained on among them, since no "
            "others were given. On new rows they may do less well; judge them on rows that were set aside before you "
            "decide."
        )
    elif test is None:
        sentences.append(
            "The models were judged on the very rows that they were trained on, since no others were given. "
            "On new rows they will probably do less well; judge them on rows that were set aside before you decide."
        )
    else:
        if test["seen"] and test["kept"]:
            sentences.append(
                f"{test['seen']:,} of the {counted(test['given'], 'row')} judged also stand in the training data. What "
                "models say of those they may know by heart; on new rows they will probably do less well."
            )
        made = test.get("made", 0)
        if made:
            sentences.append(
                f"{made:,} of the {counted(test['rows'], 'row')} judged {'is' if made == 1 else 'are'} also among "
                "those that were made, which the edited model was trained on: what it says of these it may know by "
                "heart."
            )
        unknown = test["unknown"]
        sentences += filter(None, [Beyond(unknown["rows"], tuple(unknown["labels"])).told(UNLEARNED)])
    if moved["rows"] < moved["of"]:
        sentences.append(
            f"What else moved, and how sure the models are, was looked at on {counted(moved['rows'], 'row')} drawn at "
            f"random from {moved['of']:,}; {_others(summary)} from all of them."
        )
    if result["rules"] and not result["uncovered"]:
        sentences.append("The rules cover every row, so nothing can be said on what happens outside them.")
    return sentences


def _on_the_sample(summary: Report) -> list[str]:
    """Say what was decided on some of the rows, where the data lie in many files."""
    sampled = summary.get("sampled")
    if sampled is None or sampled["brought"] == sampled["rows"]:
        return []
    weight = sampled["weight"]
    made = "" if weight is None else f" A synthetic row stands for {weight:,.1f} rows."
    return [
        f"{sampled['brought']:,} of {sampled['rows']:,} rows were brought to one place: which batches were accepted "
        f"was decided on them, and the scores of steps are theirs.{made}"
    ]


def _others(summary: Report) -> str:
    """Say of which numbers no more need be said."""
    sampled = summary.get("sampled")
    if sampled is None or sampled["looked_at"] == sampled["rows"]:
        return "all other numbers are"
    return f"those of users are of {counted(sampled['looked_at'], 'row')}, and those of what was done and came of it"


def _on_rules(summary: Report) -> list[str]:
    sentences = []
    asked, done, result = summary["asked"], summary["done"], summary["result"]
    if asked["impossible"]:
        sentences.append(
            f"No row of these columns and types can satisfy {_named(asked['impossible'])}: left out of the edit."
        )
    unseen = [rule["name"] for rule in result["rules"] if not rule["covered"]]
    if unseen:
        sentences.append(
            f"None of the rows judged is covered by {_named(unseen)}: whether the edited model follows "
            f"{'it' if len(unseen) == 1 else 'them'} there is not known."
        )
    probed = [
        f"{rule['probes']:.1%} with “{rule['name']}”"
        for rule in result["rules"]
        if rule["name"] in unseen and "probes" in rule
    ]
    if probed:
        sentences.append(
            f"On rows that were made to measure agreement, and never trained on, it is {each_of(probed)}; rows "
            "that come by themselves may be of another kind."
        )
    shared = [rule["name"] for rule in result["rules"] if rule["covered"] and not rule["rows"]]
    if shared:
        sentences.append(
            f"All rows judged that {_named(shared)} {'covers' if len(shared) == 1 else 'cover'} count for rules before "
            f"{'it' if len(shared) == 1 else 'them'}, so no number of {'its' if len(shared) == 1 else 'their'} own "
            "can be given."
        )
    few = [f"“{rule['name']}” ({rule['rows']:,})" for rule in result["rules"] if 0 < rule["rows"] < FEW_ROWS]
    if few:
        sentences.append(
            f"Few of the rows judged are covered by {each_of(few)}: a few rows more could change the picture."
        )
    blank = [rule["name"] for rule in done["rules"] if not rule["covered"]]
    if blank:
        sentences.append(
            f"The data have no row that is covered by {_named(blank)}: what the model knows of it comes from made-up "
            "rows alone."
        )
    return [*sentences, *(_relaxed(rule["name"], rule["relaxed"]) for rule in done["rules"] if rule["relaxed"])]


def _relaxed(name: str, columns: list[str]) -> str:
    conditions = "condition" if len(columns) == 1 else "conditions"
    return (
        f"“{name}” covers too few rows to make others from. To find rows to start from, its {conditions} on "
        f"{each_of(columns)} had to be left aside; the rows that were made satisfy the whole rule."
    )


def _on_the_run(summary: Report) -> list[str]:
    steps = summary["result"]["steps"]
    failed = [step for step in steps if step["error"]]
    sentences = []
    if failed:
        sentences.append(
            f"{counted(len(failed), 'retraining')} of {len(steps)} failed and changed nothing; the first said: "
            f"{failed[0]['error']}"
        )
    recalibrated = {fact["name"]: fact["value"] for fact in summary["repeat"]["settings"]}.get("recalibrate", "None")
    if recalibrated != "None" and not summary["unedited"] and summary["result"]["frontier"]["picked"] != -1:
        sentences.append(
            f"The probabilities of the edited model were recalibrated ({recalibrated}), and its answers with them, by "
            "rows of the data of which each was asked of a model trained without it. The steps are of models before "
            "that."
        )
    if summary["result"]["rules"] and not summary["done"]["rows"]["added"]:
        why = "no batch of made-up rows made the model better" if len(steps) > 1 else "no batch of such rows was tried"
        sentences.append(
            f"No row was added: {why}. It differs from the model before by relabelled or dropped rows alone, if at all."
        )
    return sentences


def _on_all(summary: Report) -> list[str]:
    """Say what is true of every edit."""
    sentences = []
    if summary["result"]["covered"]:
        sentences.append(
            "Inside the rules the labels of the past count for nothing: agreement says whether the model does what the "
            "rules want, not whether the rules are right."
        )
    anew = ", or if the model were trained anew" if summary["seeds"] is None else ""
    sentences.append(
        f"The intervals hold 95 % of {summary['result']['draws']} resamples of the rows judged. They show how the "
        "numbers vary from one sample of such rows to another, not what would change if the rows to come are of "
        f"another kind{anew}."
    )
    return sentences


def _named(names: list[str]) -> str:
    return each_of([f"“{name}”" for name in names])
