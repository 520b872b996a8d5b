"""What a report is told of an edit that its editor does not know."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from frote.rules.written import WrittenRules

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["About"]


def _today() -> str:
    return dt.datetime.now().astimezone().date().isoformat()


@dataclass(frozen=True, slots=True)
class About:
    """Facts that an editor does not know.

    Parameters
    ----------
    title : str or None, default=None
        The title; None makes one.

    date : str or None
        When it was run; today if it is not given, and None leaves it out.

    model : str or None, default=None
        The name of the model.

    rules : WrittenRules or None, default=None
        The rules as written.

    resolved : str or None, default=None
        How conflicts were resolved.

    conflicts : tuple of str, default=()
        Those found before that, where the rules as written are not given.

    data, test : default=None
        What is known of the files, as a text or with a `name`; one, or a list of several.

    repeat : str or None, default=None
        The command that repeats it.

    versions : mapping or None, default=None
        Of libraries.

    facts : mapping, default={}
        Any other, such as owner, approver and effective date: they are listed.

    Examples
    --------
    >>> About.of({"title": "Policy", "owner": "Credit policy", "date": None})
    About(title='Policy', date=None, ..., facts={'owner': 'Credit policy'})
    """

    title: str | None = None
    date: str | None = field(default_factory=_today)
    model: str | None = None
    rules: WrittenRules | None = None
    resolved: str | None = None
    conflicts: tuple[str, ...] = ()
    data: Any = None
    test: Any = None
    repeat: str | None = None
    versions: Mapping[str, str] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, about: Mapping[str, Any] | About | None) -> About:
        """Read facts that are given by name."""
        if isinstance(about, About):
            return about
        given = dict(about or {})
        named = {one.name: given.pop(one.name) for one in fields(cls) if one.name in given and one.name != "facts"}
        if named.get("rules") is not None and not isinstance(named["rules"], WrittenRules):
            named["rules"] = WrittenRules(str(named["rules"]))
        named["conflicts"] = tuple(map(str, named.get("conflicts") or ()))
        return cls(**named, facts=given)
