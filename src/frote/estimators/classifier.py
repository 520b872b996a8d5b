"""FROTE as a classifier: the edited model behind scikit-learn's methods."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import StrOptions, fit_context
from frote.caller import warn_caller
from frote.coverage.said import CHECKS
from frote.dask.frames import is_lazy
from frote.estimators.edit import Last
from frote.estimators.editing import Editing
from frote.estimators.frontier import make_frontier
from frote.estimators.given_rules import tell_skipped
from frote.estimators.input import as_frame, columns_known, part_has
from frote.estimators.preparing import base_of, modified_by, objective_of, read, seed_of, trainer_for
from frote.estimators.ways.fitting import MOST_FITS, WAYS, Fitting
from frote.exceptions import RuleWarning, TableError
from frote.loop.progress import Watch
from frote.table import lent
from frote.ways_out import way_out

if TYPE_CHECKING:
    from typing import Self

    from frote.estimators.preview import Preview

__all__ = ["FROTEClassifier"]

# What also matters where rules are put into the model; the others are of the loop of an edit by data.
HONOURED = frozenset(
    {
        *(
            "estimator",
            "rules",
            "resolve",
            "how",
            "agreement_weight",
            "scoring",
            "k",
            "time_limit",
            "n_jobs",
            "threads",
        ),
        *("kinds", "levels", "labels", "on_impossible", "random_state", "callbacks", "progress", "max_loss_outside"),
    }
)


def _signature(method: Any, parameter: inspect.Parameter) -> inspect.Signature:
    """Return the signature of a method with one more parameter, by name."""
    signature = inspect.signature(method)
    return signature.replace(parameters=[*signature.parameters.values(), parameter])


class FROTEClassifier(ClassifierMixin, Editing):
    """A classifier that is edited with rules as it is fitted.

    It is `FROTE` as a meta-estimator: for pipelines, grid search and cross-validation, where rules and the parameters
    of the estimator (``estimator__C``) are parameters like any other.

    Parameters
    ----------
    how : {"data", "switches", "anchored", "auto"}, default="data"
        How the rules get into the model. "data": by its training data alone, as `FROTE` does; what comes of it needs no
        rules. "switches": the model gets a column for each rule beside its own, whether the row belongs to the rule,
        and learns what that means from covered and synthetic rows; the data stay as they came. "anchored": a model
        with switches answers for the rows that belong to a rule, and the model as it was for all others, which so
        keep every answer. "auto": switches if the model stays the same outside the rules, else anchored. With the
        last three the rules are part of the model, which needs them to predict (see Notes).

    estimator, rules, resolve, modify, label_by, select, schedule, weak_share, candidates, twins, max_loss_outside
        As for `FROTE`.

    evaluate, agreement_weight, scoring, k, oversample, max_added, max_batch, sample, max_fits, batch_size, patience
        As for `FROTE`.

    time_limit, n_jobs, threads
        As for `FROTE`.

    kinds, levels, labels, on_impossible, counterexamples, recalibrate, random_state, checkpoint, callbacks
        As for `FROTE`.

    progress
        As for `FROTE`.

    Attributes
    ----------
    estimator_, rules_, skipped_, objective_, history_, ledger_, frontier_, unedited_, picked_, n_fits_
        As for `FROTE`.

    sample_indices_, sample_weight_, strata_, classes_
        As for `FROTE`. Where the rules are part of the model, ``estimator_.without(rule)`` takes one back without any
        training; the first line of the history is the model as it was; and the ledger has covered rows twice, as they
        came and, among the synthetic rows, with the label of their rule.

    how_ : str
        How the rules got into the model: "data", "switches" or "anchored"; "initial" if there are none.

    Notes
    -----
    With "switches", "anchored" and "auto" there is no loop whose parts could be chosen: any other value than the
    default of `modify`, `select`, `evaluate` and the like is an error. A model that loses more outside the rules than
    `max_loss_outside` is not served: "auto" turns to anchored, and "switches" to the initial model. For a rule whose
    outcome is a distribution or has a confidence, the model's probabilities inside the rule are tilted to what it
    says, and keep the order that the model gives them; there the most probable class is predicted. There is no
    ``decision_function``.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> rules = "young: IF age < 29 AND income >= 24K AND defaults = 0 THEN approved"
    >>> model = frote.FROTEClassifier(rules=rules, max_fits=3, random_state=0).fit(loans.X, loans.y)
    >>> model.predict(loans.X[:3]).tolist()
    ['approved', 'denied', 'approved']
    >>> anchored = frote.FROTEClassifier(rules=rules, how="anchored", random_state=0).fit(loans.X, loans.y)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> (anchored.estimator_.without("young").predict(loans.X) == before.predict(loans.X)).all()
    np.True_
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "how": [StrOptions({"data", *WAYS})],
        **Editing._parameter_constraints,
    }

    def __init__(self, estimator: Any = None, rules: Any = (), *, how: str = "data", **parameters: Any) -> None:
        super().__init__(estimator, rules, **parameters)
        self.how = how

    # What scikit-learn and people read: the parameters of the base, and the one more.
    __init__.__signature__ = _signature(Editing.__init__, inspect.signature(__init__).parameters["how"])  # type: ignore[attr-defined]

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit and edit the estimator.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        y : array-like
            Their labels.

        sample_weight : array-like, default=None
            What each row weighs when the estimator is trained; a synthetic row weighs as much as the rows of the data
            do on the mean. Scores count all rows alike.

        Returns
        -------
        FROTEClassifier
        """
        if self.how == "data":
            self._edit(X, y, sample_weight)
            self.how_ = self.how
        elif is_lazy(X):
            raise TableError(f"how={self.how!r} needs all rows in one place. Use how='data', or give X.compute().")
        elif sample_weight is not None:
            raise TableError(
                f"sample_weight is for edits by data, and how={self.how!r} makes rows of its own. Leave it out, or use "
                "how='data'."
            )
        else:
            self._put_in(X, y)
        return self

    def _put_in(self, X: Any, y: Any) -> None:
        """Put the rules into the model by switches, and set the fitted attributes."""
        given, seed = read(self, X, y), seed_of(self.random_state)
        tell_skipped(given.skipped)
        modified = modified_by(self, given, "none", seed)
        trainer = trainer_for(self, given, base_of(self), seed)
        fitting = Fitting(
            self.how, modified.making, modified.rows, trainer, objective_of(self), seed, self.max_loss_outside
        )
        watch = Watch(self.callbacks, self.time_limit, self.progress, lambda: MOST_FITS)
        steps = list(watch.steps(fitting.run()))
        self.unedited_ = fitting.settled()
        if self.unedited_:
            ways = way_out("Raise max_loss_outside, or use how='auto'", "Raise --max-loss, or use --how auto")
            warn_caller(f"{self.unedited_} {ways}.", RuleWarning)
        self.how_, self.frontier_, self.picked_ = fitting.best.how, make_frontier(steps, None), None
        edit = self._keep(given, modified, fitting.state, steps)
        self._last = Last(given.rows, y, edit, trainer, None, steps, seed=seed, stopped=watch.reason)

    def _validate_params(self) -> None:
        """Say so too if a parameter asks for something that only an edit by data can do."""
        super()._validate_params()
        usual = type(self)().get_params(deep=False)
        for name, value in self.get_params(deep=False).items() if self.how != "data" else ():
            if name not in HONOURED and not (value is usual[name] or value == usual[name]):
                option = f"--{name.replace('_', '-')}"
                raise TableError(
                    f"{way_out(f'{name}={value!r}', option)} is for edits by data: there is no loop that it could "
                    f"change with {way_out(f'how={self.how!r}', f'--how {self.how}')}. "
                    + way_out("Leave it out, or use how='data'.", "Leave it out, or use --how data.")
                )

    def preview(self, X: Any, y: Any, sample_weight: Any = None) -> Preview:
        """Say what an edit by data would do; see `FROTE.preview`."""
        if self.how != "data":
            raise TableError(
                f"A preview is of an edit by data. With how={self.how!r} a fit tells all, at the price of few."
            )
        found: Preview = super().preview(X, y, sample_weight)
        return found

    def predict(self, X: Any) -> Any:
        """Predict labels with the edited model.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray
            Of a Dask frame a lazy array.
        """
        return self._ask("predict", X)

    @available_if(part_has("estimator", "predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class with the edited model.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray, shape (rows, classes)
        """
        return self._ask("predict_proba", X)

    @available_if(lambda self: self.how == "data" and part_has("estimator", "decision_function")(self))
    def decision_function(self, X: Any) -> Any:
        """Return the decision function of the edited model.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray
        """
        return self._ask("decision_function", X)

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        if is_lazy(X):
            from frote.dask.answering import answers_lazily

            return answers_lazily(self.estimator_, method, X)
        X = as_frame(X)
        columns_known(self, X, reset=False)
        said = getattr(self.estimator_, method)(lent(X))
        return CHECKS[method](said, len(X), type(self.estimator_).__name__) if method in CHECKS else said
