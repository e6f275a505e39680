"""The options that say where the files of a run are released."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from textveil.errors import InvalidInputError, require_count

if TYPE_CHECKING:
    from textveil.engines import Engine

_PANEL = "Workers"
_PASSWORD = re.compile(r"[^:/]+://([^:/]*:[^@]+@|.*[?&]\w*password=)")

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


def where_of(
    name: str, workers: int | None, address: str | None, gpus: float, *, ledger: str | None, device: str | None = None
) -> Where:
    """Return where files are released; the ledger that pays is no matter of the workers."""
    if name == "ray":
        if address is not None and ledger is not None:
            _require_no_password(ledger)
        if device is not None and device.partition(":")[0] != "cpu" and not gpus:
            raise InvalidInputError(
                f"--device {device} would not reach the workers, who see no GPU; add --worker-gpus 1"
            )
        from textveil.engines import RayEngine

        return {"threads": None, "engine": RayEngine(workers=workers, address=address, gpus=gpus)}
    if name != "local":
        raise InvalidInputError(f"--engine must be local or ray (got {name})")
    for option, is_given in (("--ray-address", address is not None), ("--worker-gpus", gpus != 0)):
        if is_given:
            raise InvalidInputError(f"{option} would do nothing, since the engine is local; add --engine ray")
    if workers is not None:
        require_count("workers", workers)
    return {"threads": workers, "engine": None}


def _require_no_password(ledger: str) -> None:
    """Refuse a password on the command line, which Ray keeps and shows to all who use the cluster."""
    if _PASSWORD.match(ledger) and any(ledger in word for word in sys.argv):
        raise InvalidInputError(
            "the cluster would keep the command line, with the password in --ledger, and show it; give the ledger by "
            "the environment: TEXTVEIL_LEDGER=postgresql://..."
        )
