"""Files of a table are typed together as one file with all rows is."""

from __future__ import annotations

import pandas as pd
import pytest

from frote.exceptions import FileError
from frote.files import read_table
from frote.files.names import Asked
from frote.files.part_files import written_part
from frote.files.parts import look_at_parquet, look_at_text, read_part, together

pytest.importorskip("pyarrow.parquet")

COLUMNS = {
    "whole": (["1", "2"], ["3", "4"]),
    "gaps": (["1", ""], ["3", "4"]),
    "point": (["1", "2"], ["3.5", "4"]),
    "texts": (["1", "2"], ["x", "y"]),
    "truth": (["true", "false"], ["false", ""]),
    "mixed": (["true", "false"], ["3", "4"]),
    "nothing": (["", ""], ["", ""]),
    "later": (["", ""], ["7", "8"]),
    "days": (["2020-01-01", "2020-01-02"], ["", "2021-05-06"]),
    "zeros": (["01", "02"], ["3", "4"]),
}


@pytest.fixture
def files(tmp_path):
    lines = [
        [
            ",".join(COLUMNS),
            *(",".join(cells) for cells in zip(*(column[half] for column in COLUMNS.values()), strict=True)),
        ]
        for half in (0, 1)
    ]
    for name, own in (("a", lines[0]), ("b", lines[1]), ("both", [*lines[0], *lines[1][1:]])):
        (tmp_path / f"{name}.csv").write_text("\n".join(own) + "\n", "utf-8")
    return tmp_path


def read_all(looks, asked):
    form = together(looks, asked)
    return pd.concat([read_part(part, form) for look in looks for part, _ in look.parts], ignore_index=True), form


@pytest.mark.parametrize("asked", [Asked(), Asked.of(["whole"], [])])
def test_files_of_text_are_read_as_one(files, asked):
    found, form = read_all([look_at_text(str(files / f"{name}.csv"), asked) for name in "ab"], asked)
    wanted = read_table(files / "both.csv", categorical=asked.categorical).frame
    for name, column in wanted.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            assert dict(form.types)[name] == "text"
            assert found[name].isna().equals(column.isna())
            assert found[name].dropna().tolist() == column.astype(object).dropna().tolist(), name
        else:
            pd.testing.assert_series_equal(found[name], column, check_names=False)


def test_parquet_files_are_read_by_their_groups_and_columns(tmp_path):
    frame = pd.DataFrame(
        {"age": [31, 25, 40, 22], "purpose": ["car", None, "car", "boat"], "rate": [1.5, None, 2.0, 3.0]}
    )
    frame[:3].to_parquet(tmp_path / "a.parquet", index=False, row_group_size=2)
    frame.astype({"purpose": "category"})[3:].to_parquet(tmp_path / "b.parquet", index=False)
    looks = [look_at_parquet(str(tmp_path / f"{name}.parquet"), Asked()) for name in "ab"]
    assert [rows for look in looks for _, rows in look.parts] == [2, 1, 1]
    found, form = read_all(looks, Asked())
    pd.testing.assert_frame_equal(found, frame)
    assert list(read_part(looks[0].parts[1][0], form, ["rate"])) == ["rate"]
    assert form.without(["age"]).names == ["purpose", "rate"]


def test_gaps_in_one_file_are_room_for_gaps_in_all(tmp_path):
    for name, ages in (("a", [31, 25]), ("b", [None, 4])):
        written_part(pd.DataFrame({"age": pd.array(ages, dtype="Int64")}), tmp_path / f"{name}.parquet")
    looks = [look_at_parquet(str(tmp_path / f"{name}.parquet"), Asked()) for name in "ab"]
    found, _ = read_all(looks, Asked())
    assert found["age"].dtype == "Int64"
    assert found["age"].isna().tolist() == [False, False, True, False]


def test_damaged_and_changed_files_are_told(tmp_path):
    path = tmp_path / "a.parquet"
    written_part(pd.DataFrame({"age": [31, 25]}), path)
    form = together([look_at_parquet(str(path), Asked())], Asked())
    (part,) = [part for part, _ in look_at_parquet(str(path), Asked()).parts]
    written_part(pd.DataFrame({"ages": [31, 25]}), path)
    with pytest.raises(FileError, match=r"a.parquet: (was changed while it was read|is a damaged)"):
        read_part(part, form)
    path.write_bytes(b"PAR1 and no more")
    for read in (lambda: read_part(part, form), lambda: look_at_parquet(str(path), Asked())):
        with pytest.raises(FileError, match="is a damaged Parquet file"):
            read()
