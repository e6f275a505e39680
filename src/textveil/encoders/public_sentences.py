"""The public sentences that come with textveil: examples of usage from WordNet 3.0, general English, 5,000 of them.

`python -m textveil.encoders.public_sentences FOLDER` makes the file anew from WordNet's own (Debian's package
wordnet-base has them under /usr/share/wordnet). Which are taken, and what they are good for: docs/encoders.md.
"""

from __future__ import annotations

import hashlib
import lzma
import re
import sys
from importlib.resources import files
from pathlib import Path

from textveil.cache import cache_folder
from textveil.encoders.encoder import Encoder
from textveil.encoders.public import public_vectors
from textveil.encoders.sentence_means import SentenceMeans
from textveil.errors import CertificateError
from textveil.mechanisms.candidates import Candidates

_FILE = "wordnet-sentences.txt.xz"
_SHA256 = "9fe054e8d910af1d46754104908441c8275a696324769a8c5b958dbf906d931b"
_COUNT = 5_000
_PARTS = ("noun", "verb", "adj", "adv")
_LEAST_WORDS, _MOST_WORDS = 8, 30
# A release puts a public sentence in the place of a private one: no slurs, sex or violence, and nothing about groups.
_UNFIT = re.compile(
    r"\.\.\.|\b(aids\b|amorous|asshole|bastard|bitch|breast|cripple|damn|erotic|fuck|gay\b|genital|gyps|hitler|hiv\b|"
    r"homosexual|idiot|jew|kill|lesbian|moron|murder|muslim|naked|nazi|negr|nigg|nude|orgasm|penis|piss|prostitut|"
    r"rap(e|ist)|retard|savage|sex|shit|slave|slut|stupid|suicid|terroris|urin|vagina|whor)",
    re.IGNORECASE,
)


def public_sentences() -> list[str]:
    """Return 5,000 public sentences."""
    content = files("textveil.vocabulary").joinpath("data", _FILE).read_bytes()
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise CertificateError(f"{_FILE} is not the file that came with textveil; reinstall textveil")
    return lzma.decompress(content).decode().splitlines()


def default_candidates(encoder: Encoder) -> Candidates:
    """Return the public sentences that come with textveil, encoded; kept in the cache, where public results are.

    Parameters
    ----------
    encoder : what the private texts are encoded by
    """
    texts = public_sentences()
    # Each is one sentence, so that it is the mean of its sentences.
    each = encoder.encoder if isinstance(encoder, SentenceMeans) else encoder
    return Candidates(public_vectors(each, texts, cache=cache_folder() / "vectors"), texts)


def examples(folder: Path) -> list[str]:
    """Return the fit examples of usage in WordNet's files, evenly spread over them."""
    found: dict[str, str] = {}
    for part in _PARTS:
        for line in (folder / f"data.{part}").read_text(encoding="ascii").splitlines():
            for example in re.findall(r'"([^"]+)"', line.partition(" | ")[2]):
                sentence = _sentence(example)
                if _fits(sentence):
                    found.setdefault(sentence.casefold(), sentence)
    fit = list(found.values())
    return [fit[number * len(fit) // _COUNT] for number in range(_COUNT)]


def _sentence(example: str) -> str:
    words = " ".join(example.replace("`", "'").split())
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


def _fits(sentence: str) -> bool:
    return _LEAST_WORDS <= len(sentence.split()) <= _MOST_WORDS and _UNFIT.search(sentence) is None


if __name__ == "__main__":
    text = "\n".join(examples(Path(sys.argv[1]))) + "\n"
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    Path(__file__).parents[1].joinpath("vocabulary", "data", _FILE).write_bytes(packed)
