"""Cases: rows that somebody has thought about, with the answer that is expected of a policy or a model.

A case need not name every column. What it leaves out is that of a *reference row*, the same for all cases: the median
of numbers and dates, as a value that the data have, and the most frequent value of all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.caller import warn_caller
from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.exceptions import TableError, TableWarning, nearest
from frote.layout import Column, as_lines, as_sentence, as_shown, as_table, counted
from frote.table import Kind, TypedFrame
from frote.visible import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome, RuleSet
    from frote.table import Table

__all__ = ["OWN_COLUMNS", "CaseReport", "Cases"]

OWN = ("expected", "name", "why")
APART = "case "  # stands before these where the table has such a column itself
OWN_COLUMNS = frozenset([*OWN, *(APART + name for name in OWN)])
NOBODY = "-"  # in place of a rule's name, or of what rules say
HELD = {True: "yes", False: "NO", None: NOBODY}
ORDERED = (Kind.CONTINUOUS, Kind.INTEGER, Kind.DATETIME)


@dataclass(frozen=True, slots=True, eq=False)
class CaseReport:
    """What is answered to cases. It prints as a table.

    Parameters
    ----------
    frame : DataFrame
        One line per case, by its name: expected, answer and holds (None if nobody answers), rule (that the case belongs
        to, None if it belongs to none) and why.

    filled : tuple of str
        The columns that no case names, taken from the reference row.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> cases = frote.Cases.of(pd.DataFrame({"age": [25], "expected": ["denied"]}), pd.DataFrame({"age": [25, 40]}))
    >>> cases.by_rules(frote.parse_rules("young: IF age < 29 THEN approved")).broken
    ['case 1']
    """

    frame: pd.DataFrame
    filled: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no case is answered otherwise than expected."""
        return not self.broken

    @property
    def broken(self) -> list[str]:
        """The names of the cases that are answered otherwise than expected."""
        return [str(name) for name, held in self.frame["holds"].items() if held is False]

    def __str__(self) -> str:
        return "\n".join([self._headline(), "", *as_lines(self._columns()), *self._told()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return as_shown(as_sentence(self._headline()), as_table(self._columns()), *map(as_sentence, self._told()))

    def _headline(self) -> str:
        answered = int(self.frame["answer"].notna().sum())
        silent = len(self.frame) - answered
        if not answered:
            return f"No rule speaks of any of {counted(silent, 'case')}."
        rest = f"; no rule speaks of {counted(silent, 'case')}" if silent else ""
        return f"{answered - len(self.broken):,} of {counted(answered, 'case')} answered as expected{rest}."

    def _columns(self) -> list[Column]:
        frame = self.frame
        answers = [NOBODY if answer is None else str(answer) for answer in frame["answer"]]
        return [
            Column("case", [visible(str(name), lines=False) for name in frame.index]),
            Column("expected", list(map(str, frame["expected"]))),
            Column("answer", answers),
            Column("holds", [HELD[held] for held in frame["holds"]]),
            Column("rule", [NOBODY if rule is None else rule for rule in frame["rule"]]),
            Column("why", [visible(why, lines=False) for why in frame["why"]]),
        ]

    def _told(self) -> list[str]:
        return [f"From the reference row: {', '.join(self.filled)}."] if self.filled else []


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Rows with the answer that is expected of them.

    Parameters
    ----------
    rows : TypedFrame
        The rows, typed as the data.

    expected : tuple
        The label that each is to get.

    names, why : tuple of str
        What each is called, and the reason; by its number and empty if nothing is said.

    filled : tuple of str, default=()
        The columns that no case names, taken from the reference row.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> loans = frote.datasets.load_loans(500)
    >>> frame = pd.DataFrame({"age": [25, 60], "defaults": [0, 3], "expected": ["approved", "denied"]})
    >>> cases = frote.Cases.of(frame, loans.X[["age", "defaults", "amount"]], loans.y)
    >>> rules = frote.parse_rules("young: IF age < 29 AND defaults = 0 THEN approved")
    >>> print(cases.by_rules(rules))
    1 of 1 case answered as expected; no rule speaks of 1 case.
    <BLANKLINE>
    case    expected  answer    holds  rule   why
    case 1  approved  approved  yes    young
    case 2  denied    -         -      -
    From the reference row: amount.
    """

    rows: TypedFrame
    expected: tuple[Any, ...]
    names: tuple[str, ...]
    why: tuple[str, ...]
    filled: tuple[str, ...] = ()

    @classmethod
    def of(cls, cases: pd.DataFrame, X: Any, y: Any = None, *, what: str = "cases") -> Cases:
        """Read cases as rows of some data.

        Parameters
        ----------
        cases : DataFrame
            One line per case: ``expected``, the label; ``name`` and ``why``, if there is one; and columns of the data.
            Where the data have a column of one of these names, that of the case is ``case expected`` and so on; it may
            be elsewhere too.

        X : pandas or polars DataFrame, array, or TypedFrame
            The data, which say what a column holds and what the reference row is.

        y : array-like, default=None
            Their labels, one of which each case is to expect; None means that any may be expected.

        what : str, default="cases"
            What to call the cases in messages.

        Returns
        -------
        Cases

        Raises
        ------
        TableError
            If there is no case, one expects nothing or no class, two share a name, or a column is not the data's.
        """
        data = X if isinstance(X, TypedFrame) else TypedFrame.of(X)
        own = {name: _own(name, cases.columns, data.table.schema.names) for name in OWN}
        if not len(cases):
            raise TableError(f"{what} has no case. Write one in each line.")
        if own["expected"] not in cases:
            raise TableError(
                f"{what} has no column {own['expected']!r}, the label that a case is to get. "
                f"{nearest(own['expected'], map(str, cases.columns))}"
            )
        texts = [_texts(cases, own[name]) for name in ("name", "why")]
        names = tuple(text or f"case {place}" for place, text in enumerate(texts[0], start=1))
        twice = pd.Index(names)[pd.Index(names).duplicated()]
        if len(twice):
            raise TableError(f"{what} has two cases that are called {twice[0]!r}. Call each of them otherwise.")
        expected = _expected(cases[own["expected"]], None if y is None else Labels.of(y), names, what)
        given = cases.drop(columns=[name for name in own.values() if name in cases])
        rows, filled = _filled(given, data, what)
        return cls(rows, expected, names, tuple(texts[1]), filled)

    def __len__(self) -> int:
        return len(self.names)

    def by_rules(self, rules: RuleSet) -> CaseReport:
        """Say what rules alone answer: the label that a case's rule makes most probable.

        Nobody answers where no rule covers a case, or where a confidence leaves more to the row's own label.

        Parameters
        ----------
        rules : RuleSet
            The rules.

        Returns
        -------
        CaseReport
        """
        owner = self._owner(rules)
        likely = [_likely(outcome) for outcome in Ruling.of(rules).outcomes]
        return self._report([None if rule < 0 else likely[rule] for rule in owner], rules, owner)

    def by_model(self, model: Any, rules: RuleSet | None = None) -> CaseReport:
        """Say what a model answers.

        Parameters
        ----------
        model : classifier
            The model.

        rules : RuleSet, default=None
            If given, it is said which rule a case belongs to.

        Returns
        -------
        CaseReport

        Raises
        ------
        FroteError
            If the model cannot be asked.
        """
        owner = np.full(len(self), -1) if rules is None else self._owner(rules)
        return self._report(Answers.of(model, self.rows).predicted.tolist(), rules, owner)

    def _owner(self, rules: RuleSet) -> NDArray[np.intp]:
        return Ruling.of(rules).on(self.rows.table).owner

    def _report(self, answers: Sequence[Any], rules: RuleSet | None, owner: NDArray[np.intp]) -> CaseReport:
        holds = [
            None if answer is None else Labels.known([wanted]).match([answer]) == [0]
            for wanted, answer in zip(self.expected, answers, strict=True)
        ]
        origins = () if rules is None else rules.origins
        columns = {
            "expected": self.expected,
            "answer": answers,
            "holds": holds,
            "rule": [None if rule < 0 else origins[rule] for rule in owner],
            "why": self.why,
        }
        # As objects: pandas would make NaN of the answer that nobody gives.
        frame = pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})
        return CaseReport(frame.set_axis(pd.Index(self.names, name="case")), self.filled)


def _likely(outcome: Outcome) -> str | None:
    label, share = max(outcome.probabilities, key=lambda named: named[1])
    return label if share > outcome.rest else None


def _own(name: str, columns: Collection[Any], data: Collection[str]) -> str:
    """Return what a case's own column is called beside those of the data."""
    return APART + name if name in data or (APART + name in columns and APART + name not in data) else name


def _texts(cases: pd.DataFrame, name: str) -> list[str]:
    """Return the texts of a column; empty ones where it or a value is missing."""
    if name not in cases:
        return [""] * len(cases)
    return ["" if missing else str(value) for value, missing in zip(cases[name], cases[name].isna(), strict=True)]


def _expected(column: pd.Series[Any], labels: Labels | None, names: Sequence[str], what: str) -> tuple[Any, ...]:
    """Return the labels that cases expect, as the data have them."""
    gaps = np.flatnonzero(column.isna())
    if len(gaps):
        raise TableError(f"{what}: {names[gaps[0]]!r} expects nothing. Write the label that it is to get.")
    wanted = column.tolist()
    if labels is None:
        return tuple(wanted)
    codes = labels.match(wanted)
    if -1 in codes:
        place = codes.index(-1)
        raise TableError(
            f"{what}: {names[place]!r} expects {wanted[place]!r}, which is no label of the data. "
            f"{nearest(str(wanted[place]), labels.texts)}"
        )
    return tuple(labels.classes[code] for code in codes)


def _filled(given: pd.DataFrame, data: TypedFrame, what: str) -> tuple[TypedFrame, tuple[str, ...]]:
    """Return cases with all columns of the data, and which of these the reference row gave."""
    schema = data.table.schema
    strange = [name for name in map(str, given.columns) if name not in schema.names]
    if strange:
        raise TableError(
            f"{what} has a column {strange[0]!r}, and the data have none. {nearest(strange[0], schema.names)}"
        )
    frame = given.set_axis(list(map(str, given.columns)), axis=1)
    filled = tuple(name for name in schema.names if name not in frame)
    for name in filled:
        frame[name] = pd.Series([_usual(data.table, name)] * len(frame), index=frame.index)
    rows = TypedFrame.like(frame, schema, what=what)
    _tell_of_new_levels(rows, data, what)
    return rows, filled


def _tell_of_new_levels(rows: TypedFrame, data: TypedFrame, what: str) -> None:
    """Warn of levels that no row of the data can have: a case may want that, and it may be misspelt."""
    for column in rows.table.schema:
        levels = data.table.schema[column.name].levels
        for level in column.levels[len(levels) :]:  # behind those of the data
            warn_caller(
                f"{what}: column {column.name!r} has {level!r}, which the data do not have. "
                f"{nearest(str(level), map(str, levels))}",
                TableWarning,
            )


def _usual(table: Table, name: str) -> Any:
    """Return what the reference row has in a column: a value of the data, or nothing if they have none there."""
    present = np.flatnonzero(~table[name].gaps())
    if not len(present):
        return None
    values = table[name].values[present]
    if table.schema[name].kind in ORDERED:
        row = present[np.argsort(values, kind="stable")[(len(values) - 1) // 2]]
    else:
        row = present[np.flatnonzero(values == np.bincount(values).argmax())[0]]
    held = table.take([row]).to_frame()
    return held[0, table.schema.names.index(name)] if isinstance(held, np.ndarray) else next(iter(held[name]))
