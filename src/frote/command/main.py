"""``frote``, the command."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frote.command.check import check
from frote.command.compare import compare
from frote.command.demo import demo
from frote.command.diff import diff
from frote.command.dossier import dossier
from frote.command.edit import edit
from frote.command.explain import explain
from frote.command.options import NumberOrWord
from frote.command.overlay import overlay
from frote.command.predict import predict
from frote.command.preview import preview
from frote.command.prove import prove, stress
from frote.command.replay import replay
from frote.command.resolve import resolve
from frote.command.score import score
from frote.command.studio import studio
from frote.command.verify import verify
from frote.exceptions import nearest
from frote.opened import read_small
from frote.shell import BadInput, Group, say

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["main"]

SETTINGS = "frote.toml"
PERSONAL = frozenset(
    {"max-size", "sign", "signers", "trust", "trust-model"}
)  # what a person says or nobody: a file would trust itself


def _settings(context: click.Context, option: click.Parameter, path: Path | None) -> None:  # noqa: ARG001
    """Take defaults of options from a file: those at its top for every command, those in a table for one."""
    file = path or Path(SETTINGS)
    if path is None and not file.is_file():
        return
    try:
        settings = tomllib.loads(read_small(file).decode("utf-8"))
    except RecursionError:
        raise BadInput(f"{file} cannot be read: it nests too deeply.") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    context.default_map = _defaults(main, settings, {}, f"{file}: frote")
    if path is None:
        # Also with --quiet: nobody asked for it, and the folder may be from someone else.
        say(f"Options that are not given are taken from {SETTINGS}, which lies here.", err=True)


def _defaults(command: click.Command, given: Any, common: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the defaults of a command's options, by their names in Python; of a group, those of each command."""
    if not isinstance(given, dict):
        raise BadInput(f"{where} is a command. Write its options below a line with its name in brackets.")
    given = {name.replace("_", "-"): value for name, value in given.items()}
    for name in PERSONAL & given.keys():
        raise BadInput(f"{where} takes {name!r} from the command line only, so that no file says what to trust.")
    if isinstance(command, click.Group):
        own = {name: value for name, value in given.items() if name not in command.commands}
        _require_known(own, _options(command), f"{where} has no command with")
        return {
            name: _defaults(one, given.get(name, {}), common | own, f"{where} {name}")
            for name, one in command.commands.items()
        }
    options = _options(command)
    _require_known(given, options, f"{where} does not have")
    chosen = {name: value for name, value in common.items() if name in options} | given
    return {str(options[name].name): _value(options[name], value, where) for name, value in chosen.items()}


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command, or of all commands of a group, by their names on the command line."""
    if isinstance(command, click.Group):
        return {name: option for one in command.commands.values() for name, option in _options(one).items()}
    return {
        name.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        for name in option.opts
    }


def _require_known(given: Iterable[str], names: Collection[str], whose: str) -> None:
    for name in given:
        if name in names:
            continue
        raise BadInput(f"{whose} an option {name!r}. {nearest(name, names)}")


def _value(option: click.Option, value: Any, where: str) -> Any:
    """Return a value as the command line would give it: one of a list is a list, and a date a text."""
    name = option.opts[0].removeprefix("--")
    if isinstance(value, list | dict) and not option.multiple:
        raise BadInput(f"{where} takes one value for {name!r}, not several.")
    wanted, kinds = _wanted(option)
    values = [
        one.isoformat() if isinstance(one, date) else one for one in (value if isinstance(value, list) else [value])
    ]
    for one in values:
        if type(one) not in kinds:
            raise BadInput(f"{where} takes {wanted} for {name!r}, and this is none: {str(one)[:40]}.")
        if isinstance(one, str) and "\0" in one:
            raise BadInput(f"{where} has a character in {name!r} that no name of a file can have.")
    return values if option.multiple else values[0]


def _wanted(option: click.Option) -> tuple[str, tuple[type, ...]]:
    """Return what an option takes in a file, in words and as types."""
    if option.is_flag:
        return "true or false", (bool,)
    if isinstance(option.type, type(click.INT)):
        return "a whole number", (int,)
    if isinstance(option.type, type(click.FLOAT)):
        return "a number", (int, float)
    if isinstance(option.type, NumberOrWord):
        return "a number or a text in quotes", (int, float, str)
    return "a text in quotes", (str,)


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


for command in (
    *(demo, explain, check, diff, resolve, preview, edit, overlay),
    *(predict, score, prove, stress, compare, replay, verify, dossier, studio),
):
    main.add_command(command)
