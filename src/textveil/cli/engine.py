"""The options that say where the files of a run are released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.engines import Engine

_PANEL = "Workers"

EngineName = Annotated[
    str,
    typer.Option(
        "--engine", help="local, or ray: the files of a folder at once, on one machine or many.", rich_help_panel=_PANEL
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Processes of ray, threads of local; by default one a core.", rich_help_panel=_PANEL
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray-address", help="Of a cluster, ray-head:6379 say; by default one is started.", rich_help_panel=_PANEL
    ),
]


class Where(TypedDict):
    """What `plan` is told of workers."""

    threads: int | None
    engine: Engine | None


def where_of(name: str, workers: int | None, address: str | None) -> Where:
    """Return where files are released."""
    if name == "ray":
        from textveil.engines import RayEngine

        return {"threads": None, "engine": RayEngine(workers=workers, address=address)}
    if name != "local":
        raise InvalidInputError(f"--engine must be local or ray (got {name})")
    if address is not None:
        raise InvalidInputError("--ray-address would do nothing, since the engine is local; add --engine ray")
    return {"threads": workers, "engine": None}
