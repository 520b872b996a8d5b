"""``frote``, the command."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from frote.command.changing import demo, edit, overlay, replay
from frote.command.looking import check, compare, explain, preview, resolve, score
from frote.experiments.command import experiments
from frote.shell import Group, Told

__all__ = ["main"]

SETTINGS = "frote.toml"


def _settings(context: click.Context, option: click.Parameter, path: Path | None) -> None:  # noqa: ARG001
    """Take defaults of options from a file: those at its top for every command, those in a table for one."""
    file = path or Path(SETTINGS)
    if path is None and not file.exists():
        return
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Told(f"{file} cannot be read: {error}.") from None
    commands = main.commands
    common = {name.replace("-", "_"): value for name, value in found.items() if name not in commands}
    context.default_map = {name: {**common, **_underscored(found.get(name, {}))} for name in commands}


def _underscored(table: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("-", "_"): value for name, value in table.items()}


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="frote")
@click.option(
    "--settings",
    type=click.Path(path_type=Path),
    callback=_settings,
    expose_value=False,
    is_eager=True,
    help=f"A file that holds options; {SETTINGS} if there is one here.",
)
def main() -> None:
    """Edit a classifier of tables with rules.

    You have a table with labels, a model, and a policy that has changed. Write the policy down as rules:

    \b
        young savers: IF age < 29 AND income > 150K THEN approved

    Look at what they cover with check and at what would happen with preview; edit retrains the model on data that
    follow them and writes the edited model and a report into a folder. demo shows it all on made-up loan applications.
    """  # noqa: D301


for command in (demo, explain, check, resolve, preview, edit, overlay, score, compare, replay, experiments):
    main.add_command(command)
