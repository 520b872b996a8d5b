"""Print the tests of what changed, as arguments for pytest: python -m tests.changed.

What changed since the branch left main, or on main in the last commit, and what is not committed yet. A module's tests
are those named like it, else those of its folder; its own doctests too.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = Path("src/frote"), Path("tests")


def tests_of(path: Path) -> set[Path]:
    """Return the tests of a file that changed; none for what has no tests of its own."""
    if path.suffix != ".py" or not (ROOT / path).exists():
        return set()
    if TESTS in path.parents:
        return {path} if path.name.startswith("test_") else {path.parent} - {TESTS}
    if SOURCE not in path.parents:
        return set()
    folder = TESTS / path.relative_to(SOURCE).parent
    named = folder / f"test_{path.stem}.py"
    found = named if (ROOT / named).exists() else folder
    return {path} | ({found} if (ROOT / found).exists() and found != TESTS else set())


def changed() -> list[Path]:
    """Return the files that changed."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.splitlines()

    fork = git("merge-base", "HEAD", "main")[0]
    since = "HEAD~1" if fork == git("rev-parse", "HEAD")[0] else fork
    return [Path(name) for name in {*git("diff", "--name-only", since), *git("ls-files", "-o", "--exclude-standard")}]


if __name__ == "__main__":
    found = set().union(*map(tests_of, changed()))
    print(*sorted(str(path) for path in found if not found & set(path.parents)))
