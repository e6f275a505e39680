import copy
import pickle

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary


class Taxicab:
    """A space of its own, to see that nothing assumes the Euclidean one."""

    dimension = 2
    metric = "taxicab distance"

    def distances(self, a, b):
        return np.abs(a[:, None] - b[None]).sum(axis=2)

    def relative_error(self, points):
        return 0.0


@pytest.fixture
def small():
    return Vocabulary(["a", "b", "unk", "c"], [[0, 0], [1, 0.5], [0, 3], [-2, 1]])


def test_it_keeps_words_in_order_and_knows_its_size(small):
    assert small.words == ("a", "b", "unk", "c")
    assert len(small) == 4
    assert small.dimension == 2
    assert "b" in small
    assert "z" not in small
    assert 3 not in small
    assert small.space == Euclidean(2)


def test_words_outside_the_table_become_the_unknown_word(small):
    assert small.ids(["c", "zebra", "A", "a"]).tolist() == [3, 2, 2, 0]
    assert small.ids([]).dtype == np.int64
    assert small.words_of(small.ids(("b", "nope"))) == ["b", "unk"]


def test_unknown_is_the_one_named_then_unk_then_the_word_nearest_the_mean():
    words, vectors = ["far", "mid", "away"], [[9.0], [0.5], [-8.0]]
    assert Vocabulary(words, vectors).unknown == "mid"
    assert Vocabulary(words, vectors, "away").unknown_id == 2
    assert Vocabulary([*words[:2], "unk"], vectors).unknown == "unk"
    with pytest.raises(InvalidInputError, match=r"unknown='nope' must be a word of the table"):
        Vocabulary(words, vectors, unknown="nope")


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (["a", "b", "a"], np.zeros((3, 2)), "'a' occurs twice"),
        (["a", ""], np.zeros((2, 2)), "item 1 is ''"),
        (["a", 5], np.zeros((2, 2)), "item 1 is 5"),
        (["a"], np.zeros((1, 2)), "at least 2 words"),
        ([], np.zeros((0, 2)), "at least 2 words"),
        ("ab", np.zeros((2, 2)), "not one string"),
        (["a", "\ud800"], np.zeros((2, 2)), "UTF-8"),
        (["a", "b"], np.zeros((3, 2)), r"shape \(2, dimension\)"),
        (["a", "b"], np.zeros(2), r"shape \(2, dimension\)"),
        (["a", "b"], np.zeros((2, 0)), "between 1 and"),
        (["a", "b"], np.zeros((2, 2), dtype=complex), "real numbers"),
        (["a", "b"], [["x", "y"], ["z", "w"]], "real numbers"),
        (["a", "b"], [[0, 1], [0, np.nan]], "vector of 'b' must be finite"),
        (["a", "b"], [[0, np.inf], [0, 1]], "vector of 'a' must be finite"),
        (["a", "b"], [[0, 1e300], [0, 1]], "below 2"),
        (["a", "b"], [[0, 1e-9], [1e-9, 0]], "below the lattice step"),
    ],
)
def test_it_refuses_what_it_can_not_use(words, vectors, message):
    with pytest.raises(InvalidInputError, match=message):
        Vocabulary(words, vectors)


def test_a_space_of_another_dimension_is_refused():
    with pytest.raises(InvalidInputError, match="3 dimensions"):
        Vocabulary(["a", "b"], np.eye(2), space=Euclidean(3))


def test_private_words_are_never_quoted_in_errors(small):
    with pytest.raises(InvalidInputError, match="pass a list"):
        small.ids("secret")
    with pytest.raises(InvalidInputError, match="item 1 is bytes") as caught:
        small.ids(["a", b"secret"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("ids", [[4], [-1], [0.5], [[0]], 3, ["a"]])
def test_ids_outside_the_table_are_refused(small, ids):
    with pytest.raises(InvalidInputError, match="ids must be"):
        small.words_of(ids)


def test_it_can_not_be_changed(small):
    with pytest.raises(ValueError, match="read-only"):
        small.points[0, 0] = 1
    with pytest.raises(AttributeError):
        small.words = ("x",)
    with pytest.raises(AttributeError):
        small.other = 1


def test_changing_the_input_afterwards_changes_nothing():
    vectors = np.ones((2, 2))
    vocabulary = Vocabulary(["a", "b"], vectors)
    vectors[:] = 7
    assert (vocabulary.points == 1).all()


def test_equal_content_means_equal_digest_and_hash(small):
    again = Vocabulary(list(small.words), small.points.astype(np.float64) + 2**-24)
    assert again == small
    assert len({again, small}) == 1
    assert small != "vocabulary"


@pytest.mark.parametrize(
    "other",
    [
        lambda v: Vocabulary(v.words, v.points, "a"),
        lambda v: Vocabulary(["ab", *v.words[1:]], v.points),
        lambda v: Vocabulary(v.words, v.points[::-1]),
        lambda v: Vocabulary(v.words, v.points, space=Taxicab()),
        lambda v: v.subset(3),
    ],
)
def test_any_difference_changes_the_digest(small, other):
    assert other(small).digest != small.digest


def test_the_digest_is_a_fixed_function_of_the_content(small):
    assert small.digest == "d7cb8b09379310d082f1a14ebc6edcc853d43f4326b48b97037baacb1728e350"


def test_the_digest_does_not_depend_on_the_precision_of_storage():
    vectors = np.array([[0.5, -0.0], [20.0, 1.0]])
    single = Vocabulary(["a", "b"], vectors)
    double = pickle.loads(pickle.dumps(single))  # noqa: S301
    double._points = single.points.astype(np.float64)
    assert single.points.dtype == np.float32
    assert double.digest == single.digest


def test_pickles_and_copies_are_equal_and_still_read_only(small):
    again = pickle.loads(pickle.dumps(small))  # noqa: S301
    assert again == small
    assert again.ids(["zebra"]).tolist() == [2]
    assert not again.points.flags.writeable
    assert copy.copy(small) is small
    assert copy.deepcopy(small) is small


def test_a_subset_keeps_the_unknown_word(small):
    assert small.subset(2).words == ("a", "b", "unk")
    assert small.subset(3).words == ("a", "b", "unk")
    assert small.subset(99) == small
    with pytest.raises(InvalidInputError, match="count"):
        small.subset(0)


def test_blocks_are_float64_rows(small):
    assert small.block(1, 3).dtype == np.float64
    assert (small.block(1, 3) == small.points[1:3]).all()


def test_it_prints_shortly(small):
    assert repr(small) == "Vocabulary(4 words, 2 dimensions, unknown='unk')"
    assert "Euclidean distance" in small._repr_html_()
    assert "<script>" not in Vocabulary(["<script>", "b"], np.eye(2))._repr_html_()


def test_nearest_takes_one_point_or_many(small):
    assert small.nearest([0.9, 0.4]).tolist() == [1]
    assert small.nearest([[0, 2.9], [-3, 0]]).tolist() == [2, 3]
    assert small.nearest(np.zeros((0, 2))).tolist() == []
    assert small.nearest(np.array([[1, 0]])).dtype == np.int64


@pytest.mark.parametrize("points", [[1, 2, 3], [[1], [2]], 5, [["a", "b"]], [[np.nan, 0]], [[0, np.inf]]])
def test_nearest_refuses_what_is_no_point(small, points):
    with pytest.raises(InvalidInputError, match="points must be"):
        small.nearest(points)


def test_other_spaces_decide_what_is_nearest():
    words, vectors = ["diagonal", "axis", "same"], [[2.0, 2.0], [0.0, 3.0], [0.0, 3.0]]
    assert Vocabulary(words, vectors).nearest([0, 0]).tolist() == [0]
    assert Vocabulary(words, vectors, space=Taxicab()).nearest([0, 0]).tolist() == [1]
    with pytest.raises(InvalidInputError, match="points must be"):
        Vocabulary(words, vectors, space=Taxicab()).nearest([0, np.nan])
