"""The order: all that an edit is asked to do, as one value that a record can hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from frote.exceptions import RecordError
from frote.plain import unwritable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.rules.written import WrittenRules

__all__ = [
    "MOST_SEEDS",
    "RESOLUTIONS",
    "SEEDS",
    "ColumnForm",
    "Columns",
    "FrameForm",
    "InPython",
    "JudgeBy",
    "Order",
    "PlainOrder",
]

LISTS = ("categorical", "numeric", "ignore")  # names of columns
SEEDS = 2**32
MOST_SEEDS = 100
RESOLUTIONS = ("exclude", "mix", "priority")
SEEN = ("drop", "keep")
KINDS = {
    **dict.fromkeys(("target", "rules", "model"), "a text"),
    **dict.fromkeys(("params", "settings"), "values by name"),
    "published": "true or false",
    **dict.fromkeys(("resolve", "seen"), "a text or nothing"),
    **dict.fromkeys(LISTS, "a list of texts"),
    "seed": "a whole number",
    "about": "texts by name",
    "levels": "lists of texts by name",
    "spreadsheet_safe": "true or false",
    "pick": "a whole number or nothing",
    "repeat": "a whole number",
    "cases": "a text or nothing",
    "cases_must_hold": "true or false",
    "judge_by": "values by name",
    "in_python": "values by name",
    "engine": "a text or nothing",
}
ENGINES = ("dask",)


@dataclass(frozen=True, slots=True)
class Columns:
    """How the columns of a table of someone's are to be read.

    Parameters
    ----------
    target : str
        The column of labels.

    categorical, numeric : tuple of str, default=()
        Columns whose kind the caller gives.

    ignore : tuple of str, default=()
        Columns that are left out.

    levels : dict of str to list of str, default={}
        Levels that columns may have though no row has them.
    """

    target: str
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    levels: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require(unwritable(asdict(self)))


class JudgeBy(TypedDict):
    """What models are judged by beside the rules; see `compare_models`. A cost is by label and prediction."""

    protected: NotRequired[str]
    favourable: NotRequired[str]
    threshold: NotRequired[float]
    cost: NotRequired[dict[str, dict[str, float]]]


class ColumnForm(TypedDict):
    """How a column was made: its type; of one with levels, these, their type and whether they have an order.

    `none`: whether None stands where a value is missing, and not NaN, where both can.
    """

    name: str | int
    type: str
    levels: NotRequired[list[str | int | float | bool]]
    levels_type: NotRequired[str]
    ordered: NotRequired[bool]
    none: NotRequired[bool]


class FrameForm(TypedDict):
    """What kind of frame it was, and its columns; those of an array are all of one type."""

    kind: Literal["pandas", "polars", "numpy", "list"]
    columns: list[ColumnForm]


class InPython(TypedDict):
    """What an edit that was made in Python was made of beside what a command can say.

    `estimator`: the SHA-256 of the file with the untrained estimator; `data` and `test`: what kind of frame and labels
    the rows and those to judge on were, None where that cannot be told; `last_step`: where a callback or a person
    ended the run; `unsaid`: what no record can say, so that the edit cannot be repeated from it.
    """

    estimator: str
    data: list[FrameForm | None]
    test: NotRequired[list[FrameForm | None]]
    last_step: NotRequired[int]
    unsaid: list[str]


class PlainOrder(TypedDict):
    """What an edit is asked to do, as a record has it; see `Order`."""

    target: str
    rules: str
    model: str
    params: dict[str, Any]
    settings: dict[str, Any]
    published: bool
    resolve: Literal["exclude", "mix", "priority"] | None
    categorical: list[str]
    numeric: list[str]
    ignore: list[str]
    levels: dict[str, list[str]]
    seed: int
    about: dict[str, str]
    seen: Literal["drop", "keep"] | None
    spreadsheet_safe: NotRequired[bool]
    pick: NotRequired[int]
    repeat: NotRequired[int]
    cases: NotRequired[str]
    cases_must_hold: NotRequired[bool]
    judge_by: NotRequired[JudgeBy]
    in_python: NotRequired[InPython]
    engine: NotRequired[Literal["dask"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Columns):
    """What an edit is asked to do, and how the columns of its table are to be read.

    Parameters
    ----------
    rules : WrittenRules
        The rules as written.

    model : str
        The name of the model.

    params : dict, default={}
        Parameters of the model other than the usual ones.

    settings : dict, default={}
        Parameters of `FROTE` other than the usual ones.

    published : bool, default=False
        Whether the algorithm is the paper's.

    resolve : str or None, default=None
        How conflicts are resolved.

    seed : int, default=0
        Where chance comes from.

    about : dict, default={}
        Free facts for the report: title, owner, approver, effective.

    seen : str or None, default=None
        What is done with rows to judge on that also stand in the data: "drop", "keep", or what is usual.

    spreadsheet_safe : bool, default=False
        Whether texts that a spreadsheet would take for formulas are written with an apostrophe before them.

    pick : int or None, default=None
        The step of the run that is wanted, -1 for the model before; None where the run ends.

    repeat : int, default=1
        How many seeds the edit is made with, its own and those that follow, to say how far it depends on chance.

    cases : str or None, default=None
        Cases that the edited model is to be tried by, as CSV.

    cases_must_hold : bool, default=False
        Whether a model that answers one of them otherwise than expected is not to be handed back.

    judge_by : dict, default={}
        What the report judges by beside the rules: protected, favourable, threshold, cost.

    in_python : dict, default={}
        Of an edit that was made in Python: estimator, data, test, last_step, unsaid; see `InPython`.

    engine : str or None, default=None
        What reads the table by parts, "dask"; None for a table in memory.
    """

    rules: WrittenRules
    model: str
    params: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    published: bool = False
    resolve: str | None = None
    seed: int = 0
    about: dict[str, str] = field(default_factory=dict)
    seen: str | None = None
    spreadsheet_safe: bool = False
    pick: int | None = None
    repeat: int = 1
    cases: str | None = None
    cases_must_hold: bool = False
    judge_by: dict[str, Any] = field(default_factory=dict)
    in_python: dict[str, Any] = field(default_factory=dict)
    engine: str | None = None

    def __post_init__(self) -> None:
        _require(self._fault())

    def _fault(self) -> str | None:
        """Say what no edit can be asked for: a record may say anything."""
        for name, kind in KINDS.items():
            value = getattr(self, name)
            if not _is(value.text if name == "rules" else value, kind):
                return f"{name!r} must be {kind}"
        if not 0 <= self.seed < SEEDS:
            return f"'seed' must be from 0 to {SEEDS - 1}"
        if self.resolve not in (None, *RESOLUTIONS):
            return f"'resolve' must be one of {', '.join(RESOLUTIONS)}"
        if self.seen not in (None, *SEEN):
            return f"'seen' must be one of {', '.join(SEEN)}"
        if self.engine not in (None, *ENGINES):
            return f"'engine' must be one of {', '.join(ENGINES)}"
        if not 1 <= self.repeat <= MOST_SEEDS:
            return f"'repeat' must be from 1 to {MOST_SEEDS}"
        if self.repeat > 1 and self.pick is not None:
            return "a step that is picked is none of another seed"
        if self.repeat > 1 and "time_limit" in self.settings:
            return "with a time limit nobody could repeat what other seeds came to; limit the trainings by max_fits"
        strange = self.judge_by.keys() - JudgeBy.__annotations__.keys()
        if strange:
            return f"'judge_by' has no {min(strange)!r}"
        if not all(isinstance(self.judge_by.get(name, ""), str) for name in ("protected", "favourable")):
            return "what is protected and favourable must be a text"
        if self.in_python and not _is_in_python(self.in_python):
            return "'in_python' must tell of an estimator, of the data and of what is unsaid"
        return unwritable(self.plain)

    @property
    def plain(self) -> PlainOrder:
        """The same as plain data; what came later than the format is there if it is used."""
        values = {**asdict(self), "rules": self.rules.text, **{name: list(getattr(self, name)) for name in LISTS}}
        if self.repeat == 1:
            del values["repeat"]
        for name in ("spreadsheet_safe", "pick", "cases", "cases_must_hold", "judge_by", "in_python", "engine"):
            if values[name] is None or values[name] is False or values[name] == {}:  # a step may be 0
                del values[name]
        plain: Any = {name: values[name] for name in PlainOrder.__annotations__ if name in values}
        plain_order: PlainOrder = plain
        return plain_order

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Order:
        """Read what `plain` gave.

        Raises
        ------
        RecordError
            If a part is of another type than it should be.
        """
        from frote.rules.written import WrittenRules  # heavy: options need only what may be said

        listed = {name: tuple(plain[name]) if isinstance(plain[name], list) else plain[name] for name in LISTS}
        return cls(**{**plain, **listed, "rules": WrittenRules(plain["rules"])})


def _require(fault: str | None) -> None:
    if fault is not None:
        raise RecordError(f"What is asked for cannot be done: {fault}.")


def _is_in_python(facts: Mapping[str, Any]) -> bool:
    """Tell whether what a record says of an edit in Python is of the types that it should be."""
    forms = [facts.get("data"), *([facts["test"]] if "test" in facts else [])]
    pairs = all(
        isinstance(pair, list) and len(pair) == 2 and all(one is None or isinstance(one, dict) for one in pair)
        for pair in forms
    )
    unsaid, last_step = facts.get("unsaid"), facts.get("last_step", 0)
    named = facts.keys() <= InPython.__annotations__.keys() and _is(facts.get("estimator"), "a text")
    texts = isinstance(unsaid, list) and all(isinstance(one, str) for one in unsaid)
    return pairs and named and texts and _is(last_step, "a whole number")


def _is(value: Any, kind: str) -> bool:
    """Tell whether a value is of a kind."""
    match kind:
        case "a text":
            return isinstance(value, str)
        case "a text or nothing":
            return value is None or isinstance(value, str)
        case "true or false":
            return isinstance(value, bool)
        case "a whole number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "a whole number or nothing":
            return value is None or _is(value, "a whole number")
        case "a list of texts":
            return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
        case "texts by name":
            return isinstance(value, dict) and all(isinstance(one, str) for pair in value.items() for one in pair)
        case "lists of texts by name":
            listed = isinstance(value, dict) and all(isinstance(one, list) for one in value.values())
            return listed and all(isinstance(one, str) for pair in value.items() for one in (pair[0], *pair[1]))
        case "values by name":
            return isinstance(value, dict) and all(isinstance(name, str) for name in value)
    raise AssertionError(kind)
