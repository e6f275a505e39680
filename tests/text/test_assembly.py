import itertools

import numpy as np
import pytest

from textveil import Vocabulary
from textveil.hashing import Packed
from textveil.text.assembly import AS_IT_IS, Assembly, Case
from textveil.text.scanning import Lookup, scan

LENGTHS = (1, 2, 15, 16, 17, 31, 32, 33, 200)
WORDS = ["".join(chr(97 + (n + k) % 26) for k in range(n)) for n in LENGTHS] + ["éa", "日本語"]
VOCABULARY = Vocabulary(WORDS, np.arange(len(WORDS), dtype=float)[:, None], unknown=WORDS[0])
TEXTS = ["one, two three.", "", "four", " (five) SIX! Seven", "  ", "é eight"]


def by_hand(text, words, ids, case):
    """The same, a word at a time."""
    out, at, begins = "", 0, True
    for (start, end), number in zip(words, ids, strict=True):
        gap = text[at:start]
        begins = begins or any(sign in gap for sign in ".!?")
        old = text[start:end]
        new = old if number == AS_IT_IS else WORDS[number]
        if number != AS_IT_IS and case is Case.KEEP and old[0].isascii() and old[0].isupper():
            shout = len(old) > 1 and not any(letter.isascii() and letter.islower() for letter in old)
            new = "".join(c.upper() if c.isascii() and (shout or k == 0) else c for k, c in enumerate(new))
        elif number != AS_IT_IS and case is Case.SENTENCE and begins and new[0].isascii():
            new = new[0].upper() + new[1:]
        out, at, begins = out + gap + new, end, False
    return out + text[at:]


@pytest.mark.parametrize("case", list(Case))
@pytest.mark.parametrize("number", [*range(len(WORDS)), AS_IT_IS, None])
def test_words_of_any_length_are_put_where_others_were(case, number):
    texts = Packed.of([text.encode() for text in TEXTS])
    words = scan(texts, Lookup(VOCABULARY))
    if number is None:
        ids = np.random.default_rng(1).integers(AS_IT_IS, len(WORDS), len(words))
    else:
        ids = np.full(len(words), number, dtype=np.int64)
    output, moved = Assembly(VOCABULARY, case=case, unknown_text=None).put(texts.data, words, ids, texts.offsets)
    found = [output[a:b].tobytes().decode() for a, b in itertools.pairwise(moved)]
    for place, text in enumerate(TEXTS):
        own = words.owners == place
        raw, first = text.encode(), texts.offsets[place]
        letters = [len(raw[: n - first].decode()) for n in np.concatenate([words.starts[own], words.ends[own]])]
        spans = list(zip(letters[: own.sum()], letters[own.sum() :], strict=True))
        assert found[place] == by_hand(text, spans, ids[own], case)


def test_no_memory_of_others_lies_behind_an_output():
    texts = Packed.of([b"word"])
    words = scan(texts, Lookup(VOCABULARY))
    assembly = Assembly(VOCABULARY, case=Case.LOWER, unknown_text="a word of more than sixteen bytes")
    output, _ = assembly.put(texts.data, words, words.ids, texts.offsets)
    assert output.tobytes() == b"a word of more than sixteen bytes"
    assert output.base is not None
    assert not output.base[len(output) :].any()
