"""The folder of an edit, verified without its data."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NotRequired, TypeVar, get_args, get_origin, get_type_hints

from frote.contracts import misfit
from frote.edits.cases import CASES
from frote.edits.order import Order
from frote.edits.ours import FOLDERS, RECORD, SIGNATURE
from frote.edits.record import FORMAT, Record, RecordedStep, TestFacts, root_of
from frote.edits.signing import signers_of
from frote.edits.verifying.checks import Verification, checked, untold
from frote.edits.verifying.held import ALWAYS, TABLES, HeldFolder
from frote.edits.verifying.rows import row_checks
from frote.edits.verifying.ruled import rule_checks, ruled_checks
from frote.edits.verifying.streamed import Streamed
from frote.edits.verifying.tables import read_augmented, read_ledger
from frote.edits.verifying.told import derived_checks, report_checks, rows_check, rule_counts
from frote.exceptions import FroteError
from frote.opened import read_small
from frote.report import contents
from frote.report.reading import read_report
from frote.rules.files import read_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path

    from frote.edits.verifying.checks import Check
    from frote.report.contents import Report

T = TypeVar("T")

__all__ = ["verify"]

LARGEST = 64 * 2**20  # bytes of a report
WHOSE = "Someone whose signature counts signed the record."


def verify(folder: Path, signature: Path | None = None, signers: Path | None = None) -> Verification:
    """Say what holds of the folder of an edit, as far as that can be told without the data; no model is read.

    Parameters
    ----------
    folder : Path
        The folder, or the record in it.

    signature, signers : Path, default=None
        A signature of the record, and the file of those whose signatures count; see `signers_of`. If only the latter
        is given, the signature is the one in the folder.

    Returns
    -------
    Verification

    Raises
    ------
    RecordError
        If there is no record of an edit, or none that can be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> verify(Path("nowhere"))
    Traceback (most recent call last):
        ...
    frote.exceptions.RecordError: nowhere is no folder of an edit: there is no edit.json in it.
    """
    held = HeldFolder.of(folder)
    checks = [*_signed(held, signature, signers), *_recorded(held), *_files(held), *_contents(held), *_beyond(held)]
    return Verification(str(held.folder), held.form, tuple(checks))


def _signed(held: HeldFolder, signature: Path | None, signers: Path | None) -> Iterator[Check]:
    """Look at a signature, if that is asked for."""
    usual = held.folder / SIGNATURE
    if signers is not None:
        signed = signers_of(held.content, signature or usual, signers)
        what = f"{', '.join(signed.names)} signed the record." if signed.names else WHOSE
        yield checked(SIGNATURE, what, [signed.fault])
    elif usual.exists():
        yield untold(SIGNATURE, WHOSE, "whose do is said by --signers, with a file of names and public keys")


def _recorded(held: HeldFolder) -> Iterator[Check]:
    """Hold the record against itself."""
    record: Any = held.record
    if held.form < FORMAT:
        why = f"it is of format {held.form}, which has no digest of itself: it may have been changed"
        yield untold(RECORD, "It is as its root says.", why)
    else:
        yield checked(RECORD, "It is laid out as its format is.", [record_fault(record)])
        fault = None if root_of(record) == record.get("root") else "another root belongs to what it says"
        yield checked(RECORD, "It is as its root says.", [fault])
    yield checked(RECORD, "It lists every file that an edit has.", _listed(held))


def record_fault(record: Any) -> str | None:
    """Say where a record is not laid out as this format is, if so."""
    # It speaks of parts of reports, which its module knows for type checkers alone.
    for name, kind in get_type_hints(Record, localns=vars(contents), include_extras=True).items():
        optional = get_origin(kind) is NotRequired
        if name in record:
            fault = misfit(record[name], get_args(kind)[0] if optional else kind, name)
        else:
            fault = None if optional else f"it lacks {name!r}"
        if fault:
            return fault
    return next((f"it has {name!r}, which is unknown" for name in record if name not in Record.__annotations__), None)


def _listed(held: HeldFolder) -> Iterator[str | None]:
    """Say which files a record does not list, lists twice, or has with two digests."""
    if "files" in held.record:  # early records list none
        yield from (f"{name} is not listed" for name in ALWAYS if name not in held.listed)
        if (CASES in held.listed) != ("cases" in held.record["asked"]):
            yield f"{CASES} and the cases asked for do not go together"
    for stem in TABLES:
        names = [name for name in held.listed if name.partition(".")[0] == stem]
        parts = [name for name in held.listed if name.startswith(f"{stem}/")]
        one = bool(parts) if held.record["asked"].get("engine") else len(names) == 1
        yield None if one else f"{stem}: {', '.join(names) or 'nothing'} is listed"
    for name, digest in held.listed.items():
        if held.record["outputs"].get(name.partition(".")[0], digest) != digest:
            yield f"{name} has two digests"


def _files(held: HeldFolder) -> Iterator[Check]:
    """Hold files against their digests."""
    for name, group in groupby(held.files, key=lambda one: one.name.partition("/")[0]):
        files = list(group)
        inside = name in FOLDERS and "/" in files[0].name
        many = "Its file is that" if len(files) == 1 else f"Its {len(files):,} files are those"
        what = f"{many} of the record." if inside else "It is the file of the record."
        told = (f"{one.name}: " if inside else "" for one in files)
        faults = [
            None if one.same else f"{where}{one.fault or 'it was changed: its SHA-256 is another'}"
            for one, where in zip(files, told, strict=True)
        ]
        yield checked(name, what, faults)
    for name in held.more[:1]:
        more = f" and {len(held.more) - 1:,} more" if len(held.more) > 1 else ""
        yield untold(name + more, "It is no part of the edit.", "the record does not list it")


def _contents(held: HeldFolder) -> Iterator[Check]:
    """Hold what is in the files against one another."""
    record: Any = held.record
    order = Order.of(record["asked"])
    if order.cases is not None:
        yield checked(CASES, "They are the cases asked for.", [_other_cases(held, order.cases)])
    report = yield from _report(held)
    if order.engine is not None:
        yield from _contents_of_many(held, order, report)
        return
    table = yield from _read(held, "augmented", lambda path: read_augmented(path, order))
    ledger = yield from _read(held, "ledger", lambda path: read_ledger(path, safe=order.spreadsheet_safe))
    rules = yield from _read(held, "rules.rules", read_rules)
    if table is not None and ledger is not None:
        if _counts_rows(record):
            yield from row_checks(record, table, ledger)
        if rules is not None:
            yield from rule_checks(order, rules, table, ledger)
            yield from ruled_checks(rules, table, ledger, strict=_strict(order, report))
    beside: list[Check] = []
    if report is not None and ledger is not None:
        if rules is not None:
            beside.append(rule_counts(report, ledger, {rule.name: rule.origin for rule in rules}))
        if table is not None:
            beside.append(rows_check(report, table, ledger))
    yield from _report_checks(held, report, beside)


def _contents_of_many(held: HeldFolder, order: Order, report: Report | None) -> Iterator[Check]:
    """Do the same where data and ledger are folders of files: what no memory holds is read part by part."""
    rules = yield from _read(held, "rules.rules", read_rules)
    beside: list[Check] = []
    if rules is not None and not record_fault(held.record):
        tables = Streamed(held, order, rules, strict=_strict(order, report))
        yield from tables.checks()
        if report is not None and tables.made is not None:
            beside.append(rule_counts(report, tables.made, {rule.name: rule.origin for rule in rules}))
    yield from _report_checks(held, report, beside)


def _report_checks(held: HeldFolder, report: Report | None, beside: list[Check]) -> Iterator[Check]:
    """Hold the report against the record, and its page against it; `beside` is what tables say of it."""
    record: Any = held.record
    if report is not None:
        yield from report_checks(record, report)
        yield from beside
        page = held.path_of("report.html")
        yield from derived_checks(record, report, None if page is None else read_small(page, LARGEST))


def _counts_rows(record: Any) -> bool:
    """Tell whether a record of any format says how many rows there were."""
    parts = (
        (record.get("rows"), dict[str, int]),
        (record["data"].get("rows"), int),
        (record.get("steps"), list[RecordedStep]),
    )
    return not any(misfit(part, kind) for part, kind in parts)


def _strict(order: Order, report: Report | None) -> bool:
    """Tell whether no row that was kept may have a label against its rule."""
    by_data = report is not None and report["how"] == "data" and not report["unedited"] and order.pick != -1
    return by_data and order.settings.get("modify", "relabel") != "none"


def _read(held: HeldFolder, name: str, reader: Callable[[Path], T]) -> Generator[Check, None, T | None]:
    """Read a file; of one that cannot be read it was told already, or is now."""
    path = held.path_of(name)
    try:
        return None if path is None else reader(path)
    except (FroteError, OSError) as error:
        yield checked(name if path is None else path.name, "It can be read.", [str(error)])
    return None


def _report(held: HeldFolder) -> Generator[Check, None, Report | None]:
    """Read the report, if it is one that can be held against the record."""
    if held.form < FORMAT or record_fault(held.record):
        yield untold("report.json", "It says what the record does.", f"the record is not one of format {FORMAT}")
        return None
    return (yield from _read(held, "report.json", read_report))


def _other_cases(held: HeldFolder, text: str) -> str | None:
    path = held.path_of(CASES)
    same = path is not None and read_small(path) == text.encode()
    return None if same else "the record has others"


def _beyond(held: HeldFolder) -> Iterator[Check]:
    """Say what nobody can tell without the data."""
    data, test = held.record["data"], held.record["test"]
    yield untold(data["name"], "It was trained on, and models and numbers are what comes of it.", _absent(held, data))
    if test is not None:
        yield untold(test["name"], _judged(test), _absent(held, test))


def _absent(held: HeldFolder, table: Mapping[str, Any]) -> str:
    """Say what it takes to tell what came of a table; one that was edited in Python lies in the folder."""
    if any(one.name == table["name"] and one.digest == table["sha256"] for one in held.files):
        return f"{table['name']} is here, and it takes the trainings: frote replay tells"
    return f"{table['name']} (SHA-256 {table['sha256'][:12]}...) is not here: frote replay tells, with it"


def _judged(test: Mapping[str, Any]) -> str:
    """Say how many rows were judged on, and how many of them were trained on, as far as a record tells."""
    if misfit(test, TestFacts):
        return "None of the rows judged was trained on."
    seen = test["seen"] - (test["rows"] - test["judged"])
    if not seen and not test["made"]:
        return f"None of the {test['judged']:,} rows judged was trained on."
    return f"Of the {test['judged']:,} rows judged {seen:,} stand in the data, and {test['made']:,} were made."
