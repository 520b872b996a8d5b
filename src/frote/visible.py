r"""Characters that a terminal obeys or does not show, as texts that can be read.

Names, levels and labels come from files of others. Printed as they are, they could move the cursor, hide what stands
beside them or turn its order round. What people write stays, also the joiners of Persian, Hindi and emoji, where they
join.
"""

from __future__ import annotations

import json
import re

__all__ = ["visible", "visible_json"]

# Scripts whose letters join, and pictures: what stands around a joiner or before a selector of variants.
_JOINING = "\u0590-\u1cff\u2190-\u2bff\u3000-\u9fff\ua800-\uabff\uf900-\ufdff\ufe70-\ufefc\U00010800-\U000323af"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# What Unicode wants ignored where it cannot be shown, but for those two; fillers, marks of order and of annotations.
_HIDDEN = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# One selector, one joiner, or both, between letters that stay themselves: what is escaped joins nothing any more.
_BEFORE, _AFTER = f"(?<=[{_JOINING}])(?<![{_HIDDEN}])", f"(?![{_HIDDEN}])(?=[{_JOINING}])"
_KEPT = (
    f"(?P<kept>{_BEFORE}[{_SELECTORS}]?[{_JOINERS}]{_AFTER}"
    f"|(?:(?<=[#*0-9\xa9\xae])|{_BEFORE})[{_SELECTORS}](?![{_SELECTORS}{_JOINERS}]))"
)
_DANGEROUS = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_HIDDEN}{_SELECTORS}{_JOINERS}]"
DANGEROUS = re.compile(f"{_KEPT}|{_DANGEROUS}")
WITH_LINES = re.compile(rf"{_KEPT}|[\t\n]|{_DANGEROUS}")


def visible(text: str, *, lines: bool = True) -> str:
    r"""Return a text with what a terminal would obey, or not show, written as in Python.

    Parameters
    ----------
    text : str
        The text.

    lines : bool, default=True
        Whether it may have several lines, and tabs.

    Returns
    -------
    str
        A text that is the same if it is made visible again.

    Examples
    --------
    >>> visible("\x1b[2J denied\u202e"), visible("two\nlines", lines=False)
    ('\\x1b[2J denied\\u202e', 'two\\nlines')
    >>> visible("\u0645\u06cc\u200c\u062e\u0648") == "\u0645\u06cc\u200c\u062e\u0648"  # Persian
    True
    """
    return (DANGEROUS if lines else WITH_LINES).sub(lambda match: match["kept"] or _escaped(match[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def visible_json(text: str) -> str:
    r"""Return JSON text with such characters escaped as in JSON, so that it says the same.

    Examples
    --------
    >>> print(visible_json('{"a": "\u202e"}'))
    {"a": "\u202e"}
    """
    return DANGEROUS.sub(lambda match: match["kept"] or json.dumps(match[0])[1:-1], text)
