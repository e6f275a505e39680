"""The picture of a word: what it says, and that it is written whole or not at all."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.picture import draw_word, save_picture


def texts_in(figure):
    return {text.get_text() for text in figure.axes[0].texts}


def test_the_word_and_its_likely_replacements_are_named(tree):
    mechanism = tv.Exponential(tree, epsilon=2.0)
    figure = draw_word(mechanism, "root.1.2", labels=12)
    row = mechanism.transition_rows(tree.ids(["root.1.2"]))[0]
    likeliest = [tree.words[i] for i in np.argsort(-row)[:8]]
    assert set(likeliest) <= texts_in(figure)
    assert "centre of the ball" in texts_in(figure)
    caption = figure.texts[0].get_text().replace("\n", " ")
    assert f"stays with chance {row[tree.ids(['root.1.2'])[0]]:.1%}" in caption
    assert "All distances are exact" in caption
    assert figure.texts[0].get_window_extent(figure.canvas.get_renderer()).y0 >= 0


def test_the_caption_says_what_is_not_exact(clustered):
    caption = draw_word(tv.Exponential(clustered, epsilon=2.0), "w5").texts[0].get_text().replace("\n", " ")
    assert "12 dimensions seen in a plane" in caption
    assert not draw_word(tv.Exponential(clustered, epsilon=2.0), "w5", caption=False).texts


def test_areas_are_chances(tree):
    mechanism = tv.Exponential(tree, epsilon=2.0)
    figure = draw_word(mechanism, "root.1", labels=3)
    row = np.sort(mechanism.transition_rows(tree.ids(["root.1"]))[0])[::-1]
    areas = sorted((float(mark.get_sizes()[0]) for mark in figure.axes[0].collections[1:5]), reverse=True)
    assert np.array(areas) / areas[0] == pytest.approx(row[:4] / row[0])


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_picture_has_the_same_bytes(tree, tmp_path, kind):
    for name in ("one", "two"):
        save_picture(draw_word(tv.Exponential(tree, epsilon=2.0), "root.1"), tmp_path / f"{name}.{kind}")
    one, two = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert len(one) > 1000


def test_nothing_is_half_written(tree, tmp_path):
    figure = draw_word(tv.Exponential(tree, epsilon=2.0), "root.1")
    with pytest.raises(tv.InvalidInputError, match="svg"):
        save_picture(figure, tmp_path / "picture.doc")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(tv.InvalidInputError, match="known exactly"):
        draw_word(tv.NearestWord(tree, tv.HyperbolicLaplace(epsilon=2.0, dimension=2)), "root")
