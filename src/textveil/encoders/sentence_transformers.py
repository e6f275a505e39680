"""Any sentence-transformers model, by name or path, from this machine: nothing is downloaded."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from textveil.encoders.batches import Rows, gathered, same_length
from textveil.encoders.encoder import Vectors, packed, readable, unquoted
from textveil.errors import InvalidInputError, MissingDependencyError, require_count
from textveil.hashing import Packed
from textveil.receipts import digest_of

# Tokenizers of transformers must not be used by two threads at once.
_ONE_CALL = threading.Lock()
_AT_ONCE_ON_GPU = 64
_PROBES = ("one two three", "three two one", "six ten four")


class SentenceTransformersEncoder:
    """Gives a text the vector of a sentence-transformers model, white space around the text left out.

    Texts go through the model one by one on a CPU, on one thread, so that a text has the same vector in any process. On
    a GPU they go in batches of texts of the same number of tokens, always `at_once` of them (the last are repeated), so
    that a text meets the same kernels each time.

    Parameters
    ----------
    model : a folder, or the name of a model that was downloaded before
    device : as torch names it; a GPU if there is one
    at_once : texts of a batch; 1 on a CPU and 64 on a GPU unless given
    """

    def __init__(self, model: str, *, device: str | None = None, at_once: int | None = None) -> None:
        self._model = _loaded(str(model), device)
        on_cpu = self._model.device.type == "cpu"
        self._at_once = require_count("at_once", at_once or (1 if on_cpu else _AT_ONCE_ON_GPU))
        self.name = str(model)
        self._dimension = int(self._call([_PROBES[0]]).shape[1])
        self._content = _content(self._model)
        if self._at_once > 1:
            self._try_out()

    @property
    def dimension(self) -> int:
        """That of the model."""
        return self._dimension

    @property
    def digest(self) -> str:
        """The sha256 of the model's layers, weights and tokens."""
        return digest_of(self.spec())

    @property
    def meaning(self) -> str:
        """Which vector a text gets."""
        return f"its vector of the sentence-transformers model with sha256 {self._content[:12]}"

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values."""
        return {"encoder": "SentenceTransformersEncoder", "model": self._content}

    def encode(self, texts: Packed | Sequence[str]) -> Vectors:
        """Return the vector of each text: nothing is released, so give public texts."""
        texts = packed(texts)
        stripped = [text.strip() for text in readable(texts)]

        def work(rows: Rows) -> Vectors:
            return self._call([stripped[row] for row in rows])

        batches = same_length(self._lengths(stripped), lambda length: self._at_once)
        return gathered(work, batches, np.empty((len(texts), self._dimension)), spread=False)

    def _lengths(self, texts: list[str]) -> list[int]:
        """Return how many tokens each text has."""
        if self._at_once == 1 or not texts:
            return [0] * len(texts)
        with _ONE_CALL, unquoted(self.name):
            found = self._model.tokenizer(texts, truncation=True, max_length=self._model.max_seq_length)
        return [len(ids) for ids in found["input_ids"]]

    def _call(self, texts: list[str]) -> Vectors:
        filled = [texts[place % len(texts)] for place in range(self._at_once)]
        with _ONE_CALL, unquoted(self.name), _one_thread():
            found = self._model.encode(filled, batch_size=self._at_once, show_progress_bar=False)
        vectors: Vectors = np.asarray(found, dtype=np.float64)[: len(texts)]
        return vectors

    def _try_out(self) -> None:
        """Refuse batches in which a text's vector depends on its place or on the others."""
        if getattr(self._model, "default_prompt_name", None) or len(set(self._lengths(list(_PROBES)))) > 1:
            raise InvalidInputError(f"{self.name} has a prompt or a tokenizer of its own kind; give at_once=1")
        together = self._call(list(_PROBES))
        alone = np.concatenate([self._call([text]) for text in _PROBES])
        if not (np.array_equal(together, alone) and np.array_equal(together[::-1], self._call(list(_PROBES[::-1])))):
            raise InvalidInputError(f"{self.name} gives a text another vector alone than among others; give at_once=1")


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one thread of the processor: a sum that threads share has other last bits than one that they don't."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _loaded(name: str, device: str | None) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingDependencyError(
            f"{name} is no encoder that comes with textveil (words, minilm and minilm-int8 are), and other models need "
            "sentence-transformers, which brings torch: pip install sentence-transformers"
        ) from None
    try:
        return SentenceTransformer(name, device=device, local_files_only=True)
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"{name} is neither a folder with a sentence-transformers model nor one that was downloaded before "
            f"({type(error).__name__}); download it first, nothing is fetched here"
        ) from None


def _content(model: Any) -> str:
    """Return the sha256 of layers, weights and tokens."""
    digest = hashlib.sha256(str(model).encode())
    for name, tensor in sorted(model.state_dict().items()):
        values = tensor.detach().cpu()
        # NumPy has no bfloat16; every shorter format fits into float64.
        numbers = (values.double() if values.dtype.is_floating_point else values).numpy()
        digest.update(f"{name} {values.dtype} {numbers.shape}\n".encode() + numbers.tobytes())
    tokenizer = getattr(model.tokenizer, "backend_tokenizer", None)
    digest.update((repr(model.tokenizer) if tokenizer is None else tokenizer.to_str()).encode())
    return digest.hexdigest()
