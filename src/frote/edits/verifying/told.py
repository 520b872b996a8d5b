"""The report against the record and the ledger, and its page against the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote.edits.verifying.checks import checked, untold
from frote.edits.verifying.tables import NOTHING
from frote.estimators.identity import versions
from frote.exceptions import told
from frote.report.limits import limits
from frote.report.page import render
from frote.report.verdict import judgement, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from frote.edits.record import Record
    from frote.edits.tables import LabelledTable
    from frote.edits.verifying.checks import Check
    from frote.edits.verifying.tables import Ledger
    from frote.report.contents import DoneRule, Report

__all__ = ["derived_checks", "report_checks", "rows_check", "rule_counts"]

DIGEST = "rows (SHA-256)"  # by which name a report has it
PART, PAGE = "report.json", "report.html"
ALIKE = ("scores", "population", "verdict", "skipped", "in_part")  # what both have, under one name
# What a report calls the rows of each status.
COUNTS = {"kept": "kept", "relabelled": "relabelled", "dropped": "dropped", "added": "synthetic", "guards": "guard"}
STEPS = ("step", "accepted", "objective", "agreement", "loss", "previous", "proposed", "added", "error")


def report_checks(record: Record, report: Report) -> Iterator[Check]:
    """Hold a report against the record of the same edit."""
    yield checked(PART, "Scores, verdict and what was not done are those of the record.", _alike(record, report))
    yield checked(PART, "Tables, rows, rules and versions are those of the record.", _run(record, report))
    yield checked(PART, "Steps are those of the record.", _steps(record, report))
    what = "Rows judged that stand in the data, or were made, are as many as recorded."
    yield checked(PART, what, _judged(record, report))


def _alike(record: Record, report: Report) -> Iterator[str | None]:
    for name in ALIKE:
        yield _differs(name, report[name], record[name])  # type: ignore[literal-required]
    yield _differs("sampled", report.get("sampled"), record.get("sampled"))
    cases = report["cases"]
    lines = [] if cases is None else cases["lines"]
    counts = {"of": len(lines), "held": sum(one["held"] for one in lines), "hold": sum(one["holds"] for one in lines)}
    yield _differs("cases", None if cases is None else counts, record.get("cases"))
    fairness = report["fairness"]
    yield _differs("notices", None if fairness is None else fairness["notices"], record.get("notices"))


def _run(record: Record, report: Report) -> Iterator[str | None]:
    run, rows, asked = report["run"], report["done"]["rows"], record["asked"]
    yield _differs("run.data", run["data"], {name: record["data"][name] for name in ("name", "rows")})
    yield _differs("on", report["on"], "data" if record["test"] is None else "test")
    counts = {name: record["rows"].get(status, 0) for name, status in COUNTS.items()}
    yield _differs("done.rows", {name: rows[name] for name in counts}, counts)  # type: ignore[literal-required]
    yield _differs("done.rows.result", rows["result"], sum(counts.values()) - counts["dropped"])
    yield _differs("asked.resolved", report["asked"]["resolved"], asked["resolve"])
    used = {one["name"]: one["value"] for one in report["repeat"]["versions"]}
    yield _differs("repeat.versions", used, record["versions"])
    files = {
        one["name"]: one["value"].get("sha256") for one in report["repeat"]["files"] if isinstance(one["value"], dict)
    }
    there = {name: part["sha256"] for name, part in (("data", record["data"]), ("test", record["test"])) if part}
    yield _differs("repeat.files", files, there)
    yield _differs("result.frontier.picked", report["result"]["frontier"]["picked"], asked.get("pick"))


def _steps(record: Record, report: Report) -> Iterator[str | None]:
    lines, steps = report["result"]["steps"], record["steps"]
    if len(lines) != len(steps):
        yield f"it has {len(lines):,}, and the record {len(steps):,}"
    for line, step in zip(lines, steps, strict=False):
        for name in STEPS:
            yield _differs(f"step {line['step']}: {name}", line[name], step.get(name))  # type: ignore[literal-required]


def derived_checks(record: Record, report: Report, page: bytes | None) -> Iterator[Check]:
    """Hold what is made of a report against it: the verdict and the limits, and the page that people read."""
    wrote, here = record["versions"].get("frote"), versions(None)["frote"]
    for part, what, faults in (
        (PART, "Verdict and limits are what its numbers come to.", _derived(report)),
        (PAGE, f"The page says what {PART} does.", _page(report, page)),
    ):
        try:
            facts = [fault for fault in faults if fault]
        except Exception as error:  # numbers of someone else's may be any
            facts = [f"nothing can be made of the numbers of {PART}: {told(error)}"]
        if facts and wrote != here:
            yield untold(part, what, f"frote {wrote} wrote it; this is {here}, which puts it in other words")
        else:
            yield checked(part, what, facts)


def _page(report: Report, page: bytes | None) -> Iterator[str | None]:
    if page is None:
        yield "it is not there, or was not read"
    elif render(report).encode() != page:
        yield "it is not the page of these numbers"


def _derived(report: Report) -> Iterator[str | None]:
    yield _differs("judgement", report["judgement"], judgement(report["result"], report["moved"]))
    yield _differs("verdict", report["verdict"], verdict(report))
    yield _differs("limits", report["limits"], limits(report))


def _judged(record: Record, report: Report) -> Iterator[str | None]:
    test, shown, result = record["test"], report["run"]["test"], report["result"]
    rows = record["data"]["rows"] if test is None else test["judged"]
    yield _differs("result.rows", result["rows"], rows)
    yield _differs("result.rows", result["rows"], result["covered"] + result["uncovered"])
    for table in result["confusion"]:
        inside = result["covered"] if table["covered"] else result["uncovered"]
        for model in ("before", "after"):
            counted = sum(map(sum, table[model]))
            yield _differs(f"result.confusion: rows of the model {model}", counted, inside)
    if test is None or shown is None:
        yield _differs("run.test is null", shown is None, test is None)
        return
    yield _differs("run.test.name", shown["name"], test["name"])
    there = {"given": test["rows"], "seen": test["seen"], "rows": test["judged"], "made": test["made"]}
    yield _differs("run.test", {name: shown.get(name, 0) for name in there}, there)
    left = test["rows"] - (0 if shown["kept"] else test["seen"])
    yield _differs("rows judged", test["judged"], left)


def _differs(where: str, here: Any, there: Any) -> str | None:
    """Say where a report differs from what it should say."""
    if here == there:
        return None
    if isinstance(here, dict) and isinstance(there, dict):
        for name in dict.fromkeys([*here, *there]):
            if here.get(name) != there.get(name):
                return _differs(f"{where}.{name}", here.get(name), there.get(name))
    return f"{where} is {_short(here)}, and should be {_short(there)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def rule_counts(report: Report, ledger: Ledger, origins: Mapping[str, str]) -> Check:
    """Hold what a report tells of each rule against the ledger; `origins` are the rules as written, by piece."""
    owner = np.array([origins.get(name, name) for name in ledger.rule], dtype=object)
    lines = [line for rule in report["done"]["rules"] for line in _rule_counts(rule, ledger, owner)]
    return checked(PART, "What was done for each rule is what the ledger has.", lines)


def _rule_counts(rule: DoneRule, ledger: Ledger, owner: NDArray[np.object_]) -> Iterator[str | None]:
    mine = owner == rule["name"]
    made = mine & (ledger.status == "synthetic")
    counts: dict[str, Any] = {
        "added": made,
        "strong": made & (ledger.covered == "strongly"),
        "counterexamples": made & (ledger.covered == "counterexample"),
        "weak": made & (ledger.covered == "weakly"),
    }
    for name, lines in counts.items():
        yield _differs(f"{rule['name']}: {name}", rule[name], int(lines.sum()))  # type: ignore[literal-required]


def rows_check(report: Report, table: LabelledTable, ledger: Ledger) -> Check:
    """Hold the rows that came in against the digest that a report has of them."""
    what = "Rows that came in are those that the report has a digest of."
    digests = {one["name"]: one["value"] for one in report["repeat"]["digests"]}
    came = ledger.row[(ledger.source != NOTHING) & (ledger.row != NOTHING)]
    if len(ledger.lines_of("dropped")):
        return untold(table.path.name, what, "some of them were dropped and are not here")
    if len(came) and came.max() < len(table.y) and table.rows.table.take(came).digest() == digests.get(DIGEST):
        return checked(table.path.name, what, [])
    return untold(table.path.name, what, "they are not, or their types are not kept by a file")
