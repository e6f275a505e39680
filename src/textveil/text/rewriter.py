"""Texts for texts: each protected word is released by a word mechanism and put back where it stood."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.mechanisms.mechanism import Mechanism, from_spec
from textveil.mechanisms.words import WordMechanism
from textveil.randomness import RandomSource, Streams
from textveil.receipts import Release
from textveil.text.assembly import AS_IT_IS, Assembly, Case
from textveil.text.columns import texts_in, texts_with_spans, with_texts
from textveil.text.protection import EveryWord, Mask, Protection, mask_of_spans, protection_of, spans_of_bytes
from textveil.text.recurrence import numbered
from textveil.text.scanning import Bytes, Integers, Lookup, Words, scan

LAYOUT_REVEALS = (
    "the number of words in each text",
    "layout: white space, line breaks, punctuation, ASCII symbols and control characters",
)
CASE_REVEALS = "capital letters"
CASE_CONDITION = (
    "with ASCII capitals alike in each word (no capital first; a capital first; a capital first and at least one more "
    "character, all of them ASCII and none a small letter)"
)
SAME_WORD_REVEALS = "which positions of a text hold the same word"
SAME_WORD_CONDITION = "whose words recur at the same positions (each distinct word counts once)"
SPANS_REVEAL = "everything outside the given spans, and where they lie"
LEFT_OUT_CONDITION = "in which the same places are protected and all other words are the same"


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
    protect: Protection = field(default_factory=EveryWord)
    case: Case | str = Case.SENTENCE
    consistent: bool = False
    unknown_text: str = "[unknown]"

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, WordMechanism):
            raise InvalidInputError("TextRewriter needs a mechanism that releases words, such as Exponential")
        says_which = all(hasattr(self.protect, name) for name in ("spec", "reveals", "mask"))
        if isinstance(self.protect, type) or not says_which:
            raise InvalidInputError(
                "protect must be EveryWord(), AllBut(words) or Where(function) of textveil.text.protection, or have "
                f"the same methods (got {type(self.protect).__name__})"
            )
        if not isinstance(self.consistent, bool | np.bool_):
            raise InvalidInputError(f"consistent must be True or False (got {type(self.consistent).__name__})")
        if not isinstance(self.unknown_text, str):
            raise InvalidInputError(f"unknown_text must be a text (got {type(self.unknown_text).__name__})")
        try:
            object.__setattr__(self, "case", Case(self.case))
        except ValueError:
            raise InvalidInputError(f'case must be "sentence", "lower" or "keep" (got {self.case!r})') from None

    @property
    def guarantee(self) -> Guarantee:
        """That of the words, added over the words of a text."""
        return self._promise(*self.left_out)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What leaving words out reveals; a choice of the user's own that says nothing reveals what it may."""
        if type(self.protect) is EveryWord:
            return ()
        return self.protect.reveals or ("every word that is not protected, as it is, and where it stands",)

    def _promise(self, *left_out: str) -> Guarantee:
        """Return what is promised if leaving words out reveals this."""
        words = self.mechanism.guarantee
        case = (CASE_REVEALS,) if self.case is Case.KEEP else ()
        same = (SAME_WORD_REVEALS,) if self.consistent else ()
        conditions = (
            CASE_CONDITION if case else "",
            SAME_WORD_CONDITION if self.consistent else "",
            LEFT_OUT_CONDITION if left_out else "",
            words.relation.condition,
        )
        relation = replace(words.relation, condition=", ".join(filter(None, conditions)))
        return replace(words, relation=relation, reveals=()).for_text(
            reveals=(*LAYOUT_REVEALS, *case, *left_out, *same)
        )

    def spec(self) -> dict[str, Any]:
        """Return the rewriter as plain values."""
        return {
            "mechanism": "TextRewriter",
            "words": self.mechanism.spec(),
            "protect": self.protect.spec(),
            "case": str(self.case),
            "consistent": self.consistent,
            "unknown_text": self.unknown_text,
        }

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> TextRewriter:
        parameters = dict(spec)
        words: Any = from_spec(parameters.pop("words"), objects)
        return cls(words, protect=protection_of(parameters.pop("protect")), **parameters)

    def release(self, private: Any, *, source: RandomSource | None = None, spans: Sequence[Any] | None = None) -> Any:
        """Rewrite a text, a list of texts, or a column of them (pandas, Arrow); missing texts stay missing.

        Parameters
        ----------
        private : the texts
        source : where the noise comes from; by default fresh noise from the operating system
        spans : the (start, end) of what is to be protected in a text, such as slots or what a recogniser of names
            found; for a list of texts a list of such lists. Everything outside is released as it is
        """
        return self.release_with_receipt(private, source=source, spans=spans).value

    def release_with_receipt(
        self, private: Any, *, source: RandomSource | None = None, spans: Sequence[Any] | None = None
    ) -> Release[Any]:
        """Rewrite texts, with the receipt that says what was promised."""
        if isinstance(private, Iterator):
            private = list(private)
        if spans is None:
            return super().release_with_receipt(private, source=source)
        source = RandomSource.given(source)
        texts = self._check(private)
        protected = spans_of_bytes(*texts_with_spans(private, spans))
        # The same text with other spans is another item: it must not meet the same noise.
        streams = source.streams(self._purpose + b"spans", _with_spans(texts, protected))
        moved = [
            (first + start, first + end)
            for first, own in zip(texts.offsets.tolist(), protected, strict=False)
            for start, end in own
        ]
        output = Packed(*self.rewrite(texts, streams, spans=moved))
        guarantee = self._promise(SPANS_REVEAL)
        return Release(self._wrap(output, private), self._receipt(guarantee, source, len(texts)))

    def release_dataset(self, dataset: Any, column: str, *, source: RandomSource | None = None) -> Any:
        """Rewrite a column of a Hugging Face dataset; the other columns stay as they are, and are revealed.

        The new dataset is made in memory: nothing private is written to the library's cache folder.
        """
        names = list(dataset.column_names)
        if column not in names:
            raise InvalidInputError(f"no column {column!r}: the dataset has {', '.join(names)}; give one of these")
        released = self.release(list(dataset[column]), source=source)
        columns = {name: released if name == column else list(dataset[name]) for name in names}
        return type(dataset).from_dict(columns, features=dataset.features, split=dataset.split)

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
        words, ids = self.draw(texts, streams, spans=spans)
        return self._assembly.put(texts.data, words, ids, texts.offsets)

    def draw(
        self, texts: Packed, streams: Streams, *, spans: Sequence[tuple[int, int]] | None = None
    ) -> tuple[Words, Integers]:
        """Return the words of UTF-8 texts, and for each the number of the one that takes its place, or AS_IT_IS."""
        words = scan(texts, self._lookup)
        mask = self._mask(texts.data, words) if spans is None else mask_of_spans(words, spans)
        ids = np.full(len(words), AS_IT_IS, dtype=np.int64)
        # Streams belong to places in a text, whatever is protected, so that no two words ever meet the same noise.
        parts = streams.split(np.bincount(words.owners, minlength=len(streams)))
        chosen = slice(None) if mask.all() else mask
        if self.consistent:
            # One draw for each distinct word of a text, from the stream of its first place.
            numbers = numbered(texts.data, words)
            pairs = words.owners * (numbers.max(initial=0) + 1) + numbers
            _, firsts, places = np.unique(pairs[chosen], return_index=True, return_inverse=True)
            drawn = self.mechanism._sample(words.ids[chosen][firsts], parts.select(chosen).select(firsts))
            ids[chosen] = drawn[places]
        else:
            ids[chosen] = self.mechanism._sample(words.ids[chosen], parts.select(chosen))
        return words, ids

    def _mask(self, text: Bytes, words: Words) -> Mask:
        mask = self.protect.mask(text, words, self._lookup)
        # Numbers would choose other words, and leave the rest as it is.
        if getattr(mask, "dtype", None) != np.bool_ or mask.shape != (len(words),):
            raise InvalidInputError(
                f"the mask of {type(self.protect).__name__} must be a NumPy array of bool, one for each of "
                f"{len(words)} words"
            )
        return mask

    def using(self, mechanism: WordMechanism) -> TextRewriter:
        """Return the same rewriter with another mechanism on the same vocabulary, whose tables the two share."""
        made = replace(self, mechanism=mechanism)
        if mechanism.vocabulary is self.mechanism.vocabulary:
            made._keep(_lookup=self._lookup, _assembly=self._assembly)
        return made

    def word_counts(self, texts: Packed) -> Integers:
        """Return how many words each text has; nothing is released."""
        return np.bincount(scan(texts, self._lookup).owners, minlength=len(texts))

    def _check(self, private: Any) -> Packed:
        return Packed.of([text.encode("utf-8", errors="surrogatepass") for text in texts_in(private)])

    def _sample(self, items: Packed, streams: Streams) -> Packed:
        return Packed(*self.rewrite(items, streams))

    def _wrap(self, outputs: Packed, private: Any) -> Any:
        data = outputs.data.tobytes()
        spans = zip(outputs.offsets[:-1].tolist(), outputs.offsets[1:].tolist(), strict=True)
        return with_texts(private, [data[start:end].decode("utf-8", errors="replace") for start, end in spans])

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.mechanism.vocabulary)

    @cached_property
    def _assembly(self) -> Assembly:
        vocabulary = self.mechanism.vocabulary
        text = self.unknown_text if vocabulary.unknown == "unk" else None
        return Assembly(vocabulary, case=Case(self.case), unknown_text=text)


def _with_spans(texts: Packed, spans: Sequence[Sequence[tuple[int, int]]]) -> Packed:
    """Return each text and its spans as one record, that of no other text: UTF-8 has no byte 255."""
    places = zip(texts.offsets[:-1].tolist(), texts.offsets[1:].tolist(), spans, strict=True)
    data = texts.data.tobytes()
    return Packed.of([data[start:end] + b"\xff" + json.dumps(own).encode() for start, end, own in places])
