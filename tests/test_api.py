"""The public face: every public name is documented with an example, and nothing else is public."""

from __future__ import annotations

import inspect
import pickle

import pytest

import frote


@pytest.mark.parametrize("name", [name for name in frote.__all__ if name != "datasets"])
def test_every_public_name_has_a_docstring_and_an_example(name):
    found = getattr(frote, name)
    text = inspect.getdoc(found) or ""
    assert text
    if not issubclass(found, frote.FroteError) if inspect.isclass(found) else True:
        assert "Examples\n--------" in text
        assert ">>>" in text


@pytest.mark.parametrize("name", frote.datasets.__all__)
def test_every_public_data_set_name_has_a_docstring(name):
    found = getattr(frote.datasets, name)
    if callable(found):
        assert "Examples\n--------" in (inspect.getdoc(found) or "")


def test_all_is_complete_and_names_nothing_twice():
    assert len(frote.__all__) == len(set(frote.__all__))
    hidden = {
        "table",
        "neighbours",
        "rules",
        "coverage",
        "selection",
        "generation",
        "explain",
        "compare",
        "overlay",
        "loop",
        "estimators",
        "exceptions",
    }
    assert {name for name in vars(frote) if not name.startswith("_")} - hidden == set(frote.__all__)


@pytest.mark.parametrize(
    "error", [found for found in vars(frote).values() if inspect.isclass(found) and issubclass(found, Exception)]
)
def test_errors_survive_a_trip_to_another_process(error):
    back = pickle.loads(pickle.dumps(error("what is wrong")))
    assert type(back) is error
    assert str(back) == "what is wrong"
    assert isinstance(back, ValueError)
