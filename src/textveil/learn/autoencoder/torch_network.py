"""The same network in torch, to train it. Needs torch; nothing else here does."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from textveil.learn.autoencoder.network import Shape
from textveil.learn.autoencoder.tokens import END, UNKNOWN


class TorchNetwork(nn.Module):
    """Reads utterances into points above the ball, and learns to write them from noisy vectors.

    Parameters
    ----------
    shape : sizes
    words : how many words there are, the special ones included
    """

    def __init__(self, shape: Shape, words: int) -> None:
        super().__init__()
        e, h, n = shape.embedding, shape.hidden, shape.latent
        self.shape = shape
        self.words = nn.Parameter(torch.empty(words, e))
        self.word_bias = nn.Parameter(torch.empty(words))
        self.read = nn.GRU(e, h, batch_first=True)
        self.latent = nn.Linear(h, n)
        self.guess = nn.Linear(n + 1, 2 * h)
        self.topic = nn.Linear(2 * h, h)
        self.begin = nn.Linear(h, h)
        self.write = nn.GRU(e + h, h, batch_first=True)
        self.say = nn.Linear(2 * h, e)

    def points(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Return the points above the ball of utterances: a latent vector over the clip, and one number more."""
        states, _ = self.read(self.words[ids])
        after = torch.arange(ids.shape[1], device=ids.device) >= lengths[:, None]
        largest = states.masked_fill(after[:, :, None], -1.0).amax(dim=1)
        lifted = nn.functional.pad(self.latent(largest), (0, 1), value=1.0)
        points: Tensor = lifted / lifted.norm(dim=1, keepdim=True)
        return points

    def loss(self, vectors: Tensor, seen: Tensor, ids: Tensor, lengths: Tensor) -> Tensor:
        """Return the mean surprise at a known word or the end, with all words before it seen.

        Parameters
        ----------
        vectors : noisy latent vectors
        seen : the words as they are shown, some of them as unknown
        ids : the words to be written, up to the end
        lengths : how many numbers of a row are words or the first end
        """
        topic, states = self._states(vectors, nn.functional.pad(seen[:, :-1], (1, 0), value=END))
        wanted = (torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]) & (ids != UNKNOWN)
        return nn.functional.cross_entropy(self._scores(topic[wanted], states[wanted]), ids[wanted])

    def scores(self, vectors: Tensor, before: Tensor) -> Tensor:
        """Return how likely each word is after the words before it."""
        return self._scores(*self._states(vectors, before))

    def _states(self, vectors: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        sizes = vectors.norm(dim=1, keepdim=True)
        looked_at = torch.cat([vectors / sizes.clamp_min(1e-30), torch.log1p(sizes / self.shape.clip)], dim=1)
        topic = torch.tanh(self.topic(torch.relu(self.guess(looked_at))))
        each = topic[:, None].expand(-1, before.shape[1], -1)
        start = torch.tanh(self.begin(topic))[None].contiguous()
        return each, self.write(torch.cat([self.words[before], each], dim=2), start)[0]

    def _scores(self, topic: Tensor, states: Tensor) -> Tensor:
        scores: Tensor = self.say(torch.cat([states, topic], dim=-1)) @ self.words.T + self.word_bias
        return scores
