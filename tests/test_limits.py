"""No test waits without a limit: what it waits for may never come."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
OF_SUBPROCESS = {"run", "call", "check_call", "check_output"}
WAITING = {"communicate", "wait", "join", "waitpid"}  # of processes, threads and barriers


def unlimited(source: str) -> list[int]:
    """Return the lines on which a process, a thread or a barrier is waited for without a limit."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of_subprocess = isinstance(node.func.value, ast.Name) and node.func.value.id == "subprocess"
        named = {keyword.arg for keyword in node.keywords}
        if of_subprocess and node.func.attr in OF_SUBPROCESS:
            found += [] if "timeout" in named else [node.lineno]
        elif node.func.attr in WAITING and not (node.args or "timeout" in named):
            found.append(node.lineno)
    return found


def test_no_test_waits_without_a_limit():
    assert {str(path): lines for path in TESTS.rglob("*.py") if (lines := unlimited(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("subprocess.run(['x'], check=True)", 1),
        ("subprocess.run(['x'], timeout=3)", 0),
        ("process.communicate()", 1),
        ("process.wait(timeout=3)", 0),
        ("thread.join()", 1),
        ("', '.join(names)", 0),
    ],
)
def test_a_planted_one_is_found(line, count):
    assert len(unlimited(line)) == count
