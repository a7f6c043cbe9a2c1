"""``bk.plot``: the picture of a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes

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
    diagnosis,
    prediction,
    reductions,
    regimes,
    round_time,
    sensitivity,
    terms,
    trajectory,
    waterfall,
)
from boundkit.figures.bound_against_run import headline, worst_of
from boundkit.figures.number_format import formula
from boundkit.figures.prediction import draw_totals
from boundkit.figures.style import ink_of, style
from boundkit.proofs import Ledger
from boundkit.proofs import as_record as ledger_record
from boundkit.report.formatting import join_names
from boundkit.simulation.trajectory import Trajectory
from boundkit.studies.diagnosis import Diagnosis
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Verdict


def plot(value: Any, ax: Axes | None = None, *, preset: str = "hall") -> Axes:
    """Draw a value on ``ax``, or on a new figure; the Axes comes back. Nothing is shown or written.

    A verdict or a record: bound against run, by cause. A prediction at a point, the best steps or the rounds
    for a target: a bar a term. A prediction with one axis: its terms. With two: the bound against the first,
    a line for each of the second, coloured by the dominant cause. Regimes: the phase diagram. A comparison:
    bars by cause, curves, or a map of who is lowest. A sensitivity: its table of arrows. Reductions: their
    graph. A trajectory: its loss by rounds. A diagnosis: what each source costs. Times of a round: against
    one axis or two. A falsification: bound against the worst run. A ledger: what each step of a proof gives
    away, from measured to bound.

    On an ``ax`` that is given its own style stays; ``preset`` is for a new figure.

    Raises BoundkitError for another value, or one that has nothing to draw.
    """
    drawer = next((draw for kind, (_, draw) in DRAWN.items() if isinstance(value, kind)), None)
    if drawer is None:
        names = join_names([name for name, _ in DRAWN.values()])
        raise BoundkitError(f"a {type(value).__name__} cannot be drawn; these can: {names}.")
    if isinstance(ax, Axes):
        drawer(ax, value)
        return ax
    if ax is not None:
        raise BoundkitError(f"ax must be a matplotlib Axes, but it is a {type(ax).__name__}.")
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    # A backend that begins inside a style forgets at its end what it has set, and a notebook shows no more.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]  # matplotlib's
    with style(preset):
        drawer(Figure().subplots(), value)  # what cannot be drawn must not leave an empty window behind
        axes: Axes = plt.figure().subplots()
        drawer(axes, value)
        return axes


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
        prediction.draw_bars(axes, value)
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
    sensitivity.draw(axes, value, ink_of(axes))
    axes.set_title(f"{value.theorem.name}: a larger quantity makes the bound ...")


def _reductions(axes: Axes, value: Reductions) -> None:
    reductions.draw(axes, value.graph)


def _falsification(axes: Axes, value: Falsification) -> None:
    _against(axes, falsification_record(value))
    axes.set_title(worst_of(value))


def _ledger(axes: Axes, value: Ledger) -> None:
    record = ledger_record(value)
    waterfall.draw(axes, record, *waterfall.bars_of(record))
    above = 2.2 * ink_of(axes).note_size  # the names of the causes stand between
    axes.set_title(f"{value.theorem}: the proof, step by step", pad=above)


DRAWN: dict[type, tuple[str, Callable[[Axes, Any], object]]] = {
    Verdict: ("a verdict", _verdict),
    Record: ("a record", _record),
    Prediction: ("a prediction", _prediction),
    Tuned: ("the best steps", _tuned),
    Rounds: ("rounds for a target", _rounds),
    Regimes: ("regimes", regimes.draw),
    Comparison: ("a comparison", compare.draw),
    Sensitivity: ("a sensitivity", _sensitivity),
    Reductions: ("reductions", _reductions),
    Trajectory: ("a trajectory", trajectory.draw),
    Diagnosis: ("a diagnosis", diagnosis.draw),
    Falsification: ("a falsification", _falsification),
    Ledger: ("a ledger", _ledger),
    RoundTime: ("times of a round", round_time.draw),
}
"""What has a picture: its name in a sentence, and what draws it."""
