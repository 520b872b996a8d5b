"""``frote verify``: honest folders of every option hold; signatures."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from tests.edits.tampering import INDEPENDENT, independent
from tests.in_process import invoke

from frote.command.main import main
from frote.edits import signing
from frote.edits.verifying import verify
from frote.exceptions import RecordError

ASKED = ("--target", "decision", "--max-fits", "2", "--quiet")
CLEAN = ("--rules", "clean.rules", *ASKED)
MIXED = ("--rules", "policy.rules", "--resolve", "mix", *ASKED)
WAYS = ("--rules", "clean.rules", "--target", "decision", "--quiet", "--data", "loans.csv")
ODD = ("--rules", "odd.rules", "--resolve", "priority", *ASKED, "--data", "odd.csv", "--twins", 1)

# What is asked for beside --out, by what is special about it.
EDITS = {
    "switches": (*WAYS, "--how", "switches", "--test", "later.csv"),
    "anchored": (*WAYS, "--how", "anchored"),
    "auto": (*WAYS, "--how", "auto"),
    "mix, twins": (*MIXED, "--data", "loans.csv", "--twins", 1),
    "exclude, held out": (*MIXED, "--data", "loans.csv", "--resolve", "exclude", "--evaluate", "0.2", "--twins", 1),
    "dropped": (*CLEAN, "--data", "loans.csv", "--modify", "drop"),
    "left": (*CLEAN, "--data", "loans.csv", "--modify", "none"),
    "published": (*CLEAN, "--data", "loans.csv", "--as-published"),
    "handed back": (*CLEAN, "--data", "loans.csv", "--max-loss", "0"),
    "some seen": (*CLEAN, "--data", "loans.csv", "--test", "some.csv"),
    "seen and kept": (*CLEAN, "--data", "loans.csv", "--test", "some.csv", "--seen", "keep"),
    "cases": (
        *CLEAN,
        "--data",
        "loans.csv",
        "--cases",
        "cases.csv",
        "--protected",
        "age < 25",
        "--favourable",
        "approved",
    ),
    "formulas": (*ODD, "--spreadsheet-safe"),
    "formulas as they are": ODD,
    "parquet": (*MIXED, "--data", "loans.parquet"),
    "json lines": (*MIXED, "--data", "loans.jsonl"),
    "semicolons": (*MIXED, "--data", "semicolons.csv"),
    "packed": (*CLEAN, "--data", "loans.csv.gz"),
    "kinds": (*ASKED, "--rules", "kinds.rules", "--data", "kinds.csv", "--ignore", "id", "--categorical", "flag"),
    "left out": (*ASKED, "--rules", "gone.rules", "--data", "loans.csv", "--on-impossible", "skip"),
    "new level": (
        *ASKED,
        "--rules",
        "gone.rules",
        "--data",
        "loans.csv",
        "--levels",
        "channel=app",
        "--resolve",
        "mix",
    ),
}


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    """The loans in several forms, with rules for each."""
    folder = shutil.copytree(loans, tmp_path_factory.mktemp("verify") / "loans", ignore=shutil.ignore_patterns("edit*"))
    data, later = (pd.read_csv(folder / name) for name in ("loans.csv", "later.csv"))
    dated = data.assign(applied_on=pd.to_datetime(data["applied_on"]), income=data["income"].astype("float32"))
    dated.to_parquet(folder / "loans.parquet")
    data.to_json(folder / "loans.jsonl", orient="records", lines=True)
    data.to_csv(folder / "semicolons.csv", sep=";", decimal=",", index=False, encoding="cp1252")
    data.to_csv(folder / "loans.csv.gz", index=False)
    pd.concat([data[:20], later]).to_csv(folder / "some.csv", index=False)
    odd = data.assign(purpose="=" + data["purpose"], decision="-" + data["decision"])
    odd.rename(columns={"channel": "+channel"}).to_csv(folder / "odd.csv", index=False)
    (folder / "odd.rules").write_text(
        "'=a, b''s': IF purpose = '=car' AND `+channel` = branch THEN '-approved'\n"
        "-x: IF defaults >= 3 THEN '-denied'\n"
    )
    numbers = {
        "id": range(len(data)),
        "flag": data["defaults"] % 2,
        "code": [f"{row % 7:03d}" for row in range(len(data))],
    }
    kinds = data.assign(**numbers, decision=(data["decision"] == "approved").astype(int), only=1, nothing=None)
    kinds.to_csv(folder / "kinds.csv", index=False)
    (folder / "kinds.rules").write_text(
        "1: IF code = '003' AND flag = 1 THEN 1\n2: IF flag = 0 AND income IS MISSING THEN 0\n"
    )
    (folder / "gone.rules").write_text(
        "app: IF channel = app THEN denied\nyoung: IF age < 29 AND defaults = 0 THEN approved WITH CONFIDENCE 0.8\n"
    )
    (folder / "cases.csv").write_text("age,defaults,name,expected\n20,0,a student,approved\n")
    return folder


@pytest.mark.parametrize("name", EDITS)
def test_an_honest_folder_holds(call, folder, tmp_path, name):
    call("edit", *EDITS[name], "--out", tmp_path / "edit", cwd=folder)
    verification = verify(tmp_path / "edit")
    assert verification.holds, str(verification)
    here = [
        check.what for check in verification.checks if check.state == "open" and not check.facts[0].endswith("with it")
    ]
    assert len(here) == (name == "dropped")
    assert independent()(tmp_path / "edit") == ([], [])


def test_the_independent_verifier_shares_no_code_and_is_short():
    lines = INDEPENDENT.read_text("utf-8").splitlines()
    assert len(lines) < 300  # as its page says
    assert not any(line.strip().startswith(("import frote", "from frote")) for line in lines)


def test_the_independent_verifier_names_what_it_cannot_check(edited, tmp_path):
    copy = shutil.copytree(edited[0] / "edit", tmp_path / "edit")
    path = copy / "rules.rules"
    path.write_text("young: IF age < 29 AND defaults LIKE 0 THEN approved\nrisky: IF age < '2024-01-01' THEN denied\n")
    failed, unchecked = independent()(copy)
    assert failed == ["rules.rules: it is not the file of the record"]
    assert [line.partition(" (")[0] for line in unchecked] == [
        "rules.rules: young: IF age < 29 AND defaults LIKE 0 THEN approved",
        "rules.rules: risky: IF age < '2024-01-01' THEN denied",
    ]
    asked = [sys.executable, INDEPENDENT, copy]
    assert subprocess.run(asked, capture_output=True, check=False, timeout=60).returncode == 1


def test_the_command_tells_what_holds_with_its_exit_code(edited, tmp_path, call):
    copy = shutil.copytree(edited[0] / "edit", tmp_path / "edit")
    done = call("verify", "edit", cwd=tmp_path)
    assert done.stdout.splitlines()[-1].startswith("All that can be told holds: ")
    with (copy / "model.skops").open("ab") as file:
        file.write(b"!")
    done = call("verify", "edit/edit.json", cwd=tmp_path, code=1)
    assert "DOES NOT HOLD   model.skops" in done.stdout
    assert "(model.skops)" in done.stdout.splitlines()[-1]
    told = json.loads(call("verify", "edit", "--json", cwd=tmp_path, code=1).stdout)
    assert not told["holds"]
    assert [check["part"] for check in told["checks"] if check["state"] == "fails"] == ["model.skops"]
    done = call("verify", "nowhere", cwd=tmp_path, code=2)
    assert done.stderr == "Error: nowhere is no folder of an edit: there is no edit.json in it.\n"
    done = call("verify", "edit", "--signature", "x", cwd=tmp_path, code=2)
    assert done.stderr.endswith(
        "Error: --signature needs those whose signatures count. Add --signers with their file.\n"
    )


needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen of OpenSSH is not installed")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A folder with two keys, and a list of signers that names one of them."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("alice", "mallory"):
        asked = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name]
        subprocess.run(asked, check=True, timeout=60)
    line = f'alice@bank.example namespaces="frote-edit" {(folder / "alice.pub").read_text()}'
    (folder / "signers").write_text(line)
    (folder / "other use").write_text(line.replace("frote-edit", "file"))
    return folder


@pytest.fixture(scope="module")
def signed(folder, keys, tmp_path_factory):
    """The folder of an edit that alice signed."""
    out = tmp_path_factory.mktemp("signed") / "edit"
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        invoke(main, "edit", *CLEAN, "--data", "loans.csv", "--sign", keys / "alice", "--out", out)
    return out


def whose(path, *signers):
    """Return what is said of a signature."""
    (check,) = (one for one in verify(path, *signers).checks if one.part == "edit.json.sig")
    return check


@needs_ssh
def test_a_signature_says_who_and_vouches_for_all(signed, keys, tmp_path):
    check = whose(signed, None, keys / "signers")
    assert (check.what, check.state) == ("alice@bank.example signed the record.", "holds")
    assert whose(signed).state == "open"
    copy = shutil.copytree(signed, tmp_path / "copy")
    path = copy / "edit.json"
    path.write_text(path.read_text("utf-8").replace('"editing": ', '"editing": 1'), "utf-8")
    assert [one.part for one in verify(copy, None, keys / "signers").failed] == ["edit.json.sig"]


@needs_ssh
def test_signatures_of_others_do_not_count(signed, keys, tmp_path):
    path = tmp_path / "edit.json"
    shutil.copy(signed / "edit.json", path)
    by = ["ssh-keygen", "-q", "-Y", "sign", "-f", keys / "mallory", "-n", "frote-edit", path]
    subprocess.run(by, check=True, capture_output=True, timeout=60)
    check = whose(signed, path.with_name("edit.json.sig"), keys / "signers")
    assert check.state == "fails"
    assert "it was signed with ED25519 key SHA256:" in check.facts[0]
    assert whose(signed, None, keys / "other use").state == "fails"
    (tmp_path / "junk").write_bytes(b"no signature")
    fact = whose(signed, tmp_path / "junk", keys / "signers").facts[0]
    assert "is no signature of this record (ssh-keygen says: " in fact
    with pytest.raises(RecordError, match=r"none cannot be read: No such file or directory\.$"):
        verify(signed, tmp_path / "none", keys / "signers")


@needs_ssh
def test_a_signed_folder_is_replaced_with_its_signature(signed, folder, keys, call):
    call("edit", *CLEAN, "--data", "loans.csv", "--out", signed, "--force", cwd=folder)
    assert not (signed / "edit.json.sig").exists()
    call("edit", *CLEAN, "--data", "loans.csv", "--sign", keys / "alice", "--out", signed, "--force", cwd=folder)
    assert whose(signed, None, keys / "signers").state == "holds"


@needs_ssh
def test_what_is_no_key_is_told_before_anything_is_trained(folder, call, monkeypatch):
    monkeypatch.setattr("frote.edits.running.train", None)
    given = ("edit", *CLEAN, "--data", "loans.csv", "--out", "unsigned", "--sign")
    done = call(*given, "clean.rules", cwd=folder, code=2)
    assert "clean.rules is no key that ssh-keygen can sign with: ssh-keygen says: " in done.stderr
    monkeypatch.setattr(signing.shutil, "which", {}.get)
    done = call(*given, "key", cwd=folder, code=2)
    assert done.stderr == (
        "Error: Signatures need ssh-keygen of OpenSSH, which is not installed (on Debian: openssh-client).\n"
    )


@needs_ssh
def test_an_edit_that_cannot_be_signed_stays(folder, keys, call, tmp_path):
    (tmp_path / "public").write_text((keys / "mallory.pub").read_text())  # its private key is nowhere
    given = ("--data", "loans.csv", "--out", tmp_path / "edit", "--sign", tmp_path / "public")
    done = call("edit", *CLEAN, *given, cwd=folder, code=1)
    assert "cannot be signed with" in done.stderr
    assert "ssh-keygen -Y sign -f KEY -n frote-edit" in done.stderr
    assert verify(tmp_path / "edit").holds


def test_a_program_that_does_not_answer_is_not_waited_for(tmp_path, monkeypatch):
    slow = tmp_path / "ssh-keygen"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(signing.shutil, "which", {"ssh-keygen": str(slow)}.get)
    monkeypatch.setattr(signing, "QUICK", 0.05)
    with pytest.raises(RecordError, match=r"^ssh-keygen did not answer in 0\.05 seconds\.$"):
        signing.require_key(tmp_path / "key")


def test_no_file_says_whom_to_trust(call, tmp_path):
    (tmp_path / "frote.toml").write_text('[verify]\nsigners = "theirs"\n')
    done = call("verify", "edit", cwd=tmp_path, code=2)
    assert "takes 'signers' from the command line only" in done.stderr
