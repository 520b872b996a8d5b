"""A version of a policy: an immutable value, kept in a file that is named by the digest of its bytes."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from frote.edits.order import RESOLUTIONS
from frote.plain import unwritable
from frote.studio.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ID", "LARGEST_CASES", "LARGEST_POLICY", "Review", "SignedEdit", "State", "Version", "is_day", "now"]

FORMAT = 1
LARGEST_POLICY = 2**20  # characters
LARGEST_CASES = 2**22
LONGEST_WORD = 4_000  # characters of a message, a name or the like
ID = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
STATES = ("draft", "proposed", "signed")

State: TypeAlias = Literal["draft", "proposed", "signed"]


class Review(TypedDict):
    """A region of change that somebody looked at: which, its words, who, when, and a word why it may stay."""

    region: str
    words: str
    who: str
    when: str
    why: str


class SignedEdit(TypedDict):
    """The edit that was signed: the name of its folder, and the SHA-256 of its record."""

    name: str
    record: str


@dataclass(frozen=True)
class Version:
    """A version of a policy.

    Parameters
    ----------
    number : int
        Which one it is, from 1.

    policy, cases : str
        The rules as text, and the cases as CSV; empty if there are none.

    who, when, why : str
        Who made it, when, and what was changed or why.

    parent : str or None, default=None
        The digest of the version that it was made from.

    owner, effective : str, default=""
        Who answers for the policy, and the day from which on it holds, such as 2027-01-31.

    state : {"draft", "proposed", "signed"}, default="draft"
        How far it is.

    resolve : {"exclude", "mix", "priority"} or None, default=None
        What becomes of conflicts.

    edit : SignedEdit or None, default=None
        The edit that was signed with it.

    reviews : list of Review, default=[]
        What was looked at before it was signed.

    Examples
    --------
    >>> version = Version(1, "young: IF age < 29 THEN approved", "", "policy team", "2026-11-18T09:00:00Z", "first")
    >>> Version.of(version.content) == version, version.id[:8]
    (True, '25aad2ef')
    """

    number: int
    policy: str
    cases: str
    who: str
    when: str
    why: str
    parent: str | None = None
    owner: str = ""
    effective: str = ""
    state: State = "draft"
    resolve: Literal["exclude", "mix", "priority"] | None = None
    edit: SignedEdit | None = None
    reviews: list[Review] = field(default_factory=list)

    def __post_init__(self) -> None:
        fault = self._fault()
        if fault is not None:
            raise StudioError(f"A version of the policy cannot be kept: {fault}.")

    def _fault(self) -> str | None:
        """Say what no version can hold: a file may say anything."""
        number: Any = self.number  # a file may say anything, whatever the types say
        parent: Any = self.parent
        reviews: Any = self.reviews
        texts = [self.policy, self.cases, self.who, self.when, self.why, self.owner, self.effective]
        if not all(isinstance(text, str) for text in texts):
            return "a text is no text"
        if len(self.policy) > LARGEST_POLICY or len(self.cases) > LARGEST_CASES:
            return f"the policy has more than {LARGEST_POLICY:,} characters, or the cases more than {LARGEST_CASES:,}"
        if any(len(text) > LONGEST_WORD for text in texts[2:]):
            return f"a name or a message has more than {LONGEST_WORD:,} characters"
        if type(number) is not int or number < 1:
            return "its number is none"
        if not TIME.fullmatch(self.when):
            return f"{self.when!r} is no time"
        if self.effective and not is_day(self.effective):
            return f"the day from which on it holds is written 2027-01-31, not {self.effective!r}"
        if not (parent is None or (isinstance(parent, str) and ID.fullmatch(parent))):
            return "what it was made from is no version"
        if self.state not in STATES or self.resolve not in (None, *RESOLUTIONS):
            return "its state or its resolution of conflicts is none that is known"
        if not (_is_edit(self.edit) and isinstance(reviews, list) and all(map(_is_review, reviews))):
            return "what was signed is told in another way"
        return unwritable(asdict(self))

    @cached_property
    def content(self) -> bytes:
        """The bytes of its file."""
        plain = {"version": FORMAT, **asdict(self)}
        return (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode()

    @cached_property
    def id(self) -> str:
        """The digest of its bytes, which is the name of its file."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def short(self) -> str:
        """The first letters of its digest, for people."""
        return self.id[:8]

    @property
    def says(self) -> tuple[str, ...]:
        """What a person decides: whatever else changes is no change of the policy."""
        return (self.policy, self.cases, self.owner, self.effective, self.resolve or "")

    @classmethod
    def of(cls, content: bytes) -> Version:
        """Read what `content` gave.

        Raises
        ------
        StudioError
            If it is no version, or one of a later release.
        """
        try:
            plain: Mapping[str, Any] = json.loads(content.decode("utf-8"))
            form = plain["version"]
            values = {one.name: plain[one.name] for one in fields(cls)}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StudioError("It is no version of a policy, or a damaged one.") from None
        if form != FORMAT or len(plain) != len(values) + 1:
            raise StudioError(f"It is a version of format {str(form)[:20]}; this release reads format {FORMAT}.")
        version = cls(**values)
        vars(version)["content"] = content  # as it stands on disk: its digest is of these bytes
        return version


def now() -> str:
    """Return the time, as versions have it."""
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"


def is_day(text: str) -> bool:
    """Tell whether a text is a day, written 2027-01-31."""
    try:
        return f"{dt.datetime.strptime(text, '%Y-%m-%d'):%Y-%m-%d}" == text
    except ValueError:
        return False


def _is_edit(value: Any) -> bool:
    return value is None or _is_texts(value, SignedEdit)


def _is_review(value: Any) -> bool:
    return _is_texts(value, Review)


def _is_texts(value: Any, kind: Any) -> bool:
    """Tell whether a value has just the texts that a kind of it has."""
    return (
        isinstance(value, dict)
        and value.keys() == kind.__annotations__.keys()
        and all(isinstance(one, str) and len(one) <= LARGEST_POLICY for one in value.values())
    )
