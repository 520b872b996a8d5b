"""What `make check` takes for a change: the tests nearest to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import changed

FILES = {
    "src/frote/a/one.py": "from frote.a.two import x",
    "src/frote/a/two.py": "from frote.a import three",
    "src/frote/a/three.py": "",
    "src/frote/a/apart.py": "",
    "src/frote/a/inner/deep.py": "",
    "src/frote/b/lone.py": "import frote.a.apart",
    "src/frote/top.py": "",
    "tests/a/test_one.py": "import pytest",
    "tests/a/test_inner.py": "from tests.a.helper import y",
    "tests/a/helper.py": "",
    "tests/b/test_other.py": "import frote.top",
}
NEAREST = {
    "src/frote/a/one.py": {"tests/a/test_one.py"},
    "src/frote/a/two.py": {"tests/a/test_one.py"},  # which imports it
    "src/frote/a/three.py": {"tests/a/test_one.py"},  # by way of the other
    "src/frote/a/apart.py": {"tests/a"},  # nothing beside it imports it
    "src/frote/a/inner/deep.py": {"tests/a/test_inner.py"},
    "src/frote/b/lone.py": {"tests/b"},
    "src/frote/top.py": {"tests/b/test_other.py"},
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    changed.imported.cache_clear()
    yield
    changed.imported.cache_clear()


@pytest.mark.usefixtures("tree")
def test_the_tests_nearest_to_a_module():
    for name, nearest in NEAREST.items():
        assert changed.tests_of(Path(name)) == {Path("tests/test_api.py"), Path(name), *map(Path, nearest)}, name


@pytest.mark.usefixtures("tree")
def test_the_tests_of_tests():
    assert changed.tests_of(Path("tests/a/test_one.py")) == {Path("tests/a/test_one.py")}
    assert changed.tests_of(Path("tests/a/helper.py")) == {Path("tests/a/test_inner.py")}
    for name in ("README.md", "tests/a/gone.py", "experiments/x.py"):
        assert changed.tests_of(Path(name)) == set()


def test_every_module_has_tests():
    for path in sorted((changed.ROOT / changed.SOURCE).rglob("*.py")):
        found = changed.tests_of(path.relative_to(changed.ROOT))
        assert all((changed.ROOT / one).exists() for one in found)
        assert changed.TESTS not in found
