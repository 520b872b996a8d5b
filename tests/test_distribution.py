"""What is handed out: frote without the experiments, and the experiments without their results."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.build import build_sdist, build_wheel

ROOT = Path(__file__).parent.parent


def in_wheel(folder: Path, out: Path) -> set[str]:
    """The files of a package's wheel, without what describes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # where a build backend is called
        wheel = out / build_wheel(str(out))
    with zipfile.ZipFile(wheel) as file:
        return {name for name in file.namelist() if ".dist-info/" not in name}


def in_source(package: Path) -> set[str]:
    """All files of a package, but for what Python made of them."""
    files = (path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(package.parent).as_posix() for path in files}


def test_the_wheel_has_the_package_and_nothing_else(tmp_path):
    found = in_wheel(ROOT, tmp_path)
    assert found == in_source(ROOT / "src" / "frote")
    assert {"frote/py.typed", "frote/__init__.pyi"} <= found
    assert [name for name in found if name.endswith(".rules")] == ["frote/datasets/loans.rules"]  # and no pools
    drawn = [name for name in found if name.endswith((".png", ".svg"))]
    assert drawn == ["frote/studio/static/mark.svg"]  # and no pictures of the docs
    assert not [name for name in found if "experiments" in name or name.endswith(".jsonl")]


def test_the_experiments_have_a_wheel_of_their_own(tmp_path):
    found = in_wheel(ROOT / "experiments", tmp_path)
    assert found == in_source(ROOT / "experiments" / "frote_experiments")
    assert {"frote_experiments/pools/car.rules", "frote_experiments/paper_values.json"} <= found
    assert not [name for name in found if name.endswith((".jsonl", ".png", ".svg"))]


def test_the_source_distribution_has_what_the_wheel_is_made_from(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / build_sdist(str(tmp_path))) as file:
        found = {name.partition("/")[2] for name in file.getnames()}
    assert {name for name in found if name.startswith("src/")} == {
        f"src/{name}" for name in in_source(ROOT / "src" / "frote")
    }
    around = {name for name in found if not name.startswith("src/")}
    assert around == {"CHANGES.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml", ".gitignore"}
