"""Texts for texts: each protected word is released by a word mechanism and put back where it stood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.words import WordMechanism
from textveil.randomness import RandomSource, Streams
from textveil.receipts import Release
from textveil.text.assembly import AS_IT_IS, Assembly, Case
from textveil.text.columns import texts_in, with_texts
from textveil.text.protection import EveryWord, Mask, Protection, Spans, byte_spans, mask_of_spans
from textveil.text.scanning import Bytes, Integers, Lookup, Words, scan

LAYOUT_REVEALS = ("the number of words in each text", "layout: white space, line breaks and punctuation")
CASE_REVEALS = "capital letters"
SAME_WORD_REVEALS = "which positions of a text hold the same word"
SPANS_REVEAL = "everything outside the given spans, and where they lie"


@dataclass(frozen=True, eq=False)
class TextRewriter(Mechanism):
    """Rewrite texts word by word.

    Parameters
    ----------
    mechanism : releases words, such as Exponential; every word outside its vocabulary (numbers, e-mail addresses, URLs,
        rare names) enters as the one unknown word
    protect : which words are protected; by default every one
    case : "sentence" (capitals where sentences begin), "lower", or "keep" (reveals the original's capitals)
    consistent : replace the same word the same way within one text; reveals where a word recurs (SPEC 7.4)
    unknown_text : what is written where the unknown word comes out
    """

    mechanism: WordMechanism
    _: KW_ONLY
    protect: Protection = EveryWord()
    case: Case | str = Case.SENTENCE
    consistent: bool = False
    unknown_text: str = "[unknown]"

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, WordMechanism):
            raise InvalidInputError("TextRewriter needs a mechanism that releases words, such as Exponential")
        try:
            object.__setattr__(self, "case", Case(self.case))
        except ValueError:
            raise InvalidInputError(f'case must be "sentence", "lower" or "keep" (got {self.case!r})') from None

    @property
    def guarantee(self) -> Guarantee:
        """That of the words, added over the words of a text."""
        words = replace(self.mechanism.guarantee, reveals=())
        extra = (CASE_REVEALS,) if self.case is Case.KEEP else ()
        if not self.consistent:
            return words.for_text(reveals=(*LAYOUT_REVEALS, *extra, *self.protect.reveals))
        relation = replace(words.relation, condition="whose words recur at the same positions; each distinct word counts once")
        reveals = (*LAYOUT_REVEALS, *extra, *self.protect.reveals, SAME_WORD_REVEALS)
        return replace(words, relation=relation).for_text(reveals=reveals)

    def spec(self) -> dict[str, Any]:
        """Return the rewriter as plain values."""
        return {
            "mechanism": "TextRewriter",
            "words": self.mechanism.spec(),
            "protect": list(self.protect.reveals) or "every word",
            "case": str(self.case),
            "consistent": self.consistent,
            "unknown_text": self.unknown_text,
        }

    def release(self, private: Any, *, source: RandomSource | None = None, spans: Sequence[Spans] | None = None) -> Any:
        """Rewrite a text, a list of texts, or a column of them (pandas, Arrow); missing texts stay missing.

        Parameters
        ----------
        private : the texts
        source : where the noise comes from; by default fresh noise from the operating system
        spans : per text, the (start, end) of what is to be protected, such as slots or what a recogniser of names found;
            everything outside is released as it is
        """
        return self.release_with_receipt(private, source=source, spans=spans).value

    def release_with_receipt(
        self, private: Any, *, source: RandomSource | None = None, spans: Sequence[Spans] | None = None
    ) -> Release[Any]:
        """Rewrite texts, with the receipt that says what was promised."""
        texts = self._check(private)
        masks = None if spans is None else _byte_spans(texts, [spans] if isinstance(private, str) else spans)  # type: ignore[list-item]
        source = source or RandomSource.secure()
        packed = Packed.of([text.encode("utf-8", errors="surrogatepass") for text in texts])
        streams = source.streams(self._purpose, packed)
        output, offsets = self.rewrite(packed, streams, spans=masks)
        data = output.tobytes()
        rewritten = [
            data[start:end].decode("utf-8", errors="replace")
            for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        ]
        guarantee = self.guarantee
        if spans is not None:
            guarantee = replace(guarantee, reveals=(*guarantee.reveals, SPANS_REVEAL))
        return Release(self._wrap(rewritten, private), self._receipt(guarantee, source, len(texts)))

    def rewrite(
        self, texts: Packed, streams: Streams, *, spans: Sequence[tuple[int, int]] | None = None
    ) -> tuple[Bytes, Integers]:
        """Rewrite UTF-8 texts that lie one after the other: the fast path.

        Parameters
        ----------
        texts : what is private
        streams : one a text
        spans : of bytes of the buffer, if only they are protected
        """
        words = scan(texts.data, self._lookup)
        mask = self.protect.mask(texts.data, words, self._lookup) if spans is None else mask_of_spans(words, spans)
        ids = np.full(len(words), AS_IT_IS, dtype=np.int64)
        ids[mask] = self._release_words(words, mask, texts, streams)
        return self._assembly.put(texts.data, words, ids, texts.offsets)

    def _release_words(self, words: Words, mask: Mask, texts: Packed, streams: Streams) -> Integers:
        owners = np.empty(len(words), dtype=np.int64)
        _owners(words.starts, texts.offsets, owners)
        ids, owners = words.ids[mask], owners[mask]
        if not self.consistent:
            return self._sample_words(ids, owners, len(texts), streams)
        pairs, places = np.unique(owners * len(self.mechanism.vocabulary) + ids, return_inverse=True)
        owners, ids = np.divmod(pairs, len(self.mechanism.vocabulary))
        return self._sample_words(ids, owners, len(texts), streams)[places]

    def _sample_words(self, ids: Integers, owners: Integers, texts: int, streams: Streams) -> Integers:
        counts = np.bincount(owners, minlength=texts)
        released: Integers = self.mechanism._sample(ids, streams.split(counts))
        return released

    def _check(self, private: Any) -> list[str]:
        return texts_in(private)

    def _sample(self, items: Any, streams: Streams) -> Any:
        raise TypeError("TextRewriter releases through rewrite")

    def _wrap(self, outputs: list[str], private: Any) -> Any:
        return with_texts(private, outputs)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.mechanism.vocabulary)

    @cached_property
    def _assembly(self) -> Assembly:
        vocabulary = self.mechanism.vocabulary
        text = self.unknown_text if vocabulary.unknown == "unk" else None
        return Assembly(vocabulary, case=Case(self.case), unknown_text=text)


def _byte_spans(texts: list[str], spans: Sequence[Spans]) -> list[tuple[int, int]]:
    if len(spans) != len(texts):
        raise InvalidInputError(f"spans must be given for each text ({len(texts)} texts, {len(spans)} lists of spans)")
    moved, start = [], 0
    for text, own in zip(texts, spans, strict=True):
        moved += [(start + first, start + last) for first, last in byte_spans(text, own)]
        start += len(text.encode("utf-8", errors="surrogatepass"))
    return sorted(moved)


@compiled
def _owners(starts, offsets, owners):  # type: ignore[no-untyped-def]
    """The record of each word."""
    record = 0
    for t in range(starts.size):
        while offsets[record + 1] <= starts[t]:
            record += 1
        owners[t] = record
