"""A vector mechanism as a scikit-learn transformer, for pipelines.

`fit` looks at nothing but the shape: no private value ever shapes the noise. `transform` is a release.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.guarantees import Guarantee
from textveil.mechanisms.vectors import VectorMechanism
from textveil.randomness import RandomSource, SourceKind

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingDependencyError(
        "textveil.sklearn needs scikit-learn >= 1.6: pip install 'textveil[sklearn]'"
    ) from error


# What scikit-learn says about shapes and kinds. Its other messages may quote what is in X.
_SAYS_NO_VALUE = re.compile(
    r"Found array with|Input X contains|Complex data not supported|X has \d+ features|The feature names"
)


class PrivateTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Release vectors in a pipeline.

    Each `transform` draws fresh noise, so the guarantee is for one call: transforming the same rows k times
    releases them k times, and the losses add. Transform once and keep the result. Steps BEFORE this one that were
    fitted on private data (a scaler, a PCA) are not covered; fit them on public data. Steps after it are
    post-processing and cost nothing.

    Parameters
    ----------
    mechanism : any that takes vectors, such as Laplace, Gaussian or Mahalanobis
    source : where the noise comes from; by default fresh noise from the operating system for every call. A keyed one is
        refused, since it begins again with every call; a seeded one is for tests
    """

    def __init__(self, mechanism: VectorMechanism, source: RandomSource | None = None) -> None:
        self.mechanism = mechanism
        self.source = source

    @property
    def guarantee(self) -> Guarantee:
        """What one call of `transform` promises for each row."""
        return self.mechanism.guarantee

    def fit(self, X: Any, y: Any = None) -> PrivateTransformer:
        """Check the number of columns; nothing is learned from the data."""
        if not isinstance(self.mechanism, VectorMechanism):
            raise InvalidInputError("mechanism must take vectors, such as textveil.Laplace(epsilon=..., dimension=...)")
        self._check(X, reset=True)
        return self

    def transform(self, X: Any) -> Any:
        """Release every row, with noise of its own."""
        check_is_fitted(self)
        return self.mechanism.release(self._check(X, reset=False), source=self.source)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Name the released columns: as the input's where noise was added to each, else by number."""
        check_is_fitted(self)
        given = input_features if input_features is not None else getattr(self, "feature_names_in_", None)
        width = self.mechanism.released_dimension
        if width != self.n_features_in_:
            return np.array([f"released{i}" for i in range(width)], dtype=object)
        if given is None:
            return np.array([f"x{i}" for i in range(width)], dtype=object)
        return np.asarray(given, dtype=object)

    def _check(self, X: Any, *, reset: bool) -> Any:
        if self.source is not None and self.source.kind is SourceKind.KEYED:
            raise InvalidInputError("source is keyed: each transform would repeat the noise; leave source=None")
        try:
            sparse = "csr" if self.mechanism.takes_sparse else False
            checked = validate_data(self, X, reset=reset, dtype=(np.float64, np.float32), accept_sparse=sparse)
        except ValueError as error:
            if _SAYS_NO_VALUE.match(str(error)):
                raise
            raise InvalidInputError(
                "X must be numbers of shape (rows, columns), and can't be read as such. Reshape your data if it is one "
                "row or one column"
            ) from None
        if checked.shape[1] != self.mechanism.dimension:
            raise InvalidInputError(
                f"X has {checked.shape[1]} columns, the mechanism takes vectors of dimension {self.mechanism.dimension}"
            )
        return checked

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.sparse = isinstance(self.mechanism, VectorMechanism) and self.mechanism.takes_sparse
        return tags
