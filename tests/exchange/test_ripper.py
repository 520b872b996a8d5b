"""Lists of rules as RIPPER prints them: the first whose conditions hold decides, as a reader of the list would."""

import numpy as np
import pandas as pd
import pytest

from frote import RuleSyntaxError, read_rules
from frote.exchange import ripper

WEKA = """JRIP rules:
===========

(petal width <= 0.6) => class=Iris-setosa (50.0/0.0)
(petal width <= 1.7) and (petal width >= 1) and (kind = own house) => class=Iris-versicolor (48.0/1.0)
 => class=Iris-virginica (52.0/3.0)

Number of Rules : 3
"""


def test_a_list_of_weka(tmp_path):
    (tmp_path / "iris.jrip").write_text(WEKA)
    rules = read_rules(tmp_path / "iris.jrip")
    frame = pd.DataFrame(
        {
            "petal width": [0.2, 0.6, 0.8, 1.0, 1.7, 1.8, np.nan, 1.5],
            "kind": ["x", "own house", "own house", "own house", "own house", "own house", "own house", None],
        }
    )
    first = ["setosa", "setosa", "virginica", "versicolor", "versicolor", "virginica", "virginica", "virginica"]
    covered = np.array([rule.mask(frame) for rule in rules])
    assert (covered.sum(axis=0) == 1).all()
    assert [rules[place].outcome.labels[0] for place in covered.argmax(axis=0)] == [f"Iris-{name}" for name in first]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(age <= 29) class=yes", "line 1, column 1: expected conditions in brackets, => and class=label"),
        ("(age <= 29) => class=", "expected conditions in brackets"),
        ("(age 29) => class=yes", "line 1, column 1: expected a condition such as (age <= 29)"),
        ("(age <= 29) (b = c) => class=yes", "and 'and' between two"),
        ("(age <= 29) and => class=yes", "and 'and' between two"),
        ("x => class=yes", "expected a condition such as"),
        ("(age <= old) => class=yes", "line 1, column 2: '<=' needs a number or a date"),
        ("(" * 50_000 + " => class=yes", "expected a condition such as"),
    ],
)
def test_lines_that_are_none(text, said):
    with pytest.raises(RuleSyntaxError) as error:
        ripper.read(text.encode(), "p.ripper")
    assert said in str(error.value)
    assert str(error.value).startswith("p.ripper")
