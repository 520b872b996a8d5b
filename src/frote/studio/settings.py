"""What a workspace is about: its table, its model, how columns are read, and who sits before it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from frote.edits.order import RESOLUTIONS, Columns
from frote.exceptions import RecordError
from frote.plain import unwritable
from frote.studio.errors import StudioError
from frote.studio.versions import is_day

__all__ = ["SETTINGS", "Settings"]

SETTINGS = "studio.json"
FORMAT = 1
LONGEST = 4_000  # characters of a name
LISTS = ("categorical", "numeric", "ignore")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a workspace.

    Parameters
    ----------
    data, test : str, default=""
        The names of the tables in the workspace that are trained and judged on; empty if there is none.

    target : str, default=""
        The column of labels.

    model : str, default="logistic"
        The name of the model.

    params : dict, default={}
        Its parameters other than the usual ones.

    categorical, numeric, ignore : tuple of str, default=()
        Columns whose kind is given, and columns that are left out.

    levels : dict of str to list of str, default={}
        Levels that columns may have though no row has them.

    protected, favourable : str, default=""
        What is protected, such as ``sex, age < 25``, and the label that people hope for.

    who : str, default=""
        Who sits before it.

    title, owner, effective : str, default=""
        What the policy is called, who answers for it, and the day from which on it holds, such as 2027-01-31.

    resolve : {"exclude", "mix", "priority"} or None, default=None
        What becomes of conflicts.

    seed : int, default=0
        Where chance comes from.

    Examples
    --------
    >>> settings = Settings(data="loans.csv", target="decision", ignore=("id",))
    >>> Settings.of(settings.content) == settings
    True
    """

    data: str = ""
    test: str = ""
    target: str = ""
    model: str = "logistic"
    params: dict[str, Any] = field(default_factory=dict)
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    levels: dict[str, list[str]] = field(default_factory=dict)
    protected: str = ""
    favourable: str = ""
    who: str = ""
    title: str = ""
    owner: str = ""
    effective: str = ""
    resolve: Literal["exclude", "mix", "priority"] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        fault = self._fault()
        if fault is not None:
            raise StudioError(f"{SETTINGS} of the workspace cannot be used: {fault}. Mend it or move it away.")

    def _fault(self) -> str | None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.type == "str" and not (isinstance(value, str) and len(value) <= LONGEST):
                return f"{one.name!r} must be a text"
            if one.name in LISTS and not (isinstance(value, tuple) and all(isinstance(name, str) for name in value)):
                return f"{one.name!r} must be a list of texts"
        if self.effective and not is_day(self.effective):
            return f"'effective' is a day, written 2027-01-31, not {self.effective!r}"
        if self.resolve not in (None, *RESOLUTIONS):
            return f"'resolve' must be one of {', '.join(RESOLUTIONS)}"
        seed: Any = self.seed  # a file may say anything, whatever the types say
        params: Any = self.params
        if type(seed) is not int or not 0 <= seed < 2**32:
            return "'seed' must be a whole number"
        if not isinstance(params, dict) or not _are_levels(self.levels):
            return "'params' must be values by name, and 'levels' lists of texts by name"
        return unwritable(asdict(self))

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        return (json.dumps({"studio": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False) + "\n").encode()

    @classmethod
    def of(cls, content: bytes) -> Settings:
        """Read what `content` gave.

        Raises
        ------
        StudioError
            If it is none, or of a later release.
        """
        try:
            plain: Any = json.loads(content.decode("utf-8"))
            form = plain.pop("studio")
            given: dict[str, Any] = {name: _listed(value) for name, value in plain.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise StudioError(f"{SETTINGS} of the workspace is damaged. Mend it or move it away.") from None
        unknown = given.keys() - {one.name for one in fields(cls)}
        if form != FORMAT or unknown:
            raise StudioError(f"{SETTINGS} of the workspace is of another release of frote. Move it away.")
        return cls(**given)

    @property
    def columns(self) -> Columns:
        """How the columns of its tables are to be read.

        Raises
        ------
        StudioError
            If there is no column of labels yet.
        """
        if not self.target:
            raise StudioError("Which column holds the labels is not said yet. Choose it in the data room.")
        try:
            return Columns(self.target, self.categorical, self.numeric, self.ignore, self.levels)
        except RecordError as error:
            raise StudioError(str(error)) from None


def _are_levels(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str) and isinstance(levels, list) and all(isinstance(level, str) for level in levels)
        for name, levels in value.items()
    )


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
