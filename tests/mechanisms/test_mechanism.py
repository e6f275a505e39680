"""What all mechanisms have in common: plain numbers, one class a name, copies that are as immutable as the original."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import textveil as tv
from textveil.mechanisms.mechanism import Mechanism

SMALL = tv.Vocabulary([f"w{i}" for i in range(40)], np.random.default_rng(1).normal(size=(40, 4)))
NUMBER = np.float16(0.3)


def nadp(variant, e, d, **more):
    graph = {"neighbours": d, "overlap": d, "threshold": e}
    return tv.Nadp(SMALL, epsilon=e, delta=e, variant=variant, split=e, radius=e, **graph, **more)


# Every mechanism that is cheap to make, from a number e and a count d.
MAKERS = {
    "Laplace": lambda e, d: tv.Laplace(epsilon=e, dimension=d, delta=e, sensitivity=e),
    "Gaussian": lambda e, d: tv.Gaussian(epsilon=e, delta=e, sensitivity=e, dimension=d),
    "Mahalanobis": lambda e, d: tv.Mahalanobis(np.diag([1.0, 2.0, 3.0, 4.0]), epsilon=e, mix=e),
    "PrivUnit": lambda e, d: tv.PrivUnit(epsilon=e, dimension=d, clip=e),
    "CoordinateLaplace": lambda e, d: tv.CoordinateLaplace(epsilon=e, dimension=d),
    "HyperbolicLaplace": lambda e, d: tv.HyperbolicLaplace(
        epsilon=e, dimension=d, variant="published", margin=e, steps=d
    ),
    "PrivEmb operator": lambda e, d: tv.PrivEmb(epsilon=e, dimension=d, target=d, seed=d),
    "PrivEmb own": lambda e, d: tv.PrivEmb(epsilon=e, dimension=d, target=2, projection=np.eye(4)[:2]),
    "PrivEmb secants": lambda e, d: tv.PrivEmb(epsilon=e, dimension=d, target=2, public=SMALL.points.copy()),
    "PrivEmb drawn": lambda e, d: tv.PrivEmb(
        epsilon=e, dimension=d, target=2, certify="probabilistic", delta=e, width=e, projection="gaussian", seed=d
    ),
    "PrivEmb published": lambda e, d: tv.PrivEmb(
        epsilon=e, dimension=d, target=2, variant="published", beta=e, delta=e, seed=d
    ),
    "Exponential": lambda e, d: tv.Exponential(SMALL, epsilon=e, radius=e),
    "Exponential tight": lambda e, d: tv.Exponential(SMALL, epsilon=e, weights="tight"),
    "NearestWord": lambda e, d: tv.NearestWord(SMALL, tv.Laplace(epsilon=e, dimension=d)),
    "WordVector": lambda e, d: tv.WordVector(SMALL, tv.Laplace(epsilon=e, dimension=d)),
    "Jaccard": lambda e, d: tv.Jaccard(SMALL, epsilon=e, delta=e, neighbours=d, density=e),
    "Nadp word": lambda e, d: nadp("word", e, d),
    "Nadp radius": lambda e, d: nadp("radius", e, d),
    "Nadp component": lambda e, d: nadp("component", e, d),
    "Nadp published": lambda e, d: nadp("published", e, d, sensitivities=np.ones(40)),
}
# The private input that each takes.
WORDS = ("Exponential", "NearestWord", "WordVector", "Jaccard", "Nadp")


def released(mechanism):
    words, vectors = ["w1", "w2", "w1"], SMALL.points[[1, 2, 1]].astype(np.float64)
    private = words if type(mechanism).__name__ in WORDS else 0.1 * vectors
    if isinstance(mechanism, tv.PrivEmb):
        private = vectors
    return np.asarray(mechanism.release(private, source=tv.RandomSource.keyed(bytes(32))))


def arrays_of(thing, depth=4):
    """All arrays that can be reached through the public attributes of a mechanism."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if depth == 0 or not (isinstance(thing, Mechanism | tv.Vocabulary) or is_dataclass(thing)):
        return []
    # Those that are computed anew each time, and a law that only one variant has.
    others = ("registry", "deviations", "sensitivities", "radius_law")
    found = [getattr(thing, name) for name in dir(thing) if not name.startswith("_") and name not in others]
    return [array for value in found if not callable(value) for array in arrays_of(value, depth - 1)]


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("given", ["half", "array", "tensor"])
def test_numbers_are_kept_as_python_numbers_whatever_they_were(kind, given):
    number, dimension = {
        "half": lambda: (np.float16(NUMBER), np.int8(4)),
        "array": lambda: (np.array(float(NUMBER)), np.array(4)),
        "tensor": lambda: [pytest.importorskip("torch").tensor(value) for value in (float(NUMBER), 4)],
    }[given]()
    mechanism = MAKERS[kind](number, dimension)
    values = [getattr(mechanism, field.name) for field in fields(mechanism)]
    assert all(type(value) in (float, int, bool, str) for value in values if np.ndim(value) == 0 and np.isscalar(value))
    promise = mechanism.guarantee
    assert type(promise.epsilon) is float
    assert type(promise.delta) is float
    if given == "array":
        number[...], dimension[...] = 100.0, 1
        assert mechanism.guarantee == promise
    assert mechanism.spec() == MAKERS[kind](float(NUMBER), 4).spec()


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(
    "number", ["1.0", b"1.0", np.array([0.5]), 1j, None], ids=["str", "bytes", "1-d", "complex", "none"]
)
def test_what_is_no_number_is_refused(kind, number):
    with pytest.raises(tv.InvalidInputError, match="number"):
        MAKERS[kind](number, 4)


@pytest.mark.parametrize("kind", MAKERS)
def test_copies_and_pickles_are_the_same_mechanism(kind):
    mechanism = MAKERS[kind](0.3, 4)
    before = released(mechanism)
    for other in (pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism), copy.copy(mechanism)):  # noqa: S301
        assert other.spec() == mechanism.spec()
        assert other.guarantee == mechanism.guarantee
        assert (released(other) == before).all()


@pytest.mark.parametrize("kind", MAKERS)
def test_public_arrays_can_not_be_changed_in_copies_either(kind):
    mechanism = MAKERS[kind](0.3, 4)
    for other in (mechanism, pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism)):  # noqa: S301
        assert [array.shape for array in arrays_of(other) if array.flags.writeable] == []


def test_the_arrays_looked_at_are_those_that_matter():
    """So that the test above can't pass by finding nothing."""
    assert len(arrays_of(MAKERS["Mahalanobis"](0.3, 4))) >= 2
    assert len(arrays_of(MAKERS["PrivEmb secants"](0.3, 4))) >= 2
    assert len(arrays_of(MAKERS["Nadp component"](0.3, 4))) >= 3


def test_arrays_of_the_user_are_let_go():
    own, public, sensitivities = np.eye(4)[:2].copy(), SMALL.points.astype(np.float64), np.ones(40)
    mechanisms = [
        tv.PrivEmb(epsilon=1.0, dimension=4, target=2, projection=own),
        tv.PrivEmb(epsilon=1.0, dimension=4, target=2, public=public, projection="haar"),
        tv.Nadp(SMALL, epsilon=1.0, delta=0.1, variant="published", sensitivities=sensitivities),
    ]
    specs = [mechanism.spec() for mechanism in mechanisms]
    for array in (own, public, sensitivities):
        array[:] = 2 * array
    assert [pickle.loads(pickle.dumps(mechanism)).spec() for mechanism in mechanisms] == specs  # noqa: S301


def test_steps_of_noise_can_not_be_changed():
    for kind in ("Nadp radius", "Nadp component", "Nadp published", "Nadp word"):
        assert not MAKERS[kind](0.3, 4)._variant.steps.flags.writeable
    assert not MAKERS["Jaccard"](0.3, 4)._steps.flags.writeable


def test_no_class_takes_the_name_of_another():
    with pytest.raises(tv.InvalidInputError, match="a mechanism named Laplace is there already"):
        type("Laplace", (tv.Laplace,), {})
    assert Mechanism.registry["Laplace"] is tv.Laplace
    again = type("Laplace", (tv.Laplace,), {"__module__": tv.Laplace.__module__, "__qualname__": "Laplace"})
    try:
        assert Mechanism.registry["Laplace"] is again
    finally:
        Mechanism.registry["Laplace"] = tv.Laplace


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"mechanism": "Laplace", "epsilon": 1.0}, "dimension"),
        ({"mechanism": "Laplace", "epsilon": 1.0, "dimension": 2, "scale": 3}, "scale"),
        ({"mechanism": "Exponential", "epsilon": 1.0}, "vocabulary"),
        ({"mechanism": "AdditiveMechanism"}, "no known mechanism"),
        ({"mechanism": "Ledger"}, "no known mechanism"),
        ({"mechanism": ["Laplace"]}, "no known mechanism"),
        ({}, "no known mechanism"),
    ],
)
def test_what_is_no_whole_spec_is_refused(spec, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.from_spec(spec)


@pytest.mark.parametrize("name", ["TextRewriter", "TextEmbedder", "DocumentEmbedder", "RewrittenWords"])
def test_specs_of_other_rooms_are_known_to_a_process_that_has_not_used_them(name):
    code = f"import textveil; textveil.from_spec({{'mechanism': {name!r}}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "not a whole spec" in done.stderr
