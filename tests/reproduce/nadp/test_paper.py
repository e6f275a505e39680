from __future__ import annotations

import numpy as np
import pytest
from tests.measure.tasks.generated import write_data

from textveil.errors import InvalidInputError
from textveil.noise.gaussian_curve import gaussian_scale
from textveil.reproduce import reproduce
from textveil.reproduce.nadp import parts as module
from textveil.reproduce.nadp.mechanisms import (
    DELTA,
    GAUSSIAN,
    JACCARD,
    LAPLACIAN,
    MAHALANOBIS,
    NADP,
    OURS,
    THRESHOLD,
    facts_of,
    released,
)
from textveil.reproduce.nadp.neighbours import PAPER, authors_sensitivities
from textveil.reproduce.nadp.paper import Plan, paper
from textveil.reproduce.nadp.showing import _grows, _grows_with_threshold, _near_zero, _nearest, _never_discloses
from textveil.vocabulary import Vocabulary

TINY = Plan(
    epsilons=(0.8, 40.0), runs=2, rows=100, thresholds=(0.1, THRESHOLD), skewed_epsilons=(1.0, 40.0), skewed_runs=2,
    sampled=60, deviations=(0.0, 0.5, 1.0),
)  # fmt: skip
MECHANISMS = (NADP, GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD, OURS)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(autouse=True)
def _cached(monkeypatch, cache):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(cache))


@pytest.fixture(scope="module")
def made(data, cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEXTVEIL_CACHE", str(cache))
        return paper(data=data, plan=TINY)


def test_every_part_is_measured_and_shown(made):
    assert {record["part"] for record in made.records} == {"Figure 2", "Figure 3", "Figure 4"}
    for told in (
        "Figure 2 (a)",
        "Figure 3",
        "Figure 4",
        "Table 1",
        "What the paper says",
        "GloVe 42B could not be had",
    ):
        assert told in made.section
    assert {one["mechanism"] for one in made.records if one["part"] == "Figure 2"} >= set(MECHANISMS)


def test_the_picture_is_drawn(made, tmp_path):
    written = made.save(tmp_path / "figure.png")
    assert [path.suffix for path in written] == [".png", ".json", ".csv"]


def test_a_second_run_takes_every_cell_from_the_disk(made, data, monkeypatch):
    def never(*_):
        raise AssertionError("measured again")

    for name in ("released_scores", "released_privacy", "histogram", "nearest_words"):
        monkeypatch.setattr(module, name, never)
    assert list(paper(data=data, plan=TINY).records) == list(made.records)


def test_clean_words_score_above_chance_and_shuffled_answers_fall_to_it(made):
    def scores(mechanism):
        return {
            one["measure"]: one["mean"]
            for one in made.records
            if one["part"] == "Figure 2" and one["mechanism"] == mechanism
        }

    clean, shuffled, chance = scores("no noise"), scores("no noise, shuffled answers"), scores("chance")
    for task, level in chance.items():
        assert clean[task] > level + 0.2
        assert abs(shuffled[task] - level) < 0.2


def test_without_noise_the_skewness_is_best_and_every_word_is_found(made):
    found = {one["measure"]: one["mean"] for one in made.records if one["part"] == "Figure 4" and one["epsilon"] == 0.0}
    assert found["skewness"] == 0.0
    assert found["recovered"] == 1.0
    assert found["overlap bin 9"] == 1.0


@pytest.fixture(scope="module")
def facts():
    rng = np.random.default_rng(4)
    points = rng.standard_normal((200, 8))
    points[100:] = points[:100] + 0.05 * rng.standard_normal((100, 8))
    return facts_of(Vocabulary([f"w{i}" for i in range(200)], points), (0.1, THRESHOLD))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_more_epsilon_is_closer_and_a_run_repeats(facts, mechanism):
    ids = np.arange(200)
    points = facts.vocabulary.points
    errors = []
    for epsilon in (0.5, 50.0):
        release = released(facts, mechanism, epsilon)
        found, other = release(ids, 2)
        assert (found == next(release(ids, 2))).all()
        assert epsilon > 1 or not (found == other).all()
        errors.append(np.linalg.norm(found - points, axis=1).mean())
    assert errors[1] < errors[0]


def test_the_noise_of_each_mechanism_has_the_size_that_the_paper_says(facts):
    ids = np.repeat(np.arange(200), 20)
    scale, points = gaussian_scale(2.0, DELTA), facts.vocabulary.points[ids]

    def deviation(mechanism, some):
        return np.sqrt(np.mean(np.square(next(released(facts, mechanism, 2.0)(ids, 1)) - points)[some]))

    everyone = np.ones(len(ids), dtype=bool)
    # 32,000 squares each: five deviations of a mean square are 4%, of its root 2%.
    assert deviation(GAUSSIAN, everyone) == pytest.approx(scale * facts.longest[0], rel=0.02)
    assert deviation(LAPLACIAN, everyone) == pytest.approx(2**0.5 * facts.longest[1] / 2.0, rel=0.03)
    joined = facts.sensitivities[THRESHOLD][ids] > 0
    expected = scale * np.sqrt(np.mean(facts.sensitivities[THRESHOLD][ids][joined] ** 2))
    assert deviation(NADP, joined) == pytest.approx(expected, rel=0.05)
    assert deviation(JACCARD, everyone) == pytest.approx(np.sqrt(np.mean(facts.jaccard**2)) / 2.0, rel=0.03)


def test_the_authors_table_is_counted(data):
    found = authors_sensitivities(data)
    assert found["words"] == 242
    assert found["without noise"]["0.50"] > found["without noise"]["0.10"]
    assert set(found["of table 1"]) == {"misogynist", "police", "hitler", "wikileaks", "fbi"}


def test_the_published_neighbours_stand_beside_ours():
    rows = [{"word": "police", "no noise": "a, b, c", "Mahalanobis": "d, e, f"}]
    table = _nearest(rows)
    assert table.header[-3:] == ["published, no noise", "published, Mahalanobis", "published, NADP"]
    assert table.rows == [["police", "a, b, c", "d, e, f", *PAPER["police"]]]


def skewed(values, *, part="Figure 3", runs=3):
    about = {"part": part, "data": "", "measure": "skewness", "around": 0.1 if runs > 1 else None, "runs": runs}
    return [
        {**about, "mechanism": name, "epsilon": epsilon, "mean": mean}
        for name, found in values.items()
        for epsilon, mean in found.items()
    ]


def test_skewness_is_compared_from_threshold_to_threshold():
    values = {"NADP, τ = 0.1": {1.0: 1.0, 5.0: 1.0}, "NADP, τ = 0.3": {1.0: 2.0, 5.0: 2.5}}
    told, verdict = _grows_with_threshold(skewed(values))
    assert told == "+1.00 to +1.50; 2 of 2 above 0 (2 clearly)"
    assert verdict == "yes"
    assert _grows_with_threshold(skewed({name: {1.0: -found[1.0]} for name, found in values.items()}))[1] == "no"


def test_near_zero_is_by_distance_and_below_epsilon_5():
    others = {name: {1.0: 9.0, 5.0: 0.0} for name in (GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD)}
    told, verdict = _near_zero(skewed({**others, OURS: {1.0: 0.0}, "NADP, τ = 0.5": {1.0: -2.0, 5.0: 3.0}}))
    assert told == "NADP -2.00 to -2.00, others 9.00 to 9.00; nearer to 0 by +7.00 to +7.00; 4 of 4 above 0 (4 clearly)"
    assert verdict == "yes"
    assert _near_zero(skewed({**others, "NADP, τ = 0.5": {1.0: -10.0}}))[1] == "no"


def test_single_runs_of_figure_4_decide_nothing():
    noise = skewed({GAUSSIAN: {0.0: 5.0, 0.1: 1.0, 0.2: 2.0, 0.3: 1.9}}, part="Figure 4", runs=1)
    told, verdict = _grows(noise)
    assert told == "1.00 to 1.90, by steps of -0.10 to +1.00; 1 of 2 above 0 (0 clearly), 1 below (0 clearly)"
    assert verdict == "not decided"


def test_a_word_that_is_nearest_to_its_own_release_is_disclosed():
    rows = [{"word": "fbi", "no noise": "fbi, cia", "NADP, τ = 0.1": "a, b", "NADP, τ = 0.5": "cia, fbi"}]
    assert _never_discloses(rows).measured([]) == ("NADP, τ = 0.1: none; NADP, τ = 0.5: fbi", "no")
    rows[0]["NADP, τ = 0.5"] = "a, fbis"
    assert _never_discloses(rows).measured([])[1] == "yes"
    assert _never_discloses([]).measured([]) == ("none of the words is known", "not decided")


def test_it_reads_data_from_a_folder(tmp_path):
    with pytest.raises(InvalidInputError, match="name their folder by --data"):
        reproduce("nadp")
    with pytest.raises(InvalidInputError, match="no file"):
        reproduce("nadp", data=tmp_path)
