"""Data and ledger that lie in many files, read part by part and held against each other, the record and the rules.

Both are cut into the same chunks, one of which is in memory at a time. Beside it there are a bit for each row that came
in, and the rows that were made, with those that they were made from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.dask.survey import Survey
from frote.edits.parts import AUGMENTED, LEDGER
from frote.edits.tables import LabelledTable
from frote.edits.verifying.checks import checked, untold
from frote.edits.verifying.rows import MADE, counted_otherwise, some, unborn, unlike_status
from frote.edits.verifying.ruled import STARTED, Here, rule_checks
from frote.edits.verifying.tables import NOTHING, Ledger, ledger_of, quietly, values_of
from frote.exceptions import FroteError
from frote.files import FileForm, FileTable
from frote.files.names import Asked
from frote.files.part_files import require_in_order
from frote.files.parts import look_at_parquet, read_part, together
from frote.table import TypedFrame
from frote.table.row_digest import CHUNK, chunk_digests, chunks_of, digest_of_chunks, kinds_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from frote.edits.order import Order
    from frote.edits.verifying.checks import Check
    from frote.edits.verifying.held import HeldFolder
    from frote.files.parts import PartForm, PartOfTable
    from frote.rules import RuleSet
    from frote.table import Table

__all__ = ["Streamed"]

AT_ONCE = 16 * CHUNK  # rows whose bits are looked at together


@dataclass(frozen=True, eq=False)
class _Parts:
    """A table in many files: how its pieces are read."""

    folder: Path
    form: PartForm
    parts: tuple[PartOfTable, ...]
    rows: int

    @classmethod
    def of(cls, held: HeldFolder, stem: str, order: Order) -> _Parts:
        """Look at the feet of its files, which must be all there, in order."""
        paths = held.parts_of(stem)
        require_in_order((path.name for path in paths), stem)
        asked = Asked.of(order.categorical if stem == AUGMENTED else (), ())
        looks = [look_at_parquet(str(path), asked) for path in paths]
        parts = [part for look in looks for part in look.parts]
        return cls(
            held.folder / stem,
            together(looks, asked),
            tuple(part for part, _ in parts),
            sum(rows for _, rows in parts),
        )

    def frames(self) -> Iterator[pd.DataFrame]:
        """Read them one after the other."""
        return (read_part(part, self.form) for part in self.parts)


@dataclass(frozen=True, eq=False)
class _Chunk(LabelledTable):
    """Some rows of the data, typed as the whole of them is."""

    table: Table

    @cached_property
    def rows(self) -> TypedFrame:
        """The rows with their typed columns."""
        return TypedFrame(self.table, self.X)


class _Seen:
    """Which rows that came in were told of: a bit for each."""

    def __init__(self, rows: int) -> None:
        self._bits = np.zeros(-(-rows // 8), dtype=np.uint8)
        self.rows, self.count = rows, 0

    def add(self, sources: NDArray[np.int64]) -> Iterator[str | None]:
        """Note rows; say which of them there are not, or were told of before."""
        beyond = np.flatnonzero(sources >= self.rows)
        yield some(beyond, lambda place: f"there was no row {sources[place]}")
        there = np.sort(sources[sources < self.rows])
        twice = np.flatnonzero(there[1:] == there[:-1]) + 1
        yield some(twice, lambda place: f"row {there[place]} of it stands there twice")
        self.count += len(there)
        for start in range(0, self.rows, AT_ONCE):
            low, high = np.searchsorted(there, (start, start + AT_ONCE))
            if low < high:
                bits = self._bits[start // 8 : (start + AT_ONCE) // 8]
                told, own = np.unpackbits(bits).view(bool), np.unique(there[low:high]) - start
                again = own[told[own]] + start
                yield some(np.arange(len(again)), partial(_again, again))
                told[own] = True
                bits[:] = np.packbits(told)


def _again(rows: NDArray[np.int64], place: int) -> str:
    return f"row {rows[place]} of it stands there twice"


class Streamed:
    """The tables of an edit in many files.

    Parameters
    ----------
    held : HeldFolder
        Its folder.

    order : Order
        What was asked for.

    rules : RuleSet
        The rules as they were used.

    strict : bool
        Whether no row that was kept may have a label against its rule.
    """

    def __init__(self, held: HeldFolder, order: Order, rules: RuleSet, *, strict: bool) -> None:
        self.held, self.order, self.rules, self.strict = held, order, rules, strict
        self.made: Ledger | None = None  # the lines of rows that were made, when all was read
        self._latest = NOTHING  # row that came in, of those that stayed
        self._faults: dict[tuple[str, str], list[str | None]] = {}

    def checks(self) -> Iterator[Check]:
        """Hold them against each other, the record and the rules."""
        what = "Its parts can be read, and are all there."
        tables = []
        for stem in (AUGMENTED, LEDGER):
            try:
                tables.append(_Parts.of(self.held, stem, self.order) if self.held.parts_of(stem) else None)
            except (FroteError, OSError) as error:
                yield checked(stem, what, [str(error)])
                return
        data, ledger = tables
        if data is None or ledger is None:
            return  # it was told of their files
        if self.order.target not in data.form.names:
            yield checked(AUGMENTED, what, [f"it has no column {self.order.target!r}"])
            return
        try:
            with quietly():
                survey = Survey.of_frames(
                    (self._rows_of(frame) for frame in data.frames()), self._rows_of(data.form.empty)
                )
                yield from self._read(data, ledger, survey)
        except (FroteError, OSError, ValueError, TypeError) as error:  # files of a stranger may hold anything
            yield checked(AUGMENTED, what, [str(error)])

    def _rows_of(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.drop(columns=[self.order.target])

    def _tell(self, part: str, what: str, faults: Iterator[str | None] | list[str | None]) -> None:
        self._faults.setdefault((part, what), []).extend(fault for fault in faults if fault)

    def _read(self, data: _Parts, ledger: _Parts, survey: Survey) -> Iterator[Check]:
        """Go through both once, chunk by chunk, and through the rows that others were made from once more."""
        record: Any = self.held.record
        # A record may say any number of rows; there are no more than lines.
        counts, seen = Counter[str](), _Seen(min(max(record["data"]["rows"], 0), ledger.rows))
        digests: dict[str, list[str]] = {AUGMENTED: [], LEDGER: [], "came": []}
        made: list[tuple[Ledger, _Chunk]] = []
        labels: dict[Any, None] = {}
        frames, start = chunks_of(data.frames()), 0
        for lines in chunks_of(ledger.frames()):
            told = ledger_of(lines, ledger.folder)
            digests[LEDGER] += chunk_digests([lines])
            counts.update(told.status.tolist())
            labels |= dict.fromkeys([*told.old_label.tolist(), *told.new_label.tolist()])
            self._lines(record, told, start, data.rows, seen)
            frame = next(frames, None) if start < data.rows else None
            if frame is not None:
                digests[AUGMENTED] += chunk_digests([frame])
                here = int(min(len(lines), len(frame)))
                chunk = self._chunk(frame[:here], survey, start)
                digests["came"] += self._as_it_came(chunk, lines, told, start)
                self._ruled(chunk, _some(told, np.arange(here)))
                born = np.flatnonzero(np.isin(told.status[:here].astype(str), MADE))
                if len(born):
                    made.append((_some(told, born), self._taken(chunk, born)))
            start += len(lines)
        rest = list(frames)
        digests[AUGMENTED] += [digest for frame in rest for digest in chunk_digests([frame])]
        self._counted(record, counts, seen, data, start)
        self._digested(record, digests, data, ledger, counts)
        self.made = _stacked([one for one, _ in made], ledger.folder)
        self._started(data, survey, made)
        self._rules_asked(survey, [label for label in labels if label is not None], dropped=counts["dropped"])
        for (part, what), faults in self._faults.items():
            yield checked(part, what, faults)
        yield from self._open(counts)

    def _chunk(self, frame: pd.DataFrame, survey: Survey, start: int, row: Any = None) -> _Chunk:
        X = self._rows_of(frame)

        def named(place: int) -> str:
            return f"row {start + place + 1}"

        source = FileTable(frame, FileForm("parquet"), "", named if row is None else row)
        return _Chunk(self.held.folder / AUGMENTED, source, X, frame[self.order.target], survey.typed(X))

    def _taken(self, chunk: _Chunk, places: NDArray[np.intp]) -> _Chunk:
        names = [chunk.source.row(place) for place in places.tolist()]
        return _Chunk(
            chunk.path,
            replace(chunk.source, frame=chunk.source.frame.iloc[places], row=names.__getitem__),
            chunk.X.iloc[places],
            chunk.y.iloc[places],
            chunk.table.take(places),
        )

    def _lines(self, record: Any, told: Ledger, start: int, rows: int, seen: _Seen) -> None:
        """Hold the lines of a chunk against where they stand."""
        places = start + np.arange(len(told))
        wanted = np.where(places < rows, places, NOTHING)
        other = np.flatnonzero(told.row != wanted)
        name = f"Every row of {AUGMENTED} stands in it, in order."
        self._tell(
            LEDGER, name, [some(other, lambda line: f"row {_shown(told.row[line])} stands at place {places[line]}")]
        )
        odd = np.flatnonzero((told.row == NOTHING) != (told.status == "dropped"))
        self._tell(LEDGER, name, [some(odd, lambda line: f"line {places[line]} is {told.status[line]}")])
        once = f"Every row of {record['data']['name']} stands in it once."
        self._tell(LEDGER, once, seen.add(told.source[told.source != NOTHING]))
        odd = np.flatnonzero((told.source == NOTHING) != np.isin(told.status.astype(str), MADE))
        self._tell(LEDGER, once, [some(odd, lambda line: f"line {places[line]} is {told.status[line]}")])
        going_on = told.source[told.row != NOTHING]
        going_on = going_on[going_on != NOTHING]
        back = np.flatnonzero(np.diff(going_on, prepend=self._latest) <= 0)
        self._tell(LEDGER, once, [some(back, lambda place: f"row {going_on[place]} of it stands behind a later one")])
        self._latest = going_on[-1] if len(going_on) else self._latest
        at = f"in the chunk that begins at line {start:,}: " if start else ""
        self._tell(
            LEDGER,
            "What is told of a row goes with its status.",
            [f"{at}{fault}" for fault in unlike_status(told) if fault],
        )
        self._tell(LEDGER, "Rows were made of rows before them, at steps of the record.", list(unborn(record, told)))

    def _as_it_came(self, chunk: _Chunk, lines: pd.DataFrame, told: Ledger, start: int) -> list[str]:
        """Hold labels against the ledger, and return the digest of the rows as they came in."""
        labels, here = values_of(chunk.y), len(chunk.y)
        unlike = np.flatnonzero(told.new_label[:here] != labels)
        self._tell(
            LEDGER,
            f"Labels are those of {AUGMENTED}.",
            [
                some(
                    unlike,
                    lambda row: (
                        f"row {start + row + 1} of the data is {labels[row]!r}, and {told.new_label[row]!r} here"
                    ),
                )
            ],
        )
        came = int(np.count_nonzero(told.source[:here] != NOTHING))
        frame = chunk.source.frame[:came].copy(deep=False)
        if len(frame):
            frame[self.order.target] = lines["old_label"].iloc[:came].astype(chunk.y.dtype).array
        return chunk_digests([frame]) if len(frame) else []

    def _ruled(self, chunk: _Chunk, told: Ledger) -> None:
        here = Here(self.rules, chunk, _local(told))
        for what, faults in here.checks(strict=self.strict):
            if what != STARTED:  # the rows that others were made of stand in other chunks
                self._tell(AUGMENTED, what, faults)

    def _started(self, data: _Parts, survey: Survey, made: list[tuple[Ledger, _Chunk]]) -> None:
        """Hold the rows that were made against those that they were made from, which are looked for once more."""
        lines = self.made
        if lines is None or not made:
            self._tell(AUGMENTED, STARTED, [])
            return
        wanted = np.unique(lines.base[(lines.base != NOTHING) & (lines.base < data.rows)])
        found, start = [], 0
        for frame in chunks_of(data.frames()):
            low, high = np.searchsorted(wanted, (start, start + len(frame)))
            if low < high:
                found.append(frame.iloc[wanted[low:high] - start])
            start += len(frame)
        born = [chunk.source.frame for _, chunk in made]
        frame = pd.concat([*found, *born], ignore_index=True)
        names = [chunk.source.row(place) for _, chunk in made for place in range(len(chunk.y))]
        table = self._chunk(frame, survey, 0, lambda place: names[place - len(wanted)])
        bases = _blank(len(wanted), lines)
        known = np.isin(lines.base, wanted)
        moved = np.where(known, np.searchsorted(wanted, np.where(known, lines.base, 0)), NOTHING)
        together = _stacked([bases, replace(lines, base=moved)], data.folder)
        assert together is not None
        self._tell(AUGMENTED, STARTED, Here(self.rules, table, _local(together)).started())

    def _counted(self, record: Any, counts: Counter[str], seen: _Seen, data: _Parts, lines: int) -> None:
        what = "Rows kept, relabelled, dropped and made are as many as recorded."
        self._tell(LEDGER, what, list(counted_otherwise(record["rows"], counts)))
        if seen.count != record["data"]["rows"]:
            what = f"Every row of {record['data']['name']} stands in it once."
            self._tell(LEDGER, what, [f"it tells of {seen.count:,} rows, and there were {record['data']['rows']:,}"])
        if lines - counts["dropped"] != data.rows:
            fault = f"it has {lines - counts['dropped']:,} rows, and the data {data.rows:,}"
            self._tell(LEDGER, f"Every row of {AUGMENTED} stands in it, in order.", [fault])

    def _digested(
        self, record: Any, digests: dict[str, list[str]], data: _Parts, ledger: _Parts, counts: Counter[str]
    ) -> None:
        for stem, table in ((AUGMENTED, data), (LEDGER, ledger)):
            found = digest_of_chunks(kinds_of(table.form.empty), table.rows, digests[stem])
            same = found == record["outputs"][stem]
            self._tell(stem, "Its rows are those of the record.", [None if same else "their digest is another"])
        if not counts["dropped"]:
            rows = record["data"]["rows"]
            found = digest_of_chunks(kinds_of(data.form.empty), rows, digests["came"])
            fault = None if found == record["data"]["sha256"] else "their digest is another"
            self._tell(AUGMENTED, f"Rows that came in are those of {record['data']['name']}.", [fault])

    def _rules_asked(self, survey: Survey, labels: list[Any], *, dropped: int) -> None:
        """Hold the rules that were used against those that were asked for."""
        frame = survey.witness.to_frame()
        y = pd.Series(labels, dtype=object)
        source = FileTable(frame, FileForm("parquet"), "", str)
        table = _Chunk(self.held.folder / AUGMENTED, source, frame, y, survey.witness)
        lines = _blank(1 if dropped else 0, None, status="dropped")
        for check in rule_checks(self.order, self.rules, table, lines):
            if check.state == "open":
                self._undecided = check
            else:
                self._tell(check.part, check.what, list(check.facts))

    _undecided: Check | None = None

    def _open(self, counts: Counter[str]) -> Iterator[Check]:
        if self._undecided is not None:
            yield self._undecided
        if counts["dropped"]:
            name = self.held.record["data"]["name"]
            yield untold(
                AUGMENTED, f"Rows that came in are those of {name}.", "some of them were dropped and are not here"
            )


def _shown(number: Any) -> str:
    return "none" if number == NOTHING else str(int(number))


def _some(ledger: Ledger, places: NDArray[np.intp]) -> Ledger:
    """Return some lines of a ledger."""
    return replace(
        ledger, **{one.name: getattr(ledger, one.name)[places] for one in fields(ledger) if one.name != "name"}
    )


def _local(ledger: Ledger) -> Ledger:
    """Return lines whose rows are numbered by where they stand among them."""
    return replace(ledger, row=np.arange(len(ledger)))


def _stacked(parts: list[Ledger], folder: Path) -> Ledger | None:
    """Return the lines of several ledgers, one below the other."""
    names = [one.name for one in fields(Ledger) if one.name != "name"]
    if not parts:
        return _blank(0, None)
    columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Ledger(folder.name, **columns)


def _blank(rows: int, like: Ledger | None, status: str = "kept") -> Ledger:
    """Return so many lines that tell nothing."""
    numbers: dict[str, Any] = {
        name: np.full(rows, NOTHING, dtype=np.int64) for name in ("row", "source", "base", "neighbour", "step")
    }
    texts = {name: np.full(rows, "", dtype=object) for name in ("rule", "covered")}
    labels = {name: np.full(rows, None, dtype=object) for name in ("old_label", "new_label")}
    name = LEDGER if like is None else like.name
    return Ledger(name, status=np.full(rows, status, dtype=object), **numbers, **texts, **labels)
