"""What is written is read back: the same values and kinds in every format, from the same bytes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.table.date_spellings import date_spellings

import frote
from frote.files import FileForm, read_table
from frote.files.formats import FORMATS, format_named
from frote.table import Table
from frote.table.spelling import DateSpelling

FORMS = [
    *(FileForm(one.name) for one in FORMATS),
    *(FileForm(one.name, gzipped=True) for one in FORMATS if one.packs),
    FileForm("csv", delimiter=";", decimal=",", newline="\r\n"),
    FileForm("csv", delimiter="\t"),
    FileForm("csv", delimiter="|", newline="\r"),
    FileForm("csv", encoding="utf-8", bom=True),
    FileForm("csv", encoding="utf-16-le", bom=True, newline="\r\n"),
    FileForm("csv", encoding="utf-16-be", bom=True, gzipped=True),
    FileForm("json lines", gzipped=True, bom=True, newline="\r\n"),
]
# What a CSV file cannot tell from a missing value.
MISSING = {"", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "null", "NULL", "None", "<NA>", "#N/A", "#NA"}

characters = st.characters(exclude_categories=["Cs", "Cc"])
odd_texts = [
    *("01234", "1e400", "=1+1", "<b>", "a,b;c\td|e", 'say "so"', '"', "two\nlines", "\r", " x ", "True", "7", "1,5"),
    *("2024-02-29", "Zürich", "\ufeff", "{}", "inf", "-0", "\u2028", "99999999999999999999"),
]
odd_names = ["marital-status", "a,b", 'the "odd" one', "=1+1", "two\nlines", "{}", " led", "\ufeffage", "1", "x;y"]
texts = st.text(characters, min_size=1, max_size=6).filter(lambda text: text not in MISSING)
texts |= st.sampled_from(odd_texts)
names = st.text(characters, min_size=1, max_size=6).filter(str.strip) | st.sampled_from(odd_names)
days = st.datetimes(pd.Timestamp("1700-01-01"), pd.Timestamp("2200-01-01"))


@st.composite
def columns(draw, rows: int):
    def values(strategy):
        return draw(st.lists(strategy, min_size=rows, max_size=rows))

    gaps = np.array(values(st.booleans() if draw(st.booleans()) else st.just(False)), dtype=bool)
    kind = draw(st.sampled_from(["int", "float", "bool", "text", "date", "constant", "nothing"]))
    if kind == "nothing" or gaps.all():
        return pd.Series(np.full(rows, np.nan))
    if kind == "int":
        whole = np.array(values(st.integers(-(2**63), 2**63 - 1)), dtype=np.int64)
        return pd.Series(pd.arrays.IntegerArray(whole, gaps)) if gaps.any() else pd.Series(whole)
    if kind == "float":
        number = st.floats(allow_nan=False) | st.integers(-5, 5).map(float)
        return pd.Series(np.where(gaps, math.nan, values(number)))
    if kind == "bool":
        truth = np.array(values(st.booleans()))
        return pd.Series(pd.arrays.BooleanArray(truth, gaps)) if gaps.any() else pd.Series(truth)
    if kind == "date":
        resolution = draw(st.sampled_from(["D", "s", "us"]))
        times = np.array(values(days), dtype="datetime64[us]").astype(f"datetime64[{resolution}]")
        return pd.Series(np.where(gaps, np.datetime64("NaT"), times).astype("datetime64[us]"))
    words = values(st.just(draw(texts))) if kind == "constant" else values(texts)
    cells = [None if gone else word for word, gone in zip(words, gaps, strict=True)]
    return pd.Series(cells, dtype=pd.CategoricalDtype(sorted({cell for cell in cells if cell is not None})))


@st.composite
def frames(draw):
    rows = draw(st.integers(1, 8))
    labels = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    return pd.DataFrame({label: draw(columns(rows)) for label in labels})


def equal(found: pd.DataFrame, frame: pd.DataFrame) -> None:
    """Compare values and kinds; dates may count other units, floats keep the sign of zero."""
    assert isinstance(found.index, pd.RangeIndex)
    assert list(found.columns) == list(frame.columns)
    for name in frame:
        theirs, ours = found[name], frame[name]
        if ours.dtype.kind == "M":
            theirs, ours = theirs.astype("datetime64[us]"), ours.astype("datetime64[us]")
        pd.testing.assert_series_equal(theirs, ours, check_exact=True)
        if ours.dtype == np.float64:
            assert np.signbit(theirs).tolist() == np.signbit(ours).tolist()


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(form=st.sampled_from(FORMS), frame=frames())
def test_every_frame_comes_back_from_every_format(frame, form, tmp_path):
    if form.decimal == "," and len(frame.columns) == 1:
        frame = frame.assign(other="x").astype({"other": "category"})  # one column has no delimiter to go by
    path = tmp_path / f"table{form.suffix}"
    form.write(frame, path)
    # A text that looks like a number needs the word of someone who knows.
    known = [name for name in frame if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    table = read_table(path, categorical=known)
    equal(table.frame, frame)
    again = tmp_path / f"again{form.suffix}"
    table.form.write(table.frame, again)
    equal(read_table(again, categorical=known).frame, frame)
    Table.from_frame(table.frame)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.suffix} {form.delimiter!r} {form.encoding} {form.bom}")
def test_the_same_frame_gives_the_same_bytes_and_the_form_is_found_again(form, tmp_path, monkeypatch):
    frame = frote.datasets.load_loans(60).X
    # What lies under a missing value is no value.
    years = frame["employment_years"]
    values = years.to_numpy(np.int64, na_value=99)
    other = frame.assign(employment_years=pd.arrays.IntegerArray(values, years.isna().to_numpy())).set_index(
        np.arange(60) * 2
    )
    one, two = tmp_path / f"one{form.suffix}", tmp_path / f"two{form.suffix}"
    form.write(frame, one)
    monkeypatch.setattr("time.time", lambda: 1e9)
    form.write(other, two)
    assert one.read_bytes() == two.read_bytes()
    table = read_table(one)
    assert table.form == form
    three = tmp_path / f"three{form.suffix}"
    table.form.write(table.frame, three)
    assert three.read_bytes() == one.read_bytes()


def test_loans_come_back_with_their_kinds(tmp_path):
    frame = frote.datasets.load_loans(300).X
    for form in FORMS:
        path = tmp_path / f"loans{form.suffix}"
        form.write(frame, path)
        found = read_table(path).frame
        for column, theirs in zip(Table.from_frame(frame).schema, Table.from_frame(found).schema, strict=True):
            assert (column.name, column.kind, column.levels) == (theirs.name, theirs.kind, theirs.levels), form


def test_a_model_sees_in_a_file_what_it_saw_in_the_data(tmp_path):
    loans = frote.datasets.load_loans(300)
    rules = loans.rules.resolve("exclude")
    model = frote.default_pipeline().fit(loans.X, loans.y)
    expected = frote.score(model, loans.X, loans.y, rules)
    for form in FORMS:
        path = tmp_path / f"loans{form.suffix}"
        form.write(loans.X.assign(decision=loans.y), path)
        X = read_table(path).frame
        y = X.pop("decision")
        assert (model.predict(X) == model.predict(loans.X)).all()
        assert frote.score(model, X, y, rules).objective == expected.objective
        again = frote.default_pipeline().fit(X, y)
        assert (again.predict(loans.X) == model.predict(loans.X)).all()


def test_whole_numbers_with_gaps_are_written_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age,rate\n3,3.0\n,\n-4,1e3\n")
    table = read_table(path)
    assert table.frame["age"].dtype == pd.Int64Dtype()
    table.form.write(table.frame, path)
    assert path.read_text() == "age,rate\n3,3.0\n,\n-4,1000.0\n"


def test_parquet_keeps_its_own_types(tmp_path):
    frame = pd.DataFrame(
        {
            "small": np.array([1, 2, 3], dtype=np.int8),
            "single": np.array([0.1, np.nan, 3], dtype=np.float32),
            "size": pd.Categorical(["low", None, "high"], categories=["low", "middle", "high"], ordered=True),
            "made": pd.Categorical(["b", "a", None], categories=["b", "a"]),
            "coded": pd.Categorical([3, 1, None], categories=[3, 1]),
            "when": pd.to_datetime(["2024-01-01 10:00", None, "2024-07-01 11:30"]).tz_localize("Europe/Berlin"),
        }
    )
    for form in (FileForm("parquet"), FileForm("feather")):
        path = tmp_path / f"table{form.suffix}"
        form.write(frame, path)
        found = read_table(path).frame
        for name in ("small", "single", "size", "made", "when"):
            pd.testing.assert_series_equal(found[name], frame[name], check_exact=True)
        assert found["coded"].tolist() == [3, 1, pd.NA]


def test_times_with_a_zone_come_back_from_text(tmp_path):
    path = tmp_path / "a.csv"
    winter, summer = "2024-01-01T10:00:00+01:00", "2024-07-01 10:00:00.5+02:00"
    path.write_text(f"same,two,utc\n{winter},{winter},2024-01-01T09:00:00Z\n,{summer},\n")
    table = read_table(path)
    assert str(table.frame["same"].dtype.tz) == "UTC+01:00"
    assert table.frame["two"].tolist() == [pd.Timestamp("2024-01-01 09:00Z"), pd.Timestamp("2024-07-01 08:00:00.5Z")]
    assert str(table.frame["utc"].dtype.tz) == "UTC"
    table.form.write(table.frame, path)
    pd.testing.assert_frame_equal(read_table(path).frame, table.frame)


def test_dates_are_written_as_short_as_they_can_be(tmp_path):
    path = tmp_path / "a.csv"
    times = {
        "day": ["2024-02-29", "2023-01-01"],
        "second": ["2024-02-29T10:00:00", "2023-01-01T00:00:01"],
        "fraction": ["2024-02-29T10:00:00.500", ""],
        "micro": ["2024-02-29T10:00:00.000001", ""],
        "nano": ["2024-02-29T10:00:00.000000001", ""],
    }
    frame = pd.DataFrame({name: pd.to_datetime(texts, format="ISO8601") for name, texts in times.items()})
    FileForm("csv").write(frame, path)
    rows = ["day,second,fraction,micro,nano", *map(",".join, zip(*times.values(), strict=True))]
    assert path.read_text().splitlines() == rows
    assert {dtype.kind for dtype in read_table(path).frame.dtypes} == {"M"}


def test_times_with_and_without_a_zone_stay_texts(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("when,day\n2024-01-01T10:00Z,2024-02-30\n2024-01-01T10:00,2024-02-01\n")
    frame = read_table(path).frame
    assert frame["when"].tolist() == ["2024-01-01T10:00Z", "2024-01-01T10:00"]
    assert frame["day"].tolist() == ["2024-02-30", "2024-02-01"]


def test_object_columns_are_written_as_what_they_hold(tmp_path):
    frame = pd.DataFrame(
        {
            "text": np.array(["b", None, "a"], dtype=object),
            "truth": np.array([True, None, False], dtype=object),
            "count": np.array([1, np.nan, 2], dtype=object),
            "string": pd.array(["x", None, "y"], dtype="str"),
        }
    )
    for form in FORMS:
        path = tmp_path / f"table{form.suffix}"
        form.write(frame, path)
        found = read_table(path).frame
        assert found["text"].astype(object).where(found["text"].notna(), None).tolist() == ["b", None, "a"]
        assert found["truth"].tolist() == [True, pd.NA, False]
        assert found["count"].fillna(0).tolist() == [1, 0, 2]
        assert found["string"].tolist()[::2] == ["x", "y"]


def test_latin_1_and_windows_text_are_written_as_they_were(tmp_path):
    path, back = tmp_path / "a.csv", tmp_path / "b.csv"
    for data, encoding in (
        ("name,price\nZürich,5 €\n".encode("cp1252"), "cp1252"),
        (b"name\nZ\xfcrich\x81\n", "latin-1"),
    ):
        path.write_bytes(data)
        table = read_table(path)
        assert table.form.encoding == encoding
        assert table.frame["name"][0].startswith("Zürich")
        table.form.write(table.frame, back)
        assert back.read_bytes() == data
    with pytest.raises(frote.FileError, match=r"b\.csv: cannot be written as latin-1, which has no '語'"):
        table.form.write(table.frame.assign(name="語"), back)


def test_what_cannot_be_written_is_told(tmp_path):
    path = tmp_path / "a"
    for form in FORMS:
        with pytest.raises(frote.FileError, match="Column 'when' holds Timedelta values"):
            form.write(pd.DataFrame({"when": pd.to_timedelta([1])}), path)
        with pytest.raises(frote.FileError, match="columns 1 and 2 are both named '1'"):
            form.write(pd.DataFrame([[1, 2]], columns=[1, "1"]), path)
        with pytest.raises(frote.FileError, match="cannot be written"):
            form.write(pd.DataFrame({"a": [1]}), tmp_path / "no" / "a")
    with pytest.raises(frote.FileError, match="Column 'mixed' holds values of several types"):
        FileForm("parquet").write(pd.DataFrame({"mixed": np.array([1, "a"], dtype=object)}), path)
    assert not path.exists()


ODD = [
    *(
        "NA",
        "",
        "null",
        "<NA>",
        "ARROW1",
        "PAR1",
        "PK\x03\x04",
        "\x1f\x8b",
        "\xff\xfe",
        "ï»¿",
        "\x85",
        "\x81",
        "Ã©",
        "\0",
    ),
    *(
        "\ud800",
        "01",
        "1,5",
        "1.5",
        "inf",
        "2024-01-31",
        "31/01/2024",
        "=1",
        "'",
        "\n",
        "\r",
        " ",
        '"',
        "|x|",
        "a;b",
        "\t",
    ),
    *("__index_level_0__", "#", "{", "{}", "é", "Ł", "\u2028", "99999999999999999999", "true", "5%"),
]
odd = st.sampled_from(ODD) | st.text(st.sampled_from("ab,;|\t\"'\n\r 01.é\x80\x81€Ł{\x01"), max_size=4)
large = st.sampled_from([0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), -(2**63) - 1])
far = st.sampled_from(["0001-01-01", "9999-12-31", "10000-01-01", "-0044-03-15", "2024-01-31T10:00", "NaT"])


@st.composite
def odd_columns(draw, rows: int):
    """Columns of all kinds of types, also such as no file can hold."""

    def values(strategy, gaps=True):
        return draw(st.lists(st.none() | strategy if gaps else strategy, min_size=rows, max_size=rows))

    kind = draw(
        st.sampled_from(["object", "str", "category", "mixed", "large", "uint", "far", "float", "half", "none"])
    )
    if kind == "object":
        return pd.Series(values(odd), dtype=object)
    if kind in ("str", "category"):  # pandas itself has no halves of characters
        return pd.Series(values(odd.filter(lambda text: "\ud800" not in text)), dtype=kind)
    if kind == "mixed":
        return pd.Series(values(st.sampled_from([1, 1.5, True, "a"])), dtype=object)
    if kind in ("large", "uint"):
        fit = large if kind == "large" else large.filter(lambda value: 0 <= value < 2**64)
        return pd.Series(values(fit), dtype=object if kind == "large" else "UInt64")
    if kind == "far":
        return pd.Series(np.array(values(far, gaps=False), dtype="datetime64[s]"))
    if kind == "none":
        return pd.Series([None] * rows, dtype=draw(st.sampled_from(["object", "Int64", "category", "datetime64[us]"])))
    number = st.sampled_from([0.1, -0.0, 3.0, math.inf, math.nan])
    return pd.Series(values(number, gaps=False), dtype="float32" if kind == "half" else "float64")


odd_spelling = {
    "encoding": st.sampled_from(["utf-8", "cp1252", "latin-1"]),
    "decimal": st.sampled_from(".,"),
    "newline": st.sampled_from(["\n", "\r\n", "\r"]),
}
odd_forms = st.builds(FileForm, st.just("csv"), delimiter=st.sampled_from(",;\t|"), **odd_spelling)
odd_forms |= st.builds(FileForm, st.sampled_from([one.name for one in FORMATS]), **odd_spelling)


def plain(column: pd.Series) -> list:
    return [None if gone else value for value, gone in zip(column.tolist(), column.isna(), strict=True)]


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), form=odd_forms, rows=st.integers(0, 4))
def test_what_is_written_is_read_back_or_else_refused(data, form, rows, tmp_path):
    labels = data.draw(st.lists(odd, min_size=1, max_size=3, unique=True))
    frame = pd.DataFrame({place: data.draw(odd_columns(rows)) for place in range(len(labels))}, index=range(rows))
    frame.columns = pd.Index(labels, dtype=object)
    path = tmp_path / f"odd{form.suffix}"
    path.unlink(missing_ok=True)
    try:
        form.write(frame, path)
    except frote.FileError:
        assert not path.exists()
        return
    texts = [name for name in labels if any(isinstance(value, str) for value in frame[name])]
    found = read_table(path, categorical=texts).frame
    assert list(found.columns) == labels
    for name in labels:
        # In CSV and the like an empty text is a missing one.
        kept = "empty texts" in format_named(form.format).carries
        expected = [None if value == "" and not kept else value for value in plain(frame[name])]
        assert plain(found[name]) == expected, name
    form.check(frame, path)  # says so too


spelled = date_spellings(["D", "m", "s", "ms", "us"])


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), form=st.sampled_from([form for form in FORMS if "dates" in format_named(form.format).options]))
def test_dates_of_any_spelling_come_back_as_they_were_written(data, form, tmp_path):
    ways = {name: data.draw(spelled) for name in ("since", "until")}
    rows = data.draw(st.integers(1, 6))
    frame = pd.DataFrame({"note": pd.Categorical(["x"] * (rows + 1))})
    for name, way in ways.items():
        # The last row tells days from months, and whether zeros stand before them.
        times = [*data.draw(st.lists(days | st.none(), min_size=rows, max_size=rows)), "2024-01-31T04:05:06"]
        frame[name] = np.array(times, dtype="datetime64[us]").astype(f"datetime64[{way.unit}]").astype("datetime64[us]")
    path, again = tmp_path / f"a{form.suffix}", tmp_path / f"b{form.suffix}"
    replace(form, dates=ways).write(frame, path)
    table = read_table(path)
    equal(table.frame, frame)
    assert {name: str(way) for name, way in table.form.dates.items()} == {name: str(ways[name]) for name in ways}
    table.form.write(table.frame, again)
    assert again.read_bytes() == path.read_bytes()


def test_dates_with_more_time_than_their_spelling_has_lose_none(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("day,when\n31/12/2024,31.12.2024 9:05\n,1.1.2024 14:30\n")
    table = read_table(path)
    assert table.frame["day"].tolist() == [pd.Timestamp("2024-12-31"), pd.NaT]
    assert table.frame["when"].tolist() == [pd.Timestamp("2024-12-31 09:05"), pd.Timestamp("2024-01-01 14:30")]
    frame = table.frame.assign(day=pd.to_datetime(["2024-12-31 12:00", None]))
    table.form.write(frame, path)
    assert path.read_text() == "day,when\n31/12/2024 12:00,31.12.2024 9:05\n,1.1.2024 14:30\n"
    equal(read_table(path).frame, frame)


def test_what_a_file_does_not_tell_another_may(tmp_path):
    first, path = tmp_path / "first.csv", tmp_path / "a.csv"
    first.write_text("zip,day,since,age\n01234,31/08/2024,31.8.2024,x\n98765,01/08/2024,1.8.2024,y\n")
    path.write_text("zip,day,since,age\n98765,02/08/2024,8.31.2024,31\n54321,,,25\n")
    alone, found = read_table(path), read_table(path, like=read_table(first))
    assert alone.frame["zip"].tolist() == [98765, 54321]
    assert alone.frame["day"].tolist()[0] == "02/08/2024"
    assert found.frame["zip"].tolist() == ["98765", "54321"]
    assert found.frame["age"].tolist() == ["31", "25"]
    assert found.frame["day"].tolist() == [pd.Timestamp("2024-08-02"), pd.NaT]
    assert found.frame["since"].tolist() == [pd.Timestamp("2024-08-31"), pd.NaT]  # the file itself tells
    assert [str(way) for way in found.form.dates.values()] == ["dd/mm/yyyy", "m.d.yyyy"]
    assert read_table(path, numeric=["age"], like=read_table(first)).frame["age"].tolist() == [31, 25]
    lines, parquet = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    lines.write_text('{"zip": 98765, "age": 1.5}\n')
    pd.DataFrame({"zip": [98765]}).to_parquet(parquet)
    assert read_table(lines, like=read_table(first)).frame.iloc[0].tolist() == ["98765", "1.5"]
    assert read_table(parquet, like=read_table(first)).frame["zip"].tolist() == ["98765"]


def test_another_table_in_the_same_form_need_not_have_those_dates(tmp_path):
    path = tmp_path / "a.csv"
    form = FileForm("csv", dates={"day": DateSpelling(day_first=True), "other": DateSpelling(day_first=True)})
    form.write(pd.DataFrame({"day": ["x", None], "other": pd.to_datetime(["2024-12-31T10:00Z"] * 2)}), path)
    assert path.read_text() == "day,other\nx,2024-12-31T10:00:00+00:00\n,2024-12-31T10:00:00+00:00\n"
    assert len({form, FileForm("csv")}) == 2
