"""Texts keep their layout and nothing else of what is protected."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil.auditing.units import units_apart
from textveil.errors import InvalidInputError
from textveil.text.assembly import capitals_of
from textveil.text.protection import AllBut, EveryWord, Where
from textveil.text.rewriter import LEFT_OUT_CONDITION
from textveil.text.tokens import words_in

WORDS = ["unk", "the", "cat", "dog", "sat", "ran", "mat", "rug", "on", "under"]
VOCABULARY = tv.Vocabulary(WORDS, np.random.default_rng(0).normal(size=(10, 3)))
BLAND = tv.Exponential(VOCABULARY, epsilon=0.01)
FAITHFUL = tv.Exponential(VOCABULARY, epsilon=60.0)
NASTY = (
    "Mail jane.doe@example.org, or call (617) 555-0199!\r\n\tДом 😀 “Müller”… https://x.org/?q=1\x00 O'Neill's\n\n  end"
)


def layout(text):
    spans = list(words_in(text))
    return [text[a:b] for a, b in zip([0, *(e for _, e in spans)], [*(s for s, _ in spans), len(text)], strict=True)]


def test_a_text_comes_out_as_a_text_and_a_list_as_a_list():
    rewriter = tv.TextRewriter(BLAND)
    assert isinstance(rewriter.release("the cat"), str)
    assert len(rewriter.release(["the cat", "the dog", ""])) == 3
    assert rewriter.release("") == ""
    assert rewriter.release([]) == []


def test_words_that_stay_give_the_text_back():
    text = "the cat sat on the mat; the dog ran under (the) rug..."
    assert tv.TextRewriter(FAITHFUL, case="lower").release(text) == text


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_layout_is_kept_and_every_word_comes_from_the_vocabulary(text):
    text = text.encode("utf-8", "replace").decode()
    rewritten = tv.TextRewriter(BLAND, case="lower", unknown_text="unk").release(text)
    pattern = r"([a-z]+)".join(re.escape(piece) for piece in layout(text))
    match = re.fullmatch(pattern, rewritten, flags=re.DOTALL)
    assert match
    assert all(word in WORDS for word in match.groups())


def test_nothing_protected_comes_out_as_it_was():
    for _ in range(20):
        rewritten = tv.TextRewriter(BLAND).release(NASTY)
        for original in ("jane", "example", "617", "555", "0199", "Дом", "😀", "Müller", "x.org", "Neill", "end"):
            assert original not in rewritten


def test_unknown_words_come_out_by_the_law_of_the_unknown_word():
    rewriter = tv.TextRewriter(FAITHFUL)
    assert rewriter.release("Zanzibar 42 the") == "[unknown] [unknown] the"


def test_capitals_follow_the_punctuation_unless_told_otherwise():
    text = "The CAT sat. the Dog ran! THE cat? On"
    assert tv.TextRewriter(FAITHFUL).release(text) == "The cat sat. The dog ran! The cat? On"
    assert tv.TextRewriter(FAITHFUL, case="lower").release(text) == text.lower()
    kept = tv.TextRewriter(FAITHFUL, case="keep")
    assert kept.release(text) == text
    assert "capital letters" in kept.guarantee.reveals
    assert "capital letters" not in tv.TextRewriter(FAITHFUL).guarantee.reveals
    with pytest.raises(tv.InvalidInputError, match="case"):
        tv.TextRewriter(FAITHFUL, case="upper")


def test_capitals_of_unprotected_text_reveal_nothing():
    rewriter = tv.TextRewriter(BLAND)
    key = tv.RandomSource.seeded(1)
    assert not re.search(r"(?<!^)[A-Z]", rewriter.release("THE CAT SAT on the mat", source=key))


def test_stop_words_can_be_left_and_are_named():
    rewriter = tv.TextRewriter(BLAND, protect=AllBut(("the", "on")), case="lower")
    rewritten = [rewriter.release("the cat sat on the mat") for _ in range(10)]
    assert all(re.fullmatch(r"the \S+ \S+ on the \S+", text) for text in rewritten)
    assert any("stop words" in item for item in rewriter.guarantee.reveals)
    assert rewriter.guarantee.relation.condition == LEFT_OUT_CONDITION
    assert f"two texts of equal length and layout {LEFT_OUT_CONDITION}, any output" in str(rewriter.guarantee)


def test_stop_words_that_the_vocabulary_lacks_are_left_too():
    rewriter = tv.TextRewriter(BLAND, protect=AllBut(("the", "missing")), case="lower")
    assert all(re.fullmatch(r"the Missing \S+", rewriter.release("the Missing cat")) for _ in range(10))


def test_words_looked_up_as_a_stop_word_are_not_left():
    rewriter = tv.TextRewriter(BLAND, protect=AllBut(("the", "missing")), case="lower")
    assert all("the's" not in rewriter.release("the's") for _ in range(10))
    assert all("zanzibar" not in rewriter.release("zanzibar") for _ in range(10))


def test_stop_words_stay_in_any_script_and_case_and_nothing_that_only_resembles_them_does():
    rewriter = tv.TextRewriter(BLAND, protect=AllBut(("The", "über", "k")), case="keep")
    text = "THE cat Über k dog über K the"
    assert all(re.fullmatch(r"THE \S+ Über k \S+ über K the", rewriter.release(text)) for _ in range(10))
    # The sign for kelvin and a long s fold to plain letters.
    assert all(not re.search("[\u212a\u017f]", rewriter.release("\u212a \u017fat")) for _ in range(10))


def test_a_receipt_brings_the_rewriter_back():
    for protect in ({}, {"protect": AllBut(("the", "on"))}):
        rewriter = tv.TextRewriter(BLAND, case="lower", consistent=True, unknown_text="?", **protect)
        spec = json.loads(json.dumps(rewriter.release_with_receipt("the cat").receipt.mechanism))
        again = tv.from_spec(spec, objects={"vocabulary": VOCABULARY})
        assert again.spec() == rewriter.spec()
        one, other = (each.release("cat dog", source=tv.RandomSource.seeded(1)) for each in (again, rewriter))
        assert one == other
    chosen = tv.TextRewriter(BLAND, protect=Where(str.isupper)).spec()
    with pytest.raises(ValueError, match="protect="):
        tv.from_spec(chosen, objects={"vocabulary": VOCABULARY})


def test_a_predicate_chooses_the_words():
    rewriter = tv.TextRewriter(BLAND, protect=Where(lambda word: word[0].isupper()), case="lower")
    assert re.fullmatch(r"my name is \S+ \S+ ok", rewriter.release("my name is Jane Doe ok"))
    assert any("predicate" in item for item in rewriter.guarantee.reveals)


def test_spans_choose_the_words():
    rewriter = tv.TextRewriter(BLAND, case="lower")
    text = "“é” play Moonlight by Jane"
    start, end = text.index("Moonlight"), text.index("Moonlight") + 3
    release = rewriter.release_with_receipt(text, spans=[(start, end), (len(text) - 4, len(text))])
    assert re.fullmatch(r"“é” play [a-z\[\]]+ by [a-z\[\]]+", release.value)
    assert any("outside the given spans" in item for item in release.receipt.guarantee.reveals)
    assert release.receipt.guarantee.relation.condition == LEFT_OUT_CONDITION
    assert rewriter.guarantee.relation.condition == ""
    both = rewriter.release(["the cat", "a dog"], spans=[[(0, 3)], []])
    assert both[0].endswith(" cat")
    assert both[1] == "a dog"


def test_what_a_text_with_spans_becomes_depends_on_its_own_spans_alone(clustered):
    rewriter, source = tv.TextRewriter(tv.Exponential(clustered, epsilon=0.5)), tv.RandomSource.keyed(bytes(32))
    texts = ["w1 w2 w3 w4 w5 w6 w7 w8"] * 3
    spans = [[(0, 11)], [(0, 23)], []]
    together = rewriter.release(texts, source=source.at(0), spans=spans)
    apart = [rewriter.release([texts[i]], source=source.at(i), spans=[spans[i]])[0] for i in range(3)]
    assert together == apart
    assert together[2] == texts[2]
    others = [rewriter.release(texts[:1], source=source.at(0), spans=[[(0, end)]])[0] for end in (11, 14, 17, 20, 23)]
    others.append(rewriter.release(texts[:1], source=source.at(0))[0])
    assert len({text.split()[0] for text in others}) > 2, "other spans must not meet the same noise"


@pytest.mark.parametrize("spans", [[[(0, 99)], []], [[(3, 1)], []], [[]], [(0, 3), (0, 3)]])
def test_spans_that_do_not_fit_are_refused_without_quoting_the_text(spans):
    with pytest.raises(tv.InvalidInputError, match="span") as error:
        tv.TextRewriter(BLAND).release(["secret text", "another"], spans=spans)
    assert "secret" not in str(error.value)


def test_the_same_word_the_same_way_within_a_text():
    rewriter = tv.TextRewriter(BLAND, consistent=True, case="lower")
    texts = rewriter.release(["cat dog cat dog cat"] * 50)
    for text in texts:
        a, b, c, d, e = text.split()
        assert a == c == e
        assert b == d
    assert len(set(texts)) > 10
    assert any("same word" in item for item in rewriter.guarantee.reveals)
    assert "recur at the same positions" in str(rewriter.guarantee)


def test_different_words_have_draws_of_their_own_even_if_the_vocabulary_has_them_as_one():
    rewriter = tv.TextRewriter(BLAND, consistent=True, case="lower", unknown_text="unk")
    for text in ("xyzzy plugh", "cat cat's", "don't don\u2019t", "Ünk'nown unknown", "\ud800 \ud801"):
        released = rewriter.release([text] * 400)
        differ = sum(len(set(each.split())) == 2 for each in released)
        # P[two draws of a nearly even law over ten words differ] is .9: below 300 of 400 once in 1e20.
        assert differ > 300
    for text in ("xyzzy Xyzzy", "Ünknown ünknown", "STRASSE straße", "\u017fat Sat", "a@b.org A@B.ORG"):
        assert all(len(set(each.split())) == 1 for each in rewriter.release([text] * 50))
    # Texts do not share draws.
    assert len(set(rewriter.release(["xyzzy"] * 50))) > 2


def test_capitals_that_are_kept_are_to_be_the_same():
    guarantee = tv.TextRewriter(BLAND, case="keep").guarantee
    assert "with ASCII capitals alike in each word" in str(guarantee)
    assert units_apart(guarantee, "paris", "Paris") is None
    assert units_apart(guarantee, "A cat", "AB cat") is None
    assert units_apart(guarantee, "O\u00f9 cat", "On cat") is not None
    assert not tv.TextRewriter(BLAND).guarantee.relation.condition


@settings(max_examples=300)
@given(word=st.from_regex(r"[A-Za-z\u00c9\u00e9\u0416\u01c5][A-Za-z0-9'\u00c0\u00e0\u00e9\u0436]{0,4}", fullmatch=True))
def test_the_capitals_that_are_kept_are_those_that_the_condition_names(word):
    words = [word[start:end] for start, end in words_in(word)]
    kept = tv.TextRewriter(BLAND, case="keep", unknown_text="unk").release(word)
    assert [capitals_of(each) for each in words] == [
        2 if kept[start:end].isupper() else int(kept[start].isupper()) for start, end in words_in(kept)
    ]


def test_a_choice_of_words_that_says_nothing_of_what_it_reveals_promises_no_more():
    class Nobody(EveryWord):
        def mask(self, text, words, lookup):
            return np.zeros(len(words), dtype=bool)

    guarantee = tv.TextRewriter(BLAND, protect=Nobody()).guarantee
    assert guarantee.relation.condition == LEFT_OUT_CONDITION
    assert "every word that is not protected" in str(guarantee)
    with pytest.raises(TypeError):
        AllBut(("the",), reveals=())


@pytest.mark.parametrize(
    "mask",
    [
        lambda count: (np.arange(count) > 0).astype(int),
        lambda count: np.ones(count + 1, dtype=bool),
        lambda count: [True] * count,
        lambda count: None,
    ],
)
def test_a_choice_of_words_that_is_no_mask_releases_nothing(mask):
    class Own(EveryWord):
        def mask(self, text, words, lookup):
            return mask(len(words))

    with pytest.raises(InvalidInputError, match="the mask of Own must be a NumPy array of bool"):
        tv.TextRewriter(BLAND, protect=Own()).release("patient anna has cancer")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"protect": ["the"]}, "protect must be EveryWord"),
        ({"protect": lambda word: True}, "protect must be EveryWord"),
        ({"protect": EveryWord}, "protect must be EveryWord"),
        ({"consistent": "no"}, "consistent must be True or False"),
        ({"unknown_text": 5}, "unknown_text must be a text"),
    ],
)
def test_what_a_rewriter_can_not_do_is_refused_at_once(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        tv.TextRewriter(BLAND, **parameters)


def test_a_class_of_ones_own_is_not_brought_back_as_the_one_it_comes_from():
    class Fewer(AllBut):
        pass

    for own in (type("All", (EveryWord,), {})(), Fewer(("the",))):
        made = tv.TextRewriter(BLAND, protect=own)
        assert made.spec()["protect"] not in ("every word", {"all but": ["the"]})
        with pytest.raises(InvalidInputError, match="make the TextRewriter with protect="):
            tv.from_spec(made.spec(), objects={"vocabulary": made.mechanism.vocabulary})


def test_equal_words_get_fresh_noise_by_default():
    texts = tv.TextRewriter(BLAND, case="lower").release(["cat cat cat cat cat cat"] * 20)
    assert all(len(set(text.split())) > 1 for text in texts)


def test_a_keyed_text_repeats_whatever_its_batch():
    rewriter = tv.TextRewriter(BLAND)
    key = bytes(32)
    texts = ["the cat sat on the mat " * 5, NASTY, "the dog"]
    batch = rewriter.release(texts, source=tv.RandomSource.keyed(key, 10))
    assert batch == rewriter.release(texts, source=tv.RandomSource.keyed(key, 10))
    assert batch[1] == rewriter.release(texts[1], source=tv.RandomSource.keyed(key, 11))
    edited = rewriter.release(texts[0] + "!", source=tv.RandomSource.keyed(key, 10))
    assert edited.split()[:20] != batch[0].split()[:20]


def test_rewriting_follows_the_law_of_the_words():
    rewriter = tv.TextRewriter(tv.Exponential(VOCABULARY, epsilon=1.0), case="lower", unknown_text="unk")
    drawn = rewriter.release(" ".join(["cat"] * 60_000), source=tv.RandomSource.seeded(2)).split()
    counts = np.array([drawn.count(word) for word in WORDS])
    expected = 60_000 * rewriter.mechanism.transition_rows(np.array([2]))[0]
    from scipy import stats

    assert stats.chisquare(counts, expected).pvalue > 1e-7


def test_columns_come_back_in_kind():
    import pyarrow as pa

    pd = pytest.importorskip("pandas")
    rewriter = tv.TextRewriter(FAITHFUL, case="lower")
    series = pd.Series(["the cat", None, "the dog"], index=[3, 5, 7], name="text")
    out = rewriter.release(series)
    assert out.index.tolist() == [3, 5, 7]
    assert out.name == "text"
    assert out[3] == "the cat"
    assert pd.isna(out[5])
    array = pa.array(["the cat", None])
    assert rewriter.release(array).equals(array)
    chunked = pa.chunked_array([["the cat"], [None, "the dog"]])
    assert rewriter.release(chunked).to_pylist() == chunked.to_pylist()


def test_a_dataset_column_is_rewritten_and_the_rest_stays():
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"id": [7, 8], "text": ["the cat sat", None], "label": [0.5, 1.5]})
    released = tv.TextRewriter(FAITHFUL, case="lower").release_dataset(data, "text")
    assert released.column_names == ["id", "text", "label"]
    assert list(released["text"]) == ["the cat sat", None]
    assert list(released["label"]) == [0.5, 1.5]
    assert released.features == data.features
    assert "cat" not in str(tv.TextRewriter(BLAND).release_dataset(data.select([1]), "text")["text"][:])
    with pytest.raises(tv.InvalidInputError, match="id, text, label"):
        tv.TextRewriter(FAITHFUL).release_dataset(data, "body")


def test_a_categorical_column_does_not_carry_its_originals():
    pd = pytest.importorskip("pandas")
    released = tv.TextRewriter(BLAND).release(pd.Series(["secretname one", "secretname two"], dtype="category"))
    assert not released.isna().any()
    assert not hasattr(released.dtype, "categories")
    assert "secretname" not in str(released.tolist())


def test_iterators_are_read_once_and_to_the_end():
    rewriter = tv.TextRewriter(FAITHFUL, case="lower")
    assert rewriter.release(text for text in ["the cat", "the dog"]) == ["the cat", "the dog"]


@pytest.mark.parametrize("private", [{"a": "the cat"}, {"the cat"}])
def test_what_has_no_order_or_is_a_table_is_refused(private):
    with pytest.raises(tv.InvalidInputError, match="give one column"):
        tv.TextRewriter(BLAND).release(private)


def test_a_table_is_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(tv.InvalidInputError, match="give one column"):
        tv.TextRewriter(BLAND).release(pd.DataFrame({"text": ["the cat"]}))


def test_different_protections_never_let_two_words_meet_the_same_noise():
    """Under one key: what B protects must not be what A protected, shifted by a word."""
    key = tv.RandomSource.keyed(bytes(32))
    texts = ["cat dog dog"] * 300
    for a, b in [
        (Where(lambda word: True), Where(lambda word: word != "cat")),
        (AllBut(("mat",)), AllBut(("cat",))),
    ]:
        first = [t.split() for t in tv.TextRewriter(BLAND, protect=a, case="lower").release(texts, source=key)]
        second = [t.split() for t in tv.TextRewriter(BLAND, protect=b, case="lower").release(texts, source=key)]
        assert sum(x[1] == y[2] for x, y in zip(first, second, strict=True)) < 100
    spans = tv.TextRewriter(BLAND, case="lower").release(texts, source=key, spans=[[(4, 11)]] * 300)
    plain = tv.TextRewriter(BLAND, case="lower").release(texts, source=key)
    assert sum(x.split()[1] == y.split()[2] for x, y in zip(plain, spans, strict=True)) < 100


def test_spans_go_with_missing_texts():
    pd = pytest.importorskip("pandas")
    released = tv.TextRewriter(BLAND, case="lower").release(pd.Series(["the cat", None]), spans=[[(0, 3)], []])
    assert released[0].endswith(" cat")
    assert pd.isna(released[1])


@pytest.mark.parametrize("private", [5, b"bytes", [1], [b"x"], None])
def test_what_is_no_text_is_refused(private):
    with pytest.raises(ValueError, match="texts must be"):
        tv.TextRewriter(BLAND).release(private)


def test_the_guarantee_is_that_of_the_words_added_up():
    guarantee = tv.TextRewriter(tv.Exponential(VOCABULARY, epsilon=2.0, radius=1.5)).guarantee
    assert guarantee.unit is tv.Unit.TEXT
    assert guarantee.text_loss([1.0, 5.0]) == 2.0 + 3.0
    assert "never counts above 1.5" in str(guarantee)
    assert "layout" in str(guarantee)


def test_a_receipt_has_no_content():
    receipt = tv.TextRewriter(BLAND).release_with_receipt([NASTY]).receipt
    text = receipt.to_json()
    assert "jane" not in text
    assert receipt.items == 1
    assert receipt.mechanism["words"]["vocabulary"] == VOCABULARY.digest


def test_only_word_mechanisms_rewrite():
    with pytest.raises(tv.InvalidInputError, match="releases words"):
        tv.TextRewriter(tv.Laplace(epsilon=1.0, dimension=3))
