"""A plan: time to the target against tau with its regions, and the stability of outer optimisers."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.analysis.outer_optimisers import OuterOptimiser
from boundkit.analysis.units import write_time
from boundkit.figures.curves import end_label, ticks_of_powers
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number
from boundkit.figures.outer_optimisers import draw_rounds, momentum_axes, stable_below
from boundkit.figures.style import Theme, colour, empty_figure, finish, style, text_colour, theme_of
from boundkit.simulation.arrays import Array
from boundkit.studies.planning import Plan
from boundkit.studies.planning.report import ADVISED

CAUSES = {
    "communication": "staleness",
    "drift": "client drift",
    "noise": "stochastic noise",
    "descent": "initial gap",
    "computation": "initial gap",
}
"""The cause whose colour each part of the time has."""
LEVELS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
_DAY, _HOUR, _MINUTE = 86400.0, 3600.0, 60.0


def columns(plan: Plan) -> dict[str, list[Any]]:
    """The numbers of the left panel."""
    values = _heights(plan)
    parts = {f"share {name}": share.tolist() for name, share in plan.shares.items()}
    times = {name: values[:, k].tolist() for k, name in enumerate(("seconds", "low", "high"))}
    return {"tau": plan.taus.tolist(), **times, **parts, "limited by": list(plan.limits)}


def figure(plan: Plan, preset: str = "presentation") -> Figure:
    """The picture of a plan.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        page = empty_figure(height=1.7 if narrow else 1.0)
        panels = page.subplots(2, 1) if narrow else page.subplots(1, 2, width_ratios=(1.25, 1))
        theme = theme_of(panels[0])
        draw(panels[0], plan)
        _stability(panels[1], plan, theme)
        finish(page, _headline(plan), _note(plan), theme)
    return page


def _heights(plan: Plan) -> Array:
    """Time to the target with its interval, or the time of a step, at each tau."""
    if not plan.is_timed:
        per_step = plan.round_seconds / plan.taus
        return np.stack([per_step] * 3, axis=1)
    return np.array([[each.value, each.low, each.high] for each in plan.seconds])


def draw(axes: Axes, plan: Plan) -> None:
    """Time to the target against tau, its parts, and which of them is the largest where."""
    theme, taus, heights = theme_of(axes), plan.taus, _heights(plan)
    middle = heights[:, 0]
    seconds, unit = _unit(float(np.nanmin(np.where(np.isfinite(middle), middle, np.nan))))
    scaled = heights / seconds
    shown = np.where(np.isfinite(scaled), scaled, np.nan)
    top = 10 * float(np.nanmax(shown[:, 0]))
    timed = plan.model if plan.is_timed else None
    reference = plan.parallel.value if timed and plan.parallel else sum(plan.schedule.parallel_step)
    if np.isfinite(reference):
        top = max(top, 10 * reference / seconds)
    axes.set(xscale="log", yscale="log", xlim=(taus[0], taus[-1]))
    low = float(np.nanmin(shown)) / 8
    axes.set_ylim(low, top)
    _regions(axes, plan, theme)
    if np.any(heights[:, 1] < heights[:, 2]):
        filled = np.where(np.isfinite(scaled[:, 2]), scaled[:, 2], top)
        axes.fill_between(taus, shown[:, 1], filled, where=np.isfinite(shown[:, 0]).tolist(),
                          color=theme.text, alpha=0.13, linewidth=0, gid="interval")  # fmt: skip
    labels: list[Label | None] = []
    for name, share in plan.shares.items():
        tint = colour(CAUSES[name], theme.dark)
        (line,) = axes.plot(
            taus, share * shown[:, 0], color=tint, linewidth=0.7 * theme.width, gid=f"part {name}"
        )
        inside = np.flatnonzero(share * shown[:, 0] > low)
        if inside.size and inside[-1] >= np.flatnonzero(np.isfinite(shown[:, 0]))[-1]:
            labels.append(end_label(line, name, theme))
        elif inside.size:
            last = inside[-1]
            left = bool(np.log(taus[last] / taus[0]) > 0.4 * np.log(taus[-1] / taus[0]))
            axes.annotate(
                name, (taus[last], (share * shown[:, 0])[last]), (-14 if left else 6, 0), va="bottom",
                textcoords="offset points", ha="right" if left else "left", fontsize=theme.label_size,
                color=text_colour(tint, theme.text),
            )  # fmt: skip
    (line,) = axes.plot(taus, shown[:, 0], color=theme.text, linewidth=1.4 * theme.width, gid="time")
    labels.append(end_label(line, "time" if timed else "a step", theme, bold=True))
    if np.isfinite(reference):
        height = reference / seconds
        (line,) = axes.plot(taus[[0, -1]], [height] * 2, color=theme.faint, linestyle=(0, (4, 2)),
                            linewidth=theme.width, gid="data parallel")  # fmt: skip
        labels.append(Label(float(taus[-1]), height, "data-\nparallel", theme.text, line))
    place = taus.tolist().index(plan.tau)
    axes.plot([plan.tau], [shown[place, 0]], "o", color=theme.text, markersize=3.4 * theme.width, gid="best")
    near_end = plan.tau > taus[-1] * (taus[0] / taus[-1]) ** 0.1
    axes.annotate(
        rf"$\tau$ = {plan.tau}", (plan.tau, shown[place, 0]), (0, -6), textcoords="offset points", va="top",
        ha="right" if near_end else "center", color=theme.text, fontsize=theme.label_size,
        bbox={"facecolor": theme.background, "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
    )  # fmt: skip
    ticks_of_powers(axes, "x")
    ticks_of_powers(axes, "y")
    axes.set_xlabel(r"local steps $\tau$")
    what = f"time to {timed.quantity} {timed.target:g}" if timed else "time of a step"
    axes.set_title(f"{what} [{unit}]")
    label_ends(axes, labels, theme.label_size)


def _unit(seconds: float) -> tuple[float, str]:
    """The unit in which a time is shown."""
    for size, name in ((_DAY, "days"), (_HOUR, "hours"), (_MINUTE, "min"), (1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return size, name
    return 1e-6, "us"


def _regions(axes: Axes, plan: Plan, theme: Theme) -> None:
    """A ground in the colour of the largest part, with its name where it fits."""
    logs, limits = np.log(plan.taus.astype(float)), plan.limits
    edges = np.exp(np.concatenate([logs[:1], (logs[1:] + logs[:-1]) / 2, logs[-1:]]))
    start = 0
    for k in range(1, len(limits) + 1):
        if k < len(limits) and limits[k] == limits[start]:
            continue
        left, right, name = float(edges[start]), float(edges[k]), limits[start]
        start = k
        if not name:
            continue
        tint = colour(CAUSES[name], theme.dark)
        axes.axvspan(left, right, color=tint, alpha=0.16, linewidth=0, gid=f"region {name}")
        wide = np.log(right / left) / (logs[-1] - logs[0])
        words = f"{name}-\nbound"
        if wide < (0.034 if theme.narrow else 0.03) * len(name):
            words = words.replace("communication", "communi-\ncation")
        if wide >= (0.034 if theme.narrow else 0.03) * max(map(len, words.split("\n"))):
            axes.text(
                float(np.sqrt(left * right)), 0.97, words,
                transform=axes.get_xaxis_transform(), ha="center", va="top", fontweight="bold",
                color=text_colour(tint, theme.text), fontsize=theme.note_size,
                linespacing=1.05, gid=f"name {name}",
            )  # fmt: skip


def _stability(axes: Axes, plan: Plan, theme: Theme) -> None:
    """The plane of momentum and outer step for Nesterov's method at the best tau, with the plan's choices."""
    low, high = plan.decays
    named = {each.name: each for each in plan.outer}
    best = named["nesterov, best"].optimiser
    count = (61, 66) if plan.is_late else (241, 261)
    top = (
        3 * max(OuterOptimiser(1.0, 0.9, 0.0).largest / high, 1.5 * best.eta_s) / (10 if plan.is_late else 1)
    )
    x, eta_s = np.geomspace(1, 100, count[0]), np.geomspace(min(0.05, top / 100), top, count[1])
    draw_rounds(axes, theme, x, eta_s, (low, high), plan.is_late, LEVELS)
    axes.set(xscale="log", yscale="log", xlim=(1, 100), ylim=(eta_s[0], eta_s[-1]))
    tints = {"Nesterov": colour("initial gap", theme.dark), "heavy ball": colour("client drift", theme.dark)}
    right, left = (40.0, 4.0) if plan.is_late else (15.0, 15.0)
    for words, nesterov, at in (("heavy ball", 0.0, right), ("Nesterov", 1.0, left)):
        edge = stable_below(1 - 1 / x, nesterov, plan.is_late) / high
        axes.plot(x, edge, color=tints[words], gid=f"edge {words}")
        if nesterov:
            axes.fill_between(x, edge, eta_s[-1], color=theme.faint, alpha=0.15, linewidth=0, gid="unstable")
        beside = plan.is_late  # there both edges fall, and heavy ball's is the lower one
        axes.annotate(
            f"{words}: stable below", (at, float(np.interp(at, x, edge))),
            (6 if nesterov else -6, 0) if beside else (0, 4), textcoords="offset points",
            va="top" if beside and not nesterov else "bottom",
            ha=("left" if nesterov else "right") if beside else "center",
            color=text_colour(tints[words], theme.text), fontsize=theme.label_size,
        )  # fmt: skip
    for name, words, mark in (
        (ADVISED, "advised", "o"), ("nesterov, 0.7 and 0.9", "0.7, 0.9", "D"),
        ("FedAvg", "FedAvg", "s"),
    ):  # fmt: skip
        each = named[name].optimiser
        place = (1 / (1 - each.beta), each.eta_s)
        axes.plot(
            [place[0]],
            [place[1]],
            mark,
            color=theme.text,
            markersize=3 * theme.width,
            clip_on=False,
            gid=name,
        )
        axes.annotate(
            words, place, (6, 0), textcoords="offset points", va="center",
            fontsize=theme.label_size, color=theme.text,
            bbox={"facecolor": theme.background, "edgecolor": "none", "pad": 0.5,
                  "alpha": 0.8 * (name != ADVISED)},
        )  # fmt: skip
    momentum_axes(axes)
    axes.set_title("Nesterov: rounds to 1/10")


def _headline(plan: Plan) -> str:
    place = plan.taus.tolist().index(plan.tau)
    speed = plan.speedups[place].value
    if plan.model is None:
        return f"At {plan.tau} local steps at most {number(speed, 3)} times as fast as data-parallel training"
    if plan.best is None:
        return f"No number of local steps reaches {plan.model.quantity} {plan.model.target:g}"
    at_most = "" if plan.parallel_is_known else "at most "
    return (
        f"Best at {plan.tau} local steps: {write_time(plan.seconds[place].value)}, {at_most}"
        f"{number(speed, 3)} times as fast as data-parallel training, {plan.limits[place]}-bound"
    )


def _note(plan: Plan) -> str:
    low, high = (number(v, 3) for v in plan.decays)
    exchange = write_time(plan.schedule.outer.seconds(plan.schedule.fragments))
    clock = f"A step takes {write_time(plan.schedule.step_time)}, an exchange {exchange}: exact."
    kind = {"theorem": "Rounds by a theorem.", "fitted": "Rounds by a fit to logs."}
    rounds = f" {kind[plan.model.kind]}" if plan.model and plan.is_timed else ""
    rounds += " Region: the largest part of the time."
    late = ", late by a round" if plan.is_late else ""
    return f"{clock}{rounds} Map: Nesterov on quadratics, exact, $q$ from {low} to {high}{late}."
