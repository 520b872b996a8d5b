"""A dossier stands beside its edit: the edit stays as it is, and what the owner wrote is never overwritten."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest
from tests.in_process import invoke
from tests.report.html_check import checked
from tests.report.test_dossier import NUMBER, STATIC, numbers_of, own_numbers

from frote.command.main import main
from frote.edits import dossier as module
from frote.edits.croissant import croissant
from frote.edits.dossier import write_dossier
from frote.edits.ours import others
from frote.edits.record import digest_of, read_record
from frote.exceptions import FileError, FroteError, RecordError
from frote.files import FileForm, read_table
from frote.report.dossier import Known, Owned
from frote.report.reading import read_report
from frote.table.spelling import DateSpelling

MADE = {"croissant.json", "dossier.html", "dossier.json", "dossier.md", "owner.toml"}
SHA = "0123456789abcdef" * 4


@pytest.fixture
def edit(edited, tmp_path):
    """A copy of a finished edit."""
    return shutil.copytree(edited[0], tmp_path / "edit")


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(kind, told, *given, **more):
    with pytest.raises(kind) as caught:
        write_dossier(*given, **more)
    assert told in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)


def rewritten(edit, name, change):
    """Change a file of an edit as its record would list it: whoever forges the one can forge the other."""
    (edit / name).write_bytes(change((edit / name).read_bytes()))
    record = json.loads((edit / "edit.json").read_text("utf-8"))
    record["files"][name] = digest_of(edit / name)
    (edit / "edit.json").write_text(json.dumps(record))


# --- beside the edit ---


def test_a_dossier_stands_beside_the_edit_which_stays_as_it_is(edit):
    before = content(edit)
    written = write_dossier(edit)
    assert written.folder == edit.with_name("edit-dossier")
    assert {path.name for path in written.folder.iterdir()} == MADE
    assert content(edit) == before
    assert others(edit) == []  # so that it can be made anew
    assert not written.of_another
    page = checked((written.folder / "dossier.html").read_text("utf-8"))
    assert f"{len(written.dossier.open_parts)} of {written.dossier.count} parts" in page.text
    assert digest_of(edit / "edit.json") in page.text


def test_the_same_edit_gives_the_same_bytes(edit, tmp_path):
    first, second = (write_dossier(edit, tmp_path / name / "d").folder for name in ("one", "two"))
    assert content(first) == content(second)


def test_nothing_is_written_into_the_edit_or_through_a_link(edit, tmp_path):
    for inside in (edit, edit / "dossier", edit / "steps" / ".." / "x"):
        refused(FileError, "lies in the folder of the edit", edit, inside)
    (tmp_path / "link").symlink_to(tmp_path)
    refused(FileError, "is a link. Name the folder itself.", edit, tmp_path / "link")
    (tmp_path / "file").write_text("")
    refused(FileError, "is no folder", edit, tmp_path / "file")
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    for name in ("dossier.html", "dossier.json", "owner.toml"):
        (out / name).symlink_to(tmp_path / "mine.txt")
        for force in (False, True):
            with pytest.raises(FileError):
                write_dossier(edit, out, force=force)
        (out / name).unlink()
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_every_number_of_a_dossier_is_of_its_edit(edit):
    written = write_dossier(edit)
    report, record = (json.loads((edit / name).read_text("utf-8")) for name in ("report.json", "edit.json"))
    allowed = numbers_of(report) | numbers_of(record) | numbers_of(digest_of(edit / "edit.json"))
    allowed |= own_numbers(written.dossier) | STATIC
    found = NUMBER.findall((written.folder / "dossier.md").read_text("utf-8").replace("\\", ""))
    assert len(found) > 200
    assert not [number for number in found if number not in allowed]


# --- what the owner writes ---


def test_what_the_owner_wrote_survives(edit):
    out = write_dossier(edit).folder
    asked = (out / "owner.toml").read_text("utf-8")
    said = asked.replace("intended-use = '''\n", "intended-use = '''\nLoans <b>for</b> *cars*.\n")
    (out / "owner.toml").write_text(said.replace('creator = ""', 'creator = "The bank"'), "utf-8")
    mine = (out / "owner.toml").read_bytes()
    for force in (False, True):
        written = write_dossier(edit, force=force)
        assert "intended-use" not in [part.key for part in written.dossier.open_parts]
        assert (out / "owner.toml").read_bytes() == mine
    assert "Loans <b>for</b> *cars*." in checked((out / "dossier.html").read_text("utf-8")).text
    assert r"Loans \<b\>for\</b\> \*cars\*." in (out / "dossier.md").read_text("utf-8")
    assert json.loads((out / "croissant.json").read_text())["creator"]["name"] == "The bank"


def test_what_was_changed_by_hand_is_not_overwritten(edit):
    out = write_dossier(edit).folder
    (out / "dossier.md").write_text("mine")
    refused(FileError, "dossier.md was not written by frote dossier, or changed since.", edit)
    assert (out / "dossier.md").read_text() == "mine"
    write_dossier(edit, force=True)
    assert (out / "dossier.md").read_text("utf-8").startswith("# ")
    write_dossier(edit)


def test_what_no_dossier_wrote_is_not_overwritten(edit):
    out = edit.with_name("edit-dossier")
    out.mkdir()
    (out / "croissant.json").write_text("{}")
    (out / "notes.txt").write_text("mine")
    refused(FileError, "croissant.json was not written by frote dossier", edit)
    assert {path.name for path in out.iterdir()} == {"croissant.json", "notes.txt"}
    write_dossier(edit, force=True)
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "[]", '{"dossier": 2}', "[" * 10**5, '{"dossier": 1, "files": {"a": 3}}'])
def test_a_damaged_list_of_files_is_told_in_one_sentence(edit, text):
    out = write_dossier(edit).folder
    (out / "dossier.json").write_text(text)
    refused(FileError, "dossier.json does not list what a dossier wrote", edit)
    write_dossier(edit, force=True)


def test_killed_in_between_the_next_one_goes_on(edit, monkeypatch):
    out = write_dossier(edit).folder
    write = module.write_whole
    for after in range(5):  # the list, three files, the list again
        (out / "owner.toml").write_text(f"ethics = 'new {after}'")
        left = iter(range(after))

        def dying(path, content, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt
            write(path, content)

        with monkeypatch.context() as patched:
            patched.setattr(module, "write_whole", dying)
            with pytest.raises(KeyboardInterrupt):
                write_dossier(edit)
    assert (out / "owner.toml").read_text() == "ethics = 'new 4'"
    write_dossier(edit)
    assert "new 4" in (out / "dossier.md").read_text("utf-8")
    listed = json.loads((out / "dossier.json").read_text())["files"]
    assert listed == {name: [digest_of(out / name)] for name in listed}


def test_another_edit_is_told_of(edit):
    write_dossier(edit)
    record = json.loads((edit / "edit.json").read_text("utf-8"))
    record["timings"]["training"] += 1
    (edit / "edit.json").write_text(json.dumps(record))
    assert write_dossier(edit).of_another
    assert not write_dossier(edit).of_another


# --- what is not the edit of its record ---


@pytest.mark.parametrize("name", ["report.json", "augmented.csv", "ledger.csv"])
def test_files_that_the_record_does_not_list_are_refused(edit, name):
    (edit / name).write_bytes((edit / name).read_bytes() + b"\n")
    refused(RecordError, f"{name} is not the file that the record of the edit lists", edit)
    (edit / name).unlink()
    refused(RecordError, f"{name} is not the file that the record of the edit lists", edit)
    (edit / name).mkdir()
    refused(RecordError, f"{name} is not the file that the record of the edit lists", edit)
    assert not edit.with_name("edit-dossier").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda record: record.pop("files"), "does not list the files of an edit. Edit again"),
        (lambda record: record.update(files=[]), "is no record of an edit, or a damaged one"),
        (lambda record: record.update(files={}), "report.json is not the file"),
        (lambda record: record.update(timings=None), "the record.timings is no mapping"),
        (lambda record: record["files"].pop("ledger.csv"), "lists no file 'ledger'"),
        (lambda record: record["files"].update({"ledger.csv": 3}), "is no text"),
        (lambda record: record["data"].update(sha256=["x"]), "is no record of an edit"),
    ],
)
def test_forged_records_are_refused_in_one_sentence(edit, change, told):
    record = json.loads((edit / "edit.json").read_text("utf-8"))
    change(record)
    (edit / "edit.json").write_text(json.dumps(record))
    refused(RecordError, told, edit)


def test_a_record_names_no_file_outside_its_folder(edit, tmp_path):
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    record = json.loads((edit / "edit.json").read_text("utf-8"))
    for name in ("augmented./../../secret.csv", "augmented.csv/../../secret.csv"):
        files = {other: digest for other, digest in record["files"].items() if not other.startswith("augmented")}
        files[name] = digest_of(tmp_path / "secret.csv")
        (edit / "edit.json").write_text(json.dumps({**record, "files": files}))
        refused(RecordError, "lists no file 'augmented'", edit)


def test_reports_of_before_are_refused_in_one_sentence(edit):
    def without(content):
        return json.dumps({name: one for name, one in json.loads(content).items() if name != "composition"}).encode()

    rewritten(edit, "report.json", without)
    refused(RecordError, "The report lacks 'composition': it is damaged, or of an earlier release. Edit again.", edit)
    rewritten(edit, "report.json", lambda _: b'{"report": 1}')
    refused(RecordError, "A report of version 1 cannot be shown", edit)


def test_what_is_no_edit_is_refused(tmp_path):
    with pytest.raises((FroteError, OSError)):
        write_dossier(tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- on the command line ---


def test_the_command_says_what_is_open(edit, monkeypatch):
    monkeypatch.chdir(edit.parent)
    said = invoke(main, "dossier", "edit").output
    assert "parts are still to be written by the owner, in " in said
    answer = json.loads(invoke(main, "dossier", "edit", "--json").output)
    assert set(answer) == {"out", "parts", "open", "of_another_edit_before"}
    assert len(answer["open"]) == int(said.split(" of ")[0].split()[-1])
    assert invoke(main, "dossier", "edit", "--out", "edit/inside", code=2).output.count("\n") == 1
    assert invoke(main, "dossier", "nothing", code=2).output.count("\n") == 1


# --- Croissant ---


@pytest.fixture
def mlc():
    return pytest.importorskip("mlcroissant")


def records(mlc, path, name):
    """Return the records of a set, as the library of the vocabulary reads them, and what it finds wrong."""
    described = mlc.Dataset(path)
    rows = pd.DataFrame(list(described.records(name)))
    issues = described.metadata.ctx.issues
    return rows.map(lambda one: one.decode() if isinstance(one, bytes) else one), issues


pedantic = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pedantic
def test_the_library_of_the_vocabulary_reads_data_and_ledger(mlc, edit):
    out = write_dossier(edit).folder
    (out / "owner.toml").write_text(
        "[croissant]\nlicense = 'https://spdx.org/licenses/CC-BY-4.0'\nurl = 'https://bank.example/loans'\n"
        "creator = 'The bank'\ndatePublished = '2026-11-18'\nversion = '1.0.0'\n"
    )
    write_dossier(edit)
    rows, issues = records(mlc, out / "croissant.json", "rows")
    assert not issues.errors
    assert all("citeAs" in warning for warning in issues.warnings)
    there = read_table(edit / "augmented.csv").frame
    assert list(rows.columns) == [f"rows/{name}" for name in there]
    for name, column in there.items():
        mine = rows[f"rows/{name}"]
        assert mine.isna().tolist() == column.isna().tolist()
        known = column.notna()
        assert mine[known].tolist() == column[known].tolist(), name
    ledger, _ = records(mlc, out / "croissant.json", "ledger")
    assert len(ledger) == len(read_table(edit / "ledger.csv").frame)
    assert ledger["ledger/status"].value_counts().to_dict() == read_record(edit / "edit.json")["rows"]
    described = json.loads((out / "croissant.json").read_text())
    files = read_record(edit / "edit.json")["files"]
    assert {one["name"]: one["sha256"] for one in described["distribution"]} == {
        name: files[name] for name in ("augmented.csv", "ledger.csv")
    }
    assert described["conformsTo"][0] == "http://mlcommons.org/croissant/1.1"
    types = {field["name"]: field["dataType"] for field in described["recordSet"][0]["field"]}
    assert types["age"] == "sc:Integer"
    assert types["income"] == "sc:Float"
    assert types["purpose"] == "sc:Text"
    assert types["has_guarantor"] == "sc:Boolean"
    assert types["applied_on"] == "sc:Date"
    assert types["decision"] == ["sc:Text", "cr:Label"]


@pedantic
@pytest.mark.parametrize(
    "form",
    [
        FileForm("csv", gzipped=True),
        FileForm("tsv"),
        FileForm("json lines"),
        FileForm("parquet"),
        FileForm("csv", delimiter=";", decimal=","),
        FileForm("feather"),
    ],
    ids=lambda form: form.suffix + form.delimiter,
)
def test_each_format_is_described_whatever_columns_are_called(mlc, edited, tmp_path, form):
    names = ["plain", "two words", '"quoted"', "<b>", "@id", "@type", "rows/plain", "name", "%20", "été", "column/0"]
    frame = pd.DataFrame({name: [1.5, 2.5, None] for name in names}).assign(decision=["yes", "no", "yes"])
    path, ledger = tmp_path / f"augmented{form.suffix}", tmp_path / f"ledger{form.suffix}"
    form.write(frame, path)
    form.write(pd.DataFrame({"row": [0, 1, 2], "status": ["kept", "kept", "kept"]}), ledger)
    record = json.loads((edited[0] / "edit.json").read_text("utf-8"))
    record["files"] |= {one.name: digest_of(one) for one in (path, ledger)}
    known = Known(read_report(edited[0] / "report.json"), record, "edit", SHA)
    places = {one: one.name for one in (path, ledger)}
    described = croissant(known, Owned(), read_table(path), path, ledger, places)
    (tmp_path / "croissant.json").write_text(json.dumps(described))
    if form.format == "feather" or form.delimiter == ";":  # of the vocabulary, and not of its library
        assert not mlc.Dataset(tmp_path / "croissant.json").metadata.ctx.issues.errors
        return
    rows, issues = records(mlc, tmp_path / "croissant.json", "rows")
    assert not issues.errors
    assert len(rows.columns) == len(names) + 1
    for column in list(rows)[:-1]:
        assert rows[column][:2].tolist() == [1.5, 2.5]


def test_dates_of_another_spelling_have_their_pattern(edited, tmp_path):
    dates = {"day": DateSpelling(day_first=True), "time": DateSpelling(day_first=False, padded=False, unit="s")}
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2024-01-31", "2024-02-01"]),
            "time": pd.to_datetime(["2024-01-31 14:05:09", "2024-02-01 00:00:00"]),
            "decision": ["yes", "no"],
        }
    )
    path, ledger = tmp_path / "augmented.csv", tmp_path / "ledger.csv"
    FileForm("csv", dates=dates).write(frame, path)
    ledger.write_text("row\n0\n")
    record = json.loads((edited[0] / "edit.json").read_text("utf-8"))
    known = Known(read_report(edited[0] / "report.json"), record, "edit", SHA)
    described = croissant(known, Owned(), read_table(path), path, ledger, {path: "a", ledger: "b"})
    fields = {field["name"]: field for field in described["recordSet"][0]["field"]}
    assert fields["day"]["dataType"] == "sc:Date"
    assert fields["day"]["source"]["format"] == "dd/MM/yyyy"
    assert fields["time"]["dataType"] == "sc:DateTime"
    assert fields["time"]["source"]["format"] == "M/d/yyyy HH:mm:ss"
