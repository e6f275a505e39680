"""Rows of a SciPy sparse matrix as private input: bags of words or k-grams in millions of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.hashing import Packed


@dataclass(frozen=True)
class SparseRows(Packed):
    """A checked CSR matrix in canonical form; each row's columns and values are its content.

    Before them stands what no dense vector holds, a NaN: the content of a sparse row is never that of a dense one.
    """

    matrix: Any


def is_sparse(private: Any) -> bool:
    """Whether this is a SciPy sparse matrix or array."""
    return type(private).__module__.startswith("scipy.sparse")


def sparse_rows(private: Any, dimension: int) -> SparseRows:
    """Check a sparse matrix and bring it into canonical form, without making it dense."""
    if private.ndim != 2 or private.shape[1] != dimension:
        raise InvalidInputError(f"sparse vectors must have shape (n, {dimension}) (got {private.shape})")
    if private.dtype.kind not in "fiu":
        raise InvalidInputError(f"vectors must be numbers (got {private.dtype})")
    if hasattr(private, "check_format"):
        _check_places(private)
    matrix = private.tocsr().astype(np.float64, copy=True)
    _check_places(matrix)
    with np.errstate(over="ignore"):
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InvalidInputError("vectors must be finite: there is a NaN or an infinity among them")
    matrix.eliminate_zeros()
    starts = matrix.indptr.astype(np.int64) + np.arange(len(matrix.indptr))
    content = np.empty(starts[-1], dtype=[("column", "<i8"), ("value", "<f8")])
    is_entry = np.ones(len(content), dtype=bool)
    is_entry[starts[:-1]] = False
    # All bits of -1 are set: as a number it is a NaN.
    content["column"][~is_entry], content["value"][~is_entry] = -1, 0
    content["column"][is_entry], content["value"][is_entry] = matrix.indices, matrix.data
    return SparseRows(content.view(np.uint8), starts * content.itemsize, matrix)


def _check_places(matrix: Any) -> None:
    """Refuse indices that point outside the matrix: SciPy looks at them only when it is asked to."""
    try:
        matrix.check_format(full_check=True)
    except ValueError:
        raise InvalidInputError(
            "the indices of a sparse matrix must be in order and from 0 below its size, and these are not: "
            "make the matrix again from rows and columns"
        ) from None
