import pandas as pd
import pytest

from frote import BindingError, Condition, Schema, parse_rules
from frote.rules.binding import as_schema, class_texts, unseen_levels
from frote.table import Column, Kind, Table

FRAME = pd.DataFrame(
    {
        "age": [25, 40, 31],
        "income": [1.5, 2.5, 3.0],
        "purpose": pd.Categorical(["car", "education", "car"]),
        "doors": pd.Categorical([2, 4, 2]),
        "owner": [True, False, True],
        "since": pd.to_datetime(["2024-01-31", "2024-02-01", "2024-03-01"]),
        "NO": ["x", "y", "z"],
    }
)


def faults(text, classes=None):
    with pytest.raises(BindingError) as caught:
        parse_rules(text).bind(FRAME, classes)
    return str(caught.value)


def test_a_schema_from_a_schema_a_table_or_a_frame():
    schema = as_schema(FRAME)
    assert as_schema(schema) is schema
    assert as_schema(Table.from_frame(FRAME)) == schema


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("age < 29", "age < 29"),
        ("NOT (age > 29)", "age <= 29 OR age IS MISSING"),
        ("age != 3", "age != 3"),
        ("purpose = car", "purpose = 'car'"),
        ("doors = '2'", "doors = 2"),
        ("doors IN {2, 4}", "doors IN {2, 4}"),
        ("owner = 1", "owner = true"),
        ("owner != 1", "owner = false"),
        ("owner = TRUE", "owner = true"),
        ("owner != 'False'", "owner = true"),
        ("owner IN {0, 1}", "owner IS NOT MISSING"),
        ("NOT (owner = true)", "owner = false OR owner IS MISSING"),
        ("since < 2024-02-01", "since < 2024-02-01"),
        ("since IS MISSING", "since IS MISSING"),
    ],
)
def test_what_values_mean_is_settled(text, bound):
    (rule,) = parse_rules(f"IF {text} THEN x").bind(FRAME)
    assert str(rule.clause) == bound
    assert parse_rules(str(rule))[0] == rule
    assert list(rule.mask(FRAME)) == list(parse_rules(f"IF {text} THEN x")[0].mask(FRAME))


def test_binding_twice_changes_nothing():
    rules = parse_rules("IF NOT (age > 29 AND owner = 1) OR since IS MISSING THEN x\nIF purpose = car THEN y")
    once = rules.bind(FRAME, ["x", "y"])
    assert once.bind(FRAME, ["x", "y"]) == once
    assert [rule.line for rule in once][-1] == 2


def test_impossible_pieces_go_and_impossible_rules_stay():
    rules = parse_rules("a: IF purpose = boat OR age < 29 THEN x\nb: IF age > 28 AND age < 29 THEN y")
    bound = rules.bind(FRAME)
    assert bound.origins == ("a", "b")
    assert bound.names == ("a/2", "b")


def test_all_faults_are_told_together_and_once():
    message = faults("IF agee < 29 OR purpose > 3 THEN x\nIF owner = maybe THEN z", ["x", "y"])
    assert message.startswith("4 errors in the rules:\n")
    assert message.count("no column 'agee'") == 1
    assert message.count("line 1, rule 'rule 1'") == 2
    assert message.count("line 2, rule 'rule 2'") == 2


@pytest.mark.parametrize(
    ("text", "line", "carets"),
    [
        ("NO < 3", "NO < 3", "^^"),
        ("NOT (NO = x OR NO < 3)", "NOT (NO = 'x' OR NO < 3)", "     ^^"),
        ("`A B` = 3", "`A B` = 3", "^^^^^"),
        ("agee = 'two\nlines'", "agee = 'two\ufffdlines'", "^^^^"),
    ],
)
def test_carets_stand_below_the_column(text, line, carets):
    assert faults(f"IF {text} THEN x").splitlines()[-2:] == [f"  {line}", f"  {carets}"]


def test_rules_from_python_have_no_line():
    from frote import col

    with pytest.raises(BindingError) as caught:
        (col("agee") < 3).then("x", name="n").bind(FRAME)
    assert str(caught.value).startswith("rule 'n': the data have no column 'agee'.")


def test_classes_are_known_by_their_texts():
    assert class_texts([0, 1]) == {"0": 0, "1": 1}
    assert class_texts(["a", "b", "a"]) == {"a": "a", "b": "b"}
    with pytest.raises(BindingError, match="Two classes read '1'"):
        class_texts([1, "1"])
    assert parse_rules("IF age < 3 THEN 1").bind(FRAME, [0, 1])


def test_unseen_levels_are_listed():
    column = Column("purpose", Kind.CATEGORICAL, ("car", 2))
    assert unseen_levels(Condition.among(["car", "2", "boat", 3]), column) == [3, "boat"]
    assert unseen_levels(Condition.among([3]), Column("age", Kind.INTEGER)) == []
    assert Schema((column,)).names == ("purpose",)


def test_a_column_without_any_value_fits_every_condition():
    import pandas as pd

    X = pd.DataFrame({"channel": pd.Series([None, None], dtype=object), "x": [1, 2]})
    for text in ("channel = broker", "channel < 5", "channel >= 2024-01-01", "channel IS MISSING"):
        (rule,) = parse_rules(f"IF {text} THEN a")
        assert rule.mask(X).tolist() == [text == "channel IS MISSING"] * 2


def test_a_condition_that_every_whole_number_meets_is_dropped():
    import pandas as pd

    rules = parse_rules("IF (age <= 28 OR age >= 29 OR age IS MISSING) AND b = 1 THEN a")
    assert str(rules.bind(pd.DataFrame({"age": [1], "b": [1]}))[0].clause) == "b = 1"
    kept = rules.bind(pd.DataFrame({"age": [1.5], "b": [1]}))[0].clause
    assert kept.columns == ("age", "b")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("NOT (agee > 29)", "  agee <= 29 OR agee IS MISSING\n  ^^^^"),
        ("NOT (agee = x OR agee > 29)", "  NOT (agee = 'x' OR agee > 29)\n       ^^^^"),
    ],
)
def test_the_caret_stands_below_the_column(body, shown):
    assert faults(f"IF {body} THEN yes").endswith(f"\n{shown}")
