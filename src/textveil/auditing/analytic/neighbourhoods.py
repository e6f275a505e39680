"""Nadp and Jaccard: Gaussian noise on words, of one size, or of sizes that depend on the word.

A refuted claim about joined words was sold as a protection of words, so that all pairs are tested; a claim about joined
words that is not refuted is tested between those alone.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.analytic.dispatch import analysis
from textveil.auditing.analytic.noise import Domain, Noise, judge
from textveil.auditing.analytic.unequal import Found, NoisyWords
from textveil.auditing.promises import conclude, exceeds, undecided
from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.guarantees import Guarantee, Pairs, Status
from textveil.mechanisms.exponential.law import rounding_slack
from textveil.mechanisms.jaccard import Jaccard
from textveil.mechanisms.nadp import Nadp
from textveil.mechanisms.nadp.repaired import Component
from textveil.noise.gaussian_curve import gaussian_delta
from textveil.vocabulary.graph import component_diameters

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

_NAME = "Gaussian noise of each pair of words"


@analysis.register
def _nadp(mechanism: Nadp, claim: Guarantee) -> Finding | None:
    if mechanism.variant == "radius":
        sigma = float(mechanism.deviations.min())
        noise = Noise(
            math.inf,
            lambda epsilon, distance: gaussian_delta(epsilon, distance / sigma),
            f"Gaussian noise of deviation {sigma:.7g} for every word",
            mu=1 / sigma,
        )
        finding = judge(noise, claim, Domain(lambda distance: ("a word", f"another at distance {distance:.7g}")))
        if finding.verdict is not Verdict.VIOLATED:
            return finding
        # Between words that are there it may be less.
        return _sized_by_word(NoisyWords(mechanism.vocabulary, mechanism.deviations), None, claim)
    if mechanism.variant == "component":
        return _component(mechanism, claim)
    if mechanism.variant == "word":
        return None
    edges = None if mechanism.sensitivities is not None else (mechanism.graph.edges, mechanism.graph.lengths)
    return _sized_by_word(NoisyWords(mechanism.vocabulary, mechanism.deviations), edges, claim)


@analysis.register
def _jaccard(mechanism: Jaccard, claim: Guarantee) -> Finding | None:
    ids, distances = mechanism._neighbours
    first = np.repeat(np.arange(len(ids)), ids.shape[1])
    edges = np.stack([first, ids.reshape(-1)], axis=1), distances.reshape(-1)
    return _sized_by_word(NoisyWords(mechanism.vocabulary, mechanism.deviations), edges, claim)


def _sized_by_word(words: NoisyWords, edges: tuple[Ids, Floats] | None, claim: Guarantee) -> Finding | None:
    told = ""
    if claim.relation.pairs is Pairs.METRIC:
        because = "The noise differs from word to word, and was compared for one epsilon only, not for each distance."
        return undecided(name=_NAME, method=Method.ANALYTIC, because=because)
    if claim.relation.pairs is Pairs.EDGES:
        if edges is None and claim.status is not Status.REFUTED:
            because = "Which words are joined is not known: sensitivities were given in place of a graph."
            return undecided(name=_NAME, method=Method.ANALYTIC, because=because)
        if edges is not None and len(edges[0]):
            found = words.worst(claim.epsilon, *edges)
            told = f"Between the {len(edges[0]):,} joined pairs the largest delta found is {found.delta:.3g}. "
            if exceeds(found.delta, claim.delta) or claim.status is not Status.REFUTED:
                return _said(words, found, claim, told)
    pairs, distances, complete = words.some_pairs()
    covered = [math.isfinite(claim.loss(float(distance))) for distance in distances]
    if not any(covered):
        return None
    found = words.worst(claim.epsilon, pairs[covered], distances[covered], complete=complete)
    return _said(words, found, claim, told)


def _said(words: NoisyWords, found: Found, claim: Guarantee, told: str) -> Finding:
    vocabulary, pair = words.vocabulary, (found.first, found.second)
    names = [vocabulary.words[place] for place in pair]
    sizes = [float(words.deviations[place]) for place in pair]
    if 0.0 in sizes and found.distance:
        bare = int((words.deviations == 0).sum())
        because = f"{told}{bare:,} of {len(vocabulary):,} words have no noise at all and are released as they are."
        bound, event = math.inf, f"the vector of {names[sizes.index(0.0)]!r} itself"
    else:
        because = f"{told}Noise of deviation {sizes[0]:.5g} and {sizes[1]:.5g} was compared in both directions."
        bound, event = words.epsilon(claim.delta, *pair, found.distance), "outputs whose ratio passes the claim"
    claimed = claim.loss(found.distance) if claim.relation.pairs is not Pairs.EDGES else claim.epsilon
    witness = Witness(pair=(names[0], names[1]), event=event, distance=found.distance, loss=bound, claimed=claimed)
    caveat = "" if found.complete else "not every pair of words was looked at"
    return conclude(
        claim,
        name=_NAME,
        method=Method.ANALYTIC,
        bound=bound,
        because=because,
        witness=witness,
        escaped=found.delta,
        caveat=caveat,
    )


def _component(mechanism: Nadp, claim: Guarantee) -> Finding | None:
    """A choice with loss 2 rate x distance, then noise for the diameter of what was chosen: losses and deltas add."""
    if claim.relation.pairs is not Pairs.METRIC or not isinstance(mechanism._variant, Component):
        return None
    vocabulary, law = mechanism.vocabulary, mechanism._variant.rows._law
    # The distance to a component moves by no more than the word, and lattice points are at least a step apart.
    bound = 2 * law.rate + rounding_slack(vocabulary) / vocabulary.step
    components = mechanism.graph.components
    diameters = component_diameters(vocabulary, components)[components]
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.nan_to_num(diameters / mechanism.deviations, nan=0.0, posinf=np.inf)
    mu = float(apart.max())
    escaped = gaussian_delta(claim.offset, mu) if math.isfinite(mu) else 1.0
    because = (
        f"A neighbourhood is chosen with loss at most {bound:.7g} for a unit of distance; noise within it has delta "
        f"{escaped:.3g} at the loss {claim.offset:.7g}."
    )
    if exceeds(escaped, claim.delta) or (claim.relation.radius or math.inf) < law.radius:
        return undecided(name=_NAME, method=Method.ANALYTIC, because=because, bound=bound)
    return conclude(claim, name=_NAME, method=Method.ANALYTIC, bound=bound, because=because)
