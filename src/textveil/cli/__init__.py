"""The command line: one file per command, loaded when it is called."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from textveil.cli import (
    audit,
    calibrate,
    compare,
    demo,
    embed,
    explain,
    ledger,
    reproduce,
    rewrite,
    serve,
    train,
    verify,
)
from textveil.cli.wording import in_options
from textveil.errors import TextveilError, reason_of

# Of click, or of the copy of it that Typer carries: wrong words on the command line.
_UsageError: Any = typer.BadParameter.__base__


class _Interruptible(TyperGroup):
    """Says that a command was interrupted; Typer would end it without a word."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("textveil: interrupted", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    name="textveil",
    cls=_Interruptible,
    help="Release text under differential privacy, with guarantees that are true.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.run)
app.command("rewrite")(rewrite.run)
app.command("embed")(embed.run)
app.command("explain")(explain.run)
app.command("calibrate")(calibrate.run)
app.command("audit")(audit.run)
app.command("verify")(verify.run)
app.command("compare")(compare.run)
app.command("reproduce", epilog=reproduce.NAMES)(reproduce.run)
app.add_typer(train.app, name="train")
app.add_typer(ledger.app, name="ledger")
app.add_typer(serve.app, name="serve")


@app.callback(invoke_without_command=True)
def _version(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if version:
        from textveil import __version__

        typer.echo(f"textveil {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; what the user can mend is one line and exit status 2."""
    try:
        sys.exit(app(standalone_mode=False))
    except _UsageError as error:
        _explain(error)
    except TextveilError as error:
        typer.echo(f"textveil: {in_options(str(error))}", err=True)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"textveil: {where}{reason_of(error)}", err=True)
    sys.exit(2)


def _explain(error: Any) -> None:
    """Say in one line what is wrong with the words of a command, and where to look; without any it has shown all."""
    message = " ".join(error.format_message().split()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "textveil"
    if message:
        typer.echo(f"textveil: {message}; see {command} --help", err=True)
