"""The noise that a decoder learns to live with, drawn ahead of training and added in torch.

Every draw comes from a mechanism of textveil around a fixed point; turned or moved to where the encoder puts an
utterance it has the mechanism's law there, and the encoder learns through it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.mechanisms.adept import default_noise
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.privunit import PrivUnit
from textveil.randomness import Streams

if TYPE_CHECKING:
    from torch import Tensor

Floats = NDArray[np.float64]

NOISES = ("privunit", "published")


class TrainingNoise:
    """The noise of one mechanism at one epsilon.

    Parameters
    ----------
    name : "privunit", what Adept takes by default, or "published", ADePT's own, which does not
    epsilon : of the mechanism
    dimension, clip : of the ball of latent vectors
    """

    def __init__(self, name: str, *, epsilon: float, dimension: int, clip: float) -> None:
        if name not in NOISES:
            raise InvalidInputError(f"noise must be one of {', '.join(NOISES)} (got {name!r})")
        self.mechanism: PrivUnit | ClippedLaplace
        if name == "privunit":
            self.mechanism = replace(default_noise(epsilon, dimension, clip), sampler="beta")
        else:
            self.mechanism = ClippedLaplace(
                epsilon=epsilon, dimension=dimension, clip=clip, variant="published", precision="fast"
            )

    def draw(self, streams: Streams) -> Floats:
        """Return for each stream the noise around a point that is the same for all: the zero vector, or the pole."""
        if isinstance(self.mechanism, ClippedLaplace):
            return self.mechanism._sample(np.zeros((len(streams), self.mechanism.dimension)), streams)
        poles = np.zeros((len(streams), self.mechanism.dimension + 1))
        poles[:, -1] = -1
        return self.mechanism._drawer.draw(streams, poles) * self.mechanism._scale

    def add(self, points: Tensor, drawn: Tensor) -> Tensor:
        """Return the noisy latent vectors of points above the ball.

        Parameters
        ----------
        points : unit vectors of one dimension more than the latent ones, their last number above 0: what the lift of
            PrivUnit makes of the latent vectors
        drawn : what `draw` returned
        """
        if isinstance(self.mechanism, ClippedLaplace):
            return points[:, :-1] * self.mechanism.clip + drawn
        # The reflection that takes the pole, (0, ..., 0, -1), to the point; the two never meet.
        pole = points.new_zeros(points.shape[1])
        pole[-1] = -1
        across = pole - points
        along = (drawn * across).sum(dim=1, keepdim=True) / (across * across).sum(dim=1, keepdim=True)
        return (drawn - 2 * along * across)[:, :-1]
