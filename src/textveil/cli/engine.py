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
WorkerGpus = Annotated[
    float,
    typer.Option("--worker-gpus", help="GPUs of each worker of ray; 0.5 if two share one.", rich_help_panel=_PANEL),
]


class Where(TypedDict):
    """What `plan` is told of workers."""

    threads: int | None
    engine: Engine | None


def where_of(name: str, workers: int | None, address: str | None, gpus: float) -> Where:
    """Return where files are released."""
    if name == "ray":
        from textveil.engines import RayEngine

        return {"threads": None, "engine": RayEngine(workers=workers, address=address, gpus=gpus)}
    if name != "local":
        raise InvalidInputError(f"--engine must be local or ray (got {name})")
    for option, is_given in (("--ray-address", address is not None), ("--worker-gpus", gpus != 0)):
        if is_given:
            raise InvalidInputError(f"{option} would do nothing, since the engine is local; add --engine ray")
    return {"threads": workers, "engine": None}
