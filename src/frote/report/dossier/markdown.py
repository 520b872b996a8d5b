"""A dossier as Markdown: what comes from others is text there too, and never a heading, a link or HTML."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

    from frote.report.dossier.contents import Dossier

__all__ = ["as_markdown", "escaped", "fenced"]

# What means something wherever it stands, and what makes a list, a heading or a line where a text begins.
ANYWHERE = re.compile(r"[\\`*_\[\]<>&|~^${}@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
AT_START = re.compile(r"^(?:#+|=|[+-](?=[\s-]|$)|\d{1,9}(?=[.)](?:\s|$)))")


class _Done(str):
    """A text that is Markdown already."""

    __slots__ = ()


def as_markdown(dossier: Dossier) -> str:
    r"""Render a dossier as Markdown.

    Examples
    --------
    >>> from frote.report.dossier.contents import Dossier, Facts
    >>> print(as_markdown(Dossier("Young <applicants>", "It did.", Facts(()), (), (), Facts(()))).splitlines()[0])
    # Young \<applicants\>
    """
    return _environment().get_template("dossier.md.j2").render(dossier=dossier)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # only pages need it

    pages = Environment(
        loader=PackageLoader("frote.report"),
        autoescape=False,  # HTML is escaped as the rest is
        finalize=lambda value: value if isinstance(value, _Done) else escaped(value),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters |= {"fenced": fenced, "raw": _Done}
    return pages


def escaped(value: Any) -> str:
    r"""Write a text so that Markdown shows it as it is, in one line.

    Examples
    --------
    >>> print(escaped("<b>*x*</b> | https://a.example"))
    \<b\>\*x\*\</b\> \| https\://a.example
    >>> print(escaped("# 1\n- 2"), escaped("1. one"), escaped("0.93"))
    \# 1 - 2 1\. one 0.93
    """
    text = ANYWHERE.sub(lambda match: f"\\{match[0]}", " ".join(str(value).split()))
    return AT_START.sub(lambda match: f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}", text)


def fenced(text: str) -> _Done:
    r"""Write a text as a block of code, whatever it holds.

    Examples
    --------
    >>> print(fenced("```\n<b>"))
    ````text
    ```
    <b>
    ````
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return _Done(f"{fence}text\n{text}\n{fence}")
