"""Models asked about tables: each gets the columns that it knows, in the order in which it knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.coverage.said import CHECKS
from frote.exceptions import TableError, nearest
from frote.table import TypedFrame, lent
from frote.table.columns import labels_of, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.table import Table

__all__ = ["ask", "own_columns", "require_predict"]


def ask(model: Any, X: Any, method: str = "predict", *, what: str = "X", whose: str = "the model") -> NDArray[Any]:
    """Ask a model about a table, which may have its columns in another order, and more of them.

    Parameters
    ----------
    model : classifier
        The model. One that does not tell its columns gets the table as it is.

    X : pandas or polars DataFrame, array, or TypedFrame
        The rows; the columns of an array have no names and are taken as they stand.

    method : {"predict", "predict_proba"}, default="predict"
        What to ask.

    what, whose : str
        What to call the table and the model in messages.

    Returns
    -------
    ndarray
        What the model says: one label, or one line of probabilities, for each row.

    Raises
    ------
    TableError
        If the table lacks a column that the model cannot do without.

    ModelError
        If what it says is nothing of the kind.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = pd.DataFrame({"age": [20, 40], "income": [1, 1]})
    >>> model = DecisionTreeClassifier().fit(X, ["no", "yes"])
    >>> ask(model, X.assign(id=7)[["income", "id", "age"]]).tolist()
    ['no', 'yes']
    """
    lacking: list[str] = []
    if isinstance(X, TypedFrame) and knows_all(model, X.table):
        given = X.lent_to(model)
    else:
        X = X.frame if isinstance(X, TypedFrame) else X
        own, lacking = own_columns(model, X)
        given = lent(own)
    try:
        said = getattr(model, method)(given)
    except Exception as error:
        if not lacking:
            raise
        hint = nearest(lacking[0], labels_of(X) or ())
        raise TableError(f"{what} has no column {lacking[0]!r}, which {whose} was fitted to. {hint}") from error
    who = type(model).__name__
    return CHECKS[method](said, len(X), who if whose == "the model" else f"{who}, {whose},")


def knows_all(model: Any, table: Table) -> bool:
    """Tell whether the columns that a model knows are those of a table, in its order; also if it does not tell."""
    names, labels = getattr(model, "feature_names_in_", None), table.labels
    return names is None or labels is None or list(names) == labels


def require_predict(model: Any, whose: str = "the model") -> None:
    """Say so if something is no model: nothing that predicts.

    Examples
    --------
    >>> require_predict(object())
    Traceback (most recent call last):
    frote.exceptions.TableError: object has no predict.
    """
    if not hasattr(model, "predict"):
        name = type(model).__name__
        who = name if whose == "the model" else f"{whose[0].upper()}{whose[1:]}, {name},"
        hint = " Its model is in estimator_." if hasattr(model, "estimator_") else ""
        raise TableError(f"{who} has no predict.{hint}")


def own_columns(model: Any, X: Any) -> tuple[Any, list[str]]:
    """Return the columns of a table that a model knows, in its order, and the names of those that the table lacks.

    A model may do without some of its columns, as pipelines do that drop them: whether it can is for it to say.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit(pd.DataFrame({"age": [20, 40], "income": [1, 1]}), ["no", "yes"])
    >>> own_columns(model, pd.DataFrame({"id": [1], "age": [31]}))
    (   age
    0   31, ['income'])
    """
    labels, names = labels_of(X), getattr(model, "feature_names_in_", None)
    if names is None or labels is None:
        return X, []
    # LightGBM writes the blanks in names as underscores.
    label_of = {text.replace(" ", "_"): label for text, label in labels.items()} | labels
    lacking = [str(name) for name in names if name not in label_of]
    if len(lacking) == len(names):
        return X, lacking
    return taken(X, [label_of[name] for name in names if name in label_of]), lacking
