"""Counts in words, and tables of texts, laid out for terminals and, as HTML, for notebooks.

The HTML has no script and no colour of its own, so that it reads alike on a light and on a dark page; every text is
escaped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from frote.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Column", "as_lines", "as_list", "as_note", "as_sentence", "as_shown", "as_table", "counted", "decimals"]

LONGEST = 100  # lines of a table that are shown in a notebook, at most

# Notebooks have styles for tables of their own: what is said here is what they must not decide.
STYLE = """
.frote-shown { color: inherit; font-size: 0.93em; max-width: 64em; overflow-x: auto; }
.frote-shown p { margin: 0.5em 0; }
.frote-shown .frote-note { opacity: 0.75; }
.frote-shown table { border-collapse: collapse; border: none; margin: 0.7em 0; color: inherit; font-size: inherit; }
.frote-shown caption { caption-side: top; text-align: left; font-weight: bold; padding: 0 0 0.3em 0; color: inherit; }
.frote-shown th, .frote-shown td {
  border: none; border-bottom: thin solid currentColor; border-color: color-mix(in srgb, currentColor 25%, transparent);
  padding: 0.25em 1.1em 0.25em 0; text-align: left; vertical-align: top; white-space: normal; max-width: 40em;
  overflow-wrap: break-word;
}
.frote-shown thead th { border-bottom: thin solid currentColor; vertical-align: bottom; }
.frote-shown .frote-right { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.frote-shown ul { margin: 0.5em 0; padding-left: 1.3em; }
""".strip()


def counted(number: int, noun: str, plural: str = "") -> str:
    """Count things.

    Examples
    --------
    >>> counted(1, "row"), counted(12000, "row"), counted(2, "batch", "batches")
    ('1 row', '12,000 rows', '2 batches')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def decimals(values: Iterable[float]) -> list[str]:
    """Write numbers with three decimals, those that are not known as a dash.

    Examples
    --------
    >>> decimals([0.5, float("nan")])
    ['0.500', '-']
    """
    return ["-" if math.isnan(value) else f"{value:.3f}" for value in values]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of texts.

    Parameters
    ----------
    title : str
        What stands above it.

    cells : sequence of str
        The texts.

    right : bool, default=False
        Whether they stand to the right, as numbers do.
    """

    title: str
    cells: Sequence[str]
    right: bool = False


def as_lines(columns: Sequence[Column]) -> list[str]:
    r"""Lay a table out for a terminal, in columns of one width; what would break its lines is made visible.

    Examples
    --------
    >>> print(*as_lines([Column("rule", ["young", "risky"]), Column("rows", ["62", "1,204"], right=True)]), sep="\n")
    rule    rows
    young     62
    risky  1,204
    """
    texts = [[visible(text, lines=False) for text in (column.title, *column.cells)] for column in columns]
    widths = [max(map(len, cells)) for cells in texts]
    return [
        "  ".join(
            text.rjust(width) if column.right else text.ljust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        for line in zip(*texts, strict=True)
    ]


def as_table(columns: Sequence[Column], title: str = "") -> str:
    """Lay a table out as HTML; of a long one the first lines are shown and the others counted.

    Examples
    --------
    >>> print(as_table([Column("rule", ["<b>"])], "Rules & rows"))
    <table>
    <caption>Rules &amp; rows</caption>
    <thead><tr><th>rule</th></tr></thead>
    <tbody>
    <tr><td>&lt;b&gt;</td></tr>
    </tbody>
    </table>
    """
    rows = list(zip(*(column.cells for column in columns), strict=True))
    heads = _cells("th", [column.title for column in columns], columns)
    body = [f"<tr>{_cells('td', row, columns)}</tr>" for row in rows[:LONGEST]]
    if len(rows) > LONGEST:
        body.append(f'<tr><td colspan="{len(columns)}">and {len(rows) - LONGEST:,} more</td></tr>')
    caption = [f"<caption>{escape(title)}</caption>"] if title else []
    return "\n".join(
        ["<table>", *caption, f"<thead><tr>{heads}</tr></thead>", "<tbody>", *body, "</tbody>", "</table>"]
    )


def _cells(kind: str, texts: Iterable[str], columns: Sequence[Column]) -> str:
    return "".join(
        f'<{kind} class="frote-right">{escape(text)}</{kind}>' if column.right else f"<{kind}>{escape(text)}</{kind}>"
        for text, column in zip(texts, columns, strict=True)
    )


def as_sentence(text: str) -> str:
    """Return a sentence as HTML.

    Examples
    --------
    >>> as_sentence("age < 29")
    '<p>age &lt; 29</p>'
    """
    return f"<p>{escape(text)}</p>"


def as_note(text: str) -> str:
    """Return what may be read later as HTML.

    Examples
    --------
    >>> as_note("See history_.")
    '<p class="frote-note">See history_.</p>'
    """
    return f'<p class="frote-note">{escape(text)}</p>'


def as_list(texts: Iterable[str]) -> str:
    """Return a list of sentences as HTML; nothing if there are none.

    Examples
    --------
    >>> as_list(["a", "b"])
    '<ul><li>a</li><li>b</li></ul>'
    >>> as_list([])
    ''
    """
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def as_shown(*parts: str) -> str:
    r"""Put parts of HTML together to what a notebook shows.

    Examples
    --------
    >>> shown = as_shown(as_sentence("3 rows."), as_list([]))
    >>> shown.startswith('<div class="frote-shown">'), shown.endswith("<p>3 rows.</p>\n</div>")
    (True, True)
    """
    return "\n".join(['<div class="frote-shown">', f"<style>\n{STYLE}\n</style>", *filter(None, parts), "</div>"])
