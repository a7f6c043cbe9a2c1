"""``bk.plot``: the picture of a value."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from boundkit.algebra import BoundkitError
from boundkit.analysis.compare import Comparison
from boundkit.analysis.predict import Prediction
from boundkit.analysis.regimes import Regimes
from boundkit.figures import bound_against_run, compare, regimes, terms
from boundkit.figures.report import headline
from boundkit.figures.style import style
from boundkit.figures.totals import draw_totals
from boundkit.figures.words import formula
from boundkit.verify.record import Record, as_record
from boundkit.verify.verdict import Verdict


def plot(value: Any, ax: Axes | None = None, *, preset: str = "hall") -> Axes:
    """Draw a prediction, regimes, a comparison, a verdict or a record on ``ax``, or on a new figure.

    A verdict or a record: bound against run, by cause. A prediction with one axis: its terms. With two:
    the bound against the first, a line for each of the second, coloured by the dominant cause. Regimes:
    the phase diagram. A comparison: bars by cause, curves, or a map of who is lowest. The Axes comes back.
    On an ``ax`` that is given its own style stays; ``preset`` is for a new one. Nothing is shown or written.

    Raises BoundkitError for another value, or one that has nothing to draw.
    """
    if isinstance(value, Verdict):
        value = as_record(value)
    if not isinstance(value, (Prediction, Regimes, Comparison, Record)):
        raise BoundkitError(
            f"a {type(value).__name__} cannot be drawn; a prediction, regimes, a comparison, a verdict or a "
            "record can."
        )
    if isinstance(ax, Axes):
        return _draw(value, ax)
    if ax is not None:
        raise BoundkitError(f"ax must be a matplotlib Axes, but it is a {type(ax).__name__}.")
    from matplotlib.figure import Figure

    with style(preset):
        _draw(value, Figure().subplots())  # what cannot be drawn must not leave an empty window behind
        import matplotlib.pyplot as plt

        return _draw(value, plt.figure().subplots())


def _draw(value: Prediction | Regimes | Comparison | Record, axes: Axes) -> Axes:
    if isinstance(value, Regimes):
        regimes.draw(axes, value)
        return axes
    if isinstance(value, Comparison):
        compare.draw(axes, value)
        return axes
    if isinstance(value, Record):
        bound_against_run.draw(axes, value)
        axes.set_title(headline(value))
        latex, plain = value.claim, ""
    else:
        draw = draw_totals if len(value.axes) == 2 else terms.draw
        draw(axes, value)
        axes.set_title(value.theorem.name)
        latex, plain = value.theorem.claim.latex, value.theorem.claim.plain
    axes.set_ylabel(formula(latex) or plain)
    return axes
