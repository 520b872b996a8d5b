"""The table that lies open, and all that is known of it: its columns, its rows as bits, what the model says of them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from frote.edits.tables import read_labelled, tell_of_identifiers
from frote.exceptions import FroteError, TableWarning
from frote.rules.completion import Known
from frote.rules.drafts import Drafts
from frote.studio.away import Away, Wanted
from frote.studio.errors import TooLongError
from frote.studio.pulse import Pulses, Recent
from frote.studio.summaries import Summaries
from frote.studio.turns import Turns
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from frote.coverage.cases import Cases
    from frote.coverage.labels import Labels
    from frote.edits.order import Columns
    from frote.edits.tables import LabelledTable
    from frote.rules.drafts import Draft
    from frote.studio.pulse import Pulse
    from frote.table import Column

__all__ = ["Desk", "Model"]

MOST_TEXT = 100_000  # letters of a policy that is drawn while it is written
MOST_RULES = 1_000
MOST_ASKED = 5_000  # comparisons
TOO_LONG = (
    f"This policy is too long to be drawn while it is written: more than {MOST_RULES:,} rules, {MOST_ASKED:,} "
    f"comparisons or {MOST_TEXT:,} letters. Split it, or look at it with frote check."
)
CARDS = 1_000  # that are kept as they were drawn, and lines of them
DRAFTS = 4  # texts that were read and are kept: a page asks about the same one a few times
OFFERED = 200  # values of a column that are offered while somebody writes
QUARTERS = ("a quarter is below", "half is below", "three quarters are below")


@dataclass(slots=True)
class Model:
    """The model before the edit.

    Parameters
    ----------
    name : str
        What is trained.

    state : {"training", "ready", "failed"}
        How far it is.

    error : str, default=""
        Why there is none.

    away : Away or None, default=None
        Its process.

    explained : list of dict or None, default=None
        The rules that it follows, once they were asked for.

    explaining : {"", "asked", "done"} or a sentence, default=""
        How far that is, or why there is no such thing.

    answers : dict
        What it answers to cases, by the digest of their file.
    """

    name: str
    state: str = "training"
    error: str = ""
    away: Away | None = None
    explained: list[dict[str, Any]] | None = None
    explaining: str = ""
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Desk:
    """A table that lies open.

    Parameters
    ----------
    table : LabelledTable
        The table.

    notices : tuple of str
        What was noticed when it was read, in sentences.

    model : Model
        The model before the edit.

    Examples
    --------
    >>> import pathlib, tempfile, frote
    >>> from frote.edits.order import Columns
    >>> loans = frote.datasets.load_loans(300)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "loans.csv")
    ...     loans.X.assign(decision=loans.y).to_csv(path, index=False)
    ...     desk = Desk.of(path, Columns("decision"), "logistic")
    >>> draft = desk.draft("young: IF age < 29 AND defaults = 0 THEN approved")
    >>> desk.pulse(draft).rules[0].inside.rows
    54
    """

    table: LabelledTable
    notices: tuple[str, ...]
    model: Model
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    turns: Turns = field(default_factory=Turns, repr=False)
    cards: Recent[Any, Any] = field(default_factory=lambda: Recent(CARDS), repr=False)
    _drafts: Recent[str, Draft] = field(default_factory=lambda: Recent(DRAFTS), repr=False)
    _cases: Recent[str, Cases] = field(default_factory=lambda: Recent(1), repr=False)

    @classmethod
    def of(cls, path: Path, columns: Columns, model: str) -> Desk:
        """Read a table.

        Raises
        ------
        FroteError
            If it cannot be read with labels.
        """
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", TableWarning)
            table = read_labelled(path, columns)
            tell_of_identifiers(table)
            _ = table.rows, table.labels
        notices = [str(one.message) for one in told if issubclass(one.category, TableWarning)]
        return cls(table, tuple(dict.fromkeys(notices)), Model(model))

    @property
    def labels(self) -> Labels:
        """The labels."""
        return self.table.labels

    @cached_property
    def summaries(self) -> Summaries:
        """The columns at a glance."""
        return Summaries(self.table.rows.table, self.labels)

    @cached_property
    def pulses(self) -> Pulses:
        """The rows as bits."""
        return Pulses(self.table.rows.table, self.labels, self.summaries)

    def draft(self, text: str) -> Draft:
        """Read a text of rules that speak of this table.

        Raises
        ------
        TooLongError
            If it is longer than anything that can be answered while it is written.
        """
        if len(text) > MOST_TEXT:
            raise TooLongError(TOO_LONG)
        draft = self._drafts.get(text, lambda: self._reader.read(text))
        if len(draft.written) > MOST_RULES or sum(len(one.asked) for one in draft.written) > MOST_ASKED:
            raise TooLongError(TOO_LONG)
        return draft

    @cached_property
    def _reader(self) -> Drafts:
        """Reads rules, and keeps in mind what it read."""
        return Drafts(self.table.rows.table.schema, self.labels.texts)

    def cases(self, digest: str, read: Callable[[], Cases]) -> Cases:
        """Return cases that were read before, by the digest of their file, or read them."""
        return self._cases.get(digest, read)

    def pulse(self, draft: Draft, go_on: Callable[[], None] = lambda: None) -> Pulse:
        """Say what rules cover."""
        return self.pulses.of(draft, go_on)

    @cached_property
    def known(self) -> Known:
        """What is offered while somebody writes."""
        counts = self.pulses.counted(self.pulses.masks.packed(())).labels
        labels = [(text, f"{count:,} rows") for text, count in zip(self.labels.texts, counts, strict=True)]
        return Known(self.table.rows.table.schema, _Values(self.summaries), labels)

    def train(self, path: Path, columns: Columns, params: Mapping[str, Any], seed: int) -> None:
        """Train the model, in a process of its own, and wait for what it says of each row."""
        try:
            self.model.away = Away(Wanted(path, columns, self.model.name, params, seed))
            learned = self.model.away.learned()
            codes = self.labels.codes_for(learned.predicted)
            with self.lock:
                self.pulses.hear(codes)
            self.model.state = "ready"
        except FroteError as error:
            self.model.state, self.model.error = "failed", str(error)

    def close(self) -> None:
        """End the process of the model."""
        if self.model.away is not None:
            self.model.away.close()


class _Values(Mapping[str, list[tuple[Any, str]]]):
    """The values of each column that are worth offering, found when they are asked for."""

    def __init__(self, summaries: Summaries) -> None:
        self.summaries = summaries

    def __getitem__(self, name: str) -> list[tuple[Any, str]]:
        column = self.summaries.table.schema.get(name)
        if column is None:
            raise KeyError(name)
        return list(self._offered(column))

    def __iter__(self) -> Iterator[str]:
        return iter(self.summaries.table.schema.names)

    def __len__(self) -> int:
        return len(self.summaries.table.schema)

    def _offered(self, column: Column) -> Iterator[tuple[Any, str]]:
        summary = self.summaries[column.name]
        if column.kind.has_levels:
            for level, counts in zip(summary.bins.levels[:OFFERED], summary.counts, strict=False):
                yield ("true" if level else "false") if column.kind is Kind.BOOLEAN else level, f"{counts.sum():,} rows"
            shown = set(summary.bins.levels)
            rest = [level for level in column.levels if level not in shown]
            yield from ((level, "") for level in rest[: OFFERED - len(shown)])
            return
        values = dict.fromkeys(map(summary.value, summary.quartiles))
        for value, told in zip(values, QUARTERS if len(values) == 3 else ("",) * 3, strict=False):
            yield (str(value) if column.kind is Kind.DATETIME else value), told
