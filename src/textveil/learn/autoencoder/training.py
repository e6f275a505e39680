"""Train an auto-encoder on public utterances, with the noise that its vectors will meet.

All that is random is a function of the seed, the epoch and the batch, so a training that was stopped goes on as if it
had not been. Recipe and results: docs/learning.md.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import thread_count
from textveil.errors import (
    InvalidInputError,
    MissingDependencyError,
    require_count,
    require_positive,
    require_probability,
)
from textveil.learn.autoencoder.autoencoder import AutoEncoder
from textveil.learn.autoencoder.network import Shape
from textveil.learn.autoencoder.noise import NOISES, TrainingNoise
from textveil.learn.autoencoder.tokens import UNKNOWN, Ids, WordTable, padded
from textveil.learn.checkpoints import Checkpoint
from textveil.noise.transforms import below, uniforms
from textveil.progress import progress
from textveil.randomness import RandomSource, Streams

if TYPE_CHECKING:
    from textveil.learn.autoencoder.torch_network import TorchNetwork

_LEVELS = 7
_LARGEST_GRADIENT = 1.0
_WARM_UP = 0.05
_SORTED_TOGETHER = 16


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How to train.

    Parameters
    ----------
    shape : sizes of the network
    length : most words of an utterance
    words : most public words
    noise : "privunit", or "published" for ADePT's own
    epsilon, up_to : the noise is that of an epsilon between these two, another for each batch
    growing : the share of the training over which the noise grows from the least to any of these
    epochs, batch, rate : passes over all utterances, utterances at once, and the largest step of Adam
    hidden_words : the share of words that are shown as unknown, so that no word is relied on
    seed : of everything random
    """

    shape: Shape = field(default_factory=Shape)
    length: int = 24
    words: int = 3000
    noise: str = "privunit"
    epsilon: float = 8.0
    up_to: float | None = None
    growing: float = 0.5
    epochs: int = 20
    batch: int = 64
    rate: float = 4e-3
    hidden_words: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("length", "words", "epochs", "batch"):
            require_count(name, getattr(self, name))
        require_count("seed", self.seed, least=0)
        require_positive("rate", self.rate)
        require_probability("hidden_words", self.hidden_words)
        require_probability("growing", self.growing)
        if require_positive("epsilon", self.epsilon) > require_positive("up_to", self.last_epsilon):
            raise InvalidInputError(f"up_to must be at least epsilon, {self.epsilon:g} (got {self.up_to!r})")
        if self.noise not in NOISES:
            raise InvalidInputError(f"noise must be one of {', '.join(NOISES)} (got {self.noise!r})")

    @property
    def last_epsilon(self) -> float:
        """The largest epsilon that is trained for."""
        return self.epsilon if self.up_to is None else self.up_to

    def noises(self) -> list[TrainingNoise]:
        """Return the noises of the batches; each epsilon is the same multiple of the one before."""
        levels = 1 if self.last_epsilon == self.epsilon else _LEVELS
        return [
            TrainingNoise(self.noise, epsilon=float(e), dimension=self.shape.latent, clip=self.shape.clip)
            for e in np.geomspace(self.epsilon, self.last_epsilon, levels)
        ]

    def met_at(self, noises: Sequence[TrainingNoise], done: float) -> Sequence[TrainingNoise]:
        """Return which of all noises, the least last, are met after this share of the training."""
        many = len(noises) if done >= self.growing else 1 + int(done / self.growing * len(noises))
        return noises[-many:]

    def rate_at(self, done: float) -> float:
        """Return the step of Adam after this share of the training: it rises shortly and falls in a straight line."""
        return self.rate * min(1.0, (done + 1e-3) / _WARM_UP) * (1 - done)


@dataclass(frozen=True)
class Moment:
    """Where training stands after some epochs and seconds."""

    epoch: int
    seconds: float
    loss: float

    def __str__(self) -> str:
        return f"epoch {self.epoch}, {self.seconds:.0f} s: {self.loss:.4f} nats a word"


def train(
    texts: Sequence[str],
    recipe: Recipe | None = None,
    *,
    threads: int | None = None,
    device: str = "cpu",
    checkpoint: Path | None = None,
    report: Callable[[Moment], None] = lambda moment: None,
    shown: bool = True,
) -> AutoEncoder:
    """Train an auto-encoder.

    The same seed gives the same model on the same machine with the same number of threads.

    Parameters
    ----------
    texts : public utterances; none of them may be among those that are released later
    recipe : how
    threads : of torch; by default all cores
    device : of torch, such as "cpu" or "cuda"
    checkpoint : a file in which the training is kept every minute and when it is interrupted, and from which it goes on
        if the file exists. It is left at the end, to be deleted once the result is saved
    report : is called after each epoch
    shown : by a progress bar; not for several trainings at a time
    """
    chosen = recipe or Recipe()
    torch = _torch()
    torch.set_num_threads(thread_count() if threads is None else require_count("threads", threads))
    table = WordTable.of(texts, most=chosen.words, length=chosen.length)
    kept = Checkpoint(checkpoint, training_digest(texts, chosen))
    trainer = Trainer([table.ids(text) for text in texts], len(table), chosen, device)
    first, seconds = trainer.restore(kept)
    try:
        with progress("training", chosen.epochs - first) if shown else nullcontext(_ignored) as step:
            for epoch in range(first, chosen.epochs):
                started = time.perf_counter()
                loss = trainer.epoch(epoch)
                seconds += time.perf_counter() - started
                report(Moment(epoch + 1, seconds, loss))
                step(1, f"epoch {epoch + 1}, {loss:.3f} nats a word")
                kept.keep(trainer.state(), epoch + 1, seconds, last=epoch + 1 == chosen.epochs)
    except KeyboardInterrupt:
        raise kept.interrupted() from None
    about = {"noise": chosen.noise, "epsilon": [chosen.epsilon, chosen.last_epsilon], "utterances": len(texts)}
    return AutoEncoder(chosen.shape, table, trainer.weights(), about=about)


class Trainer:
    """A network, its optimiser, and the utterances."""

    def __init__(self, sequences: Sequence[Sequence[int]], words: int, recipe: Recipe, device: str) -> None:
        from textveil.learn.autoencoder.torch_network import TorchNetwork

        torch = _torch()
        self._sequences, self._recipe, self._device = sequences, recipe, device
        self._noises = recipe.noises()
        self._network: TorchNetwork = TorchNetwork(recipe.shape, words)
        self._start()
        self._network.to(device)
        self._optimiser = torch.optim.Adam(self._network.parameters(), lr=recipe.rate)

    def epoch(self, epoch: int) -> float:
        """Make one pass over all utterances, and return the mean surprise at a word."""
        torch = _torch()
        batches = self._batches(epoch)
        losses = []
        for number, rows in enumerate(batches):
            done = (epoch + number / len(batches)) / self._recipe.epochs
            for group in self._optimiser.param_groups:
                group["lr"] = self._recipe.rate_at(done)
            streams = _streams(self._recipe.seed, "batch", epoch * len(batches) + number, len(rows))
            met = self._recipe.met_at(self._noises, done)
            loss = self._loss([self._sequences[row] for row in rows], streams, met)
            self._optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._network.parameters(), _LARGEST_GRADIENT)
            self._optimiser.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean())

    def _batches(self, epoch: int) -> list[Ids]:
        """Return which utterances go together, in random order: those of about the same length, to spare padding."""
        lengths = np.array([len(sequence) for sequence in self._sequences])
        first, second = _streams(self._recipe.seed, "order", epoch, 2).words(len(lengths))
        place = np.argsort(np.argsort(first, kind="stable"), kind="stable")
        order = np.lexsort((place, lengths, place // (_SORTED_TOGETHER * self._recipe.batch)))
        batches = np.array_split(order, -(-len(order) // self._recipe.batch))
        return [batches[number] for number in np.argsort(second[: len(batches)], kind="stable")]

    def _loss(self, sequences: Sequence[Sequence[int]], streams: Streams, met: Sequence[TrainingNoise]) -> Any:
        torch = _torch()
        ids = padded(sequences)
        lengths = np.array([len(sequence) for sequence in sequences])
        noise = met[int(below(streams.select(slice(1)), len(met))[0])]
        streams.used += 1
        drawn = noise.draw(streams)
        shown = [_hidden(ids, lengths, streams, self._recipe.hidden_words) for _ in range(2)]
        network, (whole, read, seen) = self._network, (torch.from_numpy(a).to(self._device) for a in (ids, *shown))
        sizes = torch.from_numpy(lengths).to(self._device)
        points = network.points(read, sizes)
        vectors = noise.add(points, torch.from_numpy(drawn).to(self._device, points.dtype))
        return network.loss(vectors, seen, whole, sizes)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights by name."""
        return {name: values.detach().cpu().numpy() for name, values in self._network.named_parameters()}

    def state(self) -> NDArray[np.float64]:
        """Return all that training needs to go on: weights, and what Adam remembers of each."""
        return np.stack([np.concatenate([np.ravel(part) for part in row]) for row in self._rows()])

    def restore(self, checkpoint: Checkpoint) -> tuple[int, float]:
        """Go on from a checkpoint, if there is one; return the epochs done and the seconds spent."""
        found = checkpoint.restored()
        if found is None:
            return 0, 0.0
        torch = _torch()
        state, epochs, seconds = found
        start = 0
        batches = -(-len(self._sequences) // self._recipe.batch)
        for values in self._network.parameters():
            rows = [
                torch.from_numpy(row[start : start + values.numel()]).reshape(values.shape).to(values) for row in state
            ]
            start += values.numel()
            with torch.no_grad():
                values.copy_(rows[0])
            self._optimiser.state[values] = {
                "step": torch.tensor(float(epochs * batches)), "exp_avg": rows[1], "exp_avg_sq": rows[2]
            }  # fmt: skip
        return epochs, seconds

    def _rows(self) -> Iterator[list[NDArray[np.float64]]]:
        parameters = list(self._network.parameters())
        yield [values.detach().cpu().numpy() for values in parameters]
        for name in ("exp_avg", "exp_avg_sq"):
            yield [self._optimiser.state[values][name].cpu().numpy() for values in parameters]

    def _start(self) -> None:
        """Begin with weights that are uniform within 1 / sqrt(what they add up)."""
        torch = _torch()
        for place, values in enumerate(self._network.parameters()):
            width = values.shape[-1] if values.ndim > 1 else self._recipe.shape.hidden
            drawn = uniforms(_streams(self._recipe.seed, "start", place, 1).words(values.numel())[0])
            with torch.no_grad():
                values.copy_(torch.from_numpy((2 * drawn - 1) / np.sqrt(width)).reshape(values.shape))


def _hidden(ids: Ids, lengths: Ids, streams: Streams, share: float) -> Ids:
    """Return the words with some of them shown as unknown; the end is always seen."""
    chosen = uniforms(streams.words(ids.shape[1])) < share
    chosen &= np.arange(ids.shape[1]) < lengths[:, None] - 1
    return np.where(chosen, UNKNOWN, ids)


def _streams(seed: int, purpose: str, row: int, count: int) -> Streams:
    """Return streams of public random numbers: they protect nothing."""
    key = hashlib.sha256(b"textveil autoencoder %d" % seed).digest()
    return RandomSource.keyed(key, row << 20).streams(purpose.encode(), np.arange(count))


def training_digest(texts: Sequence[str], recipe: Recipe) -> str:
    """Return the sha256 of all that a training depends on."""
    content = hashlib.sha256()
    for text in texts:
        content.update(hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest())
    return hashlib.sha256(f"{content.hexdigest()} {sorted(asdict(recipe).items())}".encode()).hexdigest()


def _ignored(done: int = 1, title: str | None = None) -> None:
    """Show no progress."""


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingDependencyError("training needs torch; run: pip install 'textveil[torch]'") from None
    return torch
