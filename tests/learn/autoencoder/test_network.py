"""The network in NumPy is the one that torch trains; reading sees one utterance, writing one vector."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.learn.autoencoder.network import Network, Shape
from textveil.learn.autoencoder.tokens import END, UNKNOWN, padded

SEQUENCES = [[2, 3, 4, END], [END], [5, UNKNOWN, 7, 8, 9, END], [6, END]]


@pytest.fixture(scope="module")
def network(parts):
    return Network(parts[0], parts[2])


@pytest.fixture(scope="module")
def in_torch(parts):
    torch = pytest.importorskip("torch")
    from textveil.learn.autoencoder.torch_network import TorchNetwork

    shape, table, weights = parts
    made = TorchNetwork(shape, len(table))
    made.load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
    return made


def test_it_reads_as_torch_does(network, in_torch):
    import torch

    with torch.no_grad():
        points = in_torch.points(torch.from_numpy(padded(SEQUENCES)), torch.tensor([len(s) for s in SEQUENCES]))
    assert network.encode(SEQUENCES) == pytest.approx(2.0 * points[:, :-1].double().numpy(), abs=2e-5)
    assert (points[:, -1] > 0).all()


def test_it_writes_as_torch_does(network, in_torch):
    import torch

    vectors = np.random.default_rng(0).normal(size=(5, 3)) * 4
    for row, numbers in enumerate(network.write(vectors, 7)):
        before = torch.tensor([[END, *numbers]])
        with torch.no_grad():
            scores = in_torch.scores(torch.from_numpy(vectors[row : row + 1]).float(), before)[0]
        scores[:, UNKNOWN] = -torch.inf
        likeliest = scores.argmax(dim=1).tolist()
        assert likeliest[: len(numbers)] == numbers
        assert len(numbers) == 7 or likeliest[len(numbers)] == END


def test_no_vector_leaves_the_ball(network):
    assert (np.linalg.norm(network.encode(SEQUENCES), axis=1) < 2.0).all()


def test_an_utterance_has_the_same_vector_alone_and_among_others(network):
    together = network.encode(SEQUENCES)
    for row, sequence in enumerate(SEQUENCES):
        assert (network.encode([sequence])[0] == together[row]).all()
        assert (network.encode([*SEQUENCES[::-1], sequence, *SEQUENCES])[len(SEQUENCES)] == together[row]).all()
    assert network.encode([]).shape == (0, 3)


def test_no_more_is_written_than_the_limit_and_never_the_unknown_word(network):
    vectors = np.random.default_rng(1).normal(size=(200, 3))
    draws = np.random.default_rng(2).uniform(size=(200, 5))
    for written in (network.write(vectors, 5), network.write(vectors, 5, draws), network.beam(vectors, 5, 3)):
        assert max(map(len, written)) <= 5
        assert not {END, UNKNOWN} & set(itertools.chain(*written))


def chances(network, vector, length):
    """The chance of every utterance of a very small network, by going through all of them."""
    found = {}
    topic, start = network._begin(vector[None])

    def go_on(numbers, state, chance):
        if len(numbers) == length:
            found[tuple(numbers)] = chance
            return
        after = network._step(topic, state, np.array([numbers[-1] if numbers else END]))
        scores = np.exp(network._scores(topic, after)[0].astype(np.float64))
        for number, share in enumerate(scores / scores.sum()):
            if number == END:
                found[tuple(numbers)] = chance * share
            elif share > 0:
                go_on([*numbers, number], after, chance * share)

    go_on([], start, 1.0)
    return found


@pytest.fixture(scope="module")
def tiny():
    shape = Shape(latent=2, embedding=3, hidden=4)
    rng = np.random.default_rng(5)
    return Network(shape, {name: rng.normal(size=size).astype(np.float32) for name, size in shape.weights(5).items()})


def test_a_wide_beam_finds_the_likeliest_utterance_of_all(tiny):
    vectors = np.random.default_rng(6).normal(size=(4, 2))
    for vector, found in zip(vectors, tiny.beam(vectors, 3, 40), strict=True):
        every = chances(tiny, vector, 3)
        assert tuple(found) == max(every, key=every.__getitem__)


def test_utterances_are_drawn_by_their_chances(tiny):
    """Each of the shares is within 5.7 deviations: a false alarm in 1e-6 over all of them together."""
    vector, draws = np.array([0.4, -1.0]), np.random.default_rng(7).uniform(size=(20_000, 3))
    written = [tuple(numbers) for numbers in tiny.write(np.repeat(vector[None], len(draws), axis=0), 3, draws)]
    every = chances(tiny, vector, 3)
    assert sum(every.values()) == pytest.approx(1)

    def largest_deviation(power):
        total = sum(chance**power for chance in every.values())
        shares = {numbers: chance**power / total for numbers, chance in every.items()}
        return max(
            abs(written.count(numbers) - len(draws) * share) / np.sqrt(len(draws) * share * (1 - share) + 1)
            for numbers, share in shares.items()
        )

    assert largest_deviation(1.0) < 5.7
    assert largest_deviation(1.3) > 5.7


@pytest.mark.parametrize("wrong", [{"clip": 0.0}, {"clip": -1.0}, {"latent": 0}, {"hidden": 1 << 20}])
def test_impossible_shapes_are_refused(wrong):
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        Shape(**wrong)
