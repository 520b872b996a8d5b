"""The dossier of an edit: gathered as a value (`gather_dossier`), then rendered (`as_page`, `as_markdown`).

It holds what a reviewer's file asks for: all that the edit's report and record know, and questions for the owner where
they do not.
"""

from frote.report.dossier.gather import gather_dossier
from frote.report.dossier.known import Known
from frote.report.dossier.markdown import as_markdown
from frote.report.dossier.owner import Owned, blank, read_owned
from frote.report.dossier.page import as_page

__all__ = ["Known", "Owned", "as_markdown", "as_page", "blank", "gather_dossier", "read_owned"]
