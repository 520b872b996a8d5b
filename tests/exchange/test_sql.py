"""SQL written and run in DuckDB, row by row against our own masks; SQL read, against DuckDB's answers."""

from __future__ import annotations

import datetime as dt
import re

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import RuleError, RuleSet, RuleSyntaxError, parse_rules, read_rules, sql_rules
from frote.exchange.sql_text import DIALECTS
from frote.table import Table

COLUMNS = {
    "n": ("age", "BIGINT"),
    "m": ("limit", "BIGINT"),
    "f": ("capital gain", "DOUBLE"),
    "g": ("gain", "DOUBLE"),
    "h": ("half", "DOUBLE"),
    "t": ('Odd "plan`', "VARCHAR"),
    "d": ("order", "DATE"),
    "e": ("end", "DATE"),
    "w": ("when", "TIMESTAMP"),
    "b": ("größe", "BOOLEAN"),
}
NAMES = {key: name for key, (name, _) in COLUMNS.items()}
TYPES = {key: kind for key, (_, kind) in COLUMNS.items()}
TEXTS = ["car", "it's", "50%", "a_b", "a\\b", "2", "", "Car", "2024-01-01", "x\ny", "--", "'"]
VALUES = {
    "n": [None, -2, 0, 1, 2, 7, 2**40],
    "m": [None, -3, 0, 1, 10, 100],
    "f": [None, -1.5, 0.0, 0.1, 0.30000000000000004, 1e300],
    "g": [None, 0.0, 0.1, 0.2, 0.3, 1.1, 3.3000000000000003, 30.0],
    "t": [None, *TEXTS],
    "d": [None, dt.date(2023, 12, 31), dt.date(2024, 1, 1), dt.date(2024, 2, 29)],
    "e": [None, dt.date(2023, 12, 31), dt.date(2024, 1, 30), dt.date(2024, 2, 29), dt.date(2024, 3, 30)],
    "b": [None, False, True],
    "h": [None, -2.0, 0.0, 0.5, 1.25, 7.0],
    "w": [None, dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12, 30), dt.datetime(2024, 1, 1, 12, 30, 0, 500_000)],
}
LITERALS = {
    "n": ["-2", "0", "1", "1.5", "2"],
    "f": ["-1.5", "0", "0.1", "0.30000000000000004", "1e300"],
    "t": ["'" + text.replace("'", "''") + "'" for text in [*TEXTS, "zz"]],
    "d": ["2024-01-01", "2024-02-29", "2023-12-31"],
    "b": ["true", "false"],
    "w": ["2024-01-01", "'2024-01-01 12:30'", "'2024-01-01 12:30:00.5'"],
}
ROWS = st.lists(
    st.fixed_dictionaries({key: st.sampled_from(values) for key, values in VALUES.items()}), min_size=1, max_size=12
)


def frame_of(rows):
    return pd.DataFrame(
        {
            **{NAMES[key]: pd.array([row[key] for row in rows], dtype="Int64") for key in "nm"},
            **{
                NAMES[key]: np.array([np.nan if row[key] is None else row[key] for row in rows], dtype=float)
                for key in "fgh"
            },
            NAMES["t"]: pd.Categorical([row["t"] for row in rows], categories=TEXTS),
            **{
                NAMES[key]: pd.array(pd.to_datetime([row[key] for row in rows]).astype("datetime64[us]"))
                for key in "dew"
            },
            NAMES["b"]: pd.array([row["b"] for row in rows], dtype="boolean"),
        }
    )


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def warehouse():
    connection = duckdb.connect(config={"enable_external_access": "false"})
    connection.execute(
        "CREATE TABLE loans (place INTEGER, " + ", ".join(f"{quoted(NAMES[key])} {TYPES[key]}" for key in NAMES) + ")"
    )
    return connection


def loaded(connection, rows):
    connection.execute("DELETE FROM loans")
    places = ", ".join([f"({', '.join('?' * (len(NAMES) + 1))})"] * len(rows))
    values = [value for place, row in enumerate(rows) for value in (place, *(row[key] for key in NAMES))]
    connection.execute(f"INSERT INTO loans VALUES {places}", values)


def asked(connection, expression):
    return [value for (value,) in connection.execute(f"SELECT {expression} FROM loans ORDER BY place").fetchall()]


def column(key):
    return "`" + NAMES[key].replace("`", "``") + "`"


SIGNS = st.sampled_from(["<", "<=", ">", ">=", "=", "!="])
FACTORS = st.sampled_from(["", "0.9 * ", "2 * ", "0.1 * ", "0.07 * ", "1.1 * "])


@st.composite
def comparisons_of_columns(draw):
    if draw(st.booleans()):
        one, other = draw(st.permutations("dew"))[:2]
        length = draw(st.sampled_from(["0 days", "30 days", "-29 days", "36 hours", "-45_000.5 seconds"]))
        shift = "" if length == "0 days" else f" + {length}" if length[0] != "-" else f" - {length[1:]}"
        sign = draw(st.sampled_from(["<", "<=", ">", ">=", *["=", "!="] * bool(shift)]))
        return f"{column(one)} {sign} {column(other)}{shift}"
    names = draw(st.permutations("nmfg"))[: draw(st.sampled_from([2, 2, 3]))]
    text = column(names[0])
    for name in names[1:]:
        text += f" {draw(st.sampled_from('+-'))} {draw(FACTORS)}{column(name)}"
    bound = draw(st.sampled_from(["0", "0", "0.3", "-2", "7"]))
    if draw(st.booleans()):
        return f"{text} BETWEEN {bound} AND 30"
    return f"{text} {draw(SIGNS)} {bound}"


@st.composite
def comparisons(draw):
    if draw(st.integers(0, 3)) == 3:
        return draw(comparisons_of_columns())
    key = draw(st.sampled_from(list(LITERALS)))
    literals = st.sampled_from(LITERALS[key])
    forms = ["equality", "among", "missing", *{"t": ["pattern"] * 3, "b": []}.get(key, ["order", "between"])]
    form = draw(st.sampled_from(forms))
    if form == "equality":
        return f"{column(key)} {draw(st.sampled_from(['=', '!=']))} {draw(literals)}"
    if form == "among":
        listed = ", ".join(draw(st.lists(literals, min_size=1, max_size=3)))
        return f"{column(key)} {draw(st.sampled_from(['IN', 'NOT IN']))} {{{listed}}}"
    if form == "pattern":
        text = draw(st.sampled_from(["a%", "%r", "%a%", "50\\%", "a\\_%", "%\\\\%", "c_r", "%_%", "_"]))
        return f"{column(key)} {draw(st.sampled_from(['LIKE', 'NOT LIKE']))} '{text}'"
    if form == "order":
        return f"{column(key)} {draw(st.sampled_from(['<', '<=', '>', '>=']))} {draw(literals)}"
    if form == "between":
        low, high = sorted(
            draw(st.tuples(literals, literals)), key=lambda text: float(text) if key in "nf" else text.strip("'")
        )
        return f"{column(key)} BETWEEN {low} AND {high}"
    return f"{column(key)} IS {draw(st.sampled_from(['', 'NOT ']))}MISSING"


EXPRESSIONS = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(" AND ".join),
        st.tuples(inner, inner).map(lambda pair: f"({' OR '.join(pair)})"),
        inner.map(lambda text: f"NOT ({text})"),
    ),
    max_leaves=5,
)
POLICIES = st.lists(EXPRESSIONS, min_size=1, max_size=3)


def policy(expressions):
    text = "\n".join(
        f"rule {place}, {'x' * place}: IF {one} THEN label{place % 2}" for place, one in enumerate(expressions)
    )
    try:
        return parse_rules(text)
    except RuleSyntaxError as error:
        assert "can never apply" in str(error)  # noqa: PT017
        return None


@settings(max_examples=examples(400))
@given(POLICIES, ROWS)
def test_what_is_written_holds_for_the_same_rows_in_a_warehouse(warehouse, expressions, rows):
    rules = policy(expressions)
    if rules is None:
        return
    X = frame_of(rows)
    table = Table.from_frame(X)
    loaded(warehouse, rows)
    covered = rules.coverage(table)
    for schema in (table.schema, None):
        try:
            where, case = rules.to_sql(schema=schema, where=True), rules.to_sql(schema=schema)
        except RuleError as error:
            assert schema is None
            assert "Give the data" in str(error)  # noqa: PT017
            continue
        if schema is None and any(value in str(rules) for value in (" 2", "{2", "2024-01-01")):
            continue  # without the data nobody knows that such values are texts
        assert [answer is True for answer in asked(warehouse, where)] == covered.any(axis=1).tolist(), where
        first = [next((rules[place].outcome.labels[0] for place in np.flatnonzero(row)), None) for row in covered]
        assert asked(warehouse, case) == first, case


@settings(max_examples=examples(2_000))
@given(POLICIES, st.sampled_from(DIALECTS))
def test_what_is_written_is_read_back(expressions, dialect):
    rules = policy(expressions)
    if rules is None or not all(one.is_decided for rule in rules for _, one in rule.clause):
        return
    try:
        text = rules.to_sql(dialect)
    except RuleError as error:
        assert "Give the data" in str(error)  # noqa: PT017
        return
    assert all(
        [one.clause for one in sql_rules(rule_set.to_sql(dialect, where=True), "x", dialect=dialect)] == [rule.clause]
        for rule, rule_set in ((rule, RuleSet([rule])) for rule in rules)
        if not rule.clause.is_empty()
    )
    disjoint = all(rule.clause.is_empty() is False for rule in rules) and not rules.conflicts()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("frote.exchange.hit_policies.tell_nothing_left", lambda *_: None)
        back = sql_rules(text, dialect=dialect)
    if disjoint:
        assert back == rules
    else:
        assert not back.conflicts()


# SQL that others write, drawn and asked of DuckDB.

SQL_VALUES = {
    "n": ["-2", "0", "1", "1.5", "2"],
    "f": ["-1.5", "0", "0.1", "1e300"],
    "t": ["'car'", "'it''s'", "'50%'", "'zz'"],
    "d": ["DATE '2024-01-01'", "'2024-02-29'"],
    "w": ["TIMESTAMP '2024-01-01 12:30:00'", "DATE '2024-01-01'"],
}


@st.composite
def sql_comparisons_of_columns(draw):
    if draw(st.booleans()):
        one, other = (quoted(NAMES[key]) for key in draw(st.permutations("dew"))[:2])
        shift = draw(st.sampled_from(["", " + INTERVAL '30' DAY", " - INTERVAL 30 DAYS", " + INTERVAL '-36' HOUR"]))
        return f"{one} {draw(st.sampled_from(['<', '<=', '>', '>=', '=', '<>']))} {other}{shift}"
    # Sums that floats hold without rounding: what is added first does not matter.
    a, b, c = (quoted(NAMES[key]) for key in draw(st.permutations("nmh")))
    bound = draw(st.sampled_from(["0.5", "-2", c, f"({c} - 1) * 0.5", f"-{c} * 0.25 + 7"]))
    text = f"{a} {draw(st.sampled_from('+-'))} {draw(st.sampled_from(['', '0.5 * ', '-2 * ']))}{b}"
    if draw(st.booleans()):
        return f"{text} {draw(st.sampled_from(['', 'NOT ']))}BETWEEN {bound} AND {c}"
    return f"{text} {draw(st.sampled_from(['=', '<>', '<', '<=', '>', '>=']))} {bound}"


@st.composite
def sql_comparisons(draw):
    if draw(st.integers(0, 3)) == 3:
        return draw(sql_comparisons_of_columns())
    key = draw(st.sampled_from([*SQL_VALUES, "b"]))
    name = quoted(NAMES[key])
    if key == "b":
        return draw(st.sampled_from([name, f"{name} = TRUE", f"{name} IS TRUE", f"{name} IS NOT FALSE", f"NOT {name}"]))
    values = st.sampled_from(SQL_VALUES[key])
    form = draw(st.sampled_from(["compare", "turned", "in", "null", "between", "like"]))
    if form == "in":
        listed = ", ".join(draw(st.lists(values, min_size=1, max_size=3)))
        return f"{name} {draw(st.sampled_from(['IN', 'NOT IN']))} ({listed})"
    if form == "null":
        return f"{name} IS {draw(st.sampled_from(['', 'NOT ']))}NULL"
    if form == "like" and key == "t":
        text = draw(st.sampled_from(["LIKE 'a%'", "NOT LIKE '%r'", "LIKE 'a!_%' ESCAPE '!'", "LIKE '%\\%'"]))
        return draw(st.sampled_from([f"{name} {text}", f"starts_with({name}, 'a')", f"contains({name}, '%')"]))
    signs = ["=", "<>", "!="] + ["<", "<=", ">", ">="] * (key != "t")
    if form == "turned":
        return f"{draw(values)} {draw(st.sampled_from(signs))} {name}"
    if form == "between" and key != "t":
        return f"{name} {draw(st.sampled_from(['', 'NOT ']))}BETWEEN {draw(values)} AND {draw(values)}"
    return f"{name} {draw(st.sampled_from(signs))} {draw(values)}"


SQL = st.recursive(
    sql_comparisons(),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) AND ({pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) OR ({pair[1]})"),
        inner.map(lambda text: f"NOT ({text})"),
        inner.map(lambda text: f"(({text}) IS NOT TRUE)"),
    ),
    max_leaves=5,
)


@settings(max_examples=examples(400))
@given(SQL, ROWS)
def test_conditions_that_others_write_hold_for_the_same_rows(warehouse, sql, rows):
    loaded(warehouse, rows)
    wanted = [answer is True for answer in asked(warehouse, sql)]
    rules = sql_rules(f"WHERE {sql}", "yes")
    assert rules.coverage(frame_of(rows)).any(axis=1).tolist() == wanted


@settings(max_examples=examples(300))
@given(st.lists(SQL, min_size=1, max_size=3), st.sampled_from(["'c'", "NULL"]), ROWS)
def test_a_case_that_others_write_gives_the_same_answers(warehouse, conditions, default, rows):
    branches = " ".join(
        f"WHEN {one} THEN {['NULL', repr('a'), repr('b')][place]}" for place, one in enumerate(conditions)
    )
    sql = f"CASE {branches} ELSE {default} END"
    loaded(warehouse, rows)
    wanted = asked(warehouse, sql)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("frote.exchange.hit_policies.tell_nothing_left", lambda *_: None)
        try:
            rules = sql_rules(f"SELECT *, {sql} AS label FROM loans")
        except RuleSyntaxError as error:
            assert re.search("can never apply|leaves nothing", str(error))  # noqa: PT017
            return
    covered = rules.coverage(frame_of(rows))
    assert [next((rules[place].outcome.labels[0] for place in np.flatnonzero(row)), None) for row in covered] == wanted
    assert all(len({rules[place].outcome for place in np.flatnonzero(row)}) < 2 for row in covered)


# Examples.


def test_a_file_is_written_and_read_back(tmp_path):
    rules = parse_rules(
        "'b: x/1': IF age < 29 OR `capital gain` > 5 THEN yes\nrich: IF age >= 29 AND `capital gain` < 1 THEN no"
    )
    path = tmp_path / "policy.sql"
    rules.save(path)
    assert path.read_text() == (
        "-- dialect: duckdb\nCASE\n"
        "  WHEN age < 29 THEN 'yes' -- rule: 'b: x/1'/1\n"
        "  WHEN (age >= 29 OR age IS NULL) AND \"capital gain\" > 5 THEN 'yes' -- rule: 'b: x/1'/2\n"
        "  WHEN age >= 29 AND \"capital gain\" < 1 THEN 'no' -- rule: rich\nEND\n"
    )
    assert read_rules(path) == rules
    path.write_text(
        "-- dialect: BigQuery\nSELECT 'yes' AS label FROM `my-project.loans` WHERE `capital gain` > 5;\n"
        "SELECT 'no' AS x"
    )
    assert str(read_rules(path)) == (
        "rule 1: IF `capital gain` > 5 THEN yes\nrule 2: IF `capital gain` <= 5 OR `capital gain` IS MISSING THEN no"
    )


def test_what_asks_for_an_order_is_written_with_the_data():
    X = pd.DataFrame(
        {"size": pd.Categorical(["S", "L"], ["S", "M", "L"], ordered=True), "doors": ["2", "x"], "m": [True, False]}
    )
    rules = parse_rules("IF size >= 'M' AND doors = 2 AND m = true THEN yes")
    assert rules.to_sql(schema=X, where=True) == "size IN ('L', 'M') AND doors = '2' AND m = TRUE"
    with pytest.raises(
        RuleError, match=r"rule 'rule 1': size >= 'M' asks for an order of levels.*rules.to_sql\(schema=X\)"
    ):
        rules.to_sql()


def test_every_reserved_word_is_put_in_quotes():
    words = duckdb.sql(
        "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
    )
    for (word,) in words.fetchall():
        (text,) = re.findall("^(.*) > 1$", parse_rules(f"IF `{word}` > 1 THEN yes").to_sql(where=True))
        assert text == f'"{word}"'
        assert sql_rules(f"{text} > 1", "yes").columns == (word,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "IF age > 1 THEN {a: 0.5, b: 0.5}",
            "rule 'rule 1' has the outcome {a: 0.5, b: 0.5}, and SQL gives each row one label",
        ),
        ("r: IF age > 1 THEN a WITH CONFIDENCE 0.8", "rule 'r' has the outcome a WITH CONFIDENCE 0.8"),
        ("IF age > 1 AND Age < 1 THEN a", "the columns 'age' and 'Age' differ by case alone"),
        ("IF age = 'a\0b' THEN a", "rule 'rule 1': a value holds the character"),
        ("IF `` = 1 THEN a", "no column of SQL is named ''"),
        ("IF age > 1 OR age = 'x' THEN a", "compares by order, and SQL orders texts by their letters"),
    ],
)
def test_what_sql_cannot_say_is_told_by_the_rule(text, message, tmp_path):
    with pytest.raises(RuleError, match=re.escape(message)):
        parse_rules(text).save(tmp_path / "policy.sql")
    assert not (tmp_path / "policy.sql").exists()


@pytest.mark.parametrize("suffix", ["dmn", "pmml"])
def test_other_forms_say_that_they_know_no_levels(suffix, tmp_path):
    rules = parse_rules("a: IF plan STARTS WITH pre AND age < 3 THEN yes")
    with pytest.raises(RuleError, match=r"rule 'a' asks for levels of column 'plan' by a pattern.*rules\.bind\(X\)"):
        rules.save(tmp_path / f"policy.{suffix}")
    rules.bind(pd.DataFrame({"plan": ["pre", "post"], "age": [1, 2]})).save(tmp_path / f"policy.{suffix}")


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("CASE WHEN upper(a) = 'X' THEN 'y' END", "line 1: 'UPPER(a)' cannot be a rule: expected a column"),
        ("CASE WHEN a > 1\n AND a * b > 2 THEN 'y' END", "line 2: 'a * b' cannot be a rule: a column is multiplied"),
        ("CASE WHEN a > b / 2 THEN 'y' END", "divide whole numbers in different ways; multiply, as in 0.5 * b"),
        ("CASE WHEN a > 1 + 1 THEN 'y' END", "only one column is left in this comparison. Write a > 2."),
        ("CASE WHEN a > b + INTERVAL 1 MONTH THEN 'y' END", "months are not all equally long; write days"),
        ("CASE WHEN a > b + INTERVAL '0.5' DAY THEN 'y' END", "expected a whole number of days"),
        ("CASE WHEN a > b + '1 day'::INTERVAL THEN 'y' END", "expected columns, numbers or intervals"),
        ("CASE WHEN a + NULL > b THEN 'y' END", "expected columns, numbers or intervals"),
        ("CASE WHEN NULL = a + b THEN 'y' END", "neither true nor false for any row; write IS NULL"),
        ("CASE WHEN a > b - 'x' THEN 'y' END", "expected columns, numbers or intervals"),
        ("CASE WHEN a > b::DECIMAL(9, 1) THEN 'y' END", "found what has to be worked out"),
        ("CASE WHEN a > 1e-999 * b THEN 'y' END", "too small to be told from 0"),
        ("CASE WHEN a > 1e999999999 * b THEN 'y' END", "expected columns, numbers or intervals"),
        ("CASE WHEN a BETWEEN SYMMETRIC b AND c THEN 'y' END", "BETWEEN SYMMETRIC is not read"),
        ("CASE WHEN 5 IN (a, b) THEN 'y' END", "expected a column"),
        ("CASE WHEN a > datediff('day', b, c) THEN 'y' END", "found what has to be worked out"),
        ("CASE WHEN a IN (SELECT b FROM c) THEN 'y' END", "only lists of values are read behind IN"),
        ("CASE WHEN EXISTS (SELECT 1) THEN 'y' END", "rules compare columns with values and with one another"),
        ("CASE WHEN a = NULL THEN 'y' END", "neither true nor false for any row; write IS NULL"),
        ("CASE WHEN a NOT IN (1, NULL) THEN 'y' END", "write IS NULL"),
        ("CASE WHEN a < 'm' THEN 'y' END", "SQL orders texts by their letters, which rules do not"),
        ("CASE WHEN a ILIKE 'm%' THEN 'y' END", "rules compare columns with values and with one another"),
        ("CASE WHEN a > 1 THEN b END", "'b' cannot be a rule: expected a label in quotes"),
        ("SELECT CASE WHEN a > 1 THEN 'y' END FROM s JOIN t ON s.x = t.x", "JOINS is no part of rules"),
        ("SELECT CASE WHEN a > 1 THEN 'y' END FROM (SELECT 1)", "rows come from one table"),
        ("SELECT CASE WHEN a > 1 THEN 'y' END FROM s LIMIT 5", "LIMIT is no part of rules"),
        ("WITH s AS (SELECT 1) SELECT 'y' FROM s", "is no part of rules"),
        ("SELECT a, b FROM s", "expected one CASE or label in quotes beside columns, found 0"),
        ("SELECT 'a', 'b' FROM s", "found 2"),
        ("DROP TABLE loans", "expected a CASE"),
        ("UPDATE s SET a = 1", "expected a CASE"),
        ("a > 1", "a condition alone needs the label beside it"),
        ("CASE WHEN a > THEN 'y' END", "line 1, column 15: is no SQL of duckdb near 'THEN'"),
        ("CASE WHEN a = 'y THEN", "a quote may never be closed"),
        ("", "holds no SQL"),
        ("-- nothing", "holds no SQL"),
        ("(" * 61 + "a" + ")" * 61, "more than 60 brackets"),
        ("CASE WHEN " + "NOT " * 20_000 + "a THEN 'y' END", "too much within one another"),
        ("CASE WHEN a = 1 THEN 'y' END" + " " * 1_000_000, "more than 1,000,000 characters"),
        ("CASE WHEN a > 1 THEN 'y' -- rule: a:b\x07\nEND", "cannot be the name of a rule"),
        ("CASE WHEN a > 1 THEN 'y' -- rule: n\nWHEN b > 1 THEN 'z' -- rule: n\nEND", "Two rules are named 'n'"),
    ],
)
def test_what_cannot_be_a_rule_is_one_sentence_with_its_place(sql, message):
    with pytest.raises(RuleSyntaxError) as caught:
        sql_rules(sql)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_text_or_dialect_is_told(tmp_path):
    (tmp_path / "policy.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(RuleSyntaxError, match="is not UTF-8 text"):
        read_rules(tmp_path / "policy.sql")
    (tmp_path / "policy.sql").write_text("-- dialect: bigquerry\nCASE WHEN a > 1 THEN 'y' END")
    with pytest.raises(
        RuleError, match=r"'bigquerry' is no dialect of SQL that is known here. Did you mean 'bigquery'\?"
    ):
        read_rules(tmp_path / "policy.sql")


OVER = "over: IF bill > 0.07 * limit AND NOT (`end` >= start + 30 days) THEN review"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_are_compared_as_each_warehouse_has_it(dialect):
    quote = "`" if dialect in ("spark", "bigquery") else '"'
    factor = "CAST('0.07' AS NUMERIC)" if dialect == "bigquery" else "0.07"
    days = "'30 DAY'" if dialect in ("postgres", "snowflake") else "'30' DAY"
    written = parse_rules(OVER).to_sql(dialect, where=True).replace(quote, "")
    assert written == (f"bill > {factor} * limit AND (end < start + INTERVAL {days} OR end IS NULL OR start IS NULL)")


def test_numbers_are_added_up_as_the_data_have_them():
    rules = parse_rules("IF bill > 0.07 * limit AND bill - 2 * paid >= 0.3 THEN review")
    whole = pd.DataFrame({"bill": [7], "limit": [100], "paid": [3]})
    assert rules.to_sql("bigquery", schema=whole, where=True) == "100 * bill > 7 * `limit` AND bill - 2 * paid >= 0.3"
    mixed = whole.assign(bill=[7.5])
    assert rules.to_sql("bigquery", schema=mixed, where=True) == (
        "bill > 0.07 * CAST(`limit` AS FLOAT64) AND bill - 2 * CAST(paid AS FLOAT64) >= 0.3"
    )
    # A product that floats round up, and decimals keep: 0.07 * 100.
    asked = "SELECT 7.0::DOUBLE >= 0.07 * 100.0::DOUBLE, 7::BIGINT >= 0.07 * 100::BIGINT"
    assert duckdb.sql(asked).fetchall() == [(False, True)]


@pytest.mark.parametrize(
    ("sql", "dialect", "rule"),
    [
        ("paid >= dateadd(day, 30, due)", "snowflake", "paid - due >= 30 days"),
        ("paid >= DATE_ADD(due, INTERVAL 30 DAY)", "bigquery", "paid - due >= 30 days"),
        ("paid > TIMESTAMP_SUB(due, INTERVAL 5 HOUR)", "bigquery", "due - paid < 5 hours"),
        ("paid >= due + interval '2 hours'", "postgres", "paid - due >= 2 hours"),
        ("paid - due >= INTERVAL 2 WEEKS", "duckdb", "paid - due >= 14 days"),
        ("bill > 0.9D * credit", "spark", "bill > 0.9 * credit"),
        ("bill::float8 > 0.9 * credit", "postgres", "bill > 0.9 * credit"),
        ("(bill > credit) IS NOT TRUE", "duckdb", "NOT bill > credit"),
        ("bill <= credit OR credit IS NULL OR bill IS NULL", "duckdb", "NOT bill > credit"),
        ("NOT (bill > credit AND bill IS NOT NULL AND credit IS NOT NULL)", "duckdb", "NOT bill > credit"),
        ("NOT (bill > credit)", "duckdb", "credit >= bill"),
        ("bill BETWEEN 0.5 * credit AND credit", "duckdb", "bill >= 0.5 * credit AND credit >= bill"),
        ("bill = credit", "duckdb", "bill - credit = 0"),
        ("plan NOT LIKE '%r'", "duckdb", "plan NOT ENDS WITH 'r'"),
        ("NOT (plan NOT LIKE '%r')", "postgres", "plan ENDS WITH 'r'"),
        ("plan NOT LIKE '%!_' ESCAPE '!'", "duckdb", "plan NOT ENDS WITH '_'"),
        ("plan NOT IN ('a', 'b')", "bigquery", "plan NOT IN {'a', 'b'}"),
        ("bill NOT BETWEEN 1 AND 3", "spark", "bill < 1 OR bill > 3"),
        ("0.4 * (a - b) > 1 - -c", "duckdb", "0.4 * a - 0.4 * b - c > 1"),
        ("CASE bill WHEN credit THEN 'x' END", "duckdb", "bill - credit = 0"),
    ],
)
def test_sums_as_others_write_them(sql, dialect, rule):
    read = sql_rules(sql, None if sql.startswith("CASE") else "x", dialect=dialect)
    assert [str(one.clause) for one in read] == [rule]


@pytest.mark.parametrize("text", ["a + b > 30 days", "a > b + 0.0000000005 seconds"])
def test_durations_that_sql_has_not_are_told_by_the_rule(text):
    with pytest.raises(RuleError, match=r"rule 'r': .* is compared with a duration, and SQL takes one date"):
        parse_rules(f"r: IF {text} THEN x").to_sql()


def test_long_chains_are_no_deep_trees():
    rules = sql_rules("CASE WHEN " + " OR ".join(f"a = {number}" for number in range(5_000)) + " THEN 'y' END")
    assert len(rules) == 1
    assert sqlglot.parse_one(rules.to_sql()) is not None


def test_a_case_of_one_column_and_the_first_answer():
    rules = sql_rules("CASE a WHEN 1 THEN 'x' WHEN 2 THEN NULL ELSE 'z' END")
    assert str(rules) == "rule 1: IF a = 1 THEN x\notherwise: IF a NOT IN {1, 2} OR a IS MISSING THEN z"
    patterns = sql_rules("CASE WHEN a LIKE 'x%' THEN 'p' WHEN a LIKE '%y' THEN 'q' WHEN b = 1 THEN 'q' END")
    assert str(patterns) == (
        "rule 1: IF a STARTS WITH 'x' THEN p\nrule 2: IF a ENDS WITH 'y' AND a NOT STARTS WITH 'x' THEN q\n"
        "rule 3: IF b = 1 AND NOT a STARTS WITH 'x' THEN q"
    )
    assert sql_rules("SELECT l.a FROM loans l WHERE l.a > 1", {"x": 0.5, "y": 0.5}).columns == ("a",)
