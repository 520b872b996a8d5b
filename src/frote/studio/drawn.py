"""Cards as they are drawn: what a card says by itself, and beside that what the rules around it make of it.

A threshold that is moved changes one card, and one line of many others. Each is drawn once, and known to the page by
its digest: what the page has is not sent again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from markupsafe import Markup

from frote.studio.cards import card, facts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from frote.rules.drafts import Draft
    from frote.studio.desk import Desk
    from frote.studio.pulse import Clash, Pulse

__all__ = ["Draw", "drawn_card"]

MEETS = 4  # other rules that a card names
FACTS = Markup("<!--facts-->")  # where the line stands that depends on other rules


class Draw(Protocol):
    """What draws."""

    def __call__(self, template: str, /, **context: Any) -> str:
        """Draw a template."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A part of the page, and its digest, which its first element carries."""

    html: str
    digest: str

    @classmethod
    def of(cls, html: str, element: str) -> _Drawn:
        digest = hashlib.sha256(html.encode()).hexdigest()[:16]
        return cls(html.replace(f"<{element} ", f'<{element} data-same="{digest}" ', 1), digest)


def drawn_card(
    desk: Desk,
    draft: Draft,
    beat: Pulse,
    number: int,
    meets: Sequence[Clash],
    draw: Draw,
    *,
    open_: bool,
    known: Collection[str],
) -> Markup:
    """Return a card for a page that has parts of these digests; of such parts only their digests.

    Parameters
    ----------
    desk : Desk
        The table.

    draft, beat : Draft and Pulse
        The rules, and what they cover.

    number : int
        The rule's number.

    meets : sequence of Clash
        Its meetings with other rules.

    draw : Draw
        Draws a template; what it drew is kept, by what it says.

    open_ : bool
        Whether its columns are shown.

    known : collection of str
        The digests that the page has.
    """
    own, facts = _own(desk, draft, beat, number, draw, open_=open_), _facts(desk, draft, beat, number, meets, draw)
    if facts is None:
        line = ""
    elif own.digest in known and facts.digest in known:
        line = f'<p data-part="facts" data-same="{facts.digest}" data-stub></p>'
    else:
        line = facts.html
    if own.digest in known:
        place = f'id="rule-{number}" data-key="rule-{number}"'  # by which the page finds its own
        return Markup(f'<article {place} data-same="{own.digest}" data-stub>{line}</article>')
    return Markup(own.html.replace(FACTS, line))


def _own(desk: Desk, draft: Draft, beat: Pulse, number: int, draw: Draw, *, open_: bool) -> _Drawn:
    """Return what a card says by itself."""
    one, its = draft.written[number], beat.rules.get(number)
    above = draft.written[number - 1].stop if number else 0
    key = (
        number,
        open_,
        one.name,
        draft.text[above : one.stop],
        tuple(fault.message for fault in one.faults),
        None if its is None else (its.outcome, its.inside, its.near),
        desk.model.state,
    )

    def make() -> _Drawn:
        shown = card(desk, draft, beat, number, open_=open_)
        return _Drawn.of(draw("policy/card.html.j2", card=shown, facts=FACTS), "article")

    drawn: _Drawn = desk.cards.get(key, make)
    return drawn


def _facts(desk: Desk, draft: Draft, beat: Pulse, number: int, meets: Sequence[Clash], draw: Draw) -> _Drawn | None:
    """Return the line of a card that depends on other rules; a rule that something is wrong with has none."""
    if number not in beat.rules:
        return None
    told = sorted(meets, key=lambda clash: (clash.witness is None, -clash.rows))[:MEETS]
    facts = facts_of(draft, beat.rules[number], told, len(meets))
    key = (
        *((name, fact) for name, fact in facts.items() if name != "meets"),
        *(tuple(m.values()) for m in facts["meets"]),
    )
    drawn: _Drawn = desk.cards.get(key, lambda: _Drawn.of(draw("policy/facts.html.j2", facts=facts), "p"))
    return drawn
