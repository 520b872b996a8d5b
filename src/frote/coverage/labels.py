"""Class labels as codes, with the texts by which rules name them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FroteError, TableError
from frote.layout import counted
from frote.rules.values import as_value
from frote.table.frames import code_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["NEITHER", "Beyond", "Labels", "narrowed", "require_classes", "unknown_labels"]

ROWS_PER_UNKNOWN = 10  # one row in so many may have a label that is not known
UNKNOWN = "the model does not know"
NEITHER = "neither model knows"
SHOWN = 6  # labels in a message, at most
AT_A_TIME = 1 << 18  # predictions: they become objects on their way


@dataclass(frozen=True, slots=True)
class Beyond:
    """Labels that are no classes of those who are judged by them: how many rows have one, and their texts."""

    rows: int = 0
    texts: tuple[str, ...] = ()

    def told(self, that: str = UNKNOWN) -> str:
        """Say so in a sentence; nothing if there is none.

        Examples
        --------
        >>> Beyond(2, ("never",)).told()
        "2 rows have a label that the model does not know, 'never', and count as mistakes."
        """
        if not self.rows:
            return ""
        kinds = "a label" if len(self.texts) == 1 else "labels"
        verb, count = ("has", "counts as a mistake") if self.rows == 1 else ("have", "count as mistakes")
        return f"{counted(self.rows, 'row')} {verb} {kinds} that {that}, {_some(self.texts)}, and {count}."


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The labels of some rows.

    Parameters
    ----------
    codes : ndarray of int
        For each row, the position of its label in `classes`.

    classes : tuple
        The distinct labels, sorted, as the caller's own values.

    Examples
    --------
    >>> labels = Labels.of(["no", "yes", "no"])
    >>> labels.codes.tolist(), labels.texts
    ([0, 1, 0], ('no', 'yes'))
    """

    codes: NDArray[np.intp]
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, y: Any, rows: int | None = None, *, what: str = "y") -> Labels:
        """Read labels of any kind: list, array, pandas or polars Series, or a frame of one column.

        Parameters
        ----------
        y : array-like
            The labels.

        rows : int, default=None
            How many there must be.

        what : str, default="y"
            What to call them in error messages.

        Returns
        -------
        Labels
        """
        # A list is read as objects: NumPy would make the NaN beside texts a text.
        values = y.to_numpy() if hasattr(y, "to_numpy") else y
        array = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise TableError(f"{what} must be one column of labels, not an array of shape {array.shape}.")
        if rows is not None and len(array) != rows:
            raise TableError(f"{what} has {len(array):,} labels for {rows:,} rows.")
        codes, distinct = pd.factorize(array)
        if (codes < 0).any():
            place = int(np.flatnonzero(codes < 0)[0])
            raise TableError(f"{what} has a missing label at position {place}. Drop the rows without a label.")
        natives = distinct.tolist()
        try:
            order = sorted(range(len(natives)), key=natives.__getitem__)
        except TypeError:
            order = sorted(range(len(natives)), key=lambda place: str(natives[place]))
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = np.arange(len(order))
        return cls(ranks[codes], tuple(natives[place] for place in order))

    def match(self, others: Sequence[Any]) -> list[int]:
        """Return the code of each of some labels; -1 for one that is no class.

        They are the same if they are equal, or else if their texts are, or else if rules take them for the same value
        and no other class is taken for it.

        Examples
        --------
        >>> Labels.of([True, False]).match([1, "False", "maybe"])
        [1, 0, -1]
        >>> Labels.of([0.0, 1.0]).match(["1", "01"])
        [1, -1]
        """
        by_value = {label: code for code, label in enumerate(self.classes)}
        by_text = {text: code for code, text in enumerate(self.texts)}
        codes = [by_value.get(label, by_text.get(str(label), -1)) for label in others]
        return self._by_meaning(others, codes) if -1 in codes else codes

    def _by_meaning(self, others: Sequence[Any], codes: list[int]) -> list[int]:
        """Find labels that neither are equal to a class nor read like one, but mean one: the text 1, the float 1.0."""
        meanings = list(map(_meaning, self.classes))
        counts = Counter(meanings)
        alone = {meaning: code for code, meaning in enumerate(meanings) if counts[meaning] == 1}
        return [alone.get(_meaning(label), -1) if code < 0 else code for label, code in zip(others, codes, strict=True)]

    def take(self, rows: NDArray[np.intp]) -> Labels:
        """Return the labels of some rows, without classes that none of them has."""
        left, codes = np.unique(self.codes[rows], return_inverse=True)
        return Labels(codes.astype(np.intp), tuple(self.classes[code] for code in left))

    def joined(self, more: Labels) -> Labels:
        """Return the same labels with further classes behind their own: those of others that are none of these."""
        fresh = [label for label, code in zip(more.classes, self.match(more.classes), strict=True) if code < 0]
        return Labels(self.codes, (*self.classes, *dict.fromkeys(fresh)))

    def and_of(self, classes: Sequence[Any] | None) -> Labels:
        """Return the same labels with the classes that only a model knows behind their own; None if it tells none."""
        return self if classes is None else self.joined(Labels.known(classes))

    def beyond(self, known_labels: Labels, *, what: str = "y", that: str = UNKNOWN, few: bool = True) -> Beyond:
        """Return the labels that are no classes of someone who is to be judged by them.

        A few rows of a class that was too rare to be learned are an honest part of a judgement: all of them count as
        mistakes. Where nothing is in common, or more than a few rows are strange, or a label is a class but for its
        spelling, the labels are written in another way, and scores would mean nothing.

        Parameters
        ----------
        known_labels : Labels
            The classes that are known.

        what, that : str
            What to call the labels, and what is wrong with those that are no classes, in messages.

        few : bool, default=True
            Whether a few rows may have such labels.

        Returns
        -------
        Beyond

        Raises
        ------
        TableError
            If the labels seem to be written in another way than the classes.

        Examples
        --------
        >>> known = Labels.of(["no", "yes"])
        >>> Labels.of(["no"] * 30 + ["perhaps"]).beyond(known).texts
        ('perhaps',)
        >>> try:
        ...     Labels.of([0, 1, 1]).beyond(known)
        ... except TableError as error:
        ...     print(str(error).partition(". ")[0])
        y has labels that the model does not know (0, 1, on 3 of 3 rows): the classes are 'no', 'yes'
        """
        counts = np.bincount(self.codes, minlength=len(self.classes))
        return self.beyond_by_counts(counts, known_labels, what=what, that=that, few=few)

    def beyond_by_counts(
        self, counts: NDArray[np.intp], known_labels: Labels, *, what: str = "y", that: str = UNKNOWN, few: bool = True
    ) -> Beyond:
        """Return the same for rows of which it is known how many have each class."""
        matched = np.array(known_labels.match(self.classes), dtype=np.intp)
        strange = [label for label, code in zip(self.classes, matched, strict=True) if code < 0]
        rows, total = int(counts[matched < 0].sum()), int(counts.sum())
        if strange:
            folded = {_folded(text) for text in known_labels.texts}
            alike = any(_folded(str(label)) in folded for label in strange)
            if alike or len(strange) == len(matched) or rows * ROWS_PER_UNKNOWN > total or not few:
                raise TableError(
                    f"{what} has labels that {that} ({_some(strange)}, on {rows:,} of "
                    f"{counted(total, 'row')}): the classes are {_some(known_labels.classes)}. "
                    "Write them alike, or leave those rows out."
                )
        return Beyond(rows, tuple(map(str, strange)))

    @classmethod
    def known(cls, classes: Sequence[Any]) -> Labels:
        """Return classes without rows."""
        return cls(np.empty(0, dtype=np.intp), tuple(classes))

    def codes_for(self, predicted: NDArray[Any]) -> NDArray[np.intp]:
        """Return what a model predicts as codes of these classes; -1 for any other class.

        Raises
        ------
        TableError
            If it predicts none of the classes.
        """
        codes, strange = self.codes_and_strange(predicted)
        if strange and (codes < 0).all():
            raise TableError(f"The model predicts {strange[0]!r}, which is none of the classes {list(self.texts)}.")
        return codes

    def codes_and_strange(self, predicted: NDArray[Any]) -> tuple[NDArray[np.intp], list[Any]]:
        """Return the same codes, and what is predicted beside the classes."""
        codes, strange = np.empty(len(predicted), dtype=np.intp), []
        for start in range(0, len(predicted), AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            places, distinct = pd.factorize(predicted[part])
            natives = distinct.tolist()
            code_at = np.array([*self.match(natives), -1], dtype=np.intp)
            codes[part] = code_at[places]
            strange += [native for native, code in zip(natives, code_at, strict=False) if code < 0]
        return codes, strange

    @property
    def texts(self) -> tuple[str, ...]:
        """The classes' texts, in order."""
        return tuple(map(str, self.classes))

    def recoded(self, texts: tuple[str, ...]) -> NDArray[np.intp]:
        """Return the labels as positions in another list of classes' texts, which must hold them all."""
        position_of = {text: position for position, text in enumerate(texts)}
        return np.array([position_of[text] for text in self.texts], dtype=np.intp)[self.codes]


def narrowed(codes: NDArray[np.signedinteger[Any]], classes: int) -> NDArray[np.signedinteger[Any]]:
    """Return codes of so many classes in as few bytes as they take; -1 is none of them.

    Examples
    --------
    >>> narrowed(np.array([0, 2, 1]), 3)
    array([0, 2, 1], dtype=int8)
    """
    return codes.astype(code_dtype(classes), copy=False)


def require_classes(labels: Labels, y: Any) -> None:
    """Say so if labels are no classes to learn: one alone, texts beside others, or continuous numbers."""
    if len(labels.classes) < 2:
        raise TableError(f"y has one class only, {labels.classes[0]!r}; a classifier needs two at least.")
    texts = [label for label in labels.classes if isinstance(label, str)]
    others = [label for label in labels.classes if not isinstance(label, str)]
    if texts and others:
        raise TableError(
            f"y has labels of several types, such as {texts[0]!r} and {others[0]!r}. Make all of them texts."
        )
    kind = getattr(np.asarray(y), "dtype", np.dtype(object)).kind
    if kind == "f" and (len(labels.classes) > 20 or not all(map(float.is_integer, map(float, labels.classes)))):
        raise TableError("Unknown label type: y holds continuous numbers, not classes.")


def unknown_labels(
    labels: Labels,
    sides: Sequence[Sequence[Any] | None],
    *,
    what: str = "y",
    counts: NDArray[np.intp] | None = None,
) -> Beyond:
    """Return the labels that none of some models knows, as `Labels.beyond` does, given the classes that each tells of.

    Where a model tells none, nothing is known of what it does not know. `counts`: how many rows have each class, where
    that is known and the rows are not at hand.

    Examples
    --------
    >>> unknown_labels(Labels.of([0, 1]), [["no", "yes"], None])
    Beyond(rows=0, texts=())
    """
    known_classes = [Labels.known(classes) for classes in sides if classes is not None]
    if not known_classes or len(known_classes) < len(sides):
        return Beyond()
    known, that = reduce(Labels.joined, known_classes), UNKNOWN if len(known_classes) == 1 else NEITHER
    if counts is not None:
        return labels.beyond_by_counts(counts, known, what=what, that=that)
    return labels.beyond(known, what=what, that=that)


def _meaning(label: Any) -> Any:
    """Return what rules take a label for."""
    try:
        return as_value(label)
    except FroteError:
        return str(label)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _some(labels: Sequence[Any]) -> str:
    shown = ", ".join(map(repr, labels[:SHOWN]))
    return shown if len(labels) <= SHOWN else f"{shown}, ... ({len(labels):,} in all)"
