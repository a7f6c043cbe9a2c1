"""Bound against run: the terms of the bound by cause, their sum, and what was measured, at every horizon.

On logarithmic axes, where a factor is a distance: how far the measured curve lies below the bound is how
loose the bound is. Terms are lines, not stacked areas, since a stack on a logarithmic axis shows its
lower parts too large; ``kind="stacked"`` adds their shares of the bound in a panel of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.predict import Prediction
from boundkit.attack.falsification import Falsification
from boundkit.figures.curves import (
    FEW,
    draw_term,
    draw_total,
    end_of,
    log_height,
    meaning,
    split,
    term_label,
    ticks_of_powers,
)
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.measured_curve import MeasuredCurve, curves_along
from boundkit.figures.number_format import formula, number, ratio, settings, symbol
from boundkit.figures.style import (
    Theme,
    cause_style,
    colour,
    empty_figure,
    finish,
    style,
    text_colour,
    theme_of,
)
from boundkit.simulation.arrays import Array
from boundkit.theorems import catalogue
from boundkit.verification.record import Record
from boundkit.verification.verdict import Curves

KINDS = ("lines", "stacked")
SHORT = 8
"""Fewer rounds have a tick each: there is no half of a round."""


def figure(record: Record, preset: str = "presentation", kind: str = "lines") -> Figure:
    """The picture of a record; ``kind`` is ``lines``, or ``stacked`` for the shares of each cause below.

    Raises BoundkitError where the record has no curves (nothing ran), or for an unknown preset or kind.
    """
    check_kind(kind)
    curves_of(record)
    with style(preset):
        page, axes, shares = _panels(kind)
        left_out = draw(axes, record)
        if shares is not None:
            draw_shares(shares, record)
            axes.set_xlabel("")
        axes.set_title(height_of(record))
        finish(page, headline(record), footnote(record, left_out), theme_of(axes))
    return page


def figure_of_measurement(
    prediction: Prediction, measurement: MeasuredCurve, preset: str = "presentation", kind: str = "lines"
) -> tuple[Figure, Prediction, Curves]:
    """The picture of a bound and a person's own measurement, with the bound and the curves that are drawn.

    Raises BoundkitError as ``curves_along``, and for an unknown preset or kind.
    """
    check_kind(kind)
    bound, curves = curves_along(prediction, measurement)
    causes = {t.label: t.cause for t in bound.theorem.terms}
    claim = bound.theorem.claim
    with style(preset):
        page, axes, shares = _panels(kind)
        left_out = draw_curves(
            axes, curves, causes, curves.horizon, counted_of(bound), up_to_constants=bound.up_to_constants
        )
        if shares is not None:
            draw_shares_of(shares, curves, causes, curves.horizon, counted_of(bound))
            axes.set_xlabel("")
        axes.set_title(formula(claim.latex) or claim.plain)
        note = _note_of_measurement(bound, measurement, left_out)
        finish(page, headline_of_measurement(bound, curves), note, theme_of(axes))
    return page, bound, curves


UP_TO_CONSTANTS = " up to constants"
"""What follows "bound" where constants of the theorem are not known."""


def counted_of(bound: Prediction) -> str:
    """What runs along x."""
    (along,) = bound.axes
    return "rounds" if along == "T" else f"{meaning(along)}  {symbol(along)}".strip()


def headline_of_measurement(bound: Prediction, curves: Curves) -> str:
    """One sentence: the theorem, and the largest ratio of what was measured to the bound, with its place."""
    share = curves.measured / total_of(curves)
    place = int(np.nanargmax(share))
    ((along,), largest) = bound.axes, float(share[place])
    at = f"at {symbol(along)} = {number(float(curves.horizon[place]), 3)}"
    if largest > 1 and bound.theorem.kind == "upper" and not bound.up_to_constants:
        return f"{bound.theorem.title}: measured exceeds the bound, up to {ratio(largest)} times, {at}"
    of = "of" if largest <= 1 else "times"
    constants = UP_TO_CONSTANTS if bound.up_to_constants else ""
    return f"{bound.theorem.title}: measured is at most {ratio(largest)} {of} the bound{constants}, {at}"


def _note_of_measurement(bound: Prediction, measurement: MeasuredCurve, left_out: list[str]) -> str:
    values = {n: float(v) for n, v in bound.parameters.values.items() if not np.ndim(v)}
    sentences = [settings(values, bound.theorem.clients)]
    if measurement.source:
        sentences.append(f"Measured: {measurement.source}")
    if bound.assumed:
        sentences.append(f"Assumed: {', '.join(map(symbol, bound.assumed))}")
    if bound.outside:
        sentences.append("The steps are outside the conditions somewhere, and the bound is not proved there")
    return ". ".join([*sentences, *(note[0].upper() + note[1:] for note in left_out)]) + "."


def _panels(kind: str) -> tuple[Figure, Axes, Axes | None]:
    """A page with the panel of the curves, and below it that of the shares where they are stacked."""
    stacked = kind == "stacked"
    page = empty_figure(height=1.35 if stacked else 1.0)
    ratios = [2, 1] if stacked else [1]
    rows = page.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)
    return page, rows[0, 0], rows[1, 0] if stacked else None


def check_kind(kind: str) -> str:
    """The name itself.

    Raises BoundkitError for a name that is not in ``KINDS``.
    """
    if kind not in KINDS:
        raise unknown("kind of picture", kind, KINDS)
    return kind


def draw(axes: Axes, record: Record) -> list[str]:
    """Draw a record on given Axes, in their own style; return the notes on terms that are not drawn."""
    return draw_curves(axes, curves_of(record), record.causes, *horizon_of(record))


def draw_curves(
    axes: Axes, curves: Curves, causes: Mapping[str, str], x: Array, counted: str,
    up_to_constants: bool = False,
) -> list[str]:  # fmt: skip
    """Draw terms by their causes, the bound and the measured curve against x; return notes on the rest."""
    theme, total = theme_of(axes), total_of(curves)
    drawn, zero, low = split(curves.terms, total)
    labels: list[Label | None] = []
    drawn_causes: set[str] = set()
    for label in drawn:
        cause = causes[label]
        line = draw_term(axes, x, curves.terms[label], cause, theme, again=cause in drawn_causes)
        line.set_gid(f"term {label}")
        drawn_causes.add(cause)
        labels.append(term_label(line, label, theme, float(curves.terms[label][-1])))
    labels += [
        _draw_bound(axes, x, total, theme, up_to_constants),
        _draw_measured(axes, x, curves, total, theme),
    ]
    _frame(axes, x, counted, curves, [curves.terms[n] for n in drawn], total)
    axes.set_xlabel(counted)
    label_ends(axes, labels, theme.label_size)
    notes = [f"0 here: {', '.join(zero)}"] if zero else []
    return notes + ([f"too small to draw: {', '.join(low)}"] if low else [])


def _draw_bound(axes: Axes, x: Array, total: Array, theme: Theme, up_to_constants: bool) -> Label | None:
    line = draw_total(axes, x, total, theme)
    end = end_of(line)
    if end is None:
        return None
    constants = f"\n{UP_TO_CONSTANTS.strip()}" if up_to_constants else ""
    return Label(*end, f"bound  {number(end[1])}{constants}", theme.text, line, bold=True)


def _draw_measured(axes: Axes, x: Array, curves: Curves, total: Array, theme: Theme) -> Label | None:
    known = np.isfinite(curves.measured)  # a person's own measurement may be at some places only
    x, measured, total = x[known], curves.measured[known], total[known]
    if np.any(curves.low < curves.high):
        lowest = np.maximum(curves.low[known], np.max(total) * 1e-12)
        axes.fill_between(
            x, lowest, curves.high[known], color=theme.text, alpha=0.22, linewidth=0, gid="band"
        )
    (line,) = axes.plot(
        x, np.where(measured > 0, measured, np.nan), color=theme.text, linewidth=1.3 * theme.width,
        marker="o" if len(x) <= FEW else "", markersize=(2 if len(x) > 1 else 3) * theme.width,
        gid="measured",
    )  # fmt: skip
    end = end_of(line)
    if end is None:
        return None
    share = ""
    if total[-1] > 0 and not theme.narrow:
        factor = end[1] / total[-1]
        of = "of" if factor <= 1 else "times"
        share = "\nequal to the bound" if ratio(factor) == EQUAL else f"\n{ratio(factor)} {of} the bound"
    return Label(*end, f"measured  {number(end[1])}{share}", theme.text, line, bold=True)


def _frame(axes: Axes, x: Array, counted: str, curves: Curves, drawn: list[Array], total: Array) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*((x[0], x[-1]) if len(x) > 1 else (0.5 * x[0], 1.1 * x[0])))
    log_height(axes, drawn, total, must=[curves.measured])
    if len(x) > 1 and counted == "rounds" and x[-1] < SHORT:
        whole = range(int(np.ceil(x[0])), int(x[-1]) + 1)
        axes.set_xticks([*whole], [str(one) for one in whole])
        axes.minorticks_off()
    elif len(x) > 1:
        ticks_of_powers(axes, "x")
    else:
        axes.set_xticks([x[0]], [f"{x[0]:g}"])
        axes.minorticks_off()


def height_of(record: Record) -> str:
    """What the y axis counts, as a formula where it can be set."""
    return formula(record.claim) or "the claimed quantity"


WORTH_A_LABEL = 5
"""Per cent of the bound: a thinner band of the shares has its label in the panel above only."""


def draw_shares(axes: Axes, record: Record) -> None:
    """The share of each cause in the bound, stacked to 100 %."""
    draw_shares_of(axes, curves_of(record), record.causes, *horizon_of(record))


def draw_shares_of(axes: Axes, curves: Curves, causes: Mapping[str, str], x: Array, counted: str) -> None:
    """The share of each cause in the bound against x, stacked to 100 %."""
    theme, total = theme_of(axes), total_of(curves)
    if len(x) == 1:  # one point has no width, so it fills the panel
        x = np.asarray(axes.get_xlim())
    below = np.zeros_like(total)
    labels: list[Label | None] = []
    for label, values in curves.terms.items():
        share = 100 * np.divide(values, total, out=np.zeros_like(total), where=total > 0)
        cause = causes[label]
        paint = colour(cause, theme.dark)
        axes.fill_between(
            x, below, below + share, facecolor=paint, hatch=cause_style(cause).hatch,
            edgecolor=theme.background, linewidth=0.3 * theme.width, zorder=2, gid=f"share {label}",
        )  # fmt: skip
        if share[-1] >= WORTH_A_LABEL:
            middle = float(below[-1] + share[-1] / 2)
            (mark,) = axes.plot([x[-1]], [middle], color=paint, linewidth=theme.width)
            words = f"{number(float(share[-1]))} %"
            words = words if theme.narrow else f"{label}  {words}"
            labels.append(Label(float(x[-1]), middle, words, text_colour(paint, theme.text), mark))
        below = below + share
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 50, 100])
    axes.set_title("share of the bound, %")
    axes.set_xlabel(counted)
    label_ends(axes, labels, theme.label_size)


def horizon_of(record: Record) -> tuple[Array, str]:
    """What runs along x, and its name: rounds, or their time where the theorem is about a clock."""
    horizon = curves_of(record).horizon.astype(float)
    wall = record.verdict["constant_values"].get("wall")
    if wall is None or len(horizon) == 1:
        return horizon, "rounds"
    each = float(wall["value"]) / float(record.run["rounds"])
    return horizon * each, f"time (a round takes {number(each)})"


def total_of(curves: Curves) -> Array:
    """The bound at every horizon."""
    return np.asarray(sum(curves.terms.values()), dtype=float) * np.ones(len(curves.horizon))


def curves_of(record: Record) -> Curves:
    """The curves of a record.

    Raises BoundkitError where it has none, since nothing ran.
    """
    if record.curves is None:
        raise BoundkitError(
            f"there is nothing to draw of {record.theorem}: {record.verdict.get('reason') or 'nothing ran.'}"
        )
    return record.curves


_TINY = 1e-300
EQUAL = ratio(1.0)
"""How a measured value reads that equals the bound to three digits."""
_TRUST = {"local": "measured along the run", "estimated": "estimated"}


def headline(record: Record) -> str:
    """One sentence: the theorem, the answer and the ratio."""
    verdict, name = record.verdict, title_of(record.theorem)
    answer, share, interval = verdict["verdict"], verdict.get("ratio"), verdict.get("interval")
    if share is None:
        return f"{name}: {answer}"
    if answer == "holds" and ratio(share) == EQUAL:
        return f"{name}: holds with equality, to three digits"
    if answer == "holds":
        return f"{name}: holds, measured is {ratio(share)} of the bound"
    if answer == "violated" and share > 1:
        return f"{name}: violated, measured is {ratio(share)} times the bound"
    if answer == "undecided" and interval:
        low, high = (ratio(end) for end in interval)
        return f"{name}: undecided, measured is between {low} and {high} of the bound"
    return f"{name}: {answer}, measured is {ratio(share)} of the bound; another check fell short"


def title_of(name: str) -> str:
    """The title of a theorem of the catalogue; another theorem keeps its name."""
    known = catalogue().get(name)
    return known.title if known else name


def worst_of(falsification: Falsification) -> str:
    """Title for an attack: measured/bound of the worst run, or a lower bound on the open constants.

    Of a sampled run this is the low end of the interval, as in the answer; the figure draws the mean.
    """
    title = falsification.theorem.title + (" is violated" if falsification.answer == "violated" else "")
    share, lower = falsification.ratio, falsification.theorem.kind == "lower"
    if share is not None:
        share = 1 / max(share, _TINY) if lower else share
        sampled = falsification.worst is not None and bool(falsification.worst.replicas)
        end = ("most " if lower else "least ") if sampled else ""
        return f"{title}: worst run at {end}{ratio(share)} {'of' if share <= 1 else 'times'} the bound"
    if falsification.constants is None:
        return title
    return f"{title}: open constants above {number(falsification.constants)}"


def footnote(record: Record, left_out: list[str]) -> str:
    """The run's settings, the constants, how it was measured, and which terms are not drawn."""
    verdict = record.verdict
    engine, replicas = verdict.get("engine"), verdict.get("replicas")
    if replicas:
        many = f"mean of {replicas} replicas, 99\N{NBSP}% band"
        measured = many if replicas > 1 else "one random run"
    else:
        measured = "exact expectation" if engine == "exact" else "one deterministic run"
    trust = verdict.get("constants")
    sentences = [settings(setting(record)), f"Measured: {measured}"]
    if trust in _TRUST:
        sentences.append(f"Constants {_TRUST[trust]}")
    return ". ".join([*sentences, *(note[0].upper() + note[1:] for note in left_out)]) + "."


def setting(record: Record) -> dict[str, float]:
    """The quantities of the run and its constants, by keyword."""
    run: dict[str, Any] = record.run
    constants: dict[str, float] = {n: float(c["value"]) for n, c in record.verdict["constant_values"].items()}
    constants |= {"T": float(run["rounds"]), **_clients(run["problem"])}
    if isinstance(run["eta"], dict):  # a rate that falls
        constants |= {"eta": float(run["eta"]["first"]), "offset": float(run["eta"]["offset"])}
    else:
        constants["eta"] = float(run["eta"])
    if "eta_s" in run:
        constants["eta_s"] = float(run["eta_s"])
    participation = run.get("participation", {})
    if "C" in participation and "schedule" not in run:
        constants["C"] = float(participation["C"])
    steps = run["local_steps"]
    flat = {float(v) for v in _flat(steps)}
    if len(flat) == 1:
        constants["tau"] = flat.pop()
    return constants


def _clients(problem: dict[str, Any]) -> dict[str, float]:
    """m, where the problem has it: as a number, or as the length of a list over clients."""
    if "clients" in problem:
        return {"m": float(problem["clients"])}
    each = next((problem[name] for name in ("p", "e", "coefficients") if name in problem), None)
    return {} if each is None else {"m": float(len(each))}


def _flat(value: Any) -> list[float]:
    return [v for item in value for v in _flat(item)] if isinstance(value, list) else [value]
