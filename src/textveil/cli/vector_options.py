"""Options that describe a vector mechanism, and the mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.mechanisms.vectors import VectorMechanism

NAMES = ("laplace", "gaussian", "privunit", "privemb", "mahalanobis")
# Which options each takes besides epsilon and precision.
_TAKES = {
    "laplace": ("delta", "sensitivity", "normalise"),
    "gaussian": ("delta", "sensitivity"),
    "privunit": ("clip",),
    "privemb": ("target", "projection", "public"),
    "mahalanobis": ("covariance", "mix"),
}
_NEEDS = {"gaussian": ("delta", "sensitivity"), "privemb": ("target",), "mahalanobis": ("covariance",)}

Strength = Annotated[float, typer.Option("--epsilon", "-e", help="Loss per unit of distance, or of any pair.")]
Mechanism = Annotated[str, typer.Option("--mechanism", "-m", help=", ".join(NAMES) + ".")]
Delta = Annotated[float | None, typer.Option("--delta", help="Probability mass that may escape (laplace, gaussian).")]
Sensitivity = Annotated[
    float | None, typer.Option("--sensitivity", help="Distance that epsilon is meant for (laplace, gaussian).")
]
Clip = Annotated[float | None, typer.Option("--clip", help="Longer vectors are shortened to this length (privunit).")]
Normalise = Annotated[bool, typer.Option("--normalise", help="Take and release unit vectors (laplace).")]
Target = Annotated[int | None, typer.Option("--target", help="Numbers of a released vector (privemb).")]
Projection = Annotated[str | None, typer.Option("--projection", help="haar, pca, sparse or gaussian (privemb).")]
Public = Annotated[Path | None, typer.Option("--public", help="npy of public vectors to choose by (privemb).")]
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
    normalise: bool = False
    target: int | None = None
    projection: str | None = None
    public: Path | None = None
    covariance: Path | None = None
    mix: float | None = None

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InvalidInputError(f"--mechanism must be one of {', '.join(NAMES)} (got {self.name})")
        for takers in _TAKES.values():
            for option in takers:
                if getattr(self, option) not in (None, False) and option not in _TAKES[self.name]:
                    raise InvalidInputError(f"--{option} is not for {self.name}; leave it out")
        for option in _NEEDS.get(self.name, ()):
            if getattr(self, option) is None:
                raise InvalidInputError(f"{self.name} needs --{option}")

    def mechanism(self, dimension: int) -> VectorMechanism:
        """Return the mechanism for vectors of a dimension."""
        from textveil.mechanisms import Gaussian, Laplace, Mahalanobis, PrivEmb, PrivUnit

        asked: dict[str, Any] = {name: getattr(self, name) for name in _TAKES[self.name]}
        given = {name: value for name, value in asked.items() if value is not None}
        given["epsilon"] = self.epsilon
        if self.name == "privunit":
            return PrivUnit(dimension=dimension, **given)
        given["precision"] = self.precision
        if self.name == "mahalanobis":
            return Mahalanobis(_array(given.pop("covariance")), **given)
        if self.name == "privemb":
            if "public" in given:
                given["public"] = _array(given["public"])
            # A certificate for the rows of a table would not cover averages or other vectors.
            return PrivEmb(dimension=dimension, certify="operator", **given)
        return (Gaussian if self.name == "gaussian" else Laplace)(dimension=dimension, **given)


def _array(path: Path) -> Any:
    """Return a public array; nothing is unpickled."""
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidInputError(f"{path} is not an npy file of numbers; save it with numpy.save") from error
