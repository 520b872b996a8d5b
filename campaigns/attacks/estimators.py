"""Estimators that misbehave: raise, answer wrongly, write into what they are given, change their mind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin

import frote
from campaigns.campaign import Campaign, require
from campaigns.frames import cells
from frote import FroteError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["CAMPAIGN"]

ROWS = 40
RULES = "low: IF x0 < 0.2 THEN no\nhigh: IF x1 >= 0.8 AND x0 >= 0.2 THEN {yes: 0.9, no: 0.1}"


class OwnError(Exception):
    """What an estimator raises by itself: the caller may see it, since it is the caller's own."""


def _raise(_: Any) -> Any:
    raise OwnError("not today")


# What an estimator may do to its answer, by name.
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "raises": _raise,
    "one too few": lambda found: found[:-1],
    "one too many": lambda found: np.concatenate([found, found[:1]]),
    "nothing": lambda _: None,
    "empty": lambda found: found[:0],
    "one value": lambda found: found[0],
    "a column": lambda found: np.asarray(found).reshape(len(found), -1)[:, :1],
    "two columns": lambda found: np.stack([found, found], axis=1),
    "three dimensions": lambda found: np.asarray(found)[None, None],
    "a generator": lambda found: (one for one in found),
    "a list": list,
    "a series": lambda found: pd.Series(list(found), index=range(5, 5 + len(found))),
    "polars": lambda found: pl.Series(np.asarray(found).tolist(), strict=False),
    "objects": lambda found: np.asarray(found).astype(object),
    "texts": lambda found: np.asarray(found).astype(str),
    "longer texts": lambda found: np.array([f"{one}, perhaps" for one in found]),
    "missing": lambda found: np.full(len(found), np.nan),
    "none in places": lambda found: np.array([None, *found[1:]], dtype=object),
    "huge": lambda found: np.full(np.shape(found), 1e300),
    "infinite": lambda found: np.full(np.shape(found), np.inf),
    "negative": lambda found: np.full(np.shape(found), -1),
    "bytes": lambda found: np.asarray(found).astype("S"),
    "another class": lambda found: np.full(len(found), "never heard of"),
    "a dictionary": lambda found: dict(enumerate(found)),
    "a text": str,
    "masked": lambda found: np.ma.masked_array(found, mask=True),
    "read only": lambda found: np.broadcast_to(np.asarray(found)[:1], np.shape(found)),
}
# What it may do to what it is given.
DEEDS = (
    "nothing",
    "nothing",
    "writes values",
    "writes labels",
    "adds a column",
    "sorts",
    "drops rows",
    "keeps it and writes later",
)
USES = ("FROTE", "FROTE", "FROTEClassifier", "OverlayClassifier", "score", "compare_models", "explain_model", "check")


class Misbehaving(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Answers by the first column, unless it misbehaves: at some of its calls, in one of its methods."""

    kept: list[Any] = []  # noqa: RUF012 # one for all, to write into later

    def __init__(
        self, method: str = "predict", fault: str = "a list", deed: str = "nothing", share: float = 1.0
    ) -> None:
        self.method = method
        self.fault = fault
        self.deed = deed
        self.share = share

    def _bad(self, name: str) -> bool:
        # Not a matter of a seed: an estimator may be different each time.
        return self.method == name and np.random.default_rng().random() < self.share

    def fit(self, X: Any, y: Any) -> Misbehaving:
        """Learn the classes, and do to the data what is to be done."""
        _do(self.deed, X, y)
        self.classes_ = np.unique(np.asarray(y))
        if self._bad("fit"):
            ANSWERS[self.fault if self.fault in ("raises", "nothing") else "raises"](y)
            return None  # type: ignore[return-value]
        if self._bad("classes_"):
            self.classes_ = ANSWERS[self.fault](self.classes_)
        return self

    def _first(self, X: Any) -> Any:
        _do(self.deed, X, None)
        return np.asarray(X[:, 0] if isinstance(X, np.ndarray) else X["x0"], dtype=float)

    def predict(self, X: Any) -> Any:
        """Answer."""
        known = np.array(["no", "yes"])
        found = known[(self._first(X) > 0.5).astype(int)]
        return ANSWERS[self.fault](found) if self._bad("predict") else found

    def predict_proba(self, X: Any) -> Any:
        """Answer with probabilities."""
        share = np.clip(self._first(X), 0, 1)
        found = np.stack([1 - share, share], axis=1)
        return ANSWERS[self.fault](found) if self._bad("predict_proba") else found


def _do(deed: str, X: Any, y: Any) -> None:
    """Write into what was given; what does not let itself be written is left alone."""
    given = y if deed == "writes labels" else X
    try:
        if deed in ("writes values", "writes labels"):
            _overwrite(given)
        elif deed == "adds a column" and isinstance(X, pd.DataFrame):
            X["more"] = 1
        elif deed == "sorts":
            X.sort(axis=0) if isinstance(X, np.ndarray) else X.sort_values("x0", inplace=True)  # noqa: PD002 # on purpose
        elif deed == "drops rows" and isinstance(X, pd.DataFrame):
            X.drop(index=X.index[:3], inplace=True)  # noqa: PD002
        elif deed == "keeps it and writes later":
            for old in Misbehaving.kept[-3:]:
                _overwrite(old)
            Misbehaving.kept[:] = [*Misbehaving.kept[-3:], X]
    except (ValueError, TypeError, AttributeError, KeyError, IndexError):
        pass


def _overwrite(given: Any) -> None:
    if isinstance(given, np.ndarray):
        given[:] = given[::-1].copy()
    elif isinstance(given, pd.DataFrame):
        given.iloc[:, 0] = 0.0
        given["x1"].to_numpy()[:] = 0.0
    elif isinstance(given, pd.Series):
        given.iloc[:] = given.iloc[0]
    elif isinstance(given, pl.DataFrame):
        given["x0"].to_numpy()[:] = 0.0


@dataclass(frozen=True, slots=True)
class Case:
    """An estimator, what it is used for, and on what kind of table."""

    use: str
    method: str
    fault: str
    deed: str
    share: float
    kind: str
    seed: int
    settings: dict[str, Any]


def _make(chance: Random) -> Case:
    settings = {
        "modify": chance.choice(("relabel", "none")),
        "select": chance.choice(("random", "ip", "online")),
        "evaluate": chance.choice(("probes", "active", "published", 0.25)),
        "scoring": chance.choice(("f1_weighted", "accuracy", "roc_auc", "neg_log_loss")),
    }
    return Case(
        chance.choice(USES),
        chance.choice(("fit", "predict", "predict", "predict", "predict_proba", "classes_", "none")),
        chance.choice(tuple(ANSWERS)),
        chance.choice(DEEDS),
        chance.choice((1.0, 1.0, 0.3)),
        chance.choice(("numpy", "pandas", "polars")),
        chance.getrandbits(16),
        settings,
    )


def _data(case: Case) -> tuple[Any, Any]:
    rng = np.random.default_rng(case.seed)
    X = rng.uniform(size=(ROWS, 2))
    y = np.where(X[:, 0] + rng.normal(scale=0.2, size=ROWS) > 0.5, "yes", "no")
    if case.kind == "pandas":
        return pd.DataFrame(X, columns=["x0", "x1"]), pd.Series(y, dtype=object)
    return (X, y) if case.kind == "numpy" else (pl.DataFrame(X, schema=["x0", "x1"]), y)


def _judge(case: Case) -> str | None:
    X, y = _data(case)
    Misbehaving.kept.clear()
    model = Misbehaving(case.method, case.fault, case.deed, case.share)
    try:
        _used(case, model, X, y)
    except OwnError as error:
        return str(error)  # the caller's own
    except FroteError as error:
        return str(error)
    finally:
        alike = _data(case)
        require(cells(X) == cells(alike[0]) and cells(y) == cells(alike[1]), "the caller's data changed")
    return None


def _used(case: Case, model: Misbehaving, X: Any, y: Any) -> None:
    rules = frote.parse_rules(RULES)
    if case.use in ("FROTE", "FROTEClassifier"):
        given = {"max_fits": 3, "k": 3, "batch_size": 8, "random_state": case.seed, **case.settings}
        if case.use == "FROTEClassifier":
            frote.FROTEClassifier(model, rules, **given).fit(X, y).predict(X)
            return
        editor = frote.FROTE(model, rules, **given)
        X_new, y_new = editor.fit_resample(X, y)
        _rows_kept(case, editor, X_new, y_new)
        return
    fitted = model
    fitted.fit(*_data(case))  # data of its own: what is judged is what frote hands on
    if case.use == "OverlayClassifier":
        overlay = frote.OverlayClassifier(fitted, rules, mode="soft" if case.seed % 2 else "hard").fit(X, y)
        require(len(overlay.predict(X)) == len(X), "predictions are not as many as rows")
    elif case.use == "score":
        frote.score(fitted, X, y, rules)
    elif case.use == "compare_models":
        frote.compare_models(fitted, Misbehaving(fault="a list").fit(*_data(case)), X, rules)
    elif case.use == "explain_model":
        frote.explain_model(fitted, X)
    else:
        rules.check(X, y, fitted)


def _rows_kept(case: Case, editor: Any, X_new: Any, y_new: Any) -> None:
    """Require that what the estimator did to its data is not in the result."""
    X, _ = _data(case)
    require(len(y_new) == len(X_new) >= ROWS, "rows and labels are not of one number")
    require(cells(X_new[:ROWS]) == cells(X), "rows that are kept were changed")
    made = editor.ledger_[editor.ledger_["status"] == "synthetic"]
    for rule in editor.rules_:
        rows = made.loc[made["rule"] == rule.name, "row"].to_numpy(dtype=int)
        require(np.asarray(rule.mask(X_new))[rows].all(), "a synthetic row is outside its rule")


CAMPAIGN = Campaign(
    "estimators",
    "An estimator that misbehaves costs a step, or is told of in a sentence or by what it raised; no data are spoilt.",
    full=5_000,
    block=100,
    seconds=30,
    megabytes=1000,
    make=_make,
    judge=_judge,
)
