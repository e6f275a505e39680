"""What a frontier says in sentences: the guarantee for the same utility, and the attacker's share of it."""

from __future__ import annotations

import math
from collections.abc import Collection

from textveil.guarantees import Status
from textveil.measure.compare.frontier import AT_LEAST, AT_MOST, Frontier, Value, Way
from textveil.measure.compare.reading import HALF, beside, read
from textveil.measure.compare.setting import Setting

_NOISES = {"laplace": "Laplace noise", "hyperbolic": "hyperbolic noise"}
# Released texts that are worth so much of what clean ones are worth.
_NEARLY = 0.95


def findings_of_words(frontier: Frontier, setting: Setting) -> list[str]:
    """Say where half of the words stay, at what loss, what an attacker gets there, and what texts are worth."""
    noise = next((way.key for way in frontier.ways if way.key in _NOISES), None)
    exact = read(frontier, "exponential", HALF, across="unchanged", of="epsilon")
    noisy = read(frontier, noise, HALF, across="unchanged", of="epsilon") if noise else None
    found, told = [], []
    if exact is not None:
        found.append(_of_the_exponential(frontier, exact, setting.radius))
        told.append("exponential")
    if noise is not None and exact is not None and noisy is not None:
        found += [_of_noise(noise, exact.value, noisy, setting.radius), *_of_attackers(frontier, noise, exact.value)]
        told.append(noise)
    what = "half of the words stay" + (", with the others" if told else "")
    return found + _where(frontier, what, across="unchanged", told=told) + _of_classifiers(frontier)


def findings_of_vectors(frontier: Frontier) -> list[str]:
    """Say at what loss vectors keep half of their direction, what an attacker gets there, and what texts are worth."""
    what = "vectors keep a cosine of one half with the original, on average"
    return _where(frontier, what, across="cosine", told=()) + _of_classifiers(frontier)


def _of_the_exponential(frontier: Frontier, exact: Value, radius: float) -> str:
    below, above = beside(frontier, "exponential", HALF, across="unchanged", of="epsilon")
    return (
        f"The calibrated exponential mechanism keeps half of the words at epsilon = {exact.value:.3g} per unit of "
        f"distance, a loss of {exact.value * radius:.3g} nats at the radius: read between {below:.3g} and {above:.3g}, "
        "which are exact over all pairs of words."
    )


def _of_noise(noise: str, exact: float, noisy: Value, radius: float) -> str:
    times = Value(noisy.value / exact, noisy.low / exact, noisy.high / exact, noisy.how)
    return (
        f"{_capital(_NOISES[noise])} and the nearest word need a guarantee of epsilon = {_number(noisy)} for that, "
        f"{_number(times, '.1f')} times as large: {noisy.value * radius:.3g} nats at the radius. It is proved of the "
        "noisy vector; what the released word loses is at most that, and may be less."
    )


def _of_attackers(frontier: Frontier, noise: str, epsilon: float) -> list[str]:
    """Say what attackers get where half of the words stay, of both mechanisms, and of the noise at an equal epsilon."""

    def both(of: str) -> tuple[str, str] | None:
        ours, theirs = (read(frontier, way, HALF, across="unchanged", of=of) for way in ("exponential", noise))
        return None if ours is None or theirs is None else (_share(ours), _share(theirs))

    found = []
    if named := both("naming"):
        found.append(
            f"At this equal utility an attacker to whom all words are equally likely names {named[0]} of them with "
            f"the first and {named[1]} with the second: on average the attacker gets what the reader gets."
        )
    if apart := both("pair"):
        found.append(
            f"Who knows two neighbours of which it was one tells them apart with chance {apart[0]} and {apart[1]}."
        )
    vector = read(frontier, noise, HALF, across="unchanged", of="frequent")
    if (running := both("running")) and (word := both("frequent_word")) and vector is not None:
        found.append(
            f"Of running text {running[0]} and {running[1]} stay; who knows how frequent words are and sees "
            f"the released word names {word[0]} and {word[1]}; who sees the noisy vector, "
            f"which tells at least as much as the word, names {_number(vector, '.1%')}."
        )
    less = read(frontier, noise, epsilon, across="epsilon", of="naming")
    if less is not None:
        found.append(
            f"At the equal proved guarantee epsilon = {epsilon:.3g} {_NOISES[noise]} and the nearest word keep "
            f"{_share(less, '.2%')} of the words, and the attacker names as many."
        )
    return found


def _where(frontier: Frontier, what: str, *, across: str, told: Collection[str]) -> list[str]:
    """Say at what loss each way that was not told of has half of a quantity."""
    left = [way for way in frontier.ways if way.status is not None and way.key not in told]
    losses = [
        f"{way.label}{' (refuted)' if way.status is Status.REFUTED else ''}: {_loss(frontier, way, across)}"
        for way in left
    ]
    return [f"Proved loss at the radius where {what}: {'; '.join(losses)}."] if losses else []


def _loss(frontier: Frontier, way: Way, across: str) -> str:
    """Return the loss at which a way has half of a quantity; beside vectors, how many of them are named there."""
    known = [point.values["loss"] for point in frontier.having(way.key, "loss")]
    if any(math.isinf(loss.value) for loss in known):
        return "unbounded"
    at_most = "at most " if known[0].how == AT_MOST else ""
    loss = read(frontier, way.key, HALF, across=across, of="loss")
    if loss is None:
        below, above = beside(frontier, way.key, HALF, across=across, of="loss")
        if below is None:
            return f"at most {above:.3g}, the least tried"
        return f"above {below:.3g}" if above is None else f"between {below:.3g} and {above:.3g}, where it jumps"
    named = read(frontier, way.key, HALF, across=across, of="naming") if across == "cosine" else None
    return at_most + _number(loss) + (f", where an attacker names {_share(named)}" if named else "")


def _of_classifiers(frontier: Frontier) -> list[str]:
    """Say what a classifier makes of texts, and at which of the losses that were tried it does nearly as well."""
    tried = {
        way: sorted(
            ((it.values["loss"].value, it.values["accuracy"]) for it in frontier.having(way.key, "loss", "accuracy")),
            key=lambda place: place[0],
        )
        for way in frontier.ways
    }
    clean, shuffled = (
        next((line[0][1] for way, line in tried.items() if way.key == key), None) for key in ("untouched", "shuffled")
    )
    if clean is None or shuffled is None:
        return []
    found = [
        f"A classifier is right about {_share(clean)} of the texts as they are, and about {_share(shuffled)} if their "
        "classes are shuffled."
    ]
    reached = []
    for way, line in tried.items():
        if way.status is not None and way.status is not Status.REFUTED and line:
            place = next((it for it in line if it[1].value >= _NEARLY * clean.value), None)
            reached.append(f"{way.label}: " + (f"{place[0]:.3g}, where it is {_share(place[1])}" if place else "none"))
    if reached:
        found.append(
            f"Least proved loss at the radius, of those tried, where its accuracy on released texts is "
            f"{_NEARLY:.0%} or more of that on texts as they are: {'; '.join(reached)}."
        )
    return found


def _number(found: Value, form: str = ".3g") -> str:
    return f"{found.value:{form}}" + (f" ({found.low:{form}} to {found.high:{form}})" if found.high > found.low else "")


def _share(found: Value, form: str = ".1%") -> str:
    """Return a share with its interval, if it has one, and whether it is a limit."""
    return (f"{found.how} " if found.how in (AT_LEAST, AT_MOST) else "") + _number(found, form)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
