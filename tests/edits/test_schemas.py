"""What an edit leaves for programs is as the published schemas say, and these are as the types of the code say."""

from __future__ import annotations

import copy
import importlib.util
import json

import pytest
from tests.schema_check import FOLDER, faults

from frote.edits.record import FORMAT, Record, StoredRecord, read_record
from frote.exceptions import RecordError
from frote.report import render
from frote.report.contents import VERSION, Report, require_report

SCHEMAS = {"report.json": "report.schema.json", "edit.json": "edit.schema.json"}


@pytest.fixture(scope="module")
def make():
    """The program that writes the schemas."""
    spec = importlib.util.spec_from_file_location("make_schemas", FOLDER / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def documents(edited):
    """What an edit left, by the name of its file."""
    return {name: json.loads((edited[0] / name).read_text("utf-8")) for name in SCHEMAS}


def test_the_schemas_are_up_to_date(make):
    assert sorted(make.SCHEMAS) == sorted(SCHEMAS.values())
    for name in make.SCHEMAS:
        assert (FOLDER / name).read_text("utf-8") == make.written(name), "run: python docs/schemas/make.py"


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_written_is_as_its_schema_says(documents, name):
    assert faults(documents[name], SCHEMAS[name]) == []


def places(value, path=()):
    """List the places of a document: the names and numbers that lead to each; of a list the first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, held in inner:
        yield (*path, name)
        yield from places(held, (*path, name))


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_not_so_is_found(documents, name):
    for path in places(documents[name]):
        document = copy.deepcopy(documents[name])
        part = document
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = object()
        # Facts are of any kind, and so are the parameters of models.
        assert faults(document, SCHEMAS[name]) or {"value", "params", "settings"} & set(path), path
    for key in documents[name]:
        part = {other: value for other, value in documents[name].items() if other != key}
        assert faults(part, SCHEMAS[name]) == [f"$ lacks {key}"]
    assert faults({**documents[name], "more": 1}, SCHEMAS[name]) == ["$ has more, which is unknown"]


def test_what_the_code_reads_of_records_is_among_what_it_writes(documents):
    assert StoredRecord.__annotations__.keys() <= Record.__annotations__.keys()
    # Of a step that was picked, where something is protected, where there are cases, several seeds, or many files.
    rare = {"picked_from", "notices", "cases", "seeds", "sampled"}
    assert documents["edit.json"].keys() == Record.__annotations__.keys() - rare
    assert documents["report.json"].keys() == Report.__annotations__.keys() - {"sampled"}


@pytest.mark.parametrize("version", [None, 0, VERSION - 1, VERSION + 1, str(VERSION), [VERSION]])
def test_reports_of_other_versions_are_refused_in_one_sentence(documents, version):
    with pytest.raises(RecordError, match=r"^A report of version .* cannot be shown: this is for version 2\.$"):
        render({**documents["report.json"], "report": version})


def test_what_is_no_whole_report_is_refused_in_one_sentence(documents):
    with pytest.raises(RecordError, match=r"^A report of version None"):
        require_report([])
    part = {name: value for name, value in documents["report.json"].items() if name != "moved"}
    with pytest.raises(RecordError, match=r"^The report lacks 'moved': it is damaged, or of an earlier release\."):
        render(part)


def test_records_of_other_formats_are_refused_in_one_sentence(documents, tmp_path):
    (tmp_path / "edit.json").write_text(json.dumps({**documents["edit.json"], "edit": FORMAT + 1}))
    with pytest.raises(RecordError, match=r"is a record of format 6; this version of frote reads formats 1 to 5\.$"):
        read_record(tmp_path / "edit.json")
