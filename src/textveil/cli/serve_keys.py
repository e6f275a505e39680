"""textveil serve keys: make, list and revoke the keys of a service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

keys = typer.Typer(help="Make, list and revoke keys.", no_args_is_help=True)
KeysFile = Annotated[Path, typer.Option("--keys", envvar="TEXTVEIL_KEYS", help="The file of keys; no secret is in it.")]


@keys.command("add")
def add(
    name: Annotated[str, typer.Argument(help="What to call it; public.")],
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", help='What it may spend from; again for more; "*" for all.'),
    ] = None,
    metrics: Annotated[bool, typer.Option("--metrics", help="It may read /metrics.")] = False,
    playground: Annotated[
        bool,
        typer.Option("--playground", help="It may draw samples that nobody pays for, to look at; see docs/page.md."),
    ] = False,
    rate: Annotated[float | None, typer.Option("--rate", help="Its requests a second.")] = None,
    path: KeysFile = Path("keys.json"),
) -> None:
    """Make a key and show it: this once."""
    from textveil.service.keys import KeyFile

    token = KeyFile(path).add(name, datasets=tuple(dataset or ()), metrics=metrics, playground=playground, rate=rate)
    typer.echo(token)
    typer.echo(f"textveil: keep it now, it can't be shown again; {path} has its hash", err=True)


@keys.command("list")
def show(path: KeysFile = Path("keys.json")) -> None:
    """List all keys; secrets are not kept."""
    from textveil.service.keys import KeyFile

    for key in KeyFile(path).all():
        state = f"revoked {key.revoked}" if key.revoked else "valid"
        rights = ", ".join(
            [*key.datasets, *(["metrics"] if key.metrics else []), *(["playground"] if key.playground else [])]
        )
        typer.echo(f"{key.id}  {key.name}  {rights}  {key.created}  {state}")


@keys.command("revoke")
def revoke(
    number: Annotated[str, typer.Argument(metavar="ID", help="The first part of the key, after tv_.")],
    path: KeysFile = Path("keys.json"),
) -> None:
    """Make a key useless, at once."""
    from textveil.service.keys import KeyFile

    key = KeyFile(path).revoke(number)
    typer.echo(f"{key.id} ({key.name}) is revoked.")
