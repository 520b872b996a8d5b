"""What an edit is asked for in the studio: the way, the limits; and the order that it makes with a version."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from frote.edits.order import Order
from frote.edits.trusted import require_trusted
from frote.exceptions import RecordError
from frote.rules.files import require_rules
from frote.rules.written import WrittenRules
from frote.studio.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from frote.studio.settings import Settings
    from frote.studio.versions import Version

__all__ = ["MODIFY", "WAYS", "Asked", "Way", "order_of"]

Way: TypeAlias = Literal["data", "switches", "anchored", "auto"]
Modify: TypeAlias = Literal["relabel", "drop", "none"]
WAYS: tuple[Way, ...] = get_args(Way)
MODIFY: tuple[Modify, ...] = get_args(Modify)
TWINS = 1.0  # for each synthetic row: they make that the loss outside is measured at each step


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an edit is asked for, beside the policy.

    Parameters
    ----------
    how : {"data", "switches", "anchored", "auto"}, default="data"
        How the rules get into the model.

    modify : {"relabel", "drop", "none"}, default="relabel"
        What is done to rows whose label is against the rules, where that is by data.

    most_loss : float or None, default=None
        How much worse the model may get outside the rules.

    most_rows : float or None, default=None
        Synthetic rows at most, per row of data, where that is by data.

    seconds : float or None, default=None
        After how long to end.

    most_fits : int or None, default=None
        Retrainings at most, where that is by data.

    Examples
    --------
    >>> Asked.of_form({"how": "data", "most_loss": "0.02", "seconds": ""}).settings
    {'modify': 'relabel', 'twins': 1.0, 'max_loss_outside': 0.02}
    >>> Asked.of_form({"most_loss": "little"})
    Traceback (most recent call last):
        ...
    frote.studio.errors.StudioError: The most loss outside is a number such as 0.02, not 'little'.
    """

    how: Way = "data"
    modify: Modify = "relabel"
    most_loss: float | None = None
    most_rows: float | None = None
    seconds: float | None = None
    most_fits: int | None = None

    @classmethod
    def of_form(cls, form: Mapping[str, str]) -> Asked:
        """Read what a form says; what it leaves empty is left open.

        Raises
        ------
        StudioError
            With the field that cannot be used.
        """
        most_fits = _number(form, "most_fits", "The most retrainings", "50")
        return cls(
            how=_one_of(form, "how", WAYS),
            modify=_one_of(form, "modify", MODIFY),
            most_loss=_number(form, "most_loss", "The most loss outside", "0.02"),
            most_rows=_number(form, "most_rows", "The most rows per row of data", "0.5", least=1e-6),
            seconds=_number(form, "seconds", "The time in seconds", "600"),
            most_fits=None if most_fits is None else int(most_fits),
        )

    @property
    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    @classmethod
    def of(cls, plain: Any) -> Asked:
        """Read what `plain` gave.

        Raises
        ------
        StudioError
            If it is none.
        """
        if not isinstance(plain, dict) or plain.keys() != {one.name for one in fields(cls)}:
            raise StudioError("What the edit was asked for cannot be read.")
        return cls.of_form({name: "" if value is None else str(value) for name, value in plain.items()})

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of an order."""
        in_model = {"how": self.how}
        by_data = {"modify": self.modify, "oversample": self.most_rows, "max_fits": self.most_fits, "twins": TWINS}
        ways = by_data if self.how == "data" else in_model
        limits = {"max_loss_outside": self.most_loss, "time_limit": self.seconds}
        return {name: value for name, value in {**ways, **limits}.items() if value is not None}


def order_of(asked: Asked, version: Version, settings: Settings, trusted: Collection[str] = ()) -> Order:
    """Put what is asked for, a version of the policy and the settings of a workspace into one order.

    Raises
    ------
    FroteError
        If no edit can be asked for so.
    """
    require_trusted(settings.model, trusted, "The workspace")
    written = WrittenRules(version.policy)
    require_rules(written.rules, "The policy")
    facts = {"title": settings.title, "owner": version.owner, "effective": version.effective}
    judged = {"protected": settings.protected, "favourable": settings.favourable}
    columns = settings.columns
    try:
        return Order(
            target=columns.target,
            categorical=columns.categorical,
            numeric=columns.numeric,
            ignore=columns.ignore,
            levels=columns.levels,
            rules=written,
            model=settings.model,
            params=settings.params,
            settings=asked.settings,
            resolve=version.resolve,
            seed=settings.seed,
            about={name: fact for name, fact in facts.items() if fact},
            cases=version.cases or None,
            judge_by={name: value for name, value in judged.items() if value},
        )
    except RecordError as error:
        raise StudioError(str(error)) from None


def _one_of(form: Mapping[str, str], name: str, words: tuple[Any, ...]) -> Any:
    word = form.get(name) or words[0]
    if word not in words:
        raise StudioError(f"What is asked for cannot be done: {name} is one of {', '.join(words)}.")
    return word


def _number(form: Mapping[str, str], name: str, what: str, such_as: str, least: float = 0.0) -> float | None:
    text = form.get(name, "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and least <= number <= 1e9):
        raise StudioError(f"{what} is a number such as {such_as}, not {text[:60]!r}.")
    return number
