"""textveil serve: releases over HTTP, each paid for in the ledger before its bytes leave."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.serve_keys import KeysFile, keys
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.service.keys import KeyFile
    from textveil.service.spending import Spending

app = typer.Typer(help="Answer requests over HTTP.", invoke_without_command=True)
app.add_typer(keys, name="keys")


@app.callback()
def run(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="Which address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Which port; 0 for any that is free.", min=0, max=65535)] = 8000,
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger", envvar="TEXTVEIL_LEDGER", help="Where the budget is kept: a file, or postgresql://..."
        ),
    ] = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="Count nothing; every receipt says so. For trying things out.")
    ] = False,
    keys_file: KeysFile = Path("keys.json"),
    no_keys: Annotated[
        bool, typer.Option("--no-keys", help="Answer anybody on this machine; only on a loopback address.")
    ] = False,
    config: Annotated[
        Path | None, typer.Option("--config", help="YAML of the mechanisms that are offered; see docs/service.md.")
    ] = None,
    frontier: Annotated[
        Path | None, typer.Option("--frontier", help="The page that `textveil compare` wrote; ours shows it too.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Do not warm up: time then shows whether words were used before."),
    ] = False,
    rate: Annotated[float, typer.Option("--rate", help="Requests a second for a key without its own.")] = 50.0,
    body: Annotated[float, typer.Option("--body-mib", help="Largest request, in MiB.")] = 4.0,
    stream: Annotated[float, typer.Option("--stream-mib", help="Largest stream, in MiB.")] = 64.0,
) -> None:
    """Answer requests over HTTP until stopped. Make a data set and a key first; see docs/service.md."""
    if context.invoked_subcommand is not None:
        return
    _check_free(host, port)
    spending = _spending(ledger, no_ledger=no_ledger)
    known = _keys(keys_file, no_keys=no_keys, host=host)
    try:
        from textveil.service.running import run as run_service
    except ImportError as error:
        from textveil.errors import MissingDependencyError

        raise MissingDependencyError("the service needs more: pip install 'textveil[service]'") from error
    from textveil.service.catalogue import read_catalogue
    from textveil.service.limits import MIB, Limits
    from textveil.service.playground.frontier import read_frontier
    from textveil.service.service import Service

    compared = None if frontier is None else read_frontier(frontier)
    catalogue = read_catalogue(config)
    if not quick:
        typer.echo("textveil: warming up, so that no release has to wait", err=True)
        catalogue.warm_up()
    limits = Limits(body_bytes=int(body * MIB), stream_bytes=int(stream * MIB))
    service = Service(catalogue, spending, known, limits=limits, rate=rate, burst=2 * rate, frontier=compared)
    typer.echo(f"textveil: offers {', '.join(catalogue.offers)} on http://{host}:{port}", err=True)
    run_service(service, host=host, port=port)


def _check_free(host: str, port: int) -> None:
    """Refuse a port that another program has, before minutes are spent on making ready."""
    import errno
    import socket

    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise InvalidInputError(f"port {port} is in use; stop what uses it, or choose another --port") from None


def _spending(ledger: str | None, *, no_ledger: bool) -> Spending:
    if (ledger is None) != no_ledger:
        raise InvalidInputError(
            "say where the budget is kept: --ledger FILE (`textveil ledger init` makes one), or --no-ledger to count "
            "nothing"
        )
    if ledger is None:
        from textveil.service.spending import Uncounted

        return Uncounted()
    from textveil.service.counting import Counted

    return Counted(ledger)


def _keys(path: Path, *, no_keys: bool, host: str) -> KeyFile | None:
    from textveil.service.keys import LOOPBACK, KeyFile

    if no_keys:
        if host not in LOOPBACK:
            raise InvalidInputError(f"--no-keys lets anybody spend; keep to --host 127.0.0.1 (got {host})")
        return None
    known = KeyFile(path)
    if not any(key.revoked is None for key in known.all()):
        raise InvalidInputError(f"there is no key in {path}; make one: textveil serve keys add NAME --dataset D")
    return known
