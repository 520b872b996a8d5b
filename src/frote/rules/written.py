"""Rules as someone wrote them: a text, and what it says, which is worked out once."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from frote.exchange.forms import form_of
from frote.rules.files import commented, from_json, read_text
from frote.rules.parser import parse_rules

if TYPE_CHECKING:
    from os import PathLike

    from frote.rules.ruleset import RuleSet

__all__ = ["WrittenRules"]


@dataclass(frozen=True)
class WrittenRules:
    r"""Rules as someone wrote them.

    Parameters
    ----------
    text : str
        The rules with their names, comments and order.

    Examples
    --------
    >>> written = WrittenRules("# Monday's policy\nyoung: IF age < 29 THEN approved")
    >>> written.rules[0].line
    2
    >>> written.rules is written.rules
    True
    """

    text: str

    @cached_property
    def rules(self) -> RuleSet:
        """What the text says; an error if it is no text of rules."""
        return parse_rules(self.text)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> WrittenRules:
        """Read a file of rules, once; see `read_rules`. Those of JSON and of other forms are written as text."""
        path = Path(path)
        form = form_of(path)
        if form is not None:
            return cls(commented(form.read_file(path)))
        text = read_text(path)
        if path.suffix.lower() == ".json":
            return cls(str(from_json(text, file_name=str(path))))
        rules = parse_rules(text, place=str(path))  # mistakes are told with the file's name
        written = cls(io.StringIO(text, newline=None).read())
        if written.text == text:
            vars(written)["rules"] = rules  # other line ends may stand within quoted values
        return written
