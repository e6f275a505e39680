"""Options that describe what is released, which of them go together, and the vector mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.mechanisms.vectors import VectorMechanism

OF_DOCUMENTS = ("deepcandidate", "averaged-privunit", "gaussian-mean", "truncated-mean")
NAMES = ("laplace", "gaussian", "privunit", "privemb", "mahalanobis", "public-response", *OF_DOCUMENTS)
# Which options each takes besides epsilon and precision.
_TAKES = {
    "laplace": ("delta", "sensitivity", "normalise"),
    "gaussian": ("delta", "sensitivity"),
    "privunit": ("clip", "sampler"),
    "privemb": ("target", "projection", "public"),
    "mahalanobis": ("covariance", "mix"),
    "public-response": ("candidates", "candidates_column", "nearest", "per"),
    "deepcandidate": ("candidates", "candidates_column", "projections", "utility", "recoder"),
    "averaged-privunit": ("clip", "sampler"),
    "gaussian-mean": ("delta", "clip"),
    "truncated-mean": ("candidates", "candidates_column"),
}
_NEEDS = {
    "gaussian": ("delta", "sensitivity"),
    "privunit": ("clip",),
    "privemb": ("target",),
    "mahalanobis": ("covariance",),
    "gaussian-mean": ("delta",),
}
# What an option that is needed does, where its name does not say.
_WHAT = {
    "clip": "longer vectors are shortened to it, and the error grows with it; for unit vectors give 1, for others a "
    "public bound on most of their lengths",
}

Strength = Annotated[float, typer.Option("--epsilon", "-e", help="Loss per unit of distance, or of any pair.")]
Mechanism = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        "-m",
        help=f"{', '.join(NAMES)}. By default public-response for a sentence encoder, else laplace.",
    ),
]
Delta = Annotated[
    float | None, typer.Option("--delta", help="Probability mass that may escape (laplace, gaussian, gaussian-mean).")
]
Sensitivity = Annotated[
    float | None, typer.Option("--sensitivity", help="Distance that epsilon is meant for (laplace, gaussian).")
]
Clip = Annotated[
    float | None,
    typer.Option("--clip", help="Longer vectors are shortened to this length (privunit needs it; for means 1)."),
]
Sampler = Annotated[
    str | None, typer.Option("--sampler", help="rejection (proved, slow for large epsilon), beta or auto (privunit).")
]
Normalise = Annotated[
    bool, typer.Option("--normalise", help="Divide vectors by their lengths, and release unit vectors (laplace).")
]
Target = Annotated[int | None, typer.Option("--target", help="Numbers of a released vector (privemb).")]
Projection = Annotated[str | None, typer.Option("--projection", help="haar, pca, sparse or gaussian (privemb).")]
Public = Annotated[
    Path | None, typer.Option("--public", help="npy of public vectors, to choose by (privemb) or to preview with.")
]
Covariance = Annotated[Path | None, typer.Option("--covariance", help="npy of a public matrix (mahalanobis).")]
Mix = Annotated[float | None, typer.Option("--mix", help="Share of the covariance, 0 to 1 (mahalanobis).")]
Precision = Annotated[str, typer.Option("--precision", help="exact, or fast (adds a delta that grows with the loss).")]


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """What the options say; None and False where they say nothing."""

    name: str
    epsilon: float
    precision: str
    delta: float | None = None
    sensitivity: float | None = None
    clip: float | None = None
    sampler: str | None = None
    normalise: bool = False
    target: int | None = None
    projection: str | None = None
    public: Path | None = None
    covariance: Path | None = None
    mix: float | None = None
    candidates: Path | None = None
    candidates_column: str | None = None
    nearest: int | None = None
    per: str | None = None
    projections: int | None = None
    utility: str | None = None
    recoder: Path | None = None
    preview: bool = False

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InvalidInputError(f"--mechanism must be one of {', '.join(NAMES)} (got {self.name})")
        for takers in _TAKES.values():
            for option in takers:
                if option == "public" and self.preview:
                    continue
                if getattr(self, option) not in (None, False) and option not in _TAKES[self.name]:
                    raise InvalidInputError(f"--{option.replace('_', '-')} is not for {self.name}; leave it out")
        for option in _NEEDS.get(self.name, ()):
            if getattr(self, option) is None:
                what = f": {_WHAT[option]}" if option in _WHAT else ""
                raise InvalidInputError(f"{self.name} needs --{option}{what}")

    @property
    def is_for_texts(self) -> bool:
        """Whether it answers by public candidates, or takes the sentences of documents."""
        return self.name in ("public-response", *OF_DOCUMENTS)

    def given(self, *names: str) -> dict[str, Any]:
        """Return those of the options that say something."""
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def mechanism(self, dimension: int) -> VectorMechanism:
        """Return the mechanism for vectors of a dimension."""
        from textveil.mechanisms import Directions, Gaussian, Laplace, Mahalanobis, PrivEmb, PrivUnit

        given = self.given(*_TAKES[self.name])
        given["epsilon"] = self.epsilon
        if self.name == "privunit":
            return PrivUnit(dimension=dimension, **given)
        given["precision"] = self.precision
        if self.name == "mahalanobis":
            return Mahalanobis(_covariance(given.pop("covariance"), dimension), **given)
        if self.name == "privemb":
            if "public" in given:
                given["public"] = _table(given["public"], dimension)
            # A certificate for the rows of a table would not cover averages or other vectors.
            return PrivEmb(dimension=dimension, certify="operator", **given)
        if self.name == "gaussian":
            return Gaussian(dimension=dimension, **given)
        noise = Laplace(dimension=dimension, **given)
        return Directions(noise) if self.normalise else noise

    def scale(self, mechanism: VectorMechanism, words: Any = None) -> str:
        """Say what the mechanism does to public vectors: those given, else those of the words of a vocabulary."""
        from textveil.measure.vector_scale import vector_scale

        if self.public is not None:
            return str(vector_scale(mechanism, _table(self.public, mechanism.dimension), what="rows of --public"))
        if words is not None:
            return str(vector_scale(mechanism, words, what="public words"))
        return "Scale    unknown: nothing public says how far such vectors lie apart; --public FILE.npy does"


def _covariance(path: Path, dimension: int) -> Any:
    """Return a public matrix for vectors of a dimension."""
    matrix = public_array(path)
    if matrix.shape != (dimension, dimension):
        raise InvalidInputError(
            f"--covariance must be {dimension} x {dimension}, since the vectors have {dimension} numbers "
            f"({path} has shape {matrix.shape})"
        )
    return matrix


def _table(path: Path, dimension: int) -> Any:
    """Return public vectors of a dimension, one a row."""
    import numpy as np

    table = public_array(path)
    if table.ndim != 2 or table.shape[1] != dimension:
        raise InvalidInputError(
            f"--public must have {dimension} numbers a row, as the vectors have ({path} has shape {table.shape})"
        )
    finite = np.isfinite(table).all(axis=1)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0]) + 1
        raise InvalidInputError(f"row {row} of --public has a NaN or an infinity; remove it")
    return table


def public_array(path: Path) -> Any:
    """Return a public array of numbers; nothing is unpickled."""
    import numpy as np

    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        array = None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise InvalidInputError(f"{path} is not an npy file of numbers; save it with numpy.save")
    return array
