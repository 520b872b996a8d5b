"""Tables of every dtype, rules on them and settings, against all that an edit promises."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

import frote
from campaigns.campaign import Campaign, require
from campaigns.frames import NEVER, PlainColumn, cells, frame_of, labels_of, make_columns, values

if TYPE_CHECKING:
    from random import Random

    import pandas as pd

__all__ = ["CAMPAIGN", "Condition", "held_to", "make_conditions"]

OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
UNORDERED = ("text", "truth")
SECONDS = ["fit_seconds", "predict_seconds", "other_seconds"]
LABELS = ("no", "yes", "maybe")


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Takes any frame, and predicts by turns."""

    def fit(self, X: Any, y: Any) -> Counting:
        """Count rows and classes."""
        self.rows_, self.classes_ = len(X), np.unique(np.asarray(y))
        return self

    def predict(self, X: Any) -> Any:
        """Predict one class after the other."""
        return self.classes_[np.arange(len(X)) % len(self.classes_)]


def more_rows(model: Any, X: Any, y: Any) -> float:  # noqa: ARG001
    """Score so that every batch is accepted."""
    return float(model.rows_)


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a column with values, which can be written as text and be looked at without frote."""

    column: str
    family: str
    word: str
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        shown = [_written(value) for value in self.values]
        if self.word in ("IN", "NOT IN"):
            return f"`{self.column}` {self.word} {{{', '.join(shown)}}}"
        if self.word == "BETWEEN":
            return f"`{self.column}` BETWEEN {shown[0]} AND {shown[1]}"
        return f"`{self.column}` {' '.join([self.word, *shown])}"

    def holds(self, value: Any) -> bool:
        """Tell whether a value is inside."""
        if self.word == "IS MISSING" or value is None:
            return self.word == "IS MISSING" and value is None
        if self.word in ("IN", "NOT IN"):
            return (value in self.values) == (self.word == "IN")
        if self.word == "BETWEEN":
            return bool(self.values[0] <= value <= self.values[1])
        return bool(OPERATORS[self.word](value, self.values[0]))


def _written(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)


def make_conditions(chance: Random, columns: list[PlainColumn]) -> list[Condition]:
    """Return conditions on some columns, with values near those that are there."""
    found = []
    for column in chance.sample(columns, min(len(columns), chance.choice((1, 1, 2)))):
        present = [cell for cell in column.cells if cell is not None]
        unordered = column.family in UNORDERED or "category" in column.dtype
        if not present or (len(present) < len(column.cells) and chance.random() < 0.1):
            found.append(Condition(column.name, column.family, "IS MISSING"))
            continue
        words = ("=", "!=", "IN", "NOT IN") if unordered else (*OPERATORS, "BETWEEN")
        word = chance.choice(words)
        count = {"BETWEEN": 2, "IN": 2, "NOT IN": 1}.get(word, 1)
        picked = sorted(_near(chance.choice(present), column, chance) for _ in range(count))
        found.append(Condition(column.name, column.family, word, tuple(picked)))
    return found


def _near(value: Any, column: PlainColumn, chance: Random) -> Any:
    if column.family == "number":
        return float(value) + chance.choice((0, 0, 0.05, -1e-9, 1e-3))
    if column.family == "decimal":
        return float(value) + chance.choice((0, 0.05, 0.001))
    return value


@dataclass(frozen=True, slots=True)
class Case:
    """A table, rules on it, and how to edit."""

    kind: str
    columns: list[PlainColumn]
    labels: list[str]
    label_kind: str
    rules: list[tuple[list[Condition], str]]
    resolve: str
    settings: dict[str, Any]
    trained: bool

    @property
    def text(self) -> str:
        """The rules as text."""
        lines = (
            f"r{place}: IF {' AND '.join(map(str, held))} THEN {then}" for place, (held, then) in enumerate(self.rules)
        )
        return "\n".join(lines)


def _make(chance: Random) -> Case:
    kind = chance.choice(("pandas", "pandas", "pandas", "polars", "polars", "numpy"))
    rows = chance.choice((12, 30, 60))
    columns = make_columns(chance, kind, rows)
    labels = [chance.choice(LABELS[: chance.choice((2, 2, 3))]) for _ in range(rows)]
    label_kind = chance.choice(("list", "array", "series", "category", "polars", "whole numbers"))
    known = [str(len(label)) for label in LABELS] if label_kind == "whole numbers" else LABELS
    outcomes = (known[0], known[1], f"{{{known[0]}: 0.25, {known[1]}: 0.75}}", f"{known[1]} WITH CONFIDENCE 0.8")
    rules = [(make_conditions(chance, columns), chance.choice(outcomes)) for _ in range(chance.choice((1, 1, 2, 3)))]
    settings = {
        "modify": chance.choice(("relabel", "drop", "none")),
        "select": chance.choice(("random", "random", "ip", "online")),
        "schedule": chance.choice(("adaptive", "fixed")),
        "evaluate": chance.choice(("probes", "active", "published", 0.25)),
        "weak_share": chance.choice((0.0, 0.5, 0.75, 1.0)),
        "candidates": chance.choice((1, 5)),
        "k": chance.choice((1, 3, 5)),
        "oversample": chance.choice((0.3, 1.0, 2.0)),
        "batch_size": chance.choice((None, 1, 7, 20)),
        "max_fits": chance.choice((1, 3)),
        "random_state": chance.getrandbits(16),
    }
    return Case(
        kind,
        columns,
        labels,
        label_kind,
        rules,
        chance.choice(("exclude", "priority", "mix")),
        settings,
        chance.random() < 0.2,
    )


def _judge(case: Case) -> None:
    first = _edited(case)
    held_to(case, *first)
    require(_shown(*first) == _shown(*_edited(case)), "the same call gives other bytes")


def _edited(case: Case) -> tuple[Any, Any, Any]:
    """Edit; return the editor and what it made."""
    X, y = frame_of(case.kind, case.columns), labels_of(case.label_kind, case.labels)
    rules = frote.parse_rules(case.text).resolve(case.resolve, X, classes=sorted({*map(str, np.asarray(y))}))
    if case.trained:
        editor = frote.FROTE(frote.default_pipeline(DecisionTreeClassifier(max_depth=3)), rules, **case.settings)
    else:
        editor = frote.FROTE(Counting(), rules, scoring=more_rows, agreement_weight=0.0, **case.settings)
    X_new, y_new = editor.fit_resample(X, y)
    again = frame_of(case.kind, case.columns), labels_of(case.label_kind, case.labels)
    require(cells(X) == cells(again[0]) and cells(y) == cells(again[1]), "the caller's data changed")
    return editor, X_new, y_new


def _shown(editor: Any, X_new: Any, y_new: Any) -> list[Any]:
    history = editor.history_.drop(columns=SECONDS)
    return [cells(X_new), cells(y_new), cells(editor.ledger_), cells(history), repr(editor.objective_)]


def held_to(case: Case, editor: Any, X_new: Any, y_new: Any) -> None:
    """Hold an edit to its promises."""
    X = frame_of(case.kind, case.columns)
    ledger = editor.ledger_
    result = ledger[ledger["row"].notna()]
    require(result["row"].tolist() == list(range(len(X_new))), "the ledger's rows are not those of the result")
    require(len(y_new) == len(X_new), "labels and rows are not of one number")
    _same_types(X, X_new, labels_of(case.label_kind, case.labels), y_new)
    kept, made = result[result["status"] != "synthetic"], result[result["status"] == "synthetic"]
    require(kept["row"].tolist() == list(range(len(kept))), "originals are not first")
    _originals_kept(case, X, X_new, ledger, kept["source"].tolist())
    labels = [str(label) for label in (y_new.to_list() if hasattr(y_new, "to_list") else list(y_new))]
    require([str(label) for label in result["new_label"]] == labels, "the ledger has other labels than the result")
    require((made["base"] < made["row"]).all(), "a base row comes after the row made from it")
    if len(made):
        _synthetic_inside(case, editor, X_new, made)
        _values_kept(case, X, X_new, made["row"].tolist())


def _same_types(X: Any, X_new: Any, y: Any, y_new: Any) -> None:
    require(type(X) is type(X_new), "another kind of frame")
    if isinstance(X, np.ndarray):
        require(X.dtype == X_new.dtype and X.shape[1] == X_new.shape[1], f"{X.dtype} became {X_new.dtype}")
    else:
        before, after = list(zip(X.columns, X.dtypes, strict=True)), list(zip(X_new.columns, X_new.dtypes, strict=True))
        require(
            before == after,
            f"types changed: {[pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]}",
        )
    require(type(y) is type(y_new), f"labels were a {type(y).__name__} and are a {type(y_new).__name__}")
    require(getattr(y, "dtype", None) == getattr(y_new, "dtype", None), "the labels' type changed")


def _originals_kept(case: Case, X: Any, X_new: Any, ledger: pd.DataFrame, sources: list[int]) -> None:
    dropped = ledger.loc[ledger["status"] == "dropped", "source"].tolist()
    require(sorted([*sources, *dropped]) == list(range(len(X))), "the ledger loses rows")
    require(sources == sorted(sources), "rows that are kept are in another order")
    require(case.settings["modify"] == "drop" or not dropped, "rows were dropped unasked")
    for column in case.columns:
        old, new = values(X, column.name), values(X_new, column.name)
        require(
            [old[place] for place in sources] == new[: len(sources)], f"a row that is kept has another {column.name!r}"
        )
    for line in ledger[ledger["status"] != "synthetic"].itertuples():
        same = str(line.old_label) == str(line.new_label)
        require(line.status == "dropped" or same == (line.status == "kept"), f"a row is called {line.status} wrongly")


def _synthetic_inside(case: Case, editor: Any, X_new: Any, made: pd.DataFrame) -> None:
    """Require of every synthetic row that it satisfies its rule, by our own reading too, and no other outcome's."""
    masks = {rule.name: np.asarray(rule.mask(X_new)) for rule in editor.rules_}
    rules = {rule.name: rule for rule in editor.rules_}
    columns = {column.name: values(X_new, column.name) for column in case.columns}
    written = {f"r{place}": held for place, (held, _) in enumerate(case.rules)}
    for line in made.itertuples():
        require(line.rule in rules, f"a synthetic row is of a rule {line.rule!r} that is not there")
        rule, row = rules[str(line.rule)], int(str(line.row))
        require(masks[rule.name][row], f"a synthetic row is outside its rule {rule}")
        for name in rule.sources or (rule.origin,):
            for condition in written[name]:
                value = columns[condition.column][row]
                require(condition.holds(value), f"a synthetic row has {value!r} under {condition}")
        for other in rules.values():
            require(
                other.outcome == rule.outcome or not masks[other.name][row], f"a synthetic row of {rule} is in {other}"
            )
        shares = dict(rule.outcome.probabilities)
        require(rule.outcome.rest or shares.get(str(line.new_label)), f"{line.new_label!r} is no label of {rule}")


def _values_kept(case: Case, X: Any, X_new: Any, rows: list[int]) -> None:
    for column in case.columns:
        old, new = values(X, column.name), values(X_new, column.name)
        require(None in old or None not in new, f"{column.name!r} has missing values where it had none")
        if column.family in UNORDERED:
            known = {*old, *([NEVER] if column.dtype == "Enum" else [])}  # a level that is declared may be made
            require({new[row] for row in rows} <= known, f"{column.name!r} has values that it had not")


CAMPAIGN = Campaign(
    "tables",
    "Tables of every type x rules x settings: synthetic rows satisfy their rule and none of another outcome; types, "
    "values and rows are kept, the ledger is true, the caller's data stay, and the same call gives the same bytes.",
    full=5_000,
    block=25,
    seconds=60,
    megabytes=1500,
    make=_make,
    judge=_judge,
)
