"""All forms of files of rules beside rule text and our own JSON; the module of each is imported when needed.

A module reads by ``read(content, place) -> RuleSet`` and writes by ``write(rules, place) -> bytes``. The place is the
file's name, with which mistakes are told, and where in the file they stand.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleError, RuleSyntaxError
from frote.opened import SMALL, read_small

if TYPE_CHECKING:
    from os import PathLike

    from frote.rules.ruleset import RuleSet

__all__ = ["FORMS", "Form", "form_of"]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of files of rules.

    Parameters
    ----------
    name : str
        What people call it.

    suffixes : tuple of str
        How names of such files end, in lower case.

    module : str
        The module that reads and writes it.

    reads, writes : bool, default=True
        Whether it can be read, and written.

    needs : str, default=""
        The extra that installs what its module needs.

    patterns : bool, default=False
        Whether it can say what is asked of levels before they are known.

    largest : int, default=16 MB
        The bytes that such a file may have.

    Examples
    --------
    >>> import frote
    >>> form = form_of("policy.csv")
    >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> form.read(form.write(rules, "policy.csv"), "policy.csv") == rules
    True
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    reads: bool = True
    writes: bool = True
    needs: str = ""
    patterns: bool = False
    largest: int = SMALL

    def read(self, content: bytes, place: str) -> RuleSet:
        """Return the rules of a file's content.

        Raises
        ------
        RuleSyntaxError
            With the place of what is wrong, if the content is none of this form, or this form is never read.
        """
        if not self.reads:
            raise RuleSyntaxError(f"{place}: {self.name} is only written, not read. Give {_listed('reads')}.")
        rules: RuleSet = self.imported(place).read(content, place)
        return rules

    def read_file(self, path: str | PathLike[str]) -> RuleSet:
        """Return the rules of a file; see `read`."""
        try:
            content = read_small(path, self.largest)
        except (OSError, ValueError) as error:
            raise RuleSyntaxError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).") from None
        return self.read(content, str(path))

    def write(self, rules: RuleSet, place: str) -> bytes:
        """Return the content of a file of these rules.

        Raises
        ------
        RuleError
            If this form cannot say what some rule says, with the rule's name, or is never written.
        """
        if not self.writes:
            raise RuleError(f"{place}: {self.name} is only read, not written. Name {_listed('writes')}.")
        asked = ((rule.origin, name) for rule in rules for name, condition in rule.clause if not condition.is_decided)
        origin, column = next(asked, ("", ""))
        if origin and not self.patterns:
            raise RuleError(
                f"{place}: rule {origin!r} asks for levels of column {column!r} by a pattern or by their order, which "
                f"{self.name} cannot say. Save what rules.bind(X) makes of it: a list of levels."
            )
        for rule in rules:
            try:
                "".join([str(rule), *itertools.chain(*rule.remarks)]).encode()
            except UnicodeEncodeError:
                raise RuleError(f"{place}: rule {rule.origin!r} holds half a character, which no file can.") from None
        content: bytes = self.imported(place).write(rules, place)
        return content

    def imported(self, place: str) -> Any:
        """Return the module that reads and writes this form, or say how to install what it needs."""
        try:
            return import_module(self.module)
        except ImportError as error:
            if not self.needs or (error.name or "").startswith("frote"):
                raise
            raise RuleError(f"{place}: needs {error.name}. Run: pip install 'frote[{self.needs}]'.") from None


FORMS = (
    Form("an Excel sheet", (".xlsx", ".xlsm", ".xltx", ".xltm"), "frote.exchange.excel", needs="excel", patterns=True),
    Form("a decision table as CSV", (".csv",), "frote.exchange.separated", patterns=True),
    Form("DMN", (".dmn",), "frote.exchange.dmn"),
    Form("SQL", (".sql",), "frote.exchange.sql", needs="sql", patterns=True),
    Form("PMML", (".pmml",), "frote.exchange.pmml", reads=False),
    Form("a JSON decision model", (".jdm.json", ".jdm"), "frote.exchange.jdm", writes=False),
    Form("JsonLogic", (".jsonlogic.json", ".jsonlogic"), "frote.exchange.json_logic", writes=False),
    Form("a list of RIPPER", (".ripper", ".jrip"), "frote.exchange.ripper", writes=False),
)


def form_of(path: str | PathLike[str]) -> Form | None:
    """Return the form that a file's name says; None for rule text and our own JSON.

    Examples
    --------
    >>> form_of("Policy.XLSX").name, form_of("policy.rules"), form_of("policy.json")
    ('an Excel sheet', None, None)
    """
    name = str(path).lower()
    ends = [(suffix, form) for form in FORMS for suffix in form.suffixes if name.endswith(suffix)]
    return max(ends, key=lambda end: len(end[0]), default=("", None))[1]


def _listed(what: str) -> str:
    """Return the forms that can be read, or written, with how their names end."""
    titles = [f"{form.name} ({', '.join(form.suffixes)})" for form in FORMS if getattr(form, what)]
    return ", ".join(["rule text (.rules)", "JSON (.json)", *titles[:-1]]) + f" or {titles[-1]}"
