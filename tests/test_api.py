"""The public face: every public name is documented with an example, and nothing else is public."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys

import pytest

import frote


@pytest.mark.parametrize("name", [name for name in frote.__all__ if name not in ("datasets", "strategies")])
def test_every_public_name_has_a_docstring_and_an_example(name):
    found = getattr(frote, name)
    text = inspect.getdoc(found) or ""
    assert text
    if not issubclass(found, frote.FroteError) if inspect.isclass(found) else True:
        assert "Examples\n--------" in text
        assert ">>>" in text


@pytest.mark.parametrize("name", frote.strategies.__all__)
def test_every_strategy_has_a_docstring(name):
    found = getattr(frote.strategies, name)
    assert inspect.getdoc(found)
    if inspect.isclass(found) and found.__name__ in ("Selection", "Schedule", "Evaluation", "Modification"):
        assert ">>>" in inspect.getdoc(found)


@pytest.mark.parametrize("name", frote.datasets.__all__)
def test_every_public_data_set_name_has_a_docstring(name):
    found = getattr(frote.datasets, name)
    if callable(found):
        assert "Examples\n--------" in (inspect.getdoc(found) or "")


def test_all_is_complete_and_names_nothing_twice():
    assert len(frote.__all__) == len(set(frote.__all__))
    assert sorted(frote.__all__) == sorted(dir(frote))


def test_names_are_imported_when_they_are_asked_for():
    code = "import sys, frote; early = 'sklearn' in sys.modules; frote.FROTE; print(early, 'sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize(
    "error",
    [
        found
        for found in map(frote.__getattr__, frote.__all__)
        if inspect.isclass(found) and issubclass(found, Exception)
    ],
)
def test_errors_survive_a_trip_to_another_process(error):
    back = pickle.loads(pickle.dumps(error("what is wrong")))
    assert type(back) is error
    assert str(back) == "what is wrong"
    assert isinstance(back, ValueError)
