"""How fast are vectors released? Ours over plain NumPy in one run, CPU time: python -m benchmarks vectors."""

from __future__ import annotations

import os

import numpy as np
from scipy.special import betaincinv
from threadpoolctl import threadpool_limits

import textveil as tv
from benchmarks.table import Table, core_seconds
from textveil.mechanisms.privemb import secants
from textveil.noise.unit import lifted
from textveil.vocabulary.pairs import lower_triangle

DIMENSION = 300


def numpy_rejection(mechanism: tv.PrivUnit, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Propose for all vectors at once until each has been kept."""
    units = lifted(x, mechanism.clip)
    out, waiting = np.empty_like(units), np.arange(len(x))
    while len(waiting):
        proposed = rng.standard_normal((len(waiting), units.shape[1]))
        proposed /= np.linalg.norm(proposed, axis=1, keepdims=True)
        on_cap = np.einsum("ij,ij->i", proposed, units[waiting]) >= mechanism.gamma
        kept = on_cap | (rng.random(len(waiting)) < np.exp(-mechanism.epsilon))
        out[waiting[kept]] = proposed[kept]
        waiting = waiting[~kept]
    return out[:, :-1] * (mechanism.clip / mechanism.gamma)


def numpy_cap(mechanism: tv.PrivUnit, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Build the vector around the input, as papers' code does."""
    units, cap, odds = lifted(x, mechanism.clip), mechanism.cap, 1 / np.expm1(mechanism.epsilon)
    inside = rng.random(len(x)) < (1 + odds) * cap.mass / (odds + cap.mass)
    half = betaincinv(cap.shape, cap.shape, rng.random(len(x)) * np.where(inside, cap.mass, 1 - cap.mass))
    t = np.where(inside, 1 - 2 * half, 2 * half - 1)[:, None]
    across = rng.standard_normal(units.shape)
    across -= np.einsum("ij,ij->i", across, units)[:, None] * units
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return (t * units + np.sqrt(1 - t**2) * across)[:, :-1] * (mechanism.clip / mechanism.gamma)


def privunit(table: Table, epsilon: float, count: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((count, DIMENSION)) / 40
    mechanism = tv.PrivUnit(epsilon=epsilon, dimension=DIMENSION)
    ours = core_seconds(lambda: mechanism.release(x))
    size = f"d={DIMENSION}, epsilon {epsilon:g}"
    table.row(f"PrivUnit, {mechanism.spec()['sampler']}", f"{count / ours / 1e6:.3f} M vectors/c-s", "1x", size)
    for name, peer in (("NumPy, rejection", numpy_rejection), ("NumPy, around the input", numpy_cap)):
        if mechanism.tries < 1000 or peer is numpy_cap:
            took = core_seconds(lambda peer=peer: peer(mechanism, x, rng))
            table.row(name, f"{count / took / 1e6:.3f} M vectors/c-s", f"ours is {took / ours:.2f}x", size)


def secant_certificate(table: Table, words: int, target: int = 50) -> None:
    """The certificate of PrivEmb against the two float32 products that it needs, on the same tiles."""
    rng = np.random.default_rng(0)
    points = np.rint(rng.standard_normal((words, DIMENSION)) * 2**20) / 2**20
    frame = np.linalg.qr(rng.standard_normal((DIMENSION, target)))[0]
    codes = np.rint(points @ frame * 2**15).astype(np.int64)
    points = points.astype(np.float32)
    sides = secants._Centred(points, 0), secants._Centred(codes, 0)
    room = np.empty(secants.TILE**2, np.float32)

    def products() -> None:
        for tile in lower_triangle(words):
            for side in sides:
                side.view(tile, room)

    with threadpool_limits(1):
        took, ours = core_seconds(products), core_seconds(lambda: secants.all_secants(points, codes))
    pairs, size = words * (words - 1) / 2, f"{words:,} rows, {DIMENSION} to {target} dimensions"
    table.row("PrivEmb, all secants", f"{pairs / ours / 1e6:.0f} M pairs/c-s", "1x", size)
    table.row("float32 products alone", f"{pairs / took / 1e6:.0f} M pairs/c-s", f"ours takes {ours / took:.2f}x", size)


def main() -> None:
    os.environ["TEXTVEIL_THREADS"] = "1"
    table = Table("Vectors")
    for epsilon, count in ((1.0, 4000), (4.0, 1000), (16.0, 4000)):
        privunit(table, epsilon, count)
    secant_certificate(table, 10_000)
    table.show()


if __name__ == "__main__":
    main()
