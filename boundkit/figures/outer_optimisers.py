"""Outer optimisers on quadratics: stability and contraction, noise, and the best step against tau."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.analysis.outer_optimisers import OuterOptimiser, best_outer_optimiser, decay
from boundkit.figures.curves import end_label, ticks_of_powers
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number
from boundkit.figures.style import Theme, empty_figure, finish, style, text_colour, theme_of
from boundkit.simulation.arrays import Array

SLOWEST = 0.01
"""The least q of the map of contraction; the largest is 1."""
LEVELS = (50, 100, 200, 500)
"""Rounds to a tenth of the error, at the lines of the map."""
COMPARED: dict[str, tuple[OuterOptimiser, str, str]] = {
    "heavy ball 0.7, 0.9": (OuterOptimiser(0.7, 0.9, 0), "#98381A", "#FF9A7A"),
    "Nesterov 0.7, 0.9": (OuterOptimiser(0.7, 0.9, 1), "#0A58CC", "#3D96FF"),
    "plain 1.9": (OuterOptimiser(1.9), "#AE6A00", "#FFC14D"),
    "FedAvg": (OuterOptimiser(), "#333840", "#E5E7EB"),
}
"""The optimisers of the noise panel: step, momentum, and colours on light and dark paper."""
CURVATURES = (1e-4, 0.1)
"""The least and the largest eta lambda of the last panel."""
POINTS = 141


def columns() -> dict[str, Array]:
    """The numbers of the curves: amplification against q, and the best Nesterov step against tau."""
    q, tau = np.geomspace(1e-3, 1, POINTS), np.unique(np.round(np.geomspace(1, 1e4, POINTS)))
    best = [best_outer_optimiser(*decay(1.0, CURVATURES, t)) for t in tau]
    return {
        "q": q,
        **{f"amplification {name}": outer.amplification(q) for name, (outer, *_) in COMPARED.items()},
        "tau": tau,
        "best eta_s": np.array([outer.eta_s for outer, _ in best]),
        "best beta_s": np.array([outer.beta for outer, _ in best]),
        "contraction": np.array([factor for _, factor in best]),
    }


def figure(preset: str = "presentation") -> Figure:
    """The picture of outer optimisers.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        narrow = preset == "paper"
        if narrow:
            page = empty_figure(height=2.2)
            panels = page.subplots(3, 1, height_ratios=(1.3, 1, 1))
        else:
            page = empty_figure(height=1.2)
            mosaic = page.subplot_mosaic([["map", "noise"], ["map", "best"]], width_ratios=(1.15, 1))
            panels = np.array([mosaic[name] for name in ("map", "noise", "best")])
        theme, numbers = theme_of(panels[0]), columns()
        _stability(panels[0], theme)
        _noise(panels[1], numbers, theme)
        _best(panels[2], numbers, theme)
        finish(page, _headline(numbers), _note(), theme)
    return page


def rounds_to_a_tenth(
    beta: Array,
    eta_s: Array,
    nesterov: float = 1.0,
    q: tuple[float, float] = (SLOWEST, 1),
    late: bool = False,
) -> Array:
    """Rounds to a tenth of the error, for the slowest q of an interval; infinite where unstable."""
    qs = np.geomspace(*q, 25)
    a = np.outer(eta_s, qs)  # a round depends on the step by eta_s q alone
    kinds = [OuterOptimiser(1.0, float(b), nesterov) for b in beta]
    factor = np.stack(
        [(o.contraction_late(a) if late else o.contraction(a)).max(axis=1) for o in kinds], axis=1
    )
    with np.errstate(divide="ignore"):
        return np.where(factor < 1, np.log(10) / -np.log(np.minimum(factor, 1)), np.inf)


def stable_below(beta: Array, nesterov: float, late: bool = False) -> Array:
    """The outer step below which an optimiser is stable at q = 1, for each momentum."""
    kinds = [OuterOptimiser(1.0, float(b), nesterov) for b in beta]
    return np.array([o.largest_late if late else o.largest for o in kinds])


def draw_rounds(
    axes: Axes,
    theme: Theme,
    x: Array,
    eta_s: Array,
    q: tuple[float, float] = (SLOWEST, 1),
    late: bool = False,
    levels: Sequence[float] = LEVELS,
) -> None:
    """Draw lines of equal rounds to a tenth of the error for Nesterov's method, with their numbers.

    ``x`` is 1/(1 - beta_s). The lines end at 98 % of the largest stable step; of ``levels`` the first four
    that are clearly above the fewest rounds are drawn.
    """
    beta = 1 - 1 / x
    rounds = rounds_to_a_tenth(beta, eta_s, 1.0, q, late)
    rounds = np.where(eta_s[:, None] < 0.98 * stable_below(beta, 1.0, late) / q[1], rounds, np.nan)
    fewest = float(np.nanmin(rounds))
    shown = [level for level in levels if level > 1.3 * fewest][:4] if np.isfinite(fewest) else []
    if not shown:
        return
    lines = axes.contour(x, eta_s, np.log(np.minimum(rounds, 1e6)), levels=np.log(shown), colors=theme.faint,
                         linewidths=0.5 * theme.width, zorder=1.8)  # fmt: skip
    for level, line in zip(shown, lines.allsegs, strict=True):
        if place := _label_place(line):
            axes.text(
                *place, number(level), ha="center", va="center", color=theme.text, zorder=1.9,
                fontsize=0.85 * theme.note_size,
                bbox={"facecolor": theme.background, "edgecolor": "none", "pad": 0.4},
            )  # fmt: skip


def _label_place(line: list[Array]) -> tuple[float, float] | None:
    """A point of a contour: on its left branch near momentum 0.78, else the lowest."""
    points = np.concatenate([part for part in line if len(part)] or [np.empty((0, 2))])
    if not len(points):
        return None
    left = float(points[:, 0].min())
    near = points[np.abs(np.log(points[:, 0] / max(4.5, 1.25 * left))) < 0.05]
    shown = near if len(near) and left < 6 else points
    return tuple(shown[shown[:, 1].argmin()])


def _stability(axes: Axes, theme: Theme) -> None:
    """The plane of momentum, on the scale of 1/(1 - beta_s), and outer step."""
    x = np.geomspace(1, 100, 241)
    beta = 1 - 1 / x
    draw_rounds(axes, theme, x, np.geomspace(0.05, 6, 261))
    axes.set(xscale="log", yscale="log", xlim=(1, 100), ylim=(0.05, 10))
    blue, red = (COMPARED[n][1:][theme.dark] for n in ("Nesterov 0.7, 0.9", "heavy ball 0.7, 0.9"))
    for words, tint, n, late, at in (
        ("heavy ball", red, 0.0, False, 12.0), ("Nesterov", blue, 1.0, False, 6.0),
        ("Nesterov, late", blue, 1.0, True, 13.0),
    ):  # fmt: skip
        edge = stable_below(beta, n, late)
        dashes: Any = (0, (3, 1.5)) if late else "solid"
        axes.plot(x, edge, color=tint, linestyle=dashes, gid=f"edge {words}")
        axes.annotate(
            words, (at, float(np.interp(at, x, edge))), (0, 5), textcoords="offset points",
            va="bottom", color=text_colour(tint, theme.text),
            fontsize=theme.label_size, bbox={"facecolor": theme.background, "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
    axes.plot([10], [0.7], "o", color=theme.text, markersize=3 * theme.width, gid="rule of thumb")
    axes.annotate(
        "0.7, 0.9", (10, 0.7), (6, 0), textcoords="offset points", va="center", color=theme.text,
        fontsize=theme.label_size, bbox={"facecolor": theme.background, "edgecolor": "none", "pad": 0.5},
    )  # fmt: skip
    momentum_axes(axes)


def momentum_axes(axes: Axes) -> None:
    """Ticks and words of a plane of momentum, on the scale of 1/(1 - beta_s), and outer step."""
    ticks_of_powers(axes, "y")
    momenta = (0, 0.5, 0.8, 0.9, 0.95, 0.99)
    axes.set_xticks([1 / (1 - b) for b in momenta], [f"{b:g}" for b in momenta])
    axes.minorticks_off()
    axes.set_title("rounds to 1/10 of the error")
    axes.set_xlabel(r"momentum $\beta_s$")
    axes.set_ylabel(r"outer step $\eta_s$")


def _noise(axes: Axes, numbers: Mapping[str, Array], theme: Theme) -> None:
    labels: list[Label | None] = []
    for name, (_, light, dark) in COMPARED.items():
        tint, heights = dark if theme.dark else light, numbers[f"amplification {name}"]
        (line,) = axes.plot(numbers["q"], heights, color=tint, gid=f"noise {name}")
        words = name.replace("ball ", "ball\n").replace("Nesterov ", "Nesterov\n")
        labels.append(end_label(line, words, theme))
    axes.set(xscale="log", yscale="log", xlim=(1e-3, 1), ylim=(0.7, 12))
    ticks_of_powers(axes, "x")
    ticks_of_powers(axes, "y")
    label_ends(axes, labels, theme.label_size)
    axes.set_title("variance, times FedAvg's")
    axes.set_xlabel("$q$: the decay of a round")


def _best(axes: Axes, numbers: Mapping[str, Array], theme: Theme) -> None:
    tau, labels = numbers["tau"], []
    for name, words, dashes in (
        ("best eta_s", r"$\eta_s$", "solid"), ("best beta_s", r"$\beta_s$", (0, (4, 1.2))),
        ("contraction", "error left\nby a round", (0, (1, 1))),
    ):  # fmt: skip
        (line,) = axes.plot(tau, numbers[name], color=theme.text, linestyle=dashes, gid=name)
        labels.append(end_label(line, words, theme))
    axes.set(xscale="log", yscale="log", xlim=(1, 1e4), ylim=(0.07, 18))
    ticks_of_powers(axes, "x")
    ticks_of_powers(axes, "y")
    label_ends(axes, labels, theme.label_size)
    axes.set_title("the best Nesterov step")
    axes.set_xlabel(r"local steps $\tau$")


def _headline(numbers: Mapping[str, Array]) -> str:
    beta, tau = numbers["best beta_s"], numbers["tau"]
    at = {t: number(float(beta[np.argmin(np.abs(tau - t))]), 2) for t in (10, 1000)}
    return (
        f"Best outer momentum: {at[10]} at 10 local steps, {at[1000]} at 1000; with 0.9 the step 0.7 is half "
        "of the largest stable one, its noise up to 7 times FedAvg's"
    )


def _note() -> str:
    low, high = (number(v) for v in CURVATURES)
    return (
        rf"Quadratics, exact. Map: Nesterov, the slowest $q$ from {SLOWEST:g} to 1; stable below the edges "
        rf"at $q$ = 1; late: by one round. Best step: $\eta\lambda$ from {low} to {high}, no noise."
    )
