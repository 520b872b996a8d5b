"""The walks from call to result in How it works: every station is there, and is reached in that order by a real run."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import frote

PAGE = (Path(__file__).parents[2] / "docs" / "how_it_works.md").read_text("utf-8")
MOST = 20


def stations(title):
    """Return the names in the numbered list below a title."""
    part = PAGE.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    return re.findall(r"^\d+\. `(frote[\w.]+)`: ", part, re.MULTILINE)


def code_of(name):
    """Return the code of a function, a method or a command; an error if there is none of that name."""
    found = pkgutil.resolve_name(name)
    found = getattr(found, "callback", found)  # of a command
    return inspect.unwrap(getattr(found, "fget", found)).__code__


@contextmanager
def calls():
    """Give a list that fills with the code of each function of ours when it is called for the first time."""
    order, seen = [], set()

    def look(frame, event, _):
        if event == "call" and frame.f_code not in seen and frame.f_globals.get("__name__", "").startswith("frote."):
            seen.add(frame.f_code)
            order.append(frame.f_code)

    sys.setprofile(look)
    try:
        yield order
    finally:
        sys.setprofile(None)


def edit(loans, call, tmp_path):
    given = "--data loans.csv --target decision --rules policy.rules --resolve priority --test later.csv --max-fits 1"
    call("edit", *given.split(), "--out", tmp_path / "edit", "--quiet", cwd=loans)


def fit_resample(*_):
    loans = frote.datasets.load_loans(150)
    frote.FROTE(rules="young: IF age < 29 THEN approved", max_fits=2, random_state=0).fit_resample(loans.X, loans.y)


@pytest.mark.parametrize(("title", "walk"), [("`frote edit`", edit), ("`fit_resample`", fit_resample)])
def test_stations_are_reached_in_their_order(loans, call, tmp_path, title, walk):
    names = stations(title)
    assert 10 <= len(names) <= MOST
    wanted = [code_of(name) for name in names]
    with calls() as order:
        walk(loans, call, tmp_path)
    reached = [order.index(code) if code in order else None for code in wanted]
    assert None not in reached, [name for name, place in zip(names, reached, strict=True) if place is None]
    assert reached == sorted(reached), list(zip(reached, names, strict=True))
