"""What the page asks for: who may draw samples, at which epsilons, and that none of it is a release."""

from __future__ import annotations

import json

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.service.serving import EPSILON, PRIVATE, RADIUS

import textveil as tv
from textveil.encoders import AveragedWords, TextEmbedder
from textveil.errors import InvalidInputError
from textveil.ledger import Ledger
from textveil.measure.compare.frontier import Frontier
from textveil.measure.compare.page.page import page as html_page
from textveil.service.app import build
from textveil.service.catalogue import Catalogue, Kind, Offer, works_of
from textveil.service.keys import KeyFile
from textveil.service.playground.frontier import read_frontier
from textveil.service.playground.ladder import Ladder
from textveil.service.playground.samples import reads
from textveil.service.playground.words import word_facts
from textveil.service.service import Service

SAMPLES = {"mechanism": "words", "text": f"w1, w2 {PRIVATE}", "samples": 3}


@pytest.fixture
def looking(service, place):
    """The same service with a key that may draw samples."""
    keys = KeyFile(place.keys)
    token = keys.add("looker", datasets=("tickets",), playground=True)
    made = Service(service.catalogue, service.spending, keys, rate=1e6, burst=1e6)
    return TestClient(build(made), headers={"Authorization": f"Bearer {token}"}, raise_server_exceptions=False)


def test_where_a_budget_is_kept_samples_need_a_key_that_was_made_for_them(client, looking, place):
    refused = client.post("/v1/page/samples", json=SAMPLES)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert refused.json()["remedy"] == "Ask for a key made with --playground."
    assert client.get("/v1/page").json()["samples"] is False
    assert looking.get("/v1/page").json()["samples"] is True
    assert looking.post("/v1/page/samples", json=SAMPLES).status_code == 200
    assert Ledger(str(place.ledger)).history() == []


def test_without_a_ledger_anybody_on_the_machine_may_draw_samples(open_client):
    assert open_client.get("/v1/page").json()["samples"] is True
    assert open_client.post("/v1/page/samples", json=SAMPLES).status_code == 200
    elsewhere = open_client.post("/v1/page/samples", json=SAMPLES, headers={"Host": "evil.example"})
    assert elsewhere.status_code == 401


def test_a_key_for_samples_alone_opens_no_data_set(service, place):
    keys = KeyFile(place.keys)
    token = keys.add("only", playground=True)
    client = TestClient(
        build(Service(service.catalogue, service.spending, keys)), headers={"Authorization": f"Bearer {token}"}
    )
    assert client.get("/v1/datasets").json()["datasets"] == []
    order = {"mechanism": "words", "dataset": "tickets", "texts": ["w1"]}
    assert client.post("/v1/release/texts", json=order).json()["code"] == "unknown-dataset"
    with pytest.raises(InvalidInputError, match="--playground"):
        keys.add("nothing")


def test_files_of_keys_from_before_samples_are_still_read(place):
    plain = json.loads(place.keys.read_text())
    for entry in plain["keys"]:
        del entry["playground"]
    place.keys.write_text(json.dumps(plain))
    assert KeyFile(place.keys).check(place.token).playground is False


def test_samples_stand_word_for_word_beside_the_text(looking):
    found = looking.post("/v1/page/samples", json=SAMPLES).json()
    assert [(piece["text"], piece["enters"], piece["known"]) for piece in found["pieces"]] == [
        ("w1", "w1", True), (", ", None, True), ("w2", "w2", True), (" ", None, True), (PRIVATE, "w0", False),
    ]  # fmt: skip
    assert [len(sample["words"]) for sample in found["samples"]] == [3, 3, 3]
    assert (found["unit"], found["units"], found["each"], found["worst_case"]) == ("word", 3, 1.0, 3.0)
    assert found["promise"].startswith("Proved:")
    assert PRIVATE not in json.dumps(found["samples"])


@pytest.mark.parametrize("epsilon", [0.25, 0.49, 0.5])
def test_samples_are_drawn_at_the_epsilon_that_was_asked_for(looking, epsilon):
    found = looking.post("/v1/page/samples", json={**SAMPLES, "epsilon": epsilon}).json()
    assert found["each"] == epsilon * RADIUS


def test_one_may_look_at_more_epsilons_than_are_offered_but_release_at_none_of_them(looking):
    (words,) = [each for each in looking.get("/v1/page").json()["mechanisms"] if each["name"] == "words"]
    assert words["offered"] == [0.5, 0.25]
    assert {0.5, 0.25} < set(words["stops"])
    assert words["stops"] == sorted(words["stops"])
    assert words["made_by"] == "Exponential"
    at = next(stop for stop in words["stops"] if stop not in words["offered"])
    assert looking.post("/v1/page/samples", json={**SAMPLES, "epsilon": at}).status_code == 200
    order = {"mechanism": "words", "dataset": "tickets", "texts": ["w1"], "epsilon": at}
    refused = looking.post("/v1/release/texts", json=order)
    assert (refused.status_code, refused.json()["detail"]) == (422, "epsilon must be one of 0.5, 0.25")
    assert looking.post("/v1/page/samples", json={**SAMPLES, "epsilon": 0.123}).status_code == 422


def test_a_ladder_makes_what_its_epsilon_says():
    table = tv.Vocabulary([f"w{i}" for i in range(30)], np.random.default_rng(1).normal(size=(30, 3)))
    noise = tv.NearestWord(table, tv.Laplace(epsilon=1.0, dimension=3))
    for mechanism in (tv.Exponential(table, epsilon=1.0), noise):
        ladder = Ladder(Offer("x", {1.0: works_of(mechanism, {})}))
        assert len(ladder.stops) > 20
        for stop in (ladder.stops[0], ladder.stops[-1]):
            assert ladder.work(Kind.TEXTS, stop).guarantee.epsilon == stop
            assert ladder.work(Kind.WORDS, stop).guarantee.epsilon == stop


def test_what_releases_numbers_is_not_read():
    table = tv.Vocabulary([f"w{i}" for i in range(30)], np.random.default_rng(1).normal(size=(30, 3)))
    numbers = TextEmbedder(tv.PrivUnit(epsilon=1, dimension=3), encoder=AveragedWords(table))
    assert reads(Offer("x", {1.0: works_of(numbers, {})})) is None
    assert reads(Offer("x", {1.0: works_of(tv.PrivUnit(epsilon=1, dimension=3), {})})) is None
    assert reads(Offer("x", {1.0: works_of(tv.Exponential(table, epsilon=1), {})})) is Kind.TEXTS


def test_a_law_that_can_not_be_read_is_counted():
    table = tv.Vocabulary([f"w{i}" for i in range(30)], np.random.default_rng(1).normal(size=(30, 3)))
    facts = word_facts(tv.NearestWord(table, tv.Laplace(epsilon=4.0, dimension=3)), "w3")
    assert facts["draws"] == 2000
    assert 0 < facts["stays"] < 1
    counts = [2000 * each["chance"] for each in facts["replacements"]]
    assert counts == pytest.approx(np.round(counts))
    assert counts == sorted(counts, reverse=True)
    assert facts["map"]["curved"] is False


def test_a_law_that_is_counted_is_for_those_who_may_draw_samples(client, looking, service):
    table = tv.Vocabulary([f"w{i}" for i in range(30)], np.random.default_rng(1).normal(size=(30, 3)))
    noise = tv.NearestWord(table, tv.Laplace(epsilon=4.0, dimension=3))
    offers = [*service.catalogue.offers.values(), Offer("noise", {4.0: works_of(noise, {})})]
    keys = looking.app.state.service.keys
    app = build(Service(Catalogue(offers), service.spending, keys, rate=1e6, burst=1e6))
    order = {"mechanism": "noise", "word": "w3"}
    for headers, status in ((client.headers, 403), (looking.headers, 200)):
        with TestClient(app, headers=headers) as asking:
            assert asking.post("/v1/page/word", json=order).status_code == status
            assert asking.post("/v1/page/word", json={**order, "mechanism": "words"}).status_code == 200


def test_facts_of_a_word_are_those_of_its_law(looking, catalogue):
    found = looking.post("/v1/page/word", json={"mechanism": "words", "word": "w7"}).json()
    law = catalogue.offer("words").work(Kind.WORDS, None).mechanism
    explained = law.explain("w7")
    assert found["stays"] == explained.stays
    assert [(each["word"], each["chance"]) for each in found["replacements"]] == list(explained.replacements[:8])
    for each in found["replacements"]:
        assert each["loss"] == pytest.approx(EPSILON * min(each["distance"], RADIUS))
    plausible = looking.post("/v1/page/plausible", json={"mechanism": "words", "word": "w7"}).json()
    assert plausible == {"as_plausible": explained.as_plausible, "recovered": explained.recovered}
    half, most = found["map"]["within"]
    assert half["distance"] <= most["distance"]
    row = law.transition_rows(law.vocabulary.ids(["w7"]))[0]
    away = np.linalg.norm(law.vocabulary.points - law.vocabulary.points[7], axis=1)
    assert row[away <= half["distance"] * (1 + 1e-9)].sum() >= 0.5
    assert row[away < half["distance"] * (1 - 1e-9)].sum() < 0.5


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("samples", {**SAMPLES, "text": "x" * 2001}, 422),
        ("samples", {**SAMPLES, "text": ""}, 422),
        ("samples", {**SAMPLES, "samples": 9}, 422),
        ("samples", {**SAMPLES, "mechanism": "vectors"}, 422),
        ("samples", {**SAMPLES, "mechanism": "none"}, 404),
        ("samples", {**SAMPLES, "epsilon": -1}, 422),
        ("word", {"mechanism": "vectors", "word": "w1"}, 422),
        ("word", {"mechanism": "words", "word": "w" * 201}, 422),
        ("size", {"mechanism": "vectors", "texts": ["a"]}, 422),
        ("size", {"mechanism": "words", "texts": []}, 422),
    ],
)
def test_what_can_not_be_shown_is_refused_without_being_quoted(looking, path, body, status):
    answer = looking.post(f"/v1/page/{path}", json=body)
    assert answer.status_code == status
    assert PRIVATE not in answer.text


def test_the_size_of_texts_is_what_a_release_of_them_pays_for(looking, place):
    texts = ["w1 w2 w3-w4, e@mail.org", "w1"]
    size = looking.post("/v1/page/size", json={"mechanism": "words", "texts": texts}).json()
    assert size == {"records": 2, "pieces": 4}
    asked = {"mechanism": "words", "dataset": "tickets", "kind": "texts", **size}
    preview = looking.post("/v1/preview", json=asked).json()
    looking.post("/v1/release/texts", json={"mechanism": "words", "dataset": "tickets", "texts": texts})
    (entry,) = Ledger(str(place.ledger)).history("tickets")
    assert preview["cost"]["epsilon"] == str(entry.cost.epsilon)


def test_the_frontier_says_what_is_kept_and_shows_the_operators_file(looking, service, tmp_path):
    found = looking.get("/v1/page/frontier/words").json()
    kept = [point["kept"] for point in found["points"]]
    assert kept == sorted(kept)
    assert found["file"] is None
    path = tmp_path / "frontier.html"
    compared = Frontier("x</script>", {}, [], [], [])
    for text in (html_page(compared), json.dumps(compared.as_dict())):
        path.write_text(text)
        assert read_frontier(path)["title"] == "x</script>"
    for wrong in ("[]", "nonsense", '{"format": "other"}'):
        path.write_text(wrong)
        with pytest.raises(InvalidInputError, match="textveil compare"):
            read_frontier(path)


def test_the_page_is_served_and_has_no_code_of_its_own(client):
    page = client.get("/", headers={"Authorization": ""})
    assert page.status_code == 200
    assert "text/html" in page.headers["Content-Type"]
    assert "<style" not in page.text
    assert " style=" not in page.text
    assert page.text.count("<script") == page.text.count('<script type="module" src="app.js">') == 1
    assert "http" not in page.text
    for file in ("app.js", "style.css", "icon.svg"):
        assert client.get(f"/{file}").status_code == 200
    assert client.get("/../app.py").status_code == 404
