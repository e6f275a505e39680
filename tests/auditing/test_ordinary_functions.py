"""Functions as people write them: whatever they take, return or raise, an audit ends with a report."""

from __future__ import annotations

import json

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import Verdict, audit
from textveil.auditing.outputs import as_outputs
from textveil.errors import InvalidInputError
from textveil.guarantees import Unit, local_privacy

VECTOR = local_privacy(1.0, unit=Unit.VECTOR)
UTTERANCE = local_privacy(1.0, unit=Unit.UTTERANCE, reveals=("length",))
VECTORS = (np.array([1.0, 0.0]), np.array([0.0, 0.0]))
TEXTS = ("a b", "c d")
RNG = np.random.default_rng(0)


def audited(function, claim, pair):
    return audit(function, claim=claim, pair=pair, alpha=1e-6, samples=200, source=tv.RandomSource.seeded(1))


@pytest.mark.parametrize(
    ("function", "claim", "pair"),
    [
        (lambda x: str(RNG.choice(["a", "b"])), VECTOR, VECTORS),
        (lambda x: RNG.choice(["a", "b"]), VECTOR, VECTORS),
        (lambda x: None, VECTOR, VECTORS),
        (lambda x: (int(RNG.integers(3)), "a"), VECTOR, VECTORS),
        (lambda x: np.zeros(RNG.integers(1, 4)), VECTOR, VECTORS),
        (lambda x: np.zeros(0), VECTOR, VECTORS),
        (lambda x: RNG.normal(size=(3, 3)), VECTOR, VECTORS),
        (lambda x: np.float64(RNG.normal()), VECTOR, VECTORS),
        (lambda x: float(RNG.normal()), VECTOR, VECTORS),
        (lambda x: RNG.normal(size=2), UTTERANCE, TEXTS),
        (lambda x: np.float64(RNG.normal()), UTTERANCE, TEXTS),
        (lambda x: RNG.choice(["a", "b"]), local_privacy(1.0, unit=Unit.DOCUMENT), (b"a b", b"c d")),
    ],
    ids=["text", "numpy-text", "none", "tuple", "ragged", "empty", "matrix", "scalar", "float", "vector-of-text",
         "scalar-of-text", "bytes"],
)  # fmt: skip
def test_no_output_ends_an_audit(function, claim, pair):
    report = audited(function, claim, pair)
    assert report.verdict is Verdict.NOT_CERTIFIABLE
    json.loads(report.to_json())


@pytest.mark.parametrize("pair", [(b"a", b"b"), ({1, 2}, {3}), ((np.ones(2),), (np.zeros(2),))])
def test_any_input_can_be_written_down(pair):
    report = audited(str, local_privacy(1.0, unit=Unit.DOCUMENT), pair)
    assert report.verdict is Verdict.VIOLATED
    assert json.loads(report.to_json())["findings"][0]["witness"]["pair"]


def test_tensors_with_gradients_and_of_other_types_are_numbers():
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    noise = lambda: 100 * torch.randn(2, generator=generator)  # noqa: E731
    for release in (
        lambda x: torch.tensor(x, requires_grad=True) + noise(),
        lambda x: (torch.tensor(x) + noise()).bfloat16(),
    ):
        assert audited(release, VECTOR, VECTORS).verdict is Verdict.NOT_CERTIFIABLE
    bare = lambda x: torch.tensor(x, requires_grad=True)  # noqa: E731
    assert audited(bare, VECTOR, VECTORS).verdict is Verdict.VIOLATED


def test_to_refuse_one_input_only_gives_it_away():
    def refuses(x):
        if x[0] > 0.5:
            raise RuntimeError("too large")
        return RNG.normal(size=2)

    assert audited(refuses, VECTOR, VECTORS).verdict is Verdict.VIOLATED


def test_to_refuse_all_alike_tells_nothing_and_to_refuse_always_ends_the_audit():
    def at_times(x):
        if RNG.random() < 0.3:
            raise RuntimeError("busy")
        return RNG.normal(size=2)

    assert audited(at_times, VECTOR, VECTORS).verdict is Verdict.NOT_CERTIFIABLE
    with pytest.raises(InvalidInputError, match="no output for any input: ZeroDivisionError"):
        audited(lambda x: 1 / 0, VECTOR, VECTORS)


def test_outputs_that_are_counted_have_no_say_in_what_is_counted():
    learned = ([1.0, 2.0], [3.0, 4.0])
    first, _ = as_outputs([1.0, 2.0, "word", np.ones(3)], [3.0, 4.0, 5.0, 6.0], learned=learned)
    assert first.numbers is not None
    assert first.numbers[:2].ravel().tolist() == [1.0, 2.0]
    assert (first.numbers[2:] > 1e100).all()
    names, _ = as_outputs([1.0, 2.0], [3.0, 4.0], learned=(["word"], [3.0]))
    assert names.numbers is None
