"""Figures of matplotlib: a blank one, and its file."""

from __future__ import annotations

import io
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from textveil.durable import write_whole
from textveil.errors import InvalidInputError, MissingDependencyError

_FORMATS = ("svg", "png", "pdf")


def require_matplotlib() -> None:
    """Refuse to draw without it, before anything is computed for a picture."""
    if find_spec("matplotlib") is None:
        raise MissingDependencyError("matplotlib is needed to draw; run: pip install textveil[plot]")


def blank(width: float, height: float, *, layout: str | None = "constrained") -> Any:
    """Return an empty figure of this size in inches."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=layout)  # type: ignore[arg-type, unused-ignore]
    FigureCanvasAgg(figure)
    return figure


def save_picture(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as .svg, .png or .pdf, all or nothing; the same figure gives the same bytes."""
    import matplotlib as mpl

    kind, drawn = kind_of(path), io.BytesIO()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    with mpl.rc_context({"svg.hashsalt": "textveil"}):
        figure.savefig(drawn, format=kind, dpi=200, metadata=undated)
    write_whole(Path(path), drawn.getvalue())


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return which kind of picture a name asks for; there must be a folder for it."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in _FORMATS:
        raise InvalidInputError(f"a picture is written as .{', .'.join(_FORMATS)} (got {Path(path).name})")
    if not Path(path).absolute().parent.is_dir():
        raise InvalidInputError(f"there is no folder {Path(path).parent} for the picture; make it")
    return kind
