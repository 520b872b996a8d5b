"""Print the tests of what changed, as arguments for pytest: python -m tests.changed.

What changed since the branch left main, or on main in the last commit, and what is not committed yet. A module's tests
are its own doctests and those named like it; where there are none, those that import it, and those named like a module
beside it that imports it; where there are none of these either, all of its folder.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = Path("src/frote"), Path("tests")
ALWAYS = {TESTS / "test_api.py"}


def tests_of(path: Path) -> set[Path]:
    """Return the tests of a file that changed; none for what has no tests of its own."""
    if path.suffix != ".py" or not (ROOT / path).exists():
        return set()
    if TESTS in path.parents:
        return {path} if path.name.startswith("test_") else importers(path) or {path.parent} - {TESTS}
    if SOURCE not in path.parents:
        return set()
    folder = TESTS / path.relative_to(SOURCE).parent
    found = named_like(path) or importers(path) | named_like_users(path)
    return ALWAYS | {path} | (found or ({folder} if (ROOT / folder).exists() else set()) - {TESTS})


def named_like(path: Path) -> set[Path]:
    """Return the tests that are named like a module, or else like its folder, if there are any."""
    folder = TESTS / path.relative_to(SOURCE).parent
    named = (folder / f"test_{path.stem}.py", folder.with_name(f"test_{folder.name}.py"))
    return set([one for one in named if (ROOT / one).exists()][:1])


def importers(path: Path) -> set[Path]:
    """Return the tests that import a module by its name."""
    return {one for one, names in imported(TESTS).items() if name_of(path) in names and one.name.startswith("test_")}


def named_like_users(path: Path) -> set[Path]:
    """Return the tests named like modules of the same part of frote that import a module, or else of their users."""
    part = SOURCE / path.relative_to(SOURCE).parts[0]
    seen, users, found = set(), {path}, set()
    while users and not found:
        seen |= users
        wanted = set(map(name_of, users))
        users = {one for one, names in imported(SOURCE).items() if part in one.parents and names & wanted} - seen
        found = set().union(*map(named_like, users))
    return found


def name_of(path: Path) -> str:
    return ".".join((path.relative_to("src") if SOURCE in path.parents else path).with_suffix("").parts)


@cache
def imported(folder: Path) -> dict[Path, set[str]]:
    """Return the names of modules that each file of a folder imports, or imports something from."""
    found = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text("utf-8")
        lines = re.findall(r"^\s*from (\S+) import (.+?)$|^\s*import (\S+)", text, re.MULTILINE)
        parts = {f"{start}.{part}" for start, names, _ in lines for part in re.findall(r"\w+", names)}
        found[path.relative_to(ROOT)] = {start or whole for start, _, whole in lines} | parts
    return found


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
    chosen = [path for path in found if not found & set(path.parents)]
    # Tests first, as in a whole run: a module that pytest is the first to import for its doctests is another one.
    print(*sorted(chosen, key=lambda path: (SOURCE in path.parents, path)))
