"""Commands run in this process, without the seconds that the imports of a new one take."""

from __future__ import annotations

import warnings

from click.testing import CliRunner


def invoke(group, *arguments, code=0):
    """Run a command of a group and return its output; what it has no sentence for is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = CliRunner().invoke(group, list(map(str, arguments)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done
