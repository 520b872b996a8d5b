"""A dossier as one page of HTML, like a report: no script, no network, light and dark, screen and paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.report.page import environment

if TYPE_CHECKING:
    from frote.report.dossier.contents import Dossier

__all__ = ["as_page"]


def as_page(dossier: Dossier) -> str:
    """Render a dossier as HTML.

    Examples
    --------
    >>> from frote.report.dossier.contents import Dossier, Facts
    >>> page = as_page(Dossier("Young <applicants>", "It did.", Facts(()), (), (), Facts(())))
    >>> "Young &lt;applicants&gt;" in page, "<script" in page
    (True, False)
    """
    return environment().get_template("dossier.html.j2").render(dossier=dossier)
