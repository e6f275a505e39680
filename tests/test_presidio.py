from __future__ import annotations

import presidio_anonymizer
import pytest
from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

import textveil as tv
from textveil.presidio import Rewrite


def anonymized(text, spans, parameters):
    engine = presidio_anonymizer.AnonymizerEngine()
    engine.add_anonymizer(Rewrite)
    found = [RecognizerResult("PERSON", start, end, 1.0) for start, end in spans]
    return engine.anonymize(text, found, {"DEFAULT": OperatorConfig("textveil", parameters)}).text


def test_what_presidio_found_is_rewritten_and_the_rest_stays(clustered):
    mechanism = tv.Exponential(clustered, epsilon=1.0, radius=3.0)
    text = "I met Xyzzy Plugh in w1 yesterday"
    released = anonymized(text, [(6, 17), (21, 23)], {"mechanism": mechanism})
    words = released.split()
    assert released.startswith("I met ")
    assert released.endswith(" yesterday")
    assert len(words) == 7
    assert "Xyzzy" not in released
    assert all(words[place] in clustered for place in (2, 3, 5))


def test_a_rewriter_may_be_given_in_place_of_a_mechanism(clustered):
    rewriter = tv.TextRewriter(tv.Exponential(clustered, epsilon=1.0, radius=3.0), case="keep")
    assert anonymized("W1", [(0, 2)], {"mechanism": rewriter})[0] == "W"


def test_without_a_mechanism_nothing_is_released(clustered):
    for parameters in ({}, {"mechanism": "words"}, {"mechanism": tv.Laplace(epsilon=1, dimension=2)}):
        with pytest.raises(tv.InvalidInputError, match="mechanism"):
            anonymized("some text", [(0, 4)], parameters)
