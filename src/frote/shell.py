"""What all commands have in common: bad input is told in one sentence, with exit code 2."""

from __future__ import annotations

import logging
from typing import Any

import click

from frote.exceptions import FroteError

__all__ = ["Command", "Group", "Told"]


class Told(click.ClickException):
    """Bad input, in one sentence."""

    exit_code = 2


class Command(click.Command):
    """A command whose bad input is told in one sentence; our own mistakes keep their traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        logging.basicConfig(format="%(message)s")  # what the library logs, such as a line that was cut off
        try:
            return super().invoke(ctx)
        except FroteError as error:
            raise Told(str(error)) from None
        except OSError as error:
            place = f": {error.filename}" if error.filename else ""
            raise Told(f"{error.strerror or error}{place}.") from None


class Group(click.Group):
    """A group of such commands, listed in the order they were added in."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return list(self.commands)
