"""ADePT, repaired: an utterance becomes a vector, the vector is released, and a new utterance is written from it.

Nothing passes but the vector, so its noise covers the whole utterance: its words, their order and their number. As
published (Krishna et al. 2021) the noise was too small for its promise; the default here is PrivUnit, which keeps it.
Proof: docs/mechanisms/adept.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.mechanisms.mechanism import Mechanism, from_spec, named_object
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.vectors import AdditiveMechanism, VectorMechanism
from textveil.noise.clipping import clipped
from textveil.noise.lattice import Lattice
from textveil.randomness import Streams

Vectors = NDArray[np.float64]

REVEALS = ("the number of utterances",)
# Above this PrivUnit's proved sampler would be refused as too slow.
_MOST_TRIES = 10_000
# A larger cap would be better for a mean of vectors, and is worse for utterances: one is written from each vector.
_LARGEST_SHARE = 1 / 8


class Codec(Protocol):
    """Gives texts vectors of a ball, and vectors texts. All of it is public, and made without the private texts."""

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        ...

    @property
    def clip(self) -> float:
        """No vector is longer than this; were one, it would be shortened."""
        ...

    @property
    def digest(self) -> str:
        """The sha256 of all that vectors and texts depend on."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return (n, dimension): each vector depends on its own text alone, bit for bit."""
        ...

    def decode(self, vectors: Vectors) -> list[str]:
        """Return a text for each vector; it may look at nothing else."""
        ...


@dataclass(frozen=True, eq=False)
class Adept(Mechanism):
    """Rewrite whole utterances, so that any two of them look alike.

    Parameters
    ----------
    codec : public, such as AutoEncoder.default()
    mechanism : releases the codec's vectors: PrivUnit, ClippedLaplace, Laplace or Gaussian, or another that promises
        something for any two vectors of a ball; by default PrivUnit with this epsilon
    epsilon : the loss between any two utterances, in place of a mechanism
    """

    codec: Codec
    mechanism: VectorMechanism = None  # type: ignore[assignment]
    _: KW_ONLY
    epsilon: float = None  # type: ignore[assignment]
    clip: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if (self.mechanism is None) == (self.epsilon is None):
            raise InvalidInputError("give either epsilon=8.0, say, or a mechanism for the codec's vectors")
        missing = [
            name for name in ("encode", "decode", "dimension", "clip", "digest") if not hasattr(self.codec, name)
        ]
        if missing:
            raise InvalidInputError(
                f"codec must have {', '.join(missing)} (got {type(self.codec).__name__}), "
                "as tv.AutoEncoder.default() has"
            )
        dimension = require_count("the codec's dimension", self.codec.dimension)
        self._keep(clip=require_positive("the codec's clip", self.codec.clip))
        if self.mechanism is None:
            self._keep(mechanism=default_noise(self.epsilon, dimension, self.clip))
        noise = self.mechanism
        if not isinstance(noise, VectorMechanism):
            raise InvalidInputError("mechanism must release vectors of a ball, such as PrivUnit(epsilon=..., clip=...)")
        if noise.dimension != dimension or noise.released_dimension != dimension:
            raise InvalidInputError(
                f"the mechanism takes vectors of {noise.dimension} numbers and releases {noise.released_dimension}, "
                f"but the codec has {dimension}; give dimension={dimension}"
            )
        self._check_ball(noise)
        if getattr(noise, "clip", self.clip) != self.clip:
            raise InvalidInputError(
                f"the mechanism has clip {noise.clip:g}, but the codec's vectors are up to "  # type: ignore[attr-defined]
                f"{self.clip:g} long; give clip={self.clip:g}"
            )
        self._keep(epsilon=self.guarantee.epsilon)

    def _check_ball(self, noise: VectorMechanism) -> None:
        """Refuse noise whose promise for two vectors is not bounded by their lengths, or that takes only some."""
        relation, lattice = noise.guarantee.relation, self._lattice
        if relation.pairs is not Pairs.ANY and lattice is None:
            raise InvalidInputError(
                f"{type(noise).__name__} promises by {relation.metric}, not the same for any two vectors of a ball: "
                "use PrivUnit, ClippedLaplace, Laplace or Gaussian"
            )
        ends = np.zeros((2, noise.dimension))
        ends[1, 0] = self.clip
        try:
            noise._check(ends)
            if lattice is not None:
                lattice.snap(ends)
        except InvalidInputError as error:
            raise InvalidInputError(f"the mechanism does not take all vectors of a ball: {error}") from None

    @property
    def _lattice(self) -> Lattice | None:
        """Where vectors are rounded to, if the mechanism promises by the Euclidean distance of rounded ones."""
        noise = self.mechanism
        return noise.lattice if isinstance(noise, AdditiveMechanism) and noise.is_euclidean else None

    @property
    def guarantee(self) -> Guarantee:
        """That of the vectors, between any two utterances: no two vectors are more than 2 clip apart."""
        noise = self.mechanism.guarantee
        loss = noise.loss(2 * self.clip)
        if math.isinf(loss):
            raise InvalidInputError(
                f"the mechanism promises nothing for vectors that are {2 * self.clip:g} apart, as two utterances "
                f"may be; give it a sensitivity of {2 * self.clip:g}, or use PrivUnit"
            )
        of_vectors = f"of the vectors that utterances pass through: {noise.reason}" if noise.reason else ""
        return replace(
            noise,
            reason=of_vectors,
            epsilon=loss,
            offset=0.0,
            mu=None,
            unit=Unit.UTTERANCE,
            relation=Relation(pairs=Pairs.ANY),
            reveals=REVEALS,
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {"mechanism": "Adept", "codec": self.codec.digest, "noise": self.mechanism.spec()}

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Adept:
        codec = named_object("codec", spec["codec"], objects)
        return cls(codec, from_spec(spec["noise"], objects))  # type: ignore[arg-type]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the private vectors of texts, as the mechanism takes them."""
        found = np.asarray(self.codec.encode(texts))
        dimension = self.mechanism.dimension
        if found.shape != (len(texts), dimension) or found.dtype.kind != "f" or not np.isfinite(found).all():
            raise InvalidInputError(
                f"the codec must give each text {dimension} finite numbers (got {found.dtype} {found.shape})"
            )
        inside = clipped(found.astype(np.float64), self.clip, order=2)
        if self._lattice is not None:
            # Rounded to the nearest point of the lattice a vector might leave the ball.
            inside = self._lattice.towards_zero(inside)
        checked: Vectors = self.mechanism._check(inside)
        return checked

    def _check(self, private: Any) -> Vectors:
        texts = [private] if isinstance(private, str) else private
        if not isinstance(texts, list | tuple):
            raise InvalidInputError(f"utterances must be a str or a list of str (got {type(private).__name__})")
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                raise InvalidInputError(f"utterances must be str (number {place}, from 0, is {type(text).__name__})")
        return self.vectors(texts)

    def _sample(self, items: Vectors, streams: Streams) -> list[str]:
        return self.codec.decode(self.mechanism._sample(items, streams))

    def _wrap(self, outputs: list[str], private: Any) -> Any:
        return outputs[0] if isinstance(private, str) else outputs


def default_noise(epsilon: float, dimension: int, clip: float) -> PrivUnit:
    """Return PrivUnit with a cap that is not too large, and the sampler that is proved in floats unless it is too slow.

    Parameters
    ----------
    epsilon : the loss between any two vectors
    dimension : numbers of a vector
    clip : the largest length of a vector
    """
    noise = PrivUnit(epsilon=epsilon, dimension=dimension, clip=clip)
    if noise.cap.mass > _LARGEST_SHARE:
        noise = replace(noise, share=_LARGEST_SHARE)
    return replace(noise, sampler="rejection") if noise.tries <= _MOST_TRIES else noise
