"""How Sphinx makes the site of these pages; `make docs` runs it.

The pages are plain Markdown, to be read on a repository's page too. So what only the site needs stands here: the table
of contents is added to the index as it is read.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CONTENTS = {
    "Guide": [
        "guide/studio",
        "guide/write_rules",
        "guide/bring_your_policy",
        "guide/check_and_resolve",
        "guide/compare_policies",
        "guide/edit_a_model",
        "guide/choose_a_way",
        "guide/read_the_report",
        "guide/dossier",
        "guide/compare_models",
        "guide/prove_a_rule",
        "guide/verify_an_edit",
        "guide/patch_a_model",
        "guide/pipelines",
        "guide/long_runs",
        "guide/large_tables",
        "explain_and_patch",
    ],
    "Reference": ["rule_language", "commands", "api/index"],
    "Background": ["how_it_works", "paper", "technical_report", "reliability", "mutants", "dependencies"],
}

project = "frote"
release = metadata.version("frote")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "frote"
html_copy_source = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"code-font-size": "75%"},  # what is printed is wide
    "dark_css_variables": {"code-font-size": "75%"},
}
smartquotes_action = "D"  # dashes only: quotes in types are code
pygments_style = "friendly"
pygments_dark_style = "native"

# Links are checked, those to headings too; the anchors are those that repository pages give to headings.
nitpicky = True
myst_heading_anchors = 3

# Docstrings say types in words, so nothing in them is looked up. In their text, single backticks are for public names.
default_role = "py:obj"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

_explained: dict[str, set[str]] = {}


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the index the table of contents that the sidebar shows."""
    if page == "index":
        for caption, pages in CONTENTS.items():
            listed = "\n".join(f"/{name}" for name in pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def offer_results(app: Sphinx, page: str, source: list[str]) -> None:
    """Offer result tables, which are no pages of the site, as files."""
    source[0] = re.sub(r"\]\((\.\./(?:campaigns|experiments)/[^)]*\.md)\)", r"](path:\1)", source[0])


def show_own_names_as_code(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Let single backticks also be for what a docstring itself, or that of its class, explains: parameters and such."""
    text = "\n".join(lines)
    headings = re.findall(r"^(\w[\w, ]*)(?: : .*)?\n(?=    \S)", text, re.MULTILINE)
    own = {word for heading in headings for word in re.findall(r"\w+", heading)}
    own |= _explained.get(name.rpartition(".")[0], set())
    _explained[name] = own
    lines[:] = re.sub(r"(?<!`)`(\w+)`(?!`)", lambda hit: f"`{hit[0]}`" if hit[1] in own else hit[0], text).split("\n")


def leave_out_docstrings_of_types(
    app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]
) -> None:
    """Leave out what Python says of a plain value, which is the docstring of its type."""
    if what == "data":
        lines.clear()


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    app.connect("autodoc-process-docstring", leave_out_docstrings_of_types)
    app.connect("source-read", add_contents)
    app.connect("source-read", offer_results)
    app.connect("autodoc-process-docstring", show_own_names_as_code, priority=400)  # before napoleon reads them
