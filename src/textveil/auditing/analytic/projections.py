"""PrivEmb: what the public matrix stretches, recomputed from the matrix and the table, against the noise."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.analytic.additive import along, by_norm
from textveil.auditing.analytic.dispatch import analysis
from textveil.auditing.analytic.noise import Domain, Noise, judge, laplace_noise
from textveil.auditing.promises import undecided
from textveil.auditing.report import Finding, Method, Verdict
from textveil.guarantees import Guarantee, Pairs, Status
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.privemb.constants import operator_norm
from textveil.mechanisms.privemb.projections import BLOCK, Projection
from textveil.mechanisms.privemb.secants import Secants, all_secants

Floats = NDArray[np.float64]

_FLOATS = "this is ideal arithmetic, but noise is added in floats, without a lattice"
# What the product with the matrix may add to the rounding to the lattice, as a share of it.
_FLOAT_SHARE = 1 / 16


@analysis.register
def _priv_emb(mechanism: PrivEmb, claim: Guarantee) -> Finding | None:
    if not by_norm(claim, "Euclidean"):
        return None
    certificate, noise = mechanism.certificate, laplace_noise(mechanism._noise)
    if certificate is not None and certificate.kind == "secants" and mechanism._table is not None:
        if certificate.codes is None:
            return None
        secants = all_secants(mechanism._table.points, certificate.codes)
        return _over_the_table(mechanism, claim, noise, secants, certificate.lattice.step)
    gram = _gram(mechanism.chosen)
    additions = min(mechanism.dimension, BLOCK) + -(-mechanism.dimension // BLOCK)
    stretch = operator_norm(gram, additions)
    if certificate is not None:
        rounding = (1 + _FLOAT_SHARE) * certificate.lattice.step * math.sqrt(mechanism.released_dimension)
        noise = replace(noise, rounding=rounding)
    caveat = _FLOATS if certificate is None else ""
    domain = Domain(along(_most_stretched(mechanism.chosen, gram)), stretch=stretch)
    finding = judge(noise, claim, domain, caveat=caveat)
    if claim.status is Status.CONDITIONAL and finding.verdict is Verdict.VIOLATED:
        return _unless_fixed_before(claim, finding)
    return finding


def _unless_fixed_before(claim: Guarantee, finding: Finding) -> Finding:
    """A promise over the draw of the matrix can't be broken by vectors that were chosen after it."""
    because = (
        f"For vectors chosen with the matrix in sight: {finding.explanation} The claim is about vectors that were "
        "fixed before it was drawn; nothing that is computed from one matrix can tell of that."
    )
    return undecided(
        name=finding.name,
        method=Method.ANALYTIC,
        because=because,
        bound=finding.bound,
        witness=finding.witness,
    )


def _over_the_table(mechanism: PrivEmb, claim: Guarantee, noise: Noise, secants: Secants, step: float) -> Finding:
    """Every pair of rows was looked at: the stretch is the largest one, of the projections as they are stored."""
    table = mechanism._table
    points = np.asarray(() if table is None else table.points[[secants.first, secants.second]], dtype=np.float64)
    stretch = math.sqrt(secants.largest) * step * (1 + 1e-11)
    finding = judge(noise, claim, Domain(lambda _: (points[0].tolist(), points[1].tolist()), stretch=stretch))
    if finding.witness is None or claim.relation.pairs is not Pairs.METRIC:
        return finding
    apart = float(np.linalg.norm(points[0] - points[1]))
    loss = noise.rate * stretch * apart
    witness = replace(finding.witness, distance=apart, loss=loss, claimed=claim.loss(apart))
    return replace(finding, witness=witness)


def _gram(projection: Projection) -> Floats:
    gram = np.zeros((projection.target, projection.target))
    for block in projection.blocks():
        gram += block.T @ block
    return gram


def _most_stretched(projection: Projection, gram: Floats) -> Floats:
    """The direction that the matrix stretches most."""
    _, vectors = np.linalg.eigh(gram)
    return np.concatenate([block @ vectors[:, -1] for block in projection.blocks()])
