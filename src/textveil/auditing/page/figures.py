"""The pictures of an audit: a bound beside the claim, how much outputs tell, and which outputs do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from textveil.auditing.page.drawing import HEIGHT, WIDTH, Scale, axes, box, dot, line, path, picture, words
from textveil.auditing.promises import TOLERANCE
from textveil.auditing.report import CERTIFYING, Finding, Verdict, Witness

Curve = dict[str, list[Any]]

_LEFT, _RIGHT, _TOP, _BOTTOM = 36.0, WIDTH - 18, 24.0, HEIGHT - 40
# A picture of losses is never lower than this, nor higher than so many times the claim; and leaves some room above.
_LEAST, _MOST, _ROOM = 0.1, 8, 1.2
_LONGEST_LABEL = 44


def gauge(finding: Finding, claimed: float) -> str:
    """Draw the epsilon that was found on a line with the one that was claimed; nothing if none was found."""
    bound = finding.bound
    if math.isnan(bound) or bound <= 0:
        return ""
    exact = finding.method in CERTIFYING
    largest = max(claimed, bound if math.isfinite(bound) else 2 * claimed)
    across = Scale(0, _ROOM * largest, 8, WIDTH - 8)
    at, end, broken = across(bound), across(claimed), finding.verdict is Verdict.VIOLATED
    found = "∞" if math.isinf(bound) else f"{bound:.4g}"
    told = f"{'true epsilon' if exact else 'at least'} {found}"
    kind = "broken" if broken else "kept"
    parts = [
        line(across.start, 30, across.end, 30, "rule"),
        box(across.start, 26, end - across.start, 8, "allowed"),
        line(end, 20, end, 40, "claimed"),
        words(end, 55, f"claimed {claimed:.4g}", "tick", _anchor(end)),
        _mark(at, 30, kind, beyond=math.isinf(bound) or not exact),
        words(at, 15, told, f"{kind}-text", _anchor(at)),
    ]
    return picture(parts, f"epsilon: {told}, claimed {claimed:.4g}", height=60)


def losses(finding: Finding, witness: Witness) -> str:
    """Draw log-ratios of outputs against what was claimed for the pair; those beyond are marked if that is a breach."""
    curve, claimed = finding.curve, witness.claimed
    if not curve.get("loss"):
        return ""
    seen = [abs(value) for name in ("loss", "low", "high") for value in curve.get(name, []) if math.isfinite(value)]
    known = claimed if math.isfinite(claimed) else 0.0
    highest = _ROOM * max(_LEAST, known, min(max(seen, default=0.0), _MOST * max(known, 1.0)))
    up = Scale(-highest, highest, _BOTTOM, _TOP)
    named = "output" in curve and "share" not in curve
    across = Scale(-0.5, len(curve["output"]) - 0.5, _LEFT, _RIGHT) if named else Scale(0, 1, _LEFT, _RIGHT)
    below = "number of the output in the other picture" if named else "share of the outputs of x and x', in order"
    parts = axes(across, up, below=below, beside="ln( P[output | x] / P[output | x'] )", as_percent=not named)
    if math.isfinite(claimed):
        parts.insert(0, box(_LEFT, up(claimed), _RIGHT - _LEFT, up(-claimed) - up(claimed), "allowed"))
        parts += [line(_LEFT, up(end), _RIGHT, up(end), "claimed") for end in (claimed, -claimed)]
        parts.append(words(_LEFT + 4, up(claimed) - 5, f"claimed {claimed:.4g}", "tick"))
    # With a delta some outputs may pass the claim and break nothing.
    allowed = claimed if finding.verdict is Verdict.VIOLATED else math.inf
    parts += _sorted(curve, across, up, allowed) if "share" in curve else _estimates(curve, across, up, allowed)
    return picture(parts, "log-ratios of outputs" + (f"; at most {claimed:.4g} was claimed" if known else ""))


def outputs(curve: Curve) -> str:
    """Draw how often each of the two inputs gives which outputs."""
    if curve.get("output"):
        return _bars(curve)
    return _histograms(curve) if curve.get("at") else ""


def share_beyond(curve: Curve, witness: Witness) -> float | None:
    """Return which share of the outputs passes the claim, about; None if that is not known."""
    if "share" not in curve or not math.isfinite(witness.claimed):
        return None
    steps = [b - a for a, b in zip([0.0, *curve["share"]], curve["share"], strict=False)]
    passing = (_passes(loss, witness.claimed) for loss in curve["loss"])
    return math.fsum(step for step, passes in zip(steps, passing, strict=True) if passes)


def _sorted(curve: Curve, across: Scale, up: Scale, allowed: float) -> list[str]:
    """Return the log-ratios in order, as a stair; the worst is marked."""
    points, before = [], 0.0
    for share, loss in zip(curve["share"], curve["loss"], strict=True):
        points += [(across(before), up(loss)), (across(share), up(loss))]
        before = share
    parts = [path(points, "first")]
    for at, place in ((0, points[0]), (-1, points[-1])):
        loss = curve["loss"][at]
        kind = "broken" if _passes(loss, allowed) else "kept"
        parts.append(dot(*place, kind))
        if math.isinf(loss):
            parts.append(
                words(place[0] + (8 if at == 0 else -8), place[1] + 4, "∞", "tick", "start" if at == 0 else "end")
            )
    return parts


def _estimates(curve: Curve, across: Scale, up: Scale, allowed: float) -> list[str]:
    """Return a dot for each output or share of them, with the limits between which the log-ratio lies."""
    parts = []
    for at, (loss, low, high) in enumerate(zip(curve["loss"], curve["low"], curve["high"], strict=True)):
        if math.isnan(loss):
            continue
        place = across(curve["middle"][at] if "middle" in curve else at)
        kind = "broken" if low > allowed or high < -allowed else "kept"
        parts.append(line(place, up(low), place, up(high), f"{kind}-limits"))
        parts.append(dot(place, up(loss), kind) if math.isfinite(loss) else "")
        if "middle" not in curve:
            parts.append(words(place, up.start + 16, str(at + 1), "tick", "middle"))
    return parts


def _histograms(curve: Curve) -> str:
    half = (curve["at"][1] - curve["at"][0]) / 2
    across = Scale(curve["at"][0] - half, curve["at"][-1] + half, _LEFT, _RIGHT)
    most = max(*curve["from_x"], *curve["from_y"], 1e-9)
    up = Scale(0, most * 1.1, _BOTTOM, _TOP)
    parts = [line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "rule")]
    for shares, kind in ((curve["from_x"], "first"), (curve["from_y"], "second")):
        points = [(across(curve["at"][0] - half), up(0))]
        for at, share in zip(curve["at"], shares, strict=True):
            points += [(across(at - half), up(share)), (across(at + half), up(share))]
        parts.append(path([*points, (across(curve["at"][-1] + half), up(0))], kind))
    parts += _ends(across)
    parts.append(words((_LEFT + _RIGHT) / 2, _BOTTOM + 34, "place along the line through x and x'", "axis", "middle"))
    parts.append(words(0, 12, "how often", "axis"))
    return picture([*parts, *_legend()], "how often outputs of the two inputs lie where")


def _bars(curve: Curve) -> str:
    """Return a pair of bars for each output, its name above them."""
    row, top = 42.0, 24.0
    most = max(*curve["from_x"], *curve["from_y"], 1e-9)
    across = Scale(0, most, 0, WIDTH - 60)
    parts = list(_legend())
    for at, (name, first, second) in enumerate(zip(curve["output"], curve["from_x"], curve["from_y"], strict=True)):
        y = top + at * row
        label = f"{at + 1}. {name}"
        parts.append(
            words(0, y + 11, label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…", "tick")
        )
        for share, kind, down in ((first, "first-bar", 15), (second, "second-bar", 26)):
            parts.append(box(0, y + down, max(across(share), 0.5), 8, kind))
            parts.append(words(across(share) + 4, y + down + 8, _percent(share), "small"))
    return picture(
        parts, "how often the two inputs give the outputs that differ most", height=top + row * len(curve["output"])
    )


def _ends(across: Scale) -> list[str]:
    """Return where the two inputs lie themselves."""
    parts = []
    for value, name, side in ((0.0, "x", "end"), (1.0, "x'", "start")):
        if across.low <= value <= across.high:
            place = across(value)
            parts.append(line(place, _BOTTOM, place, _BOTTOM + 5, "claimed"))
            parts.append(words(place + (-2 if side == "end" else 2), _BOTTOM + 17, name, "tick", side))
    return parts


def _legend() -> Sequence[str]:
    return (
        line(_RIGHT - 150, 8, _RIGHT - 130, 8, "first"),
        words(_RIGHT - 125, 12, "from x", "tick"),
        line(_RIGHT - 70, 8, _RIGHT - 50, 8, "second"),
        words(_RIGHT - 45, 12, "from x'", "tick"),
    )


def _mark(x: float, y: float, kind: str, *, beyond: bool) -> str:
    """Return a dot, or an arrow for what may lie farther."""
    if not beyond:
        return dot(x, y, kind, 5)
    return f'<path d="M{x - 5:g},{y - 6:g} L{x + 6:g},{y:g} L{x - 5:g},{y + 6:g} Z" class="{kind}"/>'


def _anchor(x: float) -> str:
    return "start" if x < 70 else "end" if x > WIDTH - 70 else "middle"


def _passes(loss: float, allowed: float) -> bool:
    return abs(loss) > allowed * (1 + TOLERANCE) + TOLERANCE


def _percent(share: float) -> str:
    return "0" if share == 0 else f"{100 * share:.2g}%"
