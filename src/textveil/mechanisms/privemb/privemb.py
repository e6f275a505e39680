"""Vectors in fewer dimensions: a public projection, then l2-Laplace noise for what it was certified to stretch.

    release = A x + noise,   noise of density ~ exp(-epsilon |z| / L),   |A x - A x'| <= L |x - x'|

L is certified for the matrix at hand, so the promise is epsilon x distance without a delta (SPEC 2.2). The published
version (Feyisetan and Kasiviswanathan 2021) bets on a random matrix instead. Proof: docs/mechanisms/privemb.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import CertificateError, InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Status, Unit, metric_privacy
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.privemb import certificates, estimators, published
from textveil.mechanisms.privemb.certificates import Certificate
from textveil.mechanisms.privemb.projections import Projection, projection_of
from textveil.mechanisms.privemb.sparse import SparseRows, is_sparse, sparse_rows
from textveil.mechanisms.privemb.table import PublicTable
from textveil.mechanisms.vectors import VectorMechanism, Vectors, check_precision
from textveil.noise.laplace import radial_laplace
from textveil.randomness import Streams, fresh_key
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Items = Floats | Ids | SparseRows

_OPTIONS = ("dimension", "target", "certify", "variant", "beta", "delta", "width", "precision", "step", "seed")


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivEmb(VectorMechanism):
    """Project vectors to fewer dimensions and add l2-Laplace noise there.

    Parameters
    ----------
    epsilon : loss per unit of Euclidean distance of the vectors given
    dimension : length of a vector given
    target : length of a vector released; the published variant has one from beta, delta and width
    projection : "haar" (random orthonormal rows), "pca" (of the public table), "sparse" (random signs), "gaussian", or
        your own (target, dimension) array; None takes Haar, or with a public table the more efficient of Haar and PCA
    certify : "operator" covers every vector; "secants" covers the rows of the public table, with less noise;
        "probabilistic" covers inputs that were fixed before the projection was drawn, except with probability
        delta; None takes "secants" with a public table, else "operator"
    public : a Vocabulary or (n, dimension) vectors, fixed before and independently of what is released
    variant : "repaired", or "published" for the paper's
    beta : published: the distortion allowed
    delta : probabilistic: the chance that the projection stretches too far; published: the one claimed (1e-6)
    width : probabilistic and published: Gaussian width of the normalised differences of inputs, if known
    precision, step : of the noise, see `Laplace`
    seed : of the projection, which is public; by default 0 where the projection is certified, and a fresh one from the
        operating system where the promise is about the draw ("probabilistic", "published")
    """

    epsilon: float
    dimension: int
    target: int | None = None
    projection: str | ArrayLike | None = field(default=None, repr=False)
    certify: str | None = None
    public: Vocabulary | ArrayLike | None = field(default=None, repr=False)
    variant: str = "repaired"
    beta: float | None = None
    delta: float | None = None
    width: float | None = None
    precision: str = "fast"
    step: float | None = None
    seed: int | None = None
    chosen: Projection = field(init=False, repr=False)
    certificate: Certificate | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            dimension=require_count("dimension", self.dimension),
            width=None if self.width is None else require_positive("width", self.width),
            step=check_precision(self.precision, self.step),
            seed=self._fresh_seed() if self.seed is None else require_count("seed", self.seed, least=0),
        )
        if self.variant == "published":
            chosen, certificate = self._published_parts()
        elif self.variant == "repaired":
            chosen, certificate = self._repaired_parts()
        else:
            raise InvalidInputError(f'variant must be "repaired" or "published" (got {self.variant!r})')
        self._keep(chosen=chosen, certificate=certificate, target=chosen.target)
        # Arrays of the user's are let go: what counts is what was made of them.
        if self._table is not None and not isinstance(self.public, Vocabulary):
            self._keep(public=self._table.points)
        if chosen.name == "own":
            self._keep(projection=chosen.matrix)
        _ = self._noise

    @property
    def released_dimension(self) -> int:
        """Length of a released vector: the target."""
        return self.chosen.target

    @property
    def takes_sparse(self) -> bool:
        """Whether rows of a SciPy sparse matrix may be released: not where only the rows of a table are certified."""
        return self.certificate is None or self.certificate.codes is None

    @property
    def lipschitz(self) -> float:
        """What the noise is scaled for: L, or 1 + beta in the published variant."""
        return 1 + (self.beta or 0.0) if self.certificate is None else self.certificate.lipschitz

    @property
    def scale(self) -> float:
        """The noise has norm Gamma(target, scale)."""
        return 1 / self._noise.epsilon

    @cached_property
    def mean_ratio(self) -> float:
        """Mean of |A v|^2 / |v|^2 over the differences v of the public table, or over all directions without one."""
        if self.certificate is not None and self.certificate.mean is not None:
            return self.certificate.mean
        return certificates.mean_ratio(self.chosen, self._table, self._noise.lattice)

    @property
    def efficiency(self) -> float:
        """Signal against noise, q = mean ratio / L^2: larger is better (SPEC 2.2)."""
        return self.mean_ratio / self.lipschitz**2

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x distance, for the inputs that the certificate covers."""
        if self.certificate is None:
            return self._published_guarantee()
        certificate, noise = self.certificate, self._noise.guarantee
        rows = "that are both rows of the certified table" if certificate.codes is not None else ""
        relation = replace(
            noise.relation,
            metric="Euclidean distance" + (" of their rows, multiples of 2^-20" if rows else ""),
            rounding=certificate.rounding,
            condition=rows,
        )
        guarantee = replace(noise, epsilon=self.epsilon, relation=relation)
        if certificate.kind != "probabilistic":
            return guarantee
        reason = (
            "delta is over the draw of the projection: it holds for inputs fixed before it was drawn, not for inputs "
            'chosen with it in sight; certify="operator" or "secants" needs no such condition'
        )
        return replace(guarantee, delta=noise.delta + certificate.delta, status=Status.CONDITIONAL, reason=reason)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values, matrix and table by their sha256."""
        plain = {name: getattr(self, name) for name in _OPTIONS}
        return {
            "mechanism": "PrivEmb",
            "epsilon": self.epsilon,
            **plain,
            "certify": None if self.certificate is None else self.certificate.kind,
            "step": None if self.certificate is None else self.certificate.lattice.step,
            "projection": self.chosen.name,
            "public": None if self._table is None else self._table.digest,
            "matrix": self.chosen.digest,
            "lipschitz": self.lipschitz,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        projected = self._projected(self._check(given))
        return self._noise.log_density(output, projected[0] if np.ndim(given) == 1 else projected)

    def squared_distances(self, first: ArrayLike, second: ArrayLike, *, original: bool = False) -> Floats:
        """Estimate |A x - A x'|^2 from releases of x and x', row by row, without bias.

        Parameters
        ----------
        first, second : released vectors, (n, target), or shapes that broadcast
        original : divide by `mean_ratio`, which estimates |x - x'|^2 where the pair is stretched as the average is
        """
        found = estimators.squared_distances(first, second, self.scale)
        return found / self.mean_ratio if original else found

    def squared_distances_deviation(self, squared: ArrayLike) -> Floats:
        """Return the standard deviation of `squared_distances` where |A x - A x'|^2 is `squared`."""
        return estimators.squared_distances_deviation(squared, self.chosen.target, self.scale)

    def inner_products(self, first: ArrayLike, second: ArrayLike, *, original: bool = False) -> Floats:
        """Estimate <A x, A x'> from releases of x and x', row by row, without bias.

        Parameters
        ----------
        first, second : released vectors, (n, target), or shapes that broadcast; a vector with itself is biased
        original : divide by `mean_ratio`, which estimates <x, x'> where the pair is stretched as the average is
        """
        found = estimators.inner_products(first, second)
        return found / self.mean_ratio if original else found

    def inner_products_deviation(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """Return the standard deviation of `inner_products` where |A x|^2 and |A x'|^2 are `first` and `second`."""
        return estimators.inner_products_deviation(first, second, self.chosen.target, self.scale)

    def _check(self, private: Any) -> Any:
        limited = self.certificate is not None and self.certificate.codes is not None
        if is_sparse(private):
            if limited:
                raise InvalidInputError(
                    'a certificate for the rows of a table takes dense vectors; certify="operator" takes sparse ones'
                )
            items = sparse_rows(private, self.dimension)
            with np.errstate(over="ignore"):
                squares = np.asarray(items.matrix.power(2).sum(axis=1)).reshape(-1)
            self._check_reach(np.sqrt(squares), np.diff(items.matrix.indptr))
            return items
        vectors = super()._check(private)
        if limited and self._table is not None:
            return self._table.find(vectors)
        self._check_reach(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), np.count_nonzero(vectors, axis=1))
        return vectors

    def _check_reach(self, norms: Floats, terms: NDArray[Any]) -> None:
        if self.certificate is None:
            return
        # Written so that a norm that overflowed fails too.
        if not (norms * terms <= self.certificate.reach).all():
            raise InvalidInputError(
                f"the norm of a vector times the number of its entries must be at most {self.certificate.reach:.3g}: "
                "beyond, float64 is not exact enough for the step; rescale the vectors or give a larger step="
            )

    def _projected(self, items: Items) -> Floats:
        if isinstance(items, SparseRows):
            return self.chosen.apply_sparse(items.matrix)
        if self.certificate is not None and self.certificate.codes is not None:
            return self.certificate.lattice.to_vectors(self.certificate.codes[items])
        return self.chosen.apply(np.asarray(items, dtype=np.float64))

    def _sample(self, items: Items, streams: Streams) -> Vectors:
        projected = self._projected(items)
        if self.certificate is None:
            return projected + radial_laplace(streams, self.chosen.target, self.scale)
        return self._noise._sample(projected, streams)

    @cached_property
    def _noise(self) -> Laplace:
        step = None if self.certificate is None else self.certificate.lattice.step
        rate = self.epsilon / self.lipschitz
        return Laplace(epsilon=rate, dimension=self.chosen.target, precision=self.precision, step=step)

    @cached_property
    def _table(self) -> PublicTable | None:
        return None if self.public is None else PublicTable.of(self.public, self.dimension)

    def _repaired_parts(self) -> tuple[Projection, Certificate]:
        """Make and certify the projection; of several, take the most efficient."""
        if self.beta is not None:
            raise InvalidInputError('beta is for variant="published"; the repaired variant certifies its projection')
        certify = self.certify or ("operator" if self.public is None else "secants")
        if certify not in certificates.KINDS:
            raise InvalidInputError(f"certify must be one of {certificates.KINDS} (got {self.certify!r})")
        if certify == "secants" and self.public is None:
            raise InvalidInputError('certify="secants" needs public=, the table that it certifies')
        if certify == "probabilistic":
            if not self.delta:
                raise InvalidInputError('certify="probabilistic" needs delta=, above 0 and below 1, for instance 1e-6')
            self._keep(delta=published.checked_delta(self.delta))
        if certify != "probabilistic" and (self.delta is not None or self.width is not None):
            raise InvalidInputError(
                f'delta and width are for certify="probabilistic"; certify={certify!r} needs neither'
            )
        target = self._checked_target(self.target)
        asked: list[str | ArrayLike] = ["haar"] if self.projection is None else [self.projection]
        if self.projection is None and self._table is not None and certify != "probabilistic":
            asked = ["pca", "haar"]
        made = [self._certified(certify, one, target) for one in asked]
        return made[0] if len(made) == 1 else max(made, key=self._efficiency_of)

    def _efficiency_of(self, parts: tuple[Projection, Certificate]) -> float:
        chosen, found = parts
        mean = certificates.mean_ratio(chosen, self._table, found.lattice) if found.mean is None else found.mean
        return mean / found.lipschitz**2

    def _certified(self, certify: str, asked: str | ArrayLike, target: int) -> tuple[Projection, Certificate]:
        epsilon, table = self.epsilon, self._table
        chosen = projection_of(asked, self.dimension, target, seed=self.seed or 0, table=table)
        if certify == "secants" and table is not None:
            return chosen, certificates.for_the_table(chosen, table, epsilon, self.step)
        if certify == "operator":
            return chosen, certificates.for_every_vector(chosen, epsilon, self.step)
        delta = published.checked_delta(self.delta)
        return chosen, certificates.for_the_draw(chosen, epsilon, self.step, delta=delta, table=table, width=self.width)

    def _fresh_seed(self) -> int:
        """A seed nobody could know when the inputs were fixed, where the promise needs that; else 0."""
        drawn = self.variant == "published" or self.certify == "probabilistic"
        return int.from_bytes(fresh_key()[:16]) if drawn else 0

    def _checked_target(self, target: int | None) -> int:
        if target is None:
            raise InvalidInputError("target must be given: the length of a vector released")
        count = require_count("target", target)
        if count > self.dimension:
            raise InvalidInputError(f"target must be at most dimension = {self.dimension} (got {target})")
        return count

    def _published_parts(self) -> tuple[Projection, None]:
        beta, delta = published.checked_beta(self.beta), published.checked_delta(self.delta)
        others = {"certify": self.certify, "public": self.public, "step": self.step}
        given = [name for name, value in others.items() if value is not None]
        gaussian = self.projection is None or (isinstance(self.projection, str) and self.projection == "gaussian")
        if not gaussian or self.precision != "fast" or given:
            raise InvalidInputError(
                'variant="published" has a Gaussian projection, float noise and no certificate: leave out projection, '
                "certify, public, precision and step"
            )
        target = self.target
        if target is None:
            target = published.published_target(beta=beta, delta=delta, dimension=self.dimension, width=self.width)
        target = self._checked_target(target)
        self._keep(beta=beta, delta=delta)
        return projection_of("gaussian", self.dimension, target, seed=self.seed or 0, table=None), None

    def _published_guarantee(self) -> Guarantee:
        beta, delta = published.checked_beta(self.beta), published.checked_delta(self.delta)
        chance = published.chance_for_a_pair(self.chosen.target, beta)
        reason = published.published_reason(
            chance=chance, delta=delta, excess=self.chosen.operator_norm / self.lipschitz
        )
        status = Status.CONDITIONAL if chance <= delta else Status.REFUTED
        return metric_privacy(
            self.epsilon,
            metric="Euclidean distance",
            unit=Unit.VECTOR,
            delta=delta,
            status=status,
            reason=reason,
        )

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> PrivEmb:
        options = {name: spec[name] for name in ("epsilon", *_OPTIONS)}
        for name, needed in (("projection", spec["projection"] == "own"), ("public", spec["public"] is not None)):
            if needed and name not in objects:
                raise InvalidInputError(f"the spec needs {name}: pass objects={{{name!r}: ...}}")
            options[name] = objects[name] if needed else None
        if spec["projection"] != "own" and spec["variant"] == "repaired":
            options["projection"] = spec["projection"]
        made = cls(**options)
        for name, now in made.spec().items():
            if now != spec.get(name, "PrivEmb"):
                raise CertificateError(f"{name} is not the one of the spec: {now!r}, not {spec.get(name)!r}")
        return made
