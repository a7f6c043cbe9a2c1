"""A run as it was observed: the loss above its infimum round by round, with a band over replicas."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from boundkit.algebra import BoundkitError
from boundkit.figures.curves import end_of, log_height, shown_on_log, whole_ticks
from boundkit.figures.labels import Label, label_ends
from boundkit.figures.number_format import number
from boundkit.figures.style import ink_of
from boundkit.simulation.confidence_interval import confidence_margin
from boundkit.simulation.trajectory import Trajectory

LEVEL = 0.95
"""Of the band."""

HEIGHTS = {
    "loss_gap": r"$F(x_t) - F_{\inf}$",
    "gradient_norm_squared": r"$\|\nabla F(x_t)\|^2$",
    "loss": r"$F(x_t)$",
}
"""What may be drawn, the most telling first."""


def draw(axes: Axes, run: Trajectory) -> None:
    """The mean over replicas, and where it is random the band of its 95 % interval.

    Raises BoundkitError where nothing was observed that has a picture.
    """
    name = next((n for n in HEIGHTS if n in run.observed), None)
    if name is None or len(run.rounds) < 2:
        raise BoundkitError(
            f"there is nothing to draw of this run of {run.algorithm}: no round was observed."
        )
    ink, x, mean = ink_of(axes), run.rounds.astype(float), run.mean(name)
    margin = confidence_margin(run.observed[name], run.random and run.replicas > 1, LEVEL)
    if name == "loss" or not np.any(mean > 0):
        drawn = mean
    else:
        drawn = shown_on_log(mean)
        log_height(axes, [mean], mean, must=[mean])
    if np.any(margin > 0):
        low = np.maximum(mean - margin, 1e-12 * np.max(np.abs(mean))) if drawn is not mean else mean - margin
        axes.fill_between(x, low, mean + margin, color=ink.text, alpha=0.2, linewidth=0, gid="band")
    (line,) = axes.plot(x, drawn, color=ink.text, linewidth=1.3 * ink.width, gid=name)
    axes.set_xlim(x[0], x[-1])
    whole_ticks(axes)
    axes.set_xlabel("rounds")
    axes.set_ylabel(HEIGHTS[name])
    many = f", mean of {run.replicas} replicas" if run.random and run.replicas > 1 else ""
    ended = "" if run.diverged_at is None else f", diverges in round {run.diverged_at}"
    axes.set_title(f"{run.algorithm}{many}{ended}")
    end = end_of(line)
    label_ends(axes, [None if end is None else Label(*end, number(end[1]), ink.text, line)], ink.label_size)
