"""FROTE as a sampler, in imbalanced-learn's manner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import OneToOneFeatureMixin

from frote._sklearn import fit_context
from frote.estimators.editing import Editing

if TYPE_CHECKING:
    from typing import Self

__all__ = ["FROTE"]


class FROTE(OneToOneFeatureMixin, Editing):
    """Edit a classifier with rules: make its training data agree with them, and retrain it as it goes.

    Rows that contradict a rule are relabelled or dropped; then batches of synthetic rows that satisfy the rules are
    proposed, the estimator is retrained with each, and a batch is kept if the objective rises: the mean of agreement
    with the rules inside their coverage and of F1 outside it. This is the FROTE algorithm (Alkan et al., MLSys 2022).

    Parameters
    ----------
    estimator : classifier or pipeline, default=None
        What is to be edited; clones of it are fitted, on frames of the same kind as the data. None means
        `default_pipeline()`.

    rules : RuleSet, rule text, path of a rule file, or rules, default=()
        What is to hold. They must not conflict.

    modify : {"relabel", "drop", "none"}, default="relabel"
        What to do with rows whose label their rule rules out.

    select : {"random", "ip", "online", "online-exact"}, default="random"
        How base rows are chosen: at random; by integer program, borderline rows first; by what they would do to a
        logistic stand-in for the model, to first order or one by one.

    evaluate : {"active", "published"} or (X_val, y_val), default="active"
        Which rows models are compared on: the current training data; the same, but the current model keeps its score
        on the fewer rows it was accepted on, as in the paper; or validation data.

    agreement_weight : float or "coverage", default=0.5
        How much agreement counts in the objective; ``"coverage"`` takes the share of rows covered.

    scoring : str or callable, default="f1_weighted"
        A scikit-learn scorer for the rows outside coverage.

    k : int, default=5
        How many neighbours a base row has.

    oversample : float, default=0.5
        How many synthetic rows there may be for each row of data, the paper's q; the last batch may overshoot.

    max_fits : int, default=200
        How many batches are tried at most, the paper's tau. The first fit does not count.

    batch_size : int, default=None
        Synthetic rows per batch, the paper's eta. None spreads `oversample` over `max_fits`, with k + 1 rows per rule
        at least.

    patience : int, default=None
        Stop after so many rejected batches in a row.

    time_limit : float, default=None
        Stop after so many seconds; what was accepted is kept.

    kinds : dict of str to str, default=None
        Columns to read as another kind, such as ``{"zip": "categorical"}``.

    random_state : int, RandomState, Generator or None, default=None
        Where all chance comes from. A `random_state` of the estimator that is None is set from it.

    callbacks : list of callable, default=()
        Each is called with every `Step`; one that returns True ends the run.

    progress : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    estimator_ : classifier
        The edited model, trained on the result.

    rules_ : RuleSet
        The rules, bound to the data.

    objective_ : float
        The objective of the edited model on the rows it was accepted on.

    history_ : DataFrame
        One line per fit: accepted or not, objective and what it was compared with, agreement per rule, seconds.

    ledger_ : DataFrame
        One line per row of the result and per row dropped: kept, relabelled, dropped or synthetic, and why.

    n_fits_ : int
        How many models were fitted.

    sample_indices_ : ndarray of int
        For each row of the result, the row of the data that it is, or goes back to by its base rows.

    classes_ : ndarray
        The classes.

    n_features_in_, feature_names_in_
        Number and names of columns.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = frote.parse_rules("young: IF age < 29 AND defaults = 0 THEN approved")
    >>> editor = frote.FROTE(rules=rules, modify="none", batch_size=30, max_fits=5, random_state=0)
    >>> X_new, y_new = editor.fit_resample(loans.X, loans.y)
    >>> editor.history_[["accepted", "previous", "objective"]].round(3)
       accepted  previous  objective
    0      True       NaN      0.521
    1      True     0.521      0.676
    2      True     0.703      0.860
    3      True     0.875      0.929
    4      True     0.932      0.947
    5     False     0.949      0.948
    >>> editor.ledger_["status"].value_counts().to_dict()
    {'kept': 500, 'synthetic': 120}
    """

    _sampling_type = "bypass"  # imbalanced-learn: what comes out is not balanced by class

    @classmethod
    def as_published(cls, estimator: Any = None, rules: Any = (), **parameters: Any) -> Self:
        """Return the editor that does exactly what the paper's Algorithm 1 does.

        Batches of one size, base rows that the rules cover, and an objective on the current training data, where the
        current model keeps the score that it was accepted with. As printed, a rule that no row is covered by could
        never be learned; while a rule covers too few rows, both models are scored on the data with the batch.

        Parameters
        ----------
        estimator, rules
            As for the class.

        **parameters
            Other parameters of the class.

        Returns
        -------
        FROTE

        Examples
        --------
        >>> import frote
        >>> frote.FROTE.as_published(rules="IF age < 29 THEN approved").evaluate
        'published'
        """
        return cls(estimator, rules, **{"evaluate": "published", **parameters})

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Edit the estimator; the data are thrown away.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        y : array-like
            Their labels.

        Returns
        -------
        FROTE
        """
        self._edit(X, y)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Edit the estimator and return the data that it was trained on in the end.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows; they are not changed.

        y : array-like
            Their labels.

        Returns
        -------
        X_new : as X
            The rows that were kept, in order, and below them the synthetic ones.

        y_new : as y
            Their labels.
        """
        edit = self._edit(X, y)
        return edit.frame, edit.labels
