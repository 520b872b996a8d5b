"""``frote studio``: a policy, its data and its model on one screen, in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from frote.command import options
from frote.shell import BadInput, Command, say

__all__ = ["studio"]

FOLDER = Path("frote-studio")
HERE = "127.0.0.1"


@click.command(cls=Command, short_help="Write, try, edit, review and sign a policy in the browser.")
@click.argument("data", type=options.FILE, required=False)
@click.option("--target", help="The column of labels.")
@click.option("--rules", type=options.FILE, help="The rules that a new workspace begins with.")
@options.model_name
@click.option("--workspace", type=options.FILE, default=FOLDER, show_default=True, help="The folder that keeps all.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; any free one if nothing is said.")
@click.option("--host", default=HERE, show_default=True, help="Another address to listen on; needs --password.")
@click.option(
    "--password", envvar="FROTE_STUDIO_PASSWORD", help="What others say to come in; better in FROTE_STUDIO_PASSWORD."
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@options.max_size
def studio(
    data: Path | None,
    target: str | None,
    rules: Path | None,
    model: str,
    param: tuple[str, ...],
    workspace: Path,
    port: int,
    host: str,
    password: str | None,
    no_browser: bool,
) -> None:
    """Write, try, edit, review and sign a policy in the browser; without DATA on made-up loan applications.

    All that is done is kept in the folder of the workspace: started again, everything is as it was.
    """
    from frote.command.parameters import parameters

    try:
        from frote.studio.serving import Start, serve
    except ImportError as error:
        raise BadInput(f"The studio needs {error.name}, which is not installed: pip install 'frote[studio]'.") from None
    if host != HERE and not password:
        raise BadInput(f"--host {host} lets other machines in, so it needs a password: set FROTE_STUDIO_PASSWORD.")
    given = click.get_current_context().get_parameter_source("model")
    start = Start(
        workspace=workspace,
        data=data,
        target=target,
        rules=rules,
        model=model if given is click.core.ParameterSource.COMMANDLINE else None,
        params=parameters(param),
        trusted=(model, *options.trusted_models()) if ":" in model else options.trusted_models(),
    )
    serve(start, host=host, port=port, password=password or "", browser=not no_browser, tell=say)
