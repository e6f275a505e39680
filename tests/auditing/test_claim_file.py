"""A promise in a file: every field is read, and whatever is wrong is said in one line."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.claim_file import TEMPLATE, ClaimFile
from textveil.errors import InvalidInputError

PAIRS = "pairs: [[[1.0, 0.0], [0.0, 1.0]]]\n"
ANY = "unit: vector\nrelation: any\nepsilon: 1\n"


def load(tmp_path, text, name="claim.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return ClaimFile.load(path)


def test_the_template_is_a_claim(tmp_path):
    told = load(tmp_path, TEMPLATE)
    assert told.claim.epsilon == 1.0
    assert told.claim.relation.pairs is tv.Pairs.METRIC
    assert told.claim.unit is tv.Unit.VECTOR
    assert not told.batch
    assert len(told.pairs) == 4
    for x, y, distance in told.pairs:
        assert x.shape == (8,)
        assert distance == pytest.approx(np.linalg.norm(x - y))
        assert max(np.linalg.norm(x), np.linalg.norm(y)) <= 1.0 + 1e-12


def test_what_is_claimed_is_not_called_proved(tmp_path):
    told = load(tmp_path, TEMPLATE)
    assert told.claim.status is tv.Status.CONDITIONAL
    assert "claim.yaml" in str(told.claim)
    assert "Proved" not in str(told.claim)


def test_json_says_the_same_as_yaml(tmp_path):
    fields = {"unit": "word", "relation": "within", "metric": "our table", "radius": 2.5, "epsilon": 0.5, "delta": 1e-6}
    fields |= {"reveals": ["the number of words"], "batch": True, "pairs": [{"x": "a", "y": "b", "distance": 1.5}]}
    by_json = load(tmp_path, json.dumps(fields), "claim.json")
    assert by_json.claim.relation == tv.Relation(pairs=tv.Pairs.WITHIN, metric="our table", radius=2.5)
    assert (by_json.claim.epsilon, by_json.claim.delta) == (0.5, 1e-6)
    assert by_json.claim.reveals == ("the number of words",)
    assert by_json.pairs == (("a", "b", 1.5),)
    assert by_json.batch
    by_yaml = load(tmp_path, json.dumps(fields), "claim.yml")
    assert (by_yaml.pairs, by_yaml.batch, by_yaml.claim.loss(1.5)) == (by_json.pairs, True, 0.5)


def test_a_text_is_claimed_for_each_word_or_as_a_whole(tmp_path):
    text = ANY.replace("vector", "text") + 'pairs: [["a b", "c d"]]\n'
    assert load(tmp_path, text).claim.by_words
    assert not load(tmp_path, text + "whole: true\n").claim.by_words


def test_long_vectors_take_no_more_room_than_they_need(tmp_path):
    """The identity matrix of this dimension would have 800 GB."""
    told = load(tmp_path, ANY + "inputs: {dimension: 320000, clip: 1}\n")
    assert told.pairs[0][0].shape == (320000,)


def test_numbers_that_yaml_takes_for_text_are_numbers(tmp_path):
    assert load(tmp_path, ANY + "delta: 1e-5\n" + PAIRS).claim.delta == 1e-5


@pytest.mark.parametrize(
    ("metric", "distance"), [("euclidean", math.sqrt(2)), ("L2", math.sqrt(2)), ("l1", 2.0), ("a table", 3.0)]
)
def test_distances_are_computed_where_the_metric_is_known_and_read_where_not(tmp_path, metric, distance):
    pair = "[[1.0, 0.0], [0.0, 1.0], 3.0]" if metric == "a table" else "[[1.0, 0.0], [0.0, 1.0]]"
    told = load(tmp_path, f"unit: vector\nrelation: metric\nmetric: {metric}\nepsilon: 1\npairs: [{pair}]\n")
    assert told.pairs[0][2] == pytest.approx(distance)


@pytest.mark.parametrize("metric", ["euclidean", "l1", "hyperbolic"])
def test_pairs_that_are_made_lose_what_is_easiest_to_test(tmp_path, metric):
    told = load(tmp_path, f"unit: vector\nrelation: metric\nmetric: {metric}\nepsilon: 2.5\ninputs: {{dimension: 3}}\n")
    losses = [told.claim.loss(distance) for _, _, distance in told.pairs]
    assert losses == pytest.approx([2.0, 0.5] * 2)


def test_pairs_that_are_made_stay_within_the_clip_and_the_radius(tmp_path):
    told = load(tmp_path, ANY + "inputs: {dimension: 5, clip: 3.0}\n")
    assert [np.linalg.norm(x) for x, _, _ in told.pairs] == pytest.approx([3.0, 3.0])
    near = "unit: vector\nrelation: within\nmetric: l1\nradius: 0.7\nepsilon: 1\ninputs: {dimension: 5}\n"
    assert all(0.69 < distance <= 0.7 for _, _, distance in load(tmp_path, near).pairs)
    assert len(load(tmp_path, ANY + "inputs: {dimension: 1, clip: 3.0}\n").pairs) == 1


def test_words_lists_of_words_and_matrices_are_inputs_too(tmp_path):
    told = load(
        tmp_path, ANY + 'pairs: [["a", "b"], [["a", "b"], ["a", "c"]], [[[1, 2], [3, 4]], [[1, 2], [3, 5]]], [0, 1]]'
    )
    assert [type(x) for x, _, _ in told.pairs] == [str, list, np.ndarray, int]
    assert told.pairs[2][0].dtype == np.float64


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("epsilon: [1", "line 1 is not YAML|is not YAML"),
        ("- 1\n- 2\n", "fields with values"),
        ("", "fields with values"),
        (ANY.replace("epsilon", "epsilom") + PAIRS, "no field 'epsilom'; did you mean epsilon"),
        (ANY + PAIRS + "colour: red\n", "no field 'colour'; there are unit, relation"),
        ("unit: vector\nrelation: any\n" + PAIRS, "epsilon is missing"),
        (ANY.replace("1", "0") + PAIRS, "epsilon must be a finite number > 0"),
        (ANY.replace("1", "much") + PAIRS, "epsilon must be a number"),
        (ANY + "delta: 1\n" + PAIRS, "delta must be at least 0 and below 1"),
        ("relation: any\nepsilon: 1\n" + PAIRS, r"unit must be one of word, vector.*\(it is missing\)"),
        (ANY.replace("any", "edges") + PAIRS, "relation must be one of metric, any, within"),
        (ANY + "metric: l1\n" + PAIRS, "metric would do nothing"),
        (ANY.replace("any", "metric") + PAIRS, "relation metric needs a metric"),
        (ANY.replace("any", "within") + "metric: l1\n" + PAIRS, "needs a radius"),
        (ANY + "reveals: length\n" + PAIRS, "reveals must be a list"),
        (ANY + "batch: perhaps\n" + PAIRS, "batch must be true or false"),
        (ANY.replace("1", "true") + PAIRS, r"epsilon must be a number \(got true\)"),
        (ANY + "whole: true\n" + PAIRS, "whole is for unit text"),
        (ANY, "either `pairs:` or `inputs:`"),
        (ANY + PAIRS + "inputs: {dimension: 2, clip: 1}\n", "not both"),
        (ANY + "pairs: []\n", "pairs must be a list"),
        (ANY + "pairs: [[1]]\n", r"pair 1: it must be \[x, y\]"),
        (ANY + "pairs: [{x: 1}]\n", "pair 1: it must have x and y"),
        (ANY + "pairs: [[yes, no]]\n", "pair 1: .*quotes"),
        (ANY + "pairs: [[1, 2], [3, 3]]\n", "pair 2: x and y are the same"),
        (ANY + "pairs: [[[1, .nan], [1, 2]]]\n", "pair 1: .*finite"),
        (ANY + "pairs: [[[1, [2]], [1, 2]]]\n", "pair 1: a list must hold numbers"),
        (ANY + "pairs: [[1, 2, -1]]\n", "pair 1: the distance"),
        (ANY + "pairs: [[1, 2, far]]\n", "pair 1: the distance must be a number"),
        (
            ANY.replace("any", "metric") + 'metric: ours\npairs: [["a", "b"]]\n',
            "pair 1: how far apart.*add their distance",
        ),
        (ANY + "inputs: {dimension: 2}\n", "inputs needs a clip"),
        (ANY + "inputs: {clip: 2}\n", "inputs must have a dimension"),
        (ANY + "inputs: {dimension: 0, clip: 1}\n", "dimension of inputs must be a whole number"),
        (ANY + "inputs: {dimension: 2, clip: 0}\n", "clip of inputs must be a finite number > 0"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_that_names_the_field(tmp_path, text, told):
    with pytest.raises(InvalidInputError, match=f"^claim.yaml: .*({told})") as caught:
        load(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_files_of_other_kinds_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"\.yaml, \.yml or \.json"):
        load(tmp_path, TEMPLATE, "claim.toml")
    with pytest.raises(InvalidInputError, match="line 1 is not JSON"):
        load(tmp_path, "{'a'", "claim.json")
    (tmp_path / "claim.yaml").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InvalidInputError, match="UTF-8"):
        ClaimFile.load(tmp_path / "claim.yaml")
    with pytest.raises(InvalidInputError, match=r"nothing\.yaml: it can't be read"):
        ClaimFile.load(tmp_path / "nothing.yaml")
