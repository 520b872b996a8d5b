"""XML that comes from outside, read by Expat: no document type, so no entities, and nothing fetched; all bounded.

Expat is part of Python, knows the line of each element, and calls back before it does anything: one handler refuses
what entities are declared in, so that no further package is needed to be safe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from frote.exceptions import RuleError, RuleSyntaxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Element", "read_xml", "require_xml_text", "walk_xml"]

MOST_ELEMENTS = 200_000
DEEPEST = 100

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class Element:
    """An element of XML.

    Parameters
    ----------
    space, name : str
        Its namespace and its name in it.

    attributes : dict of str to str
        Its attributes; those of other namespaces have these before their names.

    line : int
        Where it begins in its file.
    """

    space: str
    name: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text right within it."""
        return "".join(self.texts)

    def get(self, name: str) -> str:
        """Return an attribute, nothing if it has none of that name."""
        return self.attributes.get(name, "")

    def all(self, name: str) -> list[Element]:
        """Return the children of a name."""
        return [child for child in self.children if child.name == name]

    def first(self, name: str) -> Element | None:
        """Return the first child of a name; None if there is none."""
        return next((child for child in self.children if child.name == name), None)

    def descendants(self) -> Iterator[Element]:
        """Go through all elements within it."""
        for child in self.children:
            yield child
            yield from child.descendants()


def walk_xml(content: bytes, place: str, start: Callable[[str, dict[str, str]], None] | None = None) -> str:
    """Go through the elements of XML without keeping them, if only to see that it is harmless.

    Parameters
    ----------
    content : bytes
        The XML.

    place : str
        What to call it in messages.

    start : callable, default=None
        Is called with each element's name, its namespace and a blank before it, and its attributes.

    Returns
    -------
    str
        The name of the outermost element, its namespace and a blank before it.

    Raises
    ------
    RuleSyntaxError
        If it is no XML, or declares a document type.

    Examples
    --------
    >>> walk_xml(b'<a xmlns="urn:x"><b/></a>', "part")
    'urn:x a'
    """
    parser = _parser(place)
    root = ""

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal root
        root = tag
        parser.StartElementHandler = start
        if start is not None:
            start(tag, attributes)

    parser.StartElementHandler = begin
    _parse(parser, content, place)
    return root


def read_xml(content: bytes, place: str) -> Element:
    """Read XML whole.

    Examples
    --------
    >>> root = read_xml(b'<a xmlns="urn:x"><b c="1">two</b></a>', "policy.dmn")
    >>> root.space, root.name, root.children[0].get("c"), root.children[0].text
    ('urn:x', 'a', '1', 'two')
    >>> read_xml(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "policy.dmn")
    Traceback (most recent call last):
        ...
    frote.exceptions.RuleSyntaxError: policy.dmn, line 1: declares a document type, which could hold entities. ...
    """
    parser = _parser(place)
    top = Element("", "", {}, 0)
    open_elements = [top]
    count = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS or len(open_elements) > DEEPEST:
            what = f"more than {MOST_ELEMENTS:,} elements" if count > MOST_ELEMENTS else f"elements over {DEEPEST} deep"
            raise RuleSyntaxError(f"{place}, line {parser.CurrentLineNumber}: has {what}; no policy is like that.")
        space, _, name = tag.rpartition(" ")
        element = Element(space, name, attributes, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = lambda text: open_elements[-1].texts.append(text)
    _parse(parser, content, place)
    return top.children[0]


def _parser(place: str) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise RuleSyntaxError(
            f"{place}, line {parser.CurrentLineNumber}: declares a document type, which could hold entities. "
            "Take the line <!DOCTYPE ...> away."
        )

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


def _parse(parser: expat.XMLParserType, content: bytes, place: str) -> None:
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise RuleSyntaxError(f"{place}, line {error.lineno}: is no XML ({expat.ErrorString(error.code)}).") from None
    except (ValueError, LookupError) as error:
        if isinstance(error, RuleSyntaxError):
            raise
        raise RuleSyntaxError(f"{place}: is no XML ({error}).") from None


def require_xml_text(text: str, place: str, name: str) -> None:
    r"""Refuse a text that no XML can hold.

    Examples
    --------
    >>> require_xml_text("a\x00b", "policy.dmn", "young")
    Traceback (most recent call last):
        ...
    frote.exceptions.RuleError: policy.dmn: rule 'young' holds the character '\x00', which no XML can. ...
    """
    strange = _NO_XML.search(text)
    if strange is not None:
        raise RuleError(
            f"{place}: rule {name!r} holds the character {strange.group()!r}, which no XML can. Leave the rule out."
        )
