"""Values that cannot be, on the command line, in settings, in records and in files of models: one sentence, code 2."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest

import frote
from frote.edits.order import KINDS, Order
from frote.edits.record import digest_of, read_record
from frote.edits.saved_models import load_model, save_model
from frote.exceptions import FroteError, ModelError, RecordError
from frote.rules.written import WrittenRules

DEEP = 5_000
GIVEN = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules")


@pytest.fixture
def told(call, loans, tmp_path):
    """A function that has a command fail, and returns the sentence."""
    for name in ("loans.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)

    def tell(*arguments, settings=None):
        if settings is not None:
            (tmp_path / "frote.toml").write_text(settings)
        done = call(*arguments, cwd=tmp_path, code=2)
        assert done.stdout == ""
        lines = [line for line in done.stderr.splitlines() if not line.startswith(("Usage: ", "Try ", "Options that"))]
        assert len(list(filter(None, lines))) == 1
        assert not (tmp_path / "out").exists()
        return lines[-1]

    return tell


@pytest.mark.parametrize(
    ("option", "value", "part"),
    [
        ("--seed", 2**32, "not in the range 0<=x<=4294967295"),
        ("--seed", "nan", "nan"),
        ("--oversample", "inf", "--oversample is a number such as 0.5, and not inf."),
        ("--oversample", "nan", "--oversample is a number such as 0.5, and not nan."),
        ("--oversample", "1e999", "and not inf."),
        ("--param", "C=" + "[" * DEEP + "]" * DEEP, "The parameter 'C' nests too deeply."),
        ("--param", "C=" + "[" * 30 + "]" * 30, "lists nest more than 20 deep"),
        ("--param", "C=" + '{"a":' * DEEP + "1" + "}" * DEEP, "The parameter 'C' nests too deeply."),
        ("--param", "C=NaN", "nan is no finite number"),
        ("--param", "C=-1e999", "-inf is no finite number"),
        ("--param", r'C="\ud800"', "is no text in Unicode"),
        ("--title", "\udcff", "is no text in Unicode"),
    ],
)
def test_options(told, option, value, part):
    assert part in told("edit", *GIVEN, "--out", "out", option, value)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ("model = 5", "takes a text in quotes for 'model', and this is none: 5."),
        ("target = true", "takes a text in quotes for 'target'"),
        ("rules = 2027-01-31T10:00:00", "No such file"),
        ("categorical = [1]", "takes a text in quotes for 'categorical'"),
        ('categorical = [["a"]]', "takes a text in quotes for 'categorical'"),
        ("categorical = {a = 1}", "takes a text in quotes for 'categorical'"),
        ('seed = "x"', "takes a whole number for 'seed'"),
        ("seed = 1.5", "takes a whole number for 'seed'"),
        ("seed = 4294967296", "not in the range"),
        ("oversample = inf", "and not inf"),
        ('oversample = "much"', "takes a number for 'oversample'"),
        ('as-published = "yes"', "takes true or false for 'as-published'"),
        ('data = "a\\u0000b"', "has a character in 'data' that no name of a file can have."),
        ("a = " + "[" * DEEP + "]" * DEEP, "frote.toml cannot be read: it nests too deeply."),
        ("a" + ".a" * DEEP + " = 1", "frote.toml: frote has no command with an option 'a'."),
    ],
)
def test_settings(told, settings, part):
    given = [
        pair for pair in zip(GIVEN[::2], GIVEN[1::2], strict=True) if pair[0][2:] not in settings.partition("=")[0]
    ]
    assert part in told("preview", *(one for pair in given for one in pair), settings=settings)


ASKED = Order(target="decision", rules=WrittenRules("IF age < 29 THEN approved"), model="logistic").plain
RECORD = {
    "edit": 1,
    "asked": ASKED,
    "data": {"name": "a.csv", "sha256": "0", "rows": 1},
    "test": None,
    "versions": {"frote": "1"},
    "outputs": {"rules": "0"},
}
WRONG = [None, True, -1, 2**70, 1.5, float("inf"), "text", "\ud800", [], [1], {}, {"a": 1}, {"a": [[]]}]


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_is_of_its_type_or_refused(tmp_path, name):
    """Whatever stands there, it is refused in a sentence, or it is of a type that can be used."""
    for wrong in WRONG:
        path = tmp_path / "edit.json"
        path.write_text(json.dumps({**RECORD, "asked": {**ASKED, name: wrong}}))
        try:
            found = read_record(path)
        except RecordError as error:
            assert str(error).count("\n") == 0  # noqa: PT017
            continue
        assert name in KINDS
        now, then = Order.of(found["asked"]).plain[name], ASKED[name]
        assert isinstance(now, type(then)) or name == "resolve"


@pytest.mark.parametrize("part", ["edit", "data", "test", "versions", "outputs", "asked"])
def test_parts_of_a_record_are_of_their_types(tmp_path, part):
    path = tmp_path / "edit.json"
    path.write_text(json.dumps(RECORD))
    read_record(path)
    for wrong in [*WRONG, {"name": 1, "sha256": 2, "rows": 3}]:
        path.write_text(json.dumps({**RECORD, part: wrong}))
        if part in ("versions", "outputs") and isinstance(wrong, dict) and wrong:
            continue
        if (part, wrong) == ("test", None):
            continue
        with pytest.raises(RecordError):
            read_record(path)


@pytest.mark.parametrize("text", ["[" * DEEP + "]" * DEEP, '{"edit":' * DEEP + "1" + "}" * DEEP, "5", "null", "\x00"])
def test_what_is_no_record(told, tmp_path, text):
    (tmp_path / "edit.json").write_text(text)
    assert "is no record of an edit, or a damaged one" in told("replay", "edit.json", "--data", "loans.csv")


@pytest.mark.parametrize(
    "settings", [{"modify": "nothing"}, {"no such": 1}, {"max_fits": "many"}, {"checkpoint": "/tmp"}]
)
def test_settings_of_a_record(told, tmp_path, settings):
    digest = digest_of(tmp_path / "loans.csv")
    record = {**RECORD, "asked": {**ASKED, "settings": settings}, "data": {**RECORD["data"], "sha256": digest}}
    (tmp_path / "edit.json").write_text(json.dumps(record))
    assert "The settings cannot be used: " in told("replay", "edit.json", "--data", "loans.csv")


def test_a_damaged_file_of_a_model(tmp_path):
    """Any byte may be another one."""
    loans = frote.datasets.load_loans(60)
    path = tmp_path / "model.skops"
    save_model(frote.default_pipeline().fit(loans.X, loans.y), path)
    whole = path.read_bytes()
    directory = whole.index(b"PK\x01\x02")
    for place in [*range(60), *range(directory, directory + 60), *range(len(whole) - 22, len(whole))]:
        for other in (0, 99, 255):
            path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
            try:
                load_model(path)
            except FroteError as error:
                assert isinstance(error, ModelError)  # noqa: PT017
    for length in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelError, match="cannot be read as a model"):
            load_model(path)


@pytest.mark.parametrize(
    ("offset", "value", "part"), [(10, 99, "packed in a way that is not read"), (8, 1, "RuntimeError")]
)
def test_packing_that_python_does_not_know(tmp_path, offset, value, part):
    path = tmp_path / "model.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + offset] = value  # how it is packed; whether it is encrypted
    path.write_bytes(content)
    with pytest.raises(ModelError, match=part):
        load_model(path)
