"""Models on disk, in the format of skops: no code runs when one is read, unlike with a pickle."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from frote.coverage.asking import ask, own_columns
from frote.edits.model_bytes import written_alike
from frote.edits.model_checks import require_sound
from frote.edits.model_errors import as_model_error
from frote.edits.model_files import contents_of
from frote.exceptions import ModelError, told
from frote.opened import opened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    import pandas as pd

__all__ = ["concerned", "load_model", "model_for", "save_model"]


def save_model(model: Any, path: Path) -> None:
    """Write a model; the same one gives the same bytes."""
    dumps = _skops().dumps
    try:
        content = written_alike(dumps(model))
    except Exception as error:
        raise ModelError(f"A {type(model).__name__} cannot be saved by skops: {error}.") from None
    path.write_bytes(content)


def load_model(path: Path, trusted: Collection[str] = ()) -> Any:
    """Read a model.

    Parameters
    ----------
    path : Path
        Its file.

    trusted : collection of str, default=()
        Names of types that the file may hold besides those that frote knows, such as LightGBM's. For what these do,
        the caller answers.

    Returns
    -------
    estimator

    Raises
    ------
    ModelError
        If the file holds other types, which are named, if a part of the model is not sound, or if it is no model.
    """
    _require_no_edit(path)
    with opened(path) as file:
        content = file.read()
    with _read_as_model(path):
        contents = contents_of(content, trusted)
    if contents.unknown:
        more = " ".join(f"--trust {name}" for name in contents.unknown)
        raise ModelError(
            f"{path} holds {', '.join(contents.unknown)}. If you know where the file comes from, add: {more}"
        )
    load = _skops().load
    with _read_as_model(path):
        model = load(io.BytesIO(contents.content), trusted=contents.names)
        require_sound(model, trusted)
    return model


def _require_no_edit(path: Path) -> None:
    """Refuse an edit in place of a model, and name the models in it."""
    what, folder = ("folder", path) if path.is_dir() else ("record", path.parent)
    if what == "record" and path.name != "edit.json":
        return
    before, after = folder / "before.skops", folder / "model.skops"
    if after.is_file():
        raise ModelError(f"{path} is the {what} of an edit. Its model is {after}; {before} is the one before the edit.")


def _skops() -> Any:
    """Return skops, which takes a second to import, and most commands have no model to read or save.

    It asks scikit-learn for all estimators; the module that lists them has tools for tests beside, and takes pytest
    along wherever that is installed. None in its place means to Python that there is no such module.
    """
    hidden = sys.modules.setdefault("pytest", None) is None  # type: ignore[arg-type]
    try:
        import skops.io
    finally:
        if hidden:
            del sys.modules["pytest"]
    return skops.io


@contextmanager
def _read_as_model(path: Path) -> Iterator[None]:
    """Put into one sentence whatever damaged content makes zipfile, json, NumPy, skops or scikit-learn raise."""
    try:
        yield
    except Exception as error:
        fact = str(error) if isinstance(error, ModelError) else told(error)
        raise ModelError(f"{path} cannot be read as a model: {fact}.") from None


def model_for(table: pd.DataFrame, path: Path, trusted: Collection[str] = (), *, table_path: Path) -> Any:
    """Read a model that is to be asked about the table of a file, which may have more columns than the model knows.

    Raises
    ------
    ModelError, TableError
        If the model cannot be read, or cannot be asked about the table.
    """
    model = load_model(path, trusted)
    with as_model_error(f"The model of {path} cannot be asked about this table"):
        ask(model, table, what=str(table_path), whose=f"the model of {path}")
    return model


def concerned(X: pd.DataFrame, models: Iterable[Any], more: Iterable[str] = ()) -> pd.DataFrame:
    """Return a table without columns that neither a model knows nor anything else speaks of, such as row numbers."""
    named = {*more, *(name for model in models for name in own_columns(model, X)[0].columns)}
    return X[[name for name in X.columns if name in named]]
