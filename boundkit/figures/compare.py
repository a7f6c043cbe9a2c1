"""The picture of a comparison: bars by cause at a point, curves along one axis, a map over two."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.analysis.compare import Comparison
from boundkit.figures.compare_bars import draw_bars
from boundkit.figures.compare_curves import draw_curves
from boundkit.figures.compare_map import draw_map, name_beside
from boundkit.figures.label_placement import Room
from boundkit.figures.labelled_areas import Area, name_areas
from boundkit.figures.number_format import formula, letter, settings
from boundkit.figures.page import finish, sheet
from boundkit.figures.style import ink_of, style


def figure(found: Comparison, preset: str = "hall") -> Figure:
    """The picture of a comparison.

    Raises BoundkitError for an unknown preset, or a map over an axis with one value.
    """
    with style(preset):
        small: list[str] = []
        while True:
            page = sheet()
            axes = page.subplots()
            areas = _ground(axes, found)
            name_beside(axes, found, [area for area in areas if area.name in small])
            finish(page, _headline(found), _footnote(found), ink_of(axes))
            left = name_areas(axes, Room(axes), [area for area in areas if area.name not in small])
            if not left:
                return page
            # A name beside the map needs room there, so the page is laid out anew.
            small += [area.name for area in left]


def draw(axes: Axes, found: Comparison) -> None:
    """Draw a comparison on given Axes, in their own style."""
    name_beside(axes, found, name_areas(axes, Room(axes), _ground(axes, found)))


def _ground(axes: Axes, found: Comparison) -> list[Area]:
    """All but the names of areas; the areas of a map."""
    if len(found.axes) == 2:
        return draw_map(axes, found)
    if found.axes:
        draw_curves(axes, found)
        axes.set_title(height(found))
    else:
        draw_bars(axes, found)
    return []


def height(found: Comparison) -> str:
    """What the bounds are on, as a formula where it can be set and all claims are one."""
    claims = {c.theorem.claim for c in found.contenders}
    claim = found.contenders[0].theorem.claim
    return f"bound on  {formula(claim.latex) or claim.plain}" if len(claims) == 1 else "bound"


def _headline(found: Comparison) -> str:
    best = ", each with its best step" if found.tuned else ""
    if not found.axes:
        return f"{len(found.contenders)} bounds side by side{best}"
    if not found.ranked:
        return f"{len(found.contenders)} bounds over {' and '.join(map(letter, found.axes))}{best}"
    return f"Which bound is lowest over {' and '.join(map(letter, found.axes))}{best}"


def _footnote(found: Comparison) -> str:
    clients = {n: value for c in found.contenders for n, value in c.theorem.clients.items()}
    sentences = [settings(found.values, clients)]
    if not found.ranked:
        sentences.append("Some bounds hold up to constants only, and have no common scale with the others")
    if len({c.theorem.claim for c in found.contenders}) > 1:
        claims = "; ".join(f"{c.name}: the {c.theorem.claim.name}" for c in found.contenders)
        sentences.append(f"Not quite the same is bounded. {claims}")
    outside = not all(c.holds.all() for c in found.contenders)
    if outside and len(found.axes) == 1:
        sentences.append(
            "Thin: the step size is outside the theorem's condition, and its bound is not proved"
        )
    if outside and len(found.axes) == 2:
        sentences.append(
            "Hatched: the lowest bound is not proved there, its step size being outside the condition"
        )
    return ". ".join(sentence for sentence in sentences if sentence) + "."
