"""The parts of a report put together, with what is made of them: title, verdict and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.estimators.identity import described, versions
from frote.plain import plain
from frote.report.contents import VERSION, Report
from frote.report.limits import limits
from frote.report.verdict import judgement, verdict
from frote.report.words import some_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.report.about import About
    from frote.report.contents import Fact, MissedRule, RepeatPart, RunPart, TestRows

__all__ = ["assembled", "name_of", "run_of"]

NAMES = 2  # of rules in the title, at most; the others are counted

# Settings that say nothing of the result, or are told elsewhere.
ASIDE = {"estimator", "rules", "random_state", "n_jobs", "callbacks", "progress", "checkpoint"}


def assembled(
    editor: Any, about: About, in_part: Mapping[str, Any], digests: Mapping[str, Any], **parts: Any
) -> Report:
    """Put a report together.

    Parameters
    ----------
    editor : FROTE or FROTEClassifier
        The editor, fitted.

    about : About
        Facts that it does not know.

    in_part : mapping of str to sequence of str
        What is told of rules that are done in part.

    digests : mapping
        The digests of the data, by name.

    **parts
        The other parts of `Report`, but for those that are made of them.

    Returns
    -------
    Report
    """
    all_parts = {
        "report": VERSION,
        "title": about.title or "",
        "how": getattr(editor, "how_", "data"),
        "unedited": editor.unedited_,
        "skipped": _missed(editor.skipped_),
        "in_part": _missed({rule: " ".join(said) for rule, said in in_part.items()}),
        "verdict": "",
        "judgement": judgement(plain(parts["result"]), plain(parts["moved"])),
        "limits": [],
        "repeat": _repeat(editor, digests, about),
        **parts,
    }
    summary: Report = plain({name: all_parts[name] for name in Report.__annotations__ if name in all_parts})
    summary["title"] = summary["title"] or _title(summary)
    summary["verdict"] = verdict(summary)
    summary["limits"] = limits(summary)
    return summary


def _missed(rules: Mapping[str, str]) -> list[MissedRule]:
    return [{"rule": rule, "why": why} for rule, why in rules.items()]


def run_of(editor: Any, about: About, rows: int, test: TestRows | None) -> RunPart:
    """Tell what was run, and when."""
    model = editor.estimator_
    while hasattr(model, "steps"):  # what a pipeline ends in
        model = model.steps[-1][1]
    return {
        "date": about.date,
        "model": about.model or type(model).__name__,
        "data": {"name": name_of(about.data), "rows": rows},
        "test": test,
    }


def name_of(facts: Any) -> str | None:
    """Return the name of a file, or of several."""
    names = [one.get("name") if isinstance(one, dict) else one for one in _files(facts)]
    return ", ".join(str(name) for name in names if name) or None


def _title(summary: Report) -> str:
    """Return a title that tells this edit from others."""
    run, asked = summary["run"], summary["asked"]
    unused = {*asked["impossible"], *asked["gone"]}
    rules = [f"“{rule['name']}”" for rule in asked["rules"] if rule["name"] not in unused]
    on = f" on {run['data']['name']}" if run["data"]["name"] else ""
    return (
        f"{run['model']}{on}, edited by {some_of(rules, NAMES, 'rule')}"
        if rules
        else f"{run['model']}{on}, trained again"
    )


def _repeat(editor: Any, digests: Mapping[str, Any], about: About) -> RepeatPart:
    """Tell what makes the run what it is."""
    settings = {name: value for name, value in editor.get_params(deep=False).items() if name not in ASIDE}
    used_versions = about.versions or versions(editor.estimator_)
    return {
        "command": about.repeat,
        "seed": described(editor.random_state),
        "model": described(editor.estimator_),
        "settings": _listed({name: described(value) for name, value in settings.items()}),
        "versions": _listed(used_versions),
        "digests": _listed(digests),
        "files": [
            {"name": name, "value": value}
            for name, facts in (("data", about.data), ("test", about.test))
            for value in _files(facts)
        ],
    }


def _files(facts: Any) -> list[Any]:
    """Return what is known of one file or of several."""
    if facts is None:
        return []
    return list(facts) if isinstance(facts, list | tuple) else [facts]


def _listed(facts: Any) -> list[Fact]:
    return [{"name": name, "value": value} for name, value in dict(facts).items()]
