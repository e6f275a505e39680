"""Noise that comes again: the chances are bounds under independence, whatever the law."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.surroundings.processes import in_forks, in_fresh_processes
from textveil.auditing.surroundings.repeated import chance_of_agreement, chance_of_memory, chance_of_pairing


@pytest.mark.parametrize("bias", [0.02, 0.3, 0.5])
@pytest.mark.parametrize("chance_of", [chance_of_agreement, chance_of_memory])
def test_independent_runs_look_alike_no_oftener_than_stated(chance_of, bias):
    """Every pair of runs of a coin with this bias, two inputs and three draws each, with its exact probability."""
    inputs = ["a", "b"] * 3
    runs = list(itertools.product("HT", repeat=6))
    likely = {run: math.prod(bias if side == "H" else 1 - bias for side in run) for run in runs}
    outcomes = [(chance_of(inputs, list(one), list(two)), likely[one] * likely[two]) for one in runs for two in runs]
    for level in {chance for chance, _ in outcomes}:
        assert sum(weight for chance, weight in outcomes if chance <= level) <= level + 1e-12


def test_vectors_are_paired_by_chance_no_oftener_than_stated():
    rng = np.random.default_rng(0)
    inputs = ["a"] * 5
    first, second = list(rng.normal(size=(5, 2))), list(rng.normal(size=(5, 2)))
    paired = sum(
        chance_of_pairing(inputs, first, [second[place] for place in order]) < 1
        for order in itertools.permutations(range(5))
    )
    assert paired <= 1


def test_the_same_noise_is_recognised_at_twice_the_size():
    rng = np.random.default_rng(0)
    inputs = ["a", "b"] * 8
    noise = rng.normal(size=(16, 2))
    assert chance_of_agreement(inputs, list(noise), list(noise)) < 1e-8
    assert chance_of_pairing(inputs, list(noise), list(3 + 2 * noise)) < 1e-8
    assert chance_of_pairing(inputs, list(noise), list(rng.normal(size=(16, 2)))) == 1


def test_a_constant_is_no_repeated_noise():
    assert chance_of_agreement(["a"] * 9, ["x"] * 9, ["x"] * 9) == 1
    assert chance_of_memory(["a"] * 9, ["x"] * 9, ["x"] * 9) == 1


def test_forked_workers_of_a_mechanism_have_their_own_noise():
    mechanism, inputs = tv.Laplace(epsilon=1.0, dimension=2), [np.zeros(2)] * 6
    mechanism.release(np.zeros(2))
    one, two = in_forks([mechanism, mechanism], inputs)
    assert chance_of_agreement(inputs, one, two) == 1
    assert chance_of_pairing(inputs, one, two) == 1


def test_a_function_that_can_t_be_sent_is_not_run_in_a_new_process():
    assert in_fresh_processes(lambda x: x, [1, 2]) is None


def test_a_function_runs_in_new_processes():
    assert in_fresh_processes(pickle.dumps, [1, 2]) == [[pickle.dumps(1), pickle.dumps(2)]] * 2


def test_a_worker_that_dies_is_no_evidence():
    assert in_forks([_dies], [1]) is None


def _dies(x):
    raise SystemExit(3)
