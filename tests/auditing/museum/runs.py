"""Exhibits whose noise is right once, and comes again or has telling digits."""

from __future__ import annotations

import numpy as np
from tests.auditing.museum import repeats
from tests.auditing.museum.exhibit import Exhibit, by_checks, per_distance

CLAIM = per_distance(1.0, "l1 distance")
INPUTS = list(np.random.default_rng(1).normal(size=(6, 2)))


def again(cls, epsilon):
    return cls(epsilon)


WORKERS = Exhibit(
    name="forked workers that share the random state",
    shipped="pyPANTERA; SanText and CusText",
    flaw="Every worker begins with a copy of the same generator, so that noise repeats across workers and epsilons.",
    broken=lambda rng: repeats.Inherited(),
    twin=lambda rng: repeats.Fresh(),
    examine=by_checks(CLAIM, INPUTS, factory=again, processes=True),
    caught_by="noise of two forked workers",
)

SEED = Exhibit(
    name="a default seed that everybody knows",
    shipped="dp-diffractor (seed 42)",
    flaw="Two objects with the default arguments draw the same noise, which anyone can draw again.",
    broken=lambda rng: repeats.DefaultSeed(),
    twin=lambda rng: repeats.Fresh(),
    examine=by_checks(CLAIM, INPUTS, factory=again),
    caught_by="noise of two objects",
)

BY_WORD = Exhibit(
    name="noise seeded by the word",
    shipped="NADP's code",
    flaw="The seed is a function of the word, so that its output is always the same and a table of all gives it away.",
    broken=lambda rng: repeats.SeededByInput(),
    twin=lambda rng: repeats.Fresh(),
    examine=by_checks(CLAIM, INPUTS),
    caught_by="outputs that repeat for the same input",
)

MEMORY = Exhibit(
    name="outputs that are remembered",
    shipped="caches in front of a mechanism",
    flaw="An input that comes again has the same output, which shows that it is the same; independent noise would not.",
    broken=lambda rng: repeats.Remembered(),
    twin=lambda rng: repeats.Fresh(),
    examine=by_checks(CLAIM, INPUTS, factory=again),
    caught_by="noise of two objects",
)

FLOATS = Exhibit(
    name="Laplace noise in floating point",
    shipped="nearly every library (Mironov 2012)",
    flaw="Which last digits x + z can have depends on x, so that some outputs are possible from one input alone.",
    broken=lambda rng: repeats.FloatSum(),
    twin=lambda rng: repeats.Fresh(),
    examine=by_checks(CLAIM, [np.array([1.0]), np.array([0.5])], digits=True),
    caught_by="last digits of released numbers",
)

EXHIBITS = (WORKERS, SEED, BY_WORD, MEMORY, FLOATS)
