"""Draw where a word goes: the Poincaré disc, or a plane, with the word, its likely replacements and the other words."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.measure.passes import KnownLaw
from textveil.measure.picture.figures import blank
from textveil.measure.picture.scene import Scene, scene_of
from textveil.measure.picture.writing import Name, write_names
from textveil.mechanisms.words import WordMechanism

Floats = NDArray[np.float64]

_INK, _FAINT, _GREY, _RING, _OWN = "#222222", "#777777", "#c4c4c4", "#d9d9d9", "#D55E00"
_LABEL_POINTS = 8.5
# Areas of marks in square points: of a word that is certain, and the least that can be seen.
_AREA_OF_CERTAINTY, _LEAST_AREA = 1500.0, 9.0
_MOST_BACKGROUND = 4000
_WIDTH_INCHES = 6.4
_CAPTION_INCHES = 0.7
_SHOWN_MARGIN = 1.14
_POINTS_A_UNIT = 72 * _WIDTH_INCHES / (2 * _SHOWN_MARGIN)
# Where on a ring its distance may be written: first to the right, a little below; how much room it needs; how far out.
_RING_LABELS = np.exp(1j * np.radians([-20, 0, -35, 15, -50, 30, 200, 180, 215, 165]))
_RING_ROOM, _FARTHEST_LABEL = 0.055, 0.965
_LEGEND = (0.1, 0.03, 0.01)


def draw_word(mechanism: WordMechanism, word: str, *, labels: int = 40, caption: bool = True) -> Any:
    """Return a figure of what happens to a word.

    Parameters
    ----------
    mechanism : with a law that can be read, such as Exponential, on a Euclidean or hyperbolic vocabulary
    word : of the vocabulary; any other enters as the unknown word
    labels : how many of the likeliest replacements are marked, and named where there is room
    caption : whether to say below what is exact
    """
    scene = _scene(mechanism, word, require_count("labels", labels))
    height = _WIDTH_INCHES + _CAPTION_INCHES * caption
    figure = blank(_WIDTH_INCHES, height, layout=None)
    below = 1 - _WIDTH_INCHES / height
    axes = figure.add_axes((0.0, below, 1.0, 1.0 - below))
    axes.set(xlim=(-_SHOWN_MARGIN, _SHOWN_MARGIN), ylim=(-_SHOWN_MARGIN, _SHOWN_MARGIN), aspect="equal")
    axes.axis("off")
    _draw_space(axes, scene)
    _draw_words(axes, scene)
    _draw_legend(axes)
    write_names(axes, *_names(scene))
    if caption:
        text = "\n".join(textwrap.wrap(_caption(mechanism, scene), 112))
        figure.text(0.5, below + 0.002, text, ha="center", va="top", fontsize=7.2, color=_INK, linespacing=1.3)
    return figure


def _scene(mechanism: WordMechanism, word: str, labels: int) -> Scene:
    if not isinstance(mechanism, KnownLaw):
        raise InvalidInputError("a picture needs a law that is known exactly: use Exponential")
    own = int(mechanism.vocabulary.ids([word])[0])
    return scene_of(mechanism.vocabulary, own, mechanism.transition_rows(np.array([own]))[0], labels=labels)


def _draw_space(axes: Any, scene: Scene) -> None:
    """Draw the rim, rings around the word, and the centre of the ball."""
    from matplotlib.patches import Circle

    rim = Circle((0, 0), 1, facecolor="white", edgecolor=_INK if scene.curved else _RING, linewidth=1.0)
    axes.add_patch(rim)
    for ring in scene.layout.rings:
        circle = Circle(
            _xy(ring.middle), ring.radius, fill=False, edgecolor=_RING, linewidth=0.7, linestyle=(0, (4, 3))
        )
        axes.add_patch(circle)
        circle.set_clip_path(rim)
    if scene.layout.centre is not None:
        axes.plot(*_xy(scene.layout.centre), "+", color=_FAINT, markersize=8, markeredgewidth=1.0, zorder=2)


def _draw_words(axes: Any, scene: Scene) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    places = np.column_stack([scene.layout.places.real, scene.layout.places.imag])
    axes.scatter(*places[scene.others(_MOST_BACKGROUND)].T, s=5, color=_GREY, linewidths=0, zorder=1)
    likely = scene.chances[scene.cloud]
    colours = colormaps["Blues"](LogNorm(likely.min() / 5, likely.max() * 2)(likely))
    for one, colour in zip(scene.cloud, colours, strict=True):
        _draw_mark(axes, places[one], scene.chances[one], colour, "#1b4b7a")
    _draw_mark(axes, places[scene.own], scene.chances[scene.own], _OWN, "white")


def _draw_mark(axes: Any, place: Floats, chance: float, colour: Any, rim: str) -> None:
    axes.scatter(*place, s=np.pi * _mark_radius(chance) ** 2, color=[colour], edgecolors=rim, linewidths=0.6, zorder=3)


def _mark_radius(chance: float) -> float:
    """Return the radius of a mark in points: its area is the chance, down to what can be seen."""
    return float(np.sqrt(max(_AREA_OF_CERTAINTY * chance, _LEAST_AREA) / np.pi))


def _names(scene: Scene) -> tuple[list[Name], list[Name]]:
    """Return the names that must be there (the legend's), and those that are put where there is room."""
    size, places = _LABEL_POINTS, scene.layout.places
    rings = [Name(f"{distance:g}", place, 0.0, size - 1.5, _FAINT) for distance, place in _ring_labels(scene)]
    own = Name(
        scene.names[scene.own], places[scene.own], _mark_radius(scene.chances[scene.own]), size + 2, _OWN, bold=True
    )
    names = [own]
    if scene.layout.centre is not None:
        names.append(Name("centre of the ball", scene.layout.centre, 4.0, size - 1, _FAINT))
    names += [Name(scene.names[one], places[one], _mark_radius(scene.chances[one]), size, _INK) for one in scene.cloud]
    return rings, names


def _ring_labels(scene: Scene) -> list[tuple[float, complex]]:
    """Return where the distances of rings are written: clear of marks, of each other and of the rim."""
    marks = scene.layout.places[[scene.own, *scene.cloud]]
    found: list[tuple[float, complex]] = []
    for ring in scene.layout.rings:
        full = np.append(marks, [place for _, place in found])
        free = (
            complex(place)
            for place in ring.middle + ring.radius * _RING_LABELS
            if abs(place) < _FARTHEST_LABEL and np.abs(full - place).min() > _RING_ROOM
        )
        if (place := next(free, None)) is not None:
            found.append((ring.distance, place))
    return found


def _draw_legend(axes: Any) -> None:
    """Show what the area of a mark means, in the lower left corner."""
    across, height = -_SHOWN_MARGIN + 0.02, -_SHOWN_MARGIN + 0.08
    for chance in _LEGEND:
        radius = _mark_radius(chance) / _POINTS_A_UNIT
        _draw_mark(axes, np.array([across + radius, height]), chance, "#9ecae1", "#1b4b7a")
        across += 2 * radius + 0.015
        text = f"{100 * chance:g}%"
        axes.text(across, height, text, ha="left", va="center", fontsize=_LABEL_POINTS - 1.5, color=_FAINT)
        across += 0.03 + 0.024 * len(text)


def _xy(place: complex) -> tuple[float, float]:
    return place.real, place.imag


def _caption(mechanism: WordMechanism, scene: Scene) -> str:
    inside = scene.chances[scene.cloud].sum()
    parts = [
        f"“{scene.names[scene.own]}” under {type(mechanism).__name__}, epsilon = {mechanism.guarantee.epsilon:.4g}: "
        f"it stays with chance {scene.chances[scene.own]:.1%}; the {len(scene.cloud)} likeliest replacements (blue) "
        f"have {inside:.1%} together. Areas are chances, from {_LEAST_AREA / _AREA_OF_CERTAINTY:.1%} up. "
        f"Grey: other words{'' if scene.curved else ', those that are near enough'}."
        f"{' The middle of the disc is moved to where the replacements lie farthest apart.' if scene.curved else ''}"
    ]
    if scene.view.exact:
        parts.append("Rings: distance from the word. All distances are exact.")
    else:
        parts.append(
            "Rings: distance from the word, exact for every word; other distances are not, since angles are those of "
            f"{mechanism.vocabulary.dimension} dimensions seen in a plane."
        )
    return " ".join(parts)
