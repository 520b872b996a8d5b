"""What all commands have in common: one door for all they print, and bad input told in one sentence, with exit code 2.

Names, levels and labels come from files of others, so nothing that is printed reaches a terminal as it is: answers,
errors, warnings, what the library logs and the tracebacks of our own mistakes are made visible first.
"""

from __future__ import annotations

import io
import json
import logging
import sys
import traceback
import warnings
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from frote.exceptions import FroteError, RuleWarning, SampleWarning, TableWarning
from frote.visible import visible, visible_json
from frote.ways_out import for_commands

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = ["BadInput", "Command", "Group", "say", "say_json", "say_rules"]

PLAIN = (RuleWarning, SampleWarning, TableWarning)  # what is said to people as it is


def say(text: object, *, title: str = "", err: bool = False) -> None:
    """Print something for people.

    Parameters
    ----------
    text : object
        What to print, by its `str`.

    title : str, default=""
        What stands above it.

    err : bool, default=False
        Whether it is no part of the answer.
    """
    shown = _encodable(visible(str(text)), err=err)
    head = f"\n{click.style(_encodable(visible(title), err=err), bold=True)}\n\n" if title else ""
    click.echo(f"{head}{shown}", err=err)


def say_json(plain: Any) -> None:
    """Print plain data for machines."""
    click.echo(visible_json(json.dumps(plain, indent=2, ensure_ascii=not _unicode())))


def say_rules(text: object) -> None:
    """Print rules: for people where there is a terminal, and else as they are, so that a file gets the same rules."""
    if sys.stdout.isatty():
        say(text)
    else:
        click.echo(f"{text}\n".encode("utf-8", "backslashreplace"), nl=False)


def _unicode() -> bool:
    return _encoding(sys.stdout).startswith("utf")


def _encoding(stream: IO[str]) -> str:
    return (getattr(stream, "encoding", None) or "utf-8").lower()


def _encodable(text: str, *, err: bool) -> str:
    """Return a text as the terminal, or the file in its place, can write it."""
    encoding = _encoding(sys.stderr if err else sys.stdout)
    return text.encode(encoding, "backslashreplace").decode(encoding)


class BadInput(click.ClickException):
    """Bad input, in one sentence."""

    exit_code = 2


class _Visible(click.ClickException):
    """An error that is shown as it would be, but visibly."""

    def __init__(self, error: click.ClickException) -> None:
        super().__init__(error.message)
        self.error = error
        vars(self)["exit_code"] = error.exit_code

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002
        """Print it."""
        shown = io.StringIO()
        self.error.show(shown)
        say(shown.getvalue().removesuffix("\n"), err=True)


class _Lines(logging.Formatter):
    """What the library logs, such as a line that was cut off."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text to print."""
        return _encodable(visible(super().format(record)), err=True)


@contextmanager
def _door() -> Iterator[None]:
    """Make visible all that is printed besides answers: errors, warnings and tracebacks."""
    plain = warnings.formatwarning

    def warning(*given: Any, **more: Any) -> str:
        return visible(plain(*given, **more))

    warnings.formatwarning = warning
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _say_traceback
    try:
        yield
    except _Visible:
        raise
    except click.ClickException as error:
        raise _Visible(error) from error.__cause__
    finally:
        warnings.formatwarning = plain


def _say_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    say("".join(traceback.format_exception(kind, error, trace)).removesuffix("\n"), err=True)


class _AtTheDoor(click.Command):
    """A command or a group, all of whose errors, warnings and help are made visible."""

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the command line."""
        with _door():
            return super().make_context(*given, **more)

    def get_help(self, ctx: click.Context) -> str:
        """Say how it is used; defaults may come from a file."""
        return visible(super().get_help(ctx))

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        with _door():
            return super().invoke(ctx)


class Command(_AtTheDoor):
    """A command whose bad input is told in one sentence; our own mistakes keep their traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        handler = logging.StreamHandler()
        handler.setFormatter(_Lines("%(message)s"))
        logging.basicConfig(handlers=[handler])
        try:
            with for_commands(), _telling():
                return super().invoke(ctx)
        except FroteError as error:
            raise BadInput(str(error)) from None
        except OSError as error:
            file_name = f": {error.filename}" if error.filename else ""
            raise BadInput(f"{error.strerror or error}{file_name}.") from None


@contextmanager
def _telling() -> Iterator[None]:
    """Print what the library warns of in rules and tables: each sentence once, without the place in our code."""
    said: set[str] = set()
    with warnings.catch_warnings():
        for kind in PLAIN:
            warnings.simplefilter("always", kind)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if not issubclass(category, PLAIN):
                usual(message, category, *where)
            elif str(message) not in said:
                said.add(str(message))
                say(message, err=True)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


class Group(_AtTheDoor, click.Group):
    """A group of such commands, listed in the order they were added in."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return list(self.commands)
