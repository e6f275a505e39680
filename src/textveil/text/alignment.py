"""A text beside what was released for it, word by word: for showing the two together."""

from __future__ import annotations

from dataclasses import dataclass

from textveil.hashing import Packed
from textveil.randomness import RandomSource
from textveil.text.assembly import AS_IT_IS
from textveil.text.rewriter import TextRewriter
from textveil.vocabulary import Vocabulary


@dataclass(frozen=True)
class Piece:
    """A stretch of a text.

    Parameters
    ----------
    text : as it stands there
    enters : the word of the vocabulary that it enters the mechanism as; None for layout
    known : whether that is the word itself, and not the vocabulary's word for all that it does not have
    left : whether it is a word that is not protected
    """

    text: str
    enters: str | None = None
    known: bool = True
    left: bool = False


@dataclass(frozen=True)
class Aligned:
    """A text in pieces, and for each sample what it has in the place of each word, as it is written there."""

    pieces: tuple[Piece, ...]
    samples: tuple[tuple[str, ...], ...]


def aligned(rewriter: TextRewriter, text: str, *, samples: int, source: RandomSource | None = None) -> Aligned:
    """Rewrite a text several times, each time independently.

    What it returns shows the private text: it is for eyes that know it already.
    """
    texts: Packed = rewriter._check([text] * samples)
    words, ids = rewriter.draw(texts, RandomSource.given(source).streams(rewriter._purpose, texts))
    output, places = rewriter._assembly.put(texts.data, words, ids, texts.offsets)
    vocabulary, left = rewriter.mechanism.vocabulary, (ids == AS_IT_IS).tolist()
    written, original, lengths = output.tobytes(), texts.data.tobytes(), rewriter._assembly.lengths(words, ids)
    pieces: list[Piece] = []
    released: list[tuple[str, ...]] = []
    for sample in range(samples):
        read, at = int(texts.offsets[sample]), int(places[sample])
        put: list[str] = []
        for word in (words.owners == sample).nonzero()[0].tolist():
            start, end, length = int(words.starts[word]), int(words.ends[word]), int(lengths[word])
            at += start - read
            if sample == 0:
                pieces += [Piece(_decoded(original[read:start]))] if start > read else []
                pieces.append(_word(vocabulary, _decoded(original[start:end]), int(words.ids[word]), left[word]))
            put.append(_decoded(written[at : at + length]))
            read, at = end, at + length
        if sample == 0 and read < texts.offsets[1]:
            pieces.append(Piece(_decoded(original[read : texts.offsets[1]])))
        released.append(tuple(put))
    return Aligned(tuple(pieces), tuple(released))


def _word(vocabulary: Vocabulary, text: str, number: int, left: bool) -> Piece:
    enters = vocabulary.words[number]
    known = number != vocabulary.unknown_id or text.casefold() == enters.casefold()
    return Piece(text, enters, known, left)


def _decoded(part: bytes) -> str:
    return part.decode("utf-8", errors="replace")
