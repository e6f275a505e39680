"""The vocabulary: distinct words, each with a public point.

All of it is public: it must be fixed before, and independently of, the private text.
"""

from __future__ import annotations

import hashlib
import html
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.gpu.devices import accelerator_of, device_here
from textveil.gpu.pairs import DevicePairs
from textveil.spaces import Euclidean, Space
from textveil.spaces.space import Points
from textveil.vocabulary.lattice import LatticeTable, step_of
from textveil.vocabulary.search import NearestPoint, nearest_by_distance
from textveil.vocabulary.words import checked_words

if TYPE_CHECKING:
    from textveil.vocabulary.on_device import NearestOnDevice

Ids = NDArray[np.int64]

_BLOCK = 4096


class Vocabulary:
    """An immutable table of words and their points, snapped to multiples of 2^-20 or of the space's own step.

    Parameters
    ----------
    words
        Distinct, non-empty strings, at least two; their order is kept and gives the ids.
    vectors
        One finite vector per word, of shape (words, dimension).
    unknown
        The word of the table as which words outside it enter; by default "unk" if the table has it, else
        the word nearest the mean. No point is ever added.
    space
        Where the points live; Euclidean by default.
    """

    __slots__ = (
        "_device",
        "_digest",
        "_index",
        "_pairs",
        "_points",
        "_search",
        "_searches",
        "_space",
        "_unknown_id",
        "_words",
    )

    _device: Any | None
    _digest: str | None
    _pairs: DevicePairs | None
    _search: NearestPoint | None
    _searches: dict[Any, NearestOnDevice]

    def __init__(
        self,
        words: Sequence[str],
        vectors: ArrayLike,
        unknown: str | None = None,
        *,
        space: Space | None = None,
    ) -> None:
        names, index = checked_words(words)
        table = np.asarray(vectors)
        if table.ndim != 2 or table.dtype.kind not in "fiu" or len(table) != len(names):
            raise InvalidInputError(
                f"vectors must be real numbers of shape ({len(names)}, dimension), one row per word "
                f"(got {table.dtype} of shape {table.shape})"
            )
        lattice = LatticeTable(table.shape[1], step=step_of(space), capacity=len(names))
        lattice.append(names, table)
        self._set(names, index, lattice.finish(), space)
        self._unknown_id = self._find_unknown(unknown)

    @classmethod
    def from_table(
        cls,
        words: Sequence[str],
        table: LatticeTable,
        unknown: str | None = None,
        *,
        space: Space | None = None,
    ) -> Self:
        """Build a vocabulary around a table that is on the lattice already, without a copy."""
        vocabulary = cls.__new__(cls)
        names, index = checked_words(words)
        vocabulary._set(names, index, table.finish(), space)
        vocabulary._unknown_id = vocabulary._find_unknown(unknown)
        return vocabulary

    @classmethod
    def default(cls, size: int = 30_000) -> Vocabulary:
        """Return the `size` most frequent English words of GloVe 6B (50 dimensions) and "unk", offline."""
        from textveil.vocabulary.default import default_vocabulary

        return default_vocabulary(size)

    @classmethod
    def hyperbolic(cls, size: int = 26_000) -> Vocabulary:
        """Return the `size` most frequent nouns of WordNet and "entity", in the 10-dimensional ball, offline."""
        from textveil.vocabulary.hyperbolic import hyperbolic_vocabulary

        return hyperbolic_vocabulary(size)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        limit: int | None = None,
        unknown: str | None = None,
        format: str | None = None,  # noqa: A002 -- the name users guess
        duplicates: str = "refuse",
        space: Space | None = None,
    ) -> Vocabulary:
        """Read a table of word vectors; see `textveil.vocabulary.loading.load`."""
        from textveil.vocabulary.loading import load

        return load(path, limit=limit, unknown=unknown, format=format, duplicates=duplicates, space=space)

    @classmethod
    def from_gensim(cls, vectors: Any, *, limit: int | None = None, unknown: str | None = None) -> Vocabulary:
        """Take the words and vectors of a gensim KeyedVectors, or of a model that has one as `.wv`."""
        from textveil.vocabulary.loading import from_gensim

        return from_gensim(vectors, limit=limit, unknown=unknown)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vocabulary to an .npz file that `load` reads back, all or nothing."""
        from textveil.vocabulary.arrays import save

        save(self, path)

    @property
    def words(self) -> tuple[str, ...]:
        """The words in the order of their ids."""
        return self._words

    @property
    def points(self) -> NDArray[Any]:
        """The snapped points, read-only: float32 where that is exact, else float64."""
        return self._points

    @property
    def dimension(self) -> int:
        """Coordinates of a point."""
        return int(self._points.shape[1])

    @property
    def step(self) -> float:
        """Every coordinate is a multiple of this."""
        return step_of(self._space)

    @property
    def space(self) -> Space:
        """Where the points live."""
        return self._space

    @property
    def unknown_id(self) -> int:
        """The id as which every word outside the table enters."""
        return self._unknown_id

    @property
    def unknown(self) -> str:
        """The word as which every word outside the table enters."""
        return self._words[self._unknown_id]

    @property
    def digest(self) -> str:
        """The sha256 of words, points, unknown word and space, computed once."""
        if self._digest is None:
            self._digest = self._hash()
        return self._digest

    def block(self, start: int, stop: int) -> Points:
        """Return the points of the ids from `start` up to `stop` in float64."""
        return self._points[start:stop].astype(np.float64)

    def ids(self, words: Iterable[str]) -> Ids:
        """Return the id of each word; every word outside the table becomes `unknown_id`.

        The words are private: no error quotes them.
        """
        if isinstance(words, str | bytes):
            raise InvalidInputError("pass a list of words, not one string; ['london'] say")
        if not isinstance(words, Iterable):
            raise InvalidInputError(f"pass a list of words (got {type(words).__name__})")
        items = list(words)
        for position, item in enumerate(items):
            if not isinstance(item, str):
                raise InvalidInputError(f"words must be str (item {position} is {type(item).__name__})")
        find, unknown = self._index.get, self._unknown_id
        return np.fromiter((find(item, unknown) for item in items), dtype=np.int64, count=len(items))

    def words_of(self, ids: ArrayLike) -> list[str]:
        """Return the words with these ids."""
        numbers = np.asarray(ids)
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            raise InvalidInputError(f"ids must be a list of whole numbers (got shape {numbers.shape})")
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < len(self)):
            raise InvalidInputError(f"ids must be at least 0 and below {len(self)}")
        words = self._words
        return [words[number] for number in numbers.tolist()]

    def on(self, device: Any) -> Vocabulary:
        """Return the same vocabulary, which searches and compares all pairs on this device of torch, such as "cuda"."""
        from textveil.gpu.devices import checked_device

        same = _restore(self._words, self._points, self._unknown_id, self._space)
        same._digest, same._search = self._digest, self._search
        same._device = None if device is None else checked_device(device)
        return same

    @property
    def device(self) -> Any | None:
        """The device of torch that was chosen by `on`, or None."""
        return self._device

    def nearest(self, points: ArrayLike) -> Ids:
        """Return the id of the word nearest to each point, (d,) or (n, d); the lowest id among equals.

        In Euclidean space the answer is exact, whatever the batch; in another it is that of computed distances.
        Points on a GPU are looked for there, and the ids are a tensor.
        """
        device = accelerator_of(points) or self._device
        if device is not None and isinstance(self._space, Euclidean):
            there: Ids = self._nearest_on(device, points)
            return there
        queries = np.asarray(points)
        if queries.ndim == 1:
            queries = queries[None]
        if queries.ndim != 2 or queries.shape[1] != self.dimension or queries.dtype.kind not in "fiu":
            raise InvalidInputError(
                f"points must be real numbers of shape (n, {self.dimension}) or ({self.dimension},) "
                f"(got {queries.dtype} of shape {np.shape(points)})"
            )
        if not isinstance(self._space, Euclidean):
            return nearest_by_distance(self._space, self._points, queries)
        return self._exact_search().nearest(queries)

    def _exact_search(self) -> NearestPoint:
        if self._search is None:
            self._search = NearestPoint(self._points)
        return self._search

    def points_there(self, ids: Ids) -> Any:
        """Return the points of some words as a float64 tensor on the device that was chosen by `on`."""
        return self._search_on(self._device).points(ids)

    def pairs_there(self) -> DevicePairs | None:
        """Return the distances of all pairs on the device that was chosen by `on`, if there they are exact."""
        if (
            self._pairs is None
            and self._device is not None
            and isinstance(self._space, Euclidean)
            and self._space.is_exact(self._points)
        ):
            self._pairs = DevicePairs(self._points, self._device)
        return self._pairs

    def _search_on(self, device: Any) -> NearestOnDevice:
        from textveil.vocabulary.on_device import NearestOnDevice

        if device not in self._searches:
            self._searches[device] = NearestOnDevice(self._exact_search(), device)
        return self._searches[device]

    def _nearest_on(self, device: Any, points: Any) -> Any:
        is_tensor = type(points).__module__.partition(".")[0] == "torch"
        queries: Any = points if is_tensor else np.asarray(points)
        queries = queries[None] if queries.ndim == 1 else queries
        are_real = not queries.is_complex() if is_tensor else queries.dtype.kind in "fiu"
        if queries.ndim != 2 or queries.shape[1] != self.dimension or not are_real:
            raise InvalidInputError(
                f"points must be real numbers of shape (n, {self.dimension}) or ({self.dimension},) "
                f"(got {queries.dtype} of shape {tuple(queries.shape)})"
            )
        return self._search_on(device).nearest(queries)

    def subset(self, count: int) -> Vocabulary:
        """Return the first `count` words, and the unknown word if it is not among them."""
        kept = min(require_count("count", count), len(self))
        rows = [*range(kept), *([self._unknown_id] if self._unknown_id >= kept else [])]
        smaller = Vocabulary(self.words_of(rows), self._points[rows], self.unknown, space=self._space)
        smaller._device = self._device
        return smaller

    def _set(self, words: tuple[str, ...], index: dict[str, int], points: NDArray[Any], space: Space | None) -> None:
        points.flags.writeable = False
        self._words, self._index, self._points = words, index, points
        self._space = Euclidean(points.shape[1]) if space is None else space
        if self._space.dimension != points.shape[1]:
            raise InvalidInputError(
                f"the space has {self._space.dimension} dimensions but the vectors have {points.shape[1]}"
            )
        self._check_inside()
        self._device, self._digest, self._pairs, self._search, self._searches = None, None, None, None, {}

    def _check_inside(self) -> None:
        """Refuse points that the space does not have; a space that is not all of R^d says so by a method `inside`."""
        inside = getattr(self._space, "inside", None)
        if inside is None:
            return
        for start in range(0, len(self), _BLOCK):
            outside = np.flatnonzero(~inside(self.block(start, start + _BLOCK)))
            if len(outside):
                raise InvalidInputError(
                    f"the vector of {self._words[start + outside[0]]!r} is no point of the space "
                    f"({self._space.metric}), or too near its boundary; drop the word "
                    "or scale all vectors down by a public constant"
                )

    def _find_unknown(self, unknown: str | None) -> int:
        if unknown is None:
            unknown_id = self._index.get("unk")
            if unknown_id is not None:
                return unknown_id
            mean = self._points.mean(axis=0, dtype=np.float64)
            return int(self.nearest(mean)[0])
        if unknown not in self._index:
            raise InvalidInputError(
                f"unknown={unknown!r} must be a word of the table, because no point is ever added; "
                "name one, or leave it out"
            )
        return self._index[unknown]

    def _hash(self) -> str:
        digest = hashlib.sha256(b"textveil vocabulary 1\n")
        digest.update(f"{len(self)} {self.dimension} {self._unknown_id} {self._space.metric}\n".encode())
        for word in self._words:
            encoded = word.encode()
            digest.update(b"%d:%s" % (len(encoded), encoded))
        for start in range(0, len(self), _BLOCK):
            digest.update(self.block(start, start + _BLOCK).astype("<f8", copy=False).tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self is other or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process may see other devices: it takes one of the same kind, if it sees one.
        kind = None if self._device is None else self._device.type
        return _restore, (self._words, self._points, self._unknown_id, self._space, kind)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words, {self.dimension} dimensions, unknown={self.unknown!r})"

    def _repr_html_(self) -> str:
        first = ", ".join(self._words[:5])
        return (
            f"<b>Vocabulary</b>: {len(self):,} words ({html.escape(first)}, …), {self.dimension} dimensions, "
            f"{html.escape(self._space.metric)}; unknown words enter as <i>{html.escape(self.unknown)}</i>"
        )


def _restore(
    words: tuple[str, ...], points: NDArray[Any], unknown_id: int, space: Space, device: str | None = None
) -> Vocabulary:
    vocabulary = Vocabulary.__new__(Vocabulary)
    vocabulary._set(words, dict(zip(words, range(len(words)), strict=True)), points, space)
    vocabulary._unknown_id = unknown_id
    vocabulary._device = device_here(device)
    return vocabulary
