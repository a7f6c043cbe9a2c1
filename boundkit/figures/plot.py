"""``bk.plot``: the picture of a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.text import Text

from boundkit.algebra import BoundkitError
from boundkit.analysis.compare import Comparison
from boundkit.analysis.predict import Prediction
from boundkit.analysis.reductions import Reductions
from boundkit.analysis.regimes import Regimes
from boundkit.analysis.rounds import Rounds
from boundkit.analysis.runtime import RoundTime
from boundkit.analysis.sensitivity import Sensitivity
from boundkit.analysis.tune_result import Tuned
from boundkit.attack.falsification import Falsification
from boundkit.attack.falsification import as_record as falsification_record
from boundkit.figures import (
    bound_against_run,
    compare,
    reductions,
    regimes,
    sensitivity,
    terms,
    waterfall,
)
from boundkit.figures.bound_against_run import check_kind, headline, worst_of
from boundkit.figures.measured_curve import as_measurement, curves_along
from boundkit.figures.number_format import formula
from boundkit.figures.single_panels import (
    NOT_PROVED,
    draw_bars,
    draw_diagnosis,
    draw_round_time,
    draw_totals,
    draw_trajectory,
)
from boundkit.figures.style import (
    MARGIN,
    FontFigure,
    Layout,
    page_layout,
    read_width,
    style,
    theme_of,
    wrapped,
)
from boundkit.proofs import Ledger
from boundkit.proofs import as_record as ledger_record
from boundkit.report.formatting import join_names
from boundkit.simulation.trajectory import Trajectory
from boundkit.studies.diagnosis import Diagnosis
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Curves, Verdict


def plot(
    value: Any,
    ax: Axes | None = None,
    *,
    measured: Any = None,
    kind: str = "lines",
    preset: str = "presentation",
    title: bool = True,
    width: float | str | None = None,
) -> Axes:
    """Draw a result. Nothing is shown or written.

    A verdict or a record: bound against run, by cause. A prediction at a point, the best steps or the rounds
    for a target: a bar a term. A prediction with one axis: its terms. With two: the bound against the first,
    a line for each of the second, coloured by the dominant cause. Regimes: the phase diagram. A comparison:
    bars by cause, curves, or a map of the lowest. A sensitivity: its table of arrows. Reductions: their
    graph. A trajectory: its loss by rounds. A diagnosis: what each source costs. Times of a round: against
    one axis or two. A falsification: bound against the worst run. A proof on a run: the slack of each step,
    from measured to bound.

    Parameters
    ----------
    value
        A result of boundkit.
    ax : matplotlib.axes.Axes, optional
        Where to draw, in its own style; a new figure without it.
    measured : array, Series, DataFrame, DataArray or path, optional
        A measurement of your own, over a prediction along T, or without T: values at its axis, or at rounds
        1, 2, ... where it has none; a Series by its index; a DataFrame or a CSV file with the columns
        ``round`` and ``measured``, and optionally ``low`` and ``high``. Over a prediction along another axis,
        a list of the values at it. The unit is that of the bound, and the quantity its claim.
    kind : str
        "lines", or "stacked" for a second panel with the share of each cause, on a new figure: of a verdict,
        a record, or a prediction with ``measured``.
    preset : str
        The style of a new figure: "presentation", "paper" or "dark".
    title : bool
        Whether the sentence above the picture is set; without it, ``ax`` keeps the title that it has.
    width : float or str, optional
        Of a new figure: inches, or "column" (3.35) or "text" (7).

    Returns
    -------
    matplotlib.axes.Axes
        The axes; ``plot(...).figure`` is the figure.

    Raises
    ------
    BoundkitError
        For another value, or one that has nothing to draw.

    Examples
    --------
    >>> import boundkit as bk
    >>> bound = bk.predict("fedavg_nonconvex", eta=0.01, tau=5)
    >>> bk.plot(bound, measured=[3.0, 1.5, 0.9]).get_xlabel()  # doctest: +SKIP
    'rounds'
    """
    check_kind(kind)
    if measured is not None and not isinstance(value, Prediction):
        raise BoundkitError(f"measured is drawn over a prediction, but a {type(value).__name__} was given.")
    if kind == "stacked" and (
        ax is not None or (measured is None and not isinstance(value, (Verdict, Record)))
    ):
        raise BoundkitError(
            'kind="stacked" needs a new figure, and a verdict, a record, or a prediction with measured.'
        )
    if measured is not None:
        bound, curves = curves_along(value, as_measurement(measured, value))
        value = MeasuredBound(bound, curves)
    drawer = next((draw for kind, (_, draw) in DRAWN.items() if isinstance(value, kind)), None)
    if drawer is None:
        names = join_names([name for name, _ in DRAWN.values()])
        raise BoundkitError(f"a {type(value).__name__} cannot be drawn; these can: {names}.")
    if ax is not None and width is not None:
        raise BoundkitError("width is that of a new figure, but ax was given; give one of them.")
    if isinstance(ax, Axes):
        _draw(drawer, ax, value, title)
        return ax
    if ax is not None:
        raise BoundkitError(f"ax must be a matplotlib Axes, but it is a {type(ax).__name__}.")
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    # A backend that starts inside a style loses its settings at its end, and a notebook shows nothing.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]  # matplotlib's
    layout = Layout() if width is None else Layout(read_width(str(width), preset))
    with page_layout(layout), style(preset):
        drawer(Figure().subplots(), value)  # what cannot be drawn must not leave an empty window behind
        if kind == "lines":
            axes: Axes = plt.figure(FigureClass=FontFigure).subplots()
            _draw(drawer, axes, value, title)
            _wrap_title(axes)
            return axes
        inches, height = plt.rcParams["figure.figsize"]
        page = plt.figure(figsize=(inches, 1.35 * height), FigureClass=FontFigure)
        axes, shares = page.subplots(2, 1, sharex=True, height_ratios=[2, 1])
        _draw(drawer, axes, value, title)
        _shares(shares, value)
        axes.set_xlabel("")
        _wrap_title(axes)
        return axes


def _draw(drawer: Callable[[Axes, Any], object], axes: Axes, value: Any, title: bool) -> None:
    """Draw a value; without a title the axes keep theirs, but where it names the vertical axis."""
    before = {place: axes.get_title(loc=place) for place in TITLES}
    drawer(axes, value)
    if title or isinstance(value, (Regimes, Comparison)):
        return
    for place, text in before.items():
        if axes.get_title(loc=place) != text:
            axes.set_title(text, loc=place)


TITLES: tuple[Literal["left", "center", "right"], ...] = ("left", "center", "right")
"""The places of titles of an Axes."""


def _wrap_title(axes: Axes) -> None:
    """Break the title of a new figure into lines that end before the edge of its page."""
    page, text = axes.get_figure(root=True), axes.get_title(loc="left")
    engine = None if page is None else page.get_layout_engine()
    if page is None or engine is None or any(word.count("$") % 2 for word in text.split(" ")):
        return  # a formula with spaces has no lines
    title = next(c for c in axes.get_children() if isinstance(c, Text) and c.get_text() == text)
    points, size, weight = 72 * page.get_figwidth(), float(title.get_fontsize()), str(title.get_fontweight())
    if wrapped(text, 0.5 * points, size, weight) == text:
        return
    engine.execute(page)  # after it the left edge of the picture, where the title begins, is known
    title.set_text(wrapped(text, points * (1 - MARGIN - axes.get_position().x0), size, weight))


@dataclass(frozen=True, eq=False)
class MeasuredBound:
    """A bound along one axis, and the curves of its terms and a measurement."""

    bound: Prediction
    curves: Curves


def _measured(axes: Axes, value: MeasuredBound) -> None:
    claim, causes = value.bound.theorem.claim, {t.label: t.cause for t in value.bound.theorem.terms}
    bound_against_run.draw_curves(
        axes, value.curves, causes, value.curves.horizon, bound_against_run.counted_of(value.bound),
        up_to_constants=value.bound.up_to_constants,
    )  # fmt: skip
    sentence = bound_against_run.headline_of_measurement(value.bound, value.curves)
    axes.set_title(sentence + (NOT_PROVED if value.bound.outside else ""))
    axes.set_ylabel(formula(claim.latex) or claim.plain)


def _shares(axes: Axes, value: Verdict | Record | MeasuredBound) -> None:
    if not isinstance(value, MeasuredBound):
        bound_against_run.draw_shares(axes, as_record(value) if isinstance(value, Verdict) else value)
        return
    causes = {t.label: t.cause for t in value.bound.theorem.terms}
    counted = bound_against_run.counted_of(value.bound)
    bound_against_run.draw_shares_of(axes, value.curves, causes, value.curves.horizon, counted)


def _verdict(axes: Axes, value: Verdict) -> None:
    _record(axes, as_record(value))


def _record(axes: Axes, value: Record) -> None:
    _against(axes, value)
    axes.set_title(headline(value))


def _against(axes: Axes, value: Record) -> None:
    bound_against_run.draw(axes, value)
    axes.set_ylabel(formula(value.claim) or "")


def _prediction(axes: Axes, value: Prediction) -> None:
    claim = value.theorem.claim
    if not value.axes:
        draw_bars(axes, value)
        axes.set_xlabel(f"bound on  {formula(claim.latex) or claim.plain}")
        return
    draw = draw_totals if len(value.axes) == 2 else terms.draw
    draw(axes, value)
    axes.set_title(value.theorem.name)
    axes.set_ylabel(formula(claim.latex) or claim.plain)


def _tuned(axes: Axes, value: Tuned) -> None:
    _prediction(axes, value.prediction)


def _rounds(axes: Axes, value: Rounds) -> None:
    if value.prediction is None:
        raise BoundkitError(f"there is nothing to draw of {value.theorem.name}: {value.note}")
    _prediction(axes, value.prediction)


def _sensitivity(axes: Axes, value: Sensitivity) -> None:
    sensitivity.draw(axes, value, theme_of(axes))
    axes.set_title(f"{value.theorem.name}: a larger quantity makes the bound ...")


def _reductions(axes: Axes, value: Reductions) -> None:
    reductions.draw(axes, value.graph)


def _falsification(axes: Axes, value: Falsification) -> None:
    _against(axes, falsification_record(value))
    axes.set_title(worst_of(value))


def _ledger(axes: Axes, value: Ledger) -> None:
    record = ledger_record(value)
    waterfall.draw(axes, record, *waterfall.bars_of(record))
    above = 2.2 * theme_of(axes).note_size  # the names of the causes are between
    axes.set_title(f"{value.theorem}: the proof, step by step", pad=above)


DRAWN: dict[type, tuple[str, Callable[[Axes, Any], object]]] = {
    Verdict: ("a verdict", _verdict),
    Record: ("a record", _record),
    Prediction: ("a prediction", _prediction),
    MeasuredBound: ("a bound with a measurement", _measured),
    Tuned: ("the best steps", _tuned),
    Rounds: ("rounds for a target", _rounds),
    Regimes: ("regimes", regimes.draw),
    Comparison: ("a comparison", compare.draw),
    Sensitivity: ("a sensitivity", _sensitivity),
    Reductions: ("reductions", _reductions),
    Trajectory: ("a trajectory", draw_trajectory),
    Diagnosis: ("a diagnosis", draw_diagnosis),
    Falsification: ("a falsification", _falsification),
    Ledger: ("a ledger", _ledger),
    RoundTime: ("times of a round", draw_round_time),
}
"""What has a picture: its name in a sentence, and what draws it."""
