from __future__ import annotations

import numpy as np
import pytest
from tests.measure.tasks.generated import write_data

from textveil.errors import InvalidInputError
from textveil.measure.tasks import Lexicon
from textveil.mechanisms.laplace import Laplace
from textveil.reproduce import reproduce
from textveil.reproduce.privemb import parts as module
from textveil.reproduce.privemb.distances import errors, true_sizes, words_compared
from textveil.reproduce.privemb.mechanisms import M2, MAKERS, OURS, target_of
from textveil.reproduce.privemb.paper import Plan, paper
from textveil.reproduce.privemb.showing import CLAIMS, _ahead
from textveil.reproduce.privemb.words import Table, noise_source, opinion_scores

TINY = Plan(
    epsilons=(2.0,), betas=(0.7,), pairs=20, runs=2, word_epsilons=(2.0, 40.0), word_betas=(0.9,),
    dimensions=((4, 0.93),), whole=8, trained_epsilons=(20.0,), trained_runs=2, texts=150, epochs=3,
    sentence_runs=2, unchanged=50,
)  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(autouse=True)
def _cached(monkeypatch, cache):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(cache))
    # In few dimensions no beta reduces anything by the paper's formula.
    monkeypatch.setattr("textveil.reproduce.privemb.mechanisms.published_target", lambda **_: 4)


@pytest.fixture(scope="module")
def made(data, cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEXTVEIL_CACHE", str(cache))
        patch.setattr("textveil.reproduce.privemb.mechanisms.published_target", lambda **_: 4)
        return paper(data=data, plan=TINY)


def test_every_part_is_measured_and_shown(made):
    parts = {record["part"] for record in made.records}
    assert parts == {"unchanged", "Figures 1 and 2", "Figure 3", "Figure 4", "Table 1"}
    for told in ("Figure 1", "Figure 2", "Figure 3", "Figure 4", "Table 1", "What the paper says", "fastText"):
        assert told in made.section
    assert len(made.tables) == made.section.count("\n| --- |")


def test_the_picture_is_drawn(made, tmp_path):
    written = made.save(tmp_path / "figure.png")
    assert [path.suffix for path in written] == [".png", ".json", ".csv"]
    assert all(path.stat().st_size > 1000 for path in written)


def test_a_second_run_takes_every_cell_from_the_disk(made, data, monkeypatch):
    def never(*_):
        raise AssertionError("measured again")

    for name in ("errors", "opinion_scores", "sentence_scores", "trained"):
        monkeypatch.setattr(module, name, never)
    assert list(paper(data=data, plan=TINY).records) == list(made.records)


def test_released_words_are_still_told_apart_and_shuffled_ones_are_not(made):
    found = {
        (one["mechanism"], one["epsilon"]): one["mean"]
        for one in made.records
        if one["part"] == "Figure 3" and one["measure"] == "accuracy"
    }
    assert found["no privacy", None] > 0.9
    assert found["M1", 40.0] > 0.8
    assert abs(found["labels shuffled, M1", 40.0] - 0.5) < 0.25


def test_errors_are_the_differences_of_distances_and_products():
    vectors = np.random.default_rng(0).standard_normal((60, 6))
    pairs = words_compared(60, 10)
    assert len(set(pairs.ravel().tolist())) == 20
    still = errors(Laplace(epsilon=1e7, dimension=6), vectors, pairs, 0)
    assert still["distance"] < 1e-4
    assert still["distance, correlation"] > 0.9999
    # 2 x the mean length of the noise, d / epsilon each, at most; far more than the bias-free estimate is off.
    noisy = errors(Laplace(epsilon=0.5, dimension=6), vectors, pairs, 0)
    assert 4 < noisy["distance"] < 24
    assert noisy["distance, mended"] < noisy["distance"]


def test_errors_are_read_against_true_sizes():
    vectors = np.array([[3.0, 0.0], [0.0, 4.0], [0.0, -4.0], [0.0, -8.0]])
    found = true_sizes(vectors, np.array([[0, 1], [2, 3]]))
    # 5, sqrt(73), 8 and 12; 0, 0, 16 and 32.
    lengths = [5.0, 73**0.5, 8.0, 12.0]
    assert found["distance"] == pytest.approx(np.mean(lengths))
    assert found["deviation of distances"] == pytest.approx(np.std(lengths))
    assert found["inner product"] == 12.0


def compared(names, *, same_beta=False, part="Figure 4"):
    about = {"part": part, "data": "", "measure": "accuracy", "epsilon": 1.0, "around": 0.01, "runs": 5}
    records = [{**about, "mechanism": name, "mean": mean} for name, mean in names.items()]
    ahead, behind = ("A1", M2) if part == "Figure 4" else (OURS, M2)
    return _ahead(ahead, behind, part, "accuracy", same_beta=same_beta)(records)


def test_a1_is_compared_without_its_variant():
    told, verdict = compared({"A1": 0.6, "A1, as far apart as 300 dimensions": 0.4, M2: 0.5})
    assert told == "+10.0 to +10.0 points; 1 of 1 above 0 (1 clearly)"
    assert verdict == "yes"


def test_ours_is_compared_with_m2_of_the_same_beta():
    names = {f"{name}, β = {beta}": mean for name, beta, mean in
             [(M2, 0.5, 0.5), (M2, 0.9, 0.7), (OURS, 0.5, 0.6), (OURS, 0.9, 0.8)]}  # fmt: skip
    told, verdict = compared(names, same_beta=True, part="Figure 3")
    assert told == "+10.0 to +10.0 points; 2 of 2 above 0 (2 clearly)"
    assert verdict == "yes"


def test_every_claim_has_a_verdict(made):
    for claim in CLAIMS:
        told, verdict = claim.measured(made.records)
        assert told
        assert verdict in ("yes", "no", "not decided")


def test_ours_has_the_dimensions_of_m2_and_no_delta():
    table = np.rint(np.random.default_rng(1).standard_normal((30, 8)) * 1024) / 1024
    ours, published = (MAKERS[name](table, 0.9, 5.0, 0) for name in (OURS, M2))
    assert ours.released_dimension == published.released_dimension == 4
    assert ours.guarantee.delta == 0
    assert published.guarantee.delta > 0


def test_the_paper_s_betas_leave_its_dimensions(monkeypatch):
    from textveil.mechanisms.privemb.published import published_target

    monkeypatch.setattr("textveil.reproduce.privemb.mechanisms.published_target", published_target)
    assert [target_of(300, beta) for beta in (0.93, 0.66, 0.468)] == [50, 100, 200]


def test_clean_words_are_scored_without_a_mechanism():
    words = tuple(f"w{i}" for i in range(40))
    positive = tuple(i % 2 == 0 for i in range(40))
    vectors = np.array([[1.0 if one else -1.0, 0.5] for one in positive])
    assert opinion_scores(Lexicon("l", words, positive), Table(list(words), vectors), None, 0)["accuracy"] == 1.0


def test_vectors_may_be_put_as_far_apart_as_others():
    rng = np.random.default_rng(2)
    small, large = Table(["a"] * 50, rng.standard_normal((50, 3))), Table(["b"] * 50, 7 * rng.standard_normal((50, 9)))
    scaled = small.scaled_like(large).vectors
    spreads = [np.square(v - v.mean(axis=0)).sum() for v in (scaled, large.vectors)]
    assert spreads[0] == pytest.approx(spreads[1])


def test_noise_is_drawn_anew_for_each_epsilon_and_run():
    """Mean cosines of 2,000 pairs of noises in 6 dimensions: 5 deviations are .046; of shared noise they are 1."""
    points = np.random.default_rng(3).standard_normal((2000, 6))

    def directions(epsilon, run):
        noise = Laplace(epsilon=epsilon, dimension=6).release(points, source=noise_source(run))
        return (noise - points) / np.linalg.norm(noise - points, axis=1, keepdims=True)

    first, again = directions(1.0, 0), directions(1.0, 0)
    assert np.sum(first * again, axis=1).mean() == pytest.approx(1.0)
    for other in (directions(1.0, 1), directions(2.0, 0)):
        assert abs(np.sum(first * other, axis=1).mean()) < 0.046


def test_it_reads_data_from_a_folder(tmp_path):
    with pytest.raises(InvalidInputError, match="name their folder by --data"):
        reproduce("privemb")
    with pytest.raises(InvalidInputError, match="no file"):
        reproduce("privemb", data=tmp_path)
