"""A file is there whole or not at all."""

from __future__ import annotations

import os
import stat

import pytest

import frote
from frote import whole
from frote.files import FileForm
from frote.whole import write_whole

RULES = frote.parse_rules("young: IF age < 29 THEN approved")


def test_new_and_again(tmp_path):
    path = tmp_path / "a.txt"
    for content in (b"one", b"two", b""):
        write_whole(path, content)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_whole(path, b"new"),
        lambda path: RULES.save(path),
        lambda path: FileForm("csv").write(frote.datasets.load_loans(9).X, path),
    ],
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_was_there_stays_when_the_disk_is_full(tmp_path, monkeypatch, write, call):
    path = tmp_path / "policy.rules"
    path.write_bytes(b"old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole.os if call == "fsync" else whole.Path, call, full)
    with pytest.raises((OSError, frote.FroteError), match="No space left on device") as caught:
        write(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_what_is_no_file_is_written_to(tmp_path):
    write_whole(os.devnull, b"gone")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"")
    with pytest.raises(FileNotFoundError, match=r"no/a\.txt"):
        write_whole(tmp_path / "no" / "a.txt", b"")
