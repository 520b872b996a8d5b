"""FROTE as a sampler, in imbalanced-learn's manner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import OneToOneFeatureMixin

from frote._sklearn import fit_context
from frote.estimators.editing import Editing

if TYPE_CHECKING:
    from typing import Self

__all__ = ["FROTE"]

PUBLISHED: dict[str, Any] = {
    "label_by": "lots",
    "schedule": "fixed",
    "oversample": 0.5,
    "weak_share": 0.0,
    "candidates": 1,
    "sample": None,
    "twins": 0,
    "evaluate": "published",
}


class FROTE(OneToOneFeatureMixin, Editing):
    """Edit a classifier with rules: make its training data agree with them, and retrain it as it goes.

    Rows that contradict a rule are relabelled or dropped; then batches of synthetic rows that satisfy the rules are
    proposed, the estimator is retrained with each, and a batch is kept if the training objective rises: the mean of
    agreement with the rules inside their coverage and of F1 outside it. This is the FROTE algorithm (Alkan et al.,
    MLSys 2022), made to need few retrainings and to hold for rows that the data lack; `as_published` is the algorithm
    as printed.

    Parameters
    ----------
    estimator : classifier or pipeline, default=None
        What is to be edited; clones of it are fitted, on frames of the same kind as the data. None means
        `default_pipeline()`.

    rules : RuleSet, rule text, path of a rule file, or rules, default=()
        What is to hold. They must not conflict, unless `resolve` says what counts where they do.

    resolve : {"priority", "exclude", "mix"} or None, default=None
        What counts where rules conflict, as `RuleSet.resolve` does it for these rows and classes: the rule that is
        written first; none of them; the mean of them. None makes a conflict an error.

    modify : {"relabel", "drop", "none"} or Modification, default="relabel"
        What to do with rows whose label their rule rules out. This and the next ones may also be objects, also of
        your own: see `frote.strategies`.

    label_by : {"quota", "lots"}, default="quota"
        How labels are given where an outcome leaves something to chance: so that each class has its share of the rows,
        or each row by lot, as in the paper.

    select : {"random", "ip", "online", "online-exact"} or Selection, default="random"
        How base rows are chosen: at random; by integer program, borderline rows first; by what they would do to a
        logistic stand-in for the model, to first order or one by one.

    schedule : {"adaptive", "fixed"} or Schedule, default="adaptive"
        How large batches are: doubled after an accepted one, tried at twice, half, four times and a quarter of the
        size after rejected ones, and shared among the rules by how little the model keeps to them, where a rule
        that fewer than k + 1 rows satisfy gets half at most beside rules that more do; or, as in the paper, all of
        one size in equal shares.

    weak_share : float, default=0.75
        The share of a batch that is made from rows outside all coverage: copies of those that miss the rule by the
        fewest conditions, changed in the columns that fail. The rest is made between covered rows.

    candidates : int, default=5
        How many rows are made from outside coverage for each one that a batch needs; those that the current model is
        most wrong about are taken.

    twins : float, default=0.0
        How many rows just outside the rules are made at most for each synthetic row inside: a copy of it in which one
        column takes a value that fails the rule, labelled by the *initial model*, the estimator trained on the data as
        they came. They tell the model where a rule ends: of four that are made for each one wanted, those are taken
        first that the current model answers otherwise. How many there are goes by what it needs: few while it has to
        learn the rules, more as it spills beyond them. With twins, models are also measured on
        *guards*, such rows that are never trained on. It costs one more fit.

    max_loss_outside : float, default=None
        The *loss outside* that a model may have, in units of the score: by how much it is worse outside the rules than
        the initial model, on the rows of the data or, if that is more, on guards, where another answer than the
        initial model's costs as much accuracy as that gives away by its own probabilities. A step beyond it is never
        taken; of those within, the one that agrees most with the rules is kept. If not even changing labels is within
        it, the initial model is handed back and `unedited_` says so. On its training rows a flexible model is always
        good: ``evaluate=0.2`` measures on rows that it was not trained on.

    evaluate : {"probes", "active", "published", "printed"}, float, (X_val, y_val) or Evaluation, default="probes"
        Which rows models are compared on. "probes": the data before any synthetic row, and 400 synthetic rows per rule
        that are never trained on. A share of the rows, such as 0.2: the same, but on rows held out until the end, when
        the last model is trained again on all. "active": the current training data, and the batch while some rule
        covers too few of them. "published": the same, but the current model keeps its score on the fewer rows it was
        accepted on, as in the paper. "printed": the same again, but never with the batch. Or validation data.

    agreement_weight : float or "coverage", default=0.5
        How much agreement counts in the training objective; ``"coverage"`` takes the share of rows covered, one half
        if none is.

    scoring : str or callable, default="f1_weighted"
        A scikit-learn scorer for the rows outside coverage.

    k : int, default=5
        How many neighbours a base row has.

    oversample : float, default=None
        How many synthetic rows there may be for each row of data, the paper's q; the last batch of a fixed schedule
        may overshoot. None means 0.5. Twins come on top.

    max_added : int, default=None
        How many synthetic rows there may be in all, however many rows of data there are. None means 100,000 where
        `oversample` says nothing, and no bound where it does.

    max_batch : int, default=None
        How many synthetic rows any batch may have. None means 20,000 where `batch_size` says nothing and the schedule
        is adaptive, else no bound.

    sample : int, default=100_000
        How many rows of each rule are looked at: where it covers more, or more just miss it, synthetic rows start from
        so many of them, chosen by a hash of their position and the seed, and have their neighbours among them. None
        means all of them, as in the paper. All rows are modified, trained on and judged on either way. Of Dask frames
        so many rows of each stratum are brought to one place for the search: of those that a rule covers, of those that
        miss it by the fewest conditions, and of the rest. Where none has more, the edit is that of the same rows in
        memory.

    max_fits : int, default=200
        How many batches are tried at most, the paper's tau. The first fit does not count.

    batch_size : int, default=None
        Synthetic rows per batch, the paper's eta; of the first one if the schedule is adaptive. None means one for 20
        rows of data there; with a fixed schedule, `oversample` spread over `max_fits`, with k + 1 rows per rule at
        least.

    patience : int, default=None
        Stop after so many rejected batches in a row. None means 4 with an adaptive schedule, 8 if there are twins, and
        never with another one.

    time_limit : float, default=None
        Stop after so many seconds; what was accepted is kept. It is looked at after each batch: a fit that runs then is
        finished first, and one that hangs is never stopped.

    n_jobs : int, default=None
        How many batches are tried at the same time, each on the assumption that those before it are rejected. The
        result is the same, bit for bit. As joblib counts; its ``parallel_config`` chooses processes, threads or a
        cluster. On one machine there are at most four for each core, or 16.

    threads : int, default=1
        How many threads each fit may use: for estimators that take all cores unless told otherwise, and for the
        libraries below them. The same for every fit, since results may depend on it.

    kinds : dict of str to str, default=None
        Columns to read as another kind, such as ``{"zip": "categorical"}``.

    levels : dict of str to list, default=None
        Levels that columns may have though no row has them, such as ``{"channel": ["broker"]}``: rules may name them,
        and synthetic rows have them. A categorical type that lists a level needs no such word.

    labels : list or dict, default=None
        All labels that rules may name, for use inside ``VotingClassifier``, ``StackingClassifier`` and others that
        encode labels as 0, 1 and so on before they hand them on: in sorted order, as ``LabelEncoder`` has it,
        whatever the order of the list; a dict gives the label of each code. Labels that come as they are need no such
        word.

    on_impossible : {"error", "skip"}, default="error"
        What becomes of a rule that no row of these columns, types and levels can satisfy, such as one with a value
        that is misspelt: an error, or it is left out and told of first wherever the edit is spoken of.

    counterexamples : bool, default=False
        Whether rows join that the model is proven to answer against a rule: when the search has ended, `prove` is asked
        for a counterexample to each rule that leaves nothing to chance, within the ranges of the data and 1,000 boxes,
        and up to 50 rows around it that the model answers otherwise are tried as a batch, which is kept if the
        training objective does not fall; six such batches at most, until two in a row are rejected. They come on top
        of `oversample`, and within `max_fits`. For what `prove` can look into, trees above all.

    recalibrate : {"sigmoid", "isotonic"} or None, default=None
        Put scikit-learn's map from scores to probabilities over the edited model, a ``CalibratedClassifierCV``. Its
        rows are those of the data that do not contradict their rule, each asked of a model that was trained without it
        and without the rows made from it: five fits more. Labels may change with the probabilities. History and
        `objective_` are those of the model before.

    random_state : int, RandomState, Generator or None, default=None
        Where all chance comes from. A `random_state` of the estimator that is None is set from it.

    checkpoint : path, default=None
        A folder in which every step is written down. The same call on the same data goes on from there after a crash,
        and ends in the same result. No model is stored in it: the current one is trained again.

    callbacks : list of callable, default=()
        Each is called with every ``Step``; one that returns True ends the run.

    progress : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    estimator_ : classifier
        The edited model, trained on the result.

    rules_ : RuleSet
        The rules, bound to the data.

    skipped_ : dict of str to str
        The rules that were left out as impossible, with the reason.

    objective_ : float
        The training objective of the edited model, on the rows it was accepted on; `score` gives that on other rows.

    history_ : DataFrame
        One line per fit: accepted or not, training objective and the one before it, agreement per rule, seconds.

    ledger_ : DataFrame
        One line per row of the result and per row dropped: kept, relabelled, dropped, synthetic or guard (a twin), and
        why. A synthetic row names the piece of the rule that it was made for, such as ``name/1``.

    frontier_ : DataFrame
        What each loss outside the rules buys: of all steps those that no other one beats in agreement and loss, from
        the initial model (-1) on. `at` gives the edit as of such a step. Empty without twins and limit.

    unedited_ : str
        Why the initial model was handed back; empty if it was edited.

    picked_ : int or None
        The step that the edit is as of, where `at` gave it; None where the run ended.

    n_fits_ : int
        How many models were fitted.

    sample_indices_ : ndarray of int
        For each row of the result, the row of the data that it is, or goes back to by its base rows.

    sample_weight_ : ndarray of float or None
        The weight of each row of the result, as the estimator was given it; None without weights.

    strata_ : DataFrame
        Of Dask frames alone: how many rows each stratum has, and how many of them were brought to one place.

    classes_ : ndarray
        The classes.

    n_features_in_, feature_names_in_
        Number and names of columns.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = frote.parse_rules("young: IF age < 29 AND defaults = 0 THEN approved")
    >>> editor = frote.FROTE(rules=rules, modify="none", max_fits=4, random_state=0)
    >>> X_new, y_new = editor.fit_resample(loans.X, loans.y)
    >>> editor.history_[["accepted", "previous", "objective", "added"]].round(3)
       accepted  previous  objective  added
    0      True       NaN      0.577      0
    1      True     0.577      0.673     25
    2      True     0.673      0.942     75
    3      True     0.942      0.963    175
    4      True     0.963      0.964    250
    >>> editor.ledger_["status"].value_counts().to_dict()
    {'kept': 500, 'synthetic': 250}
    """

    _sampling_type = "bypass"  # imbalanced-learn: what comes out is not balanced by class

    @classmethod
    def as_published(cls, estimator: Any = None, rules: Any = (), **parameters: Any) -> Self:
        """Return the editor that does what the paper's Algorithm 1 does, but for one thing.

        Batches of one size, base rows that the rules cover, all of them however many there are, and a training
        objective on the current data, where the current model keeps the score that it was accepted with. While a rule
        covers too few rows, both models are scored on the data with the batch. As printed they are not: of a rule that
        covers no row the objective then shows nothing, and its first batch is accepted only if the score on the other
        rows rises by chance.
        ``evaluate="printed"`` does that too.

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

        No application is as large as this rule says. A first batch that is judged with itself shows how far models
        agree with the rule; one that is judged on the data alone does not:

        >>> loans = frote.datasets.load_loans(500)
        >>> huge = "huge: IF amount > 10000000 THEN denied"
        >>> for evaluate in ("published", "printed"):
        ...     editor = frote.FROTE.as_published(rules=huge, evaluate=evaluate, max_fits=1, random_state=0)
        ...     print(evaluate, editor.fit(loans.X, loans.y).history_["agreement"].tolist())
        published [nan, 1.0]
        printed [nan, nan]
        """
        return cls(estimator, rules, **{**PUBLISHED, **parameters})

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Edit the estimator; the data are thrown away.

        Parameters
        ----------
        X : pandas, polars or Dask DataFrame, or array
            The rows.

        y : array-like
            Their labels.

        sample_weight : array-like, default=None
            What each row weighs when the estimator is trained; a synthetic row weighs as much as the rows of the data
            do on the mean. Scores count all rows alike.

        Returns
        -------
        FROTE
        """
        self._edit(X, y, sample_weight)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any]:
        """Edit the estimator and return the data that it was trained on in the end.

        Parameters
        ----------
        X : pandas, polars or Dask DataFrame, or array
            The rows; they are not changed.

        y : array-like
            Their labels.

        sample_weight : array-like, default=None
            What each row weighs when the estimator is trained; a synthetic row weighs as much as the rows of the data
            do on the mean. Scores count all rows alike.

        Returns
        -------
        X_new : as X
            The rows that were kept, in order, and below them the synthetic ones. Those of a Dask frame are lazy, and so
            are `ledger_`, `sample_indices_` and `sample_weight_`.

        y_new : as y
            Their labels.
        """
        return self._edit(X, y, sample_weight).lent()  # a report is of what they were
