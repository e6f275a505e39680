"""all-MiniLM-L6-v2, the default sentence encoder: 384 numbers, on onnxruntime, without torch.

The vectors are those of sentence-transformers (cosine above 0.99999): the mean over the tokens of the last layer, at
unit length. A text's vector depends on that text alone, bit for bit: docs/encoders.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.encoders.batches import Rows, each_alone, gathered, same_length
from textveil.encoders.encoder import Vectors, packed, readable
from textveil.encoders.minilm.network import Network, QuantisedNetwork
from textveil.encoders.minilm.weights import SHA256, TOKENIZER, WEIGHTS, read_tokenizer, read_weights
from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.hashing import Packed
from textveil.receipts import digest_of

_DIMENSION, _MOST_TOKENS = 384, 256
# More bytes than 256 tokens have, but for words of hundreds of letters; the rest is not even read.
_MOST_BYTES = 1 << 16
_CPU, _CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
# Tokens that go through the network together: enough to use the weights well, few enough for the caches.
_TOKENS_AT_ONCE = {_CPU: 512, _CUDA: 16_384}
_PROBED_LENGTHS = (5, 24)


class MiniLM:
    """Gives a text its all-MiniLM-L6-v2 vector, of unit length; only its first 256 tokens count.

    Parameters
    ----------
    precision : "float32", or "int8": twice as fast, at a cosine of 0.997 to float32 on average
    device : "auto" takes a GPU if onnxruntime has one, for float32; or "cpu"
    """

    def __init__(self, *, precision: str = "float32", device: str = "auto") -> None:
        if precision not in ("float32", "int8"):
            raise InvalidInputError(f'precision must be "float32" or "int8" (got {precision!r})')
        if device not in ("auto", "cpu"):
            raise InvalidInputError(f'device must be "auto" or "cpu" (got {device!r})')
        self.precision, self.device = precision, device
        network = (QuantisedNetwork if precision == "int8" else Network)(read_weights())
        self._tokenizer = _tokenizer()
        self._session = _session(network.model(), on_gpu=device == "auto" and precision == "float32")
        self._provider = self._session.get_providers()[0]
        self._in_batches = True
        self._in_batches = all(each_alone(self._run, self._probe(length)) for length in _PROBED_LENGTHS)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.precision, self.device)

    @property
    def dimension(self) -> int:
        """384."""
        return _DIMENSION

    @property
    def digest(self) -> str:
        """The sha256 of the encoder; the vectors of two processors may still differ in their last bits."""
        return digest_of(self.spec())

    @property
    def meaning(self) -> str:
        """Which vector a text gets."""
        products = ", with products in int8" if self.precision == "int8" else ""
        return f"the all-MiniLM-L6-v2 vector of its first {_MOST_TOKENS} tokens, at unit length{products}"

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values."""
        return {
            "encoder": "MiniLM",
            "precision": self.precision,
            "weights": SHA256[WEIGHTS],
            "tokenizer": SHA256[TOKENIZER],
        }

    def encode(self, texts: Packed | Sequence[str]) -> Vectors:
        """Return the vector of each text: nothing is released, so give public texts."""
        texts = packed(texts)
        tokens = self._tokens(texts)
        batches = list(same_length([len(ids) for ids in tokens], self._at_once))

        def work(rows: Rows) -> Vectors:
            return self._run(np.array([tokens[row] for row in rows], dtype=np.int32))

        vectors = np.empty((len(texts), _DIMENSION))
        return gathered(work, batches, vectors, spread=self._provider == _CPU and len(batches) > 1)

    def _tokens(self, texts: Packed) -> list[list[int]]:
        found = self._tokenizer.encode_batch_fast(readable(texts, most=_MOST_BYTES))
        return [tokens.ids for tokens in found]

    def _at_once(self, length: int) -> int:
        return max(1, _TOKENS_AT_ONCE[self._provider] // length) if self._in_batches else 1

    def _run(self, tokens: NDArray[np.int32]) -> Vectors:
        """Return the vectors of texts of the same length."""
        ids = tokens
        if self._provider == _CUDA:
            # A GPU chooses its kernels by the shape, so a length has one shape only.
            ids = np.resize(tokens, (self._at_once(tokens.shape[1]), tokens.shape[1]))
        (hidden,) = self._session.run(None, {"ids": np.ascontiguousarray(ids)})
        totals = hidden[: len(tokens)].sum(axis=1, dtype=np.float64)
        vectors: Vectors = totals / np.sqrt((totals * totals).sum(axis=1, keepdims=True))
        return vectors

    def _probe(self, length: int) -> NDArray[np.int32]:
        """Return a batch of the most texts of a length, of ordinary tokens."""
        numbers = np.arange(self._at_once(length) * length).reshape(-1, length)
        return (2000 + 7919 * numbers % 27_000).astype(np.int32)


def _made(precision: str, device: str) -> MiniLM:
    return MiniLM(precision=precision, device=device)


def _tokenizer() -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise _missing("tokenizers") from None
    tokenizer = Tokenizer.from_str(read_tokenizer())
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    return tokenizer


def _session(model: bytes, *, on_gpu: bool) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise _missing("onnxruntime") from None
    options = onnxruntime.SessionOptions()
    # Threads take whole batches. Further fusions would bring back the slower operator for sums and norms.
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    providers: list[Any] = [_CPU]
    if on_gpu and _CUDA in onnxruntime.get_available_providers():
        providers.insert(0, (_CUDA, {"use_tf32": "0"}))
    return onnxruntime.InferenceSession(model, options, providers=providers)


def _missing(name: str) -> MissingDependencyError:
    return MissingDependencyError(f"MiniLM needs {name}; run: pip install 'textveil[minilm]'")
