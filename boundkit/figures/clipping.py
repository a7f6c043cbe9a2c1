"""Rounds to a small gradient against the largest gradient M: clipped minibatch SGD and EPISODE++."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from boundkit.figures.curves import end_label, ticks_of_powers
from boundkit.figures.labels import label_ends
from boundkit.figures.number_format import number, symbol
from boundkit.figures.style import Theme, algorithm_style, empty_figure, finish, style, theme_of
from boundkit.simulation.arrays import Array
from boundkit.verification.tabular_result import TabularResult

_AIR = 1.15
"""Above and below the curves, as a factor."""


def figure(record: TabularResult, preset: str = "presentation") -> Figure:
    """The picture of the demonstration ``clipping``.

    Raises BoundkitError for an unknown preset.
    """
    with style(preset):
        page = empty_figure(height=1.1 if preset == "paper" else 1.0)
        axes = page.subplots()
        theme = theme_of(axes)
        _curves(axes, record, theme)
        axes.set_title(_height(record, theme.narrow))
        axes.set_xlabel(f"largest gradient  {symbol('grad_max')}")
        finish(page, _headline(record), _note(record, theme.narrow), theme)
    return page


def _curves(axes: Axes, record: TabularResult, theme: Theme) -> None:
    largest = record.array("grad_max")
    clipped, memory = algorithm_style("clipped_minibatch_sgd"), algorithm_style("episodepp")
    (best,) = axes.plot(largest, record.array("best"), color=clipped.colour(theme.dark),
                        marker=clipped.marker,
                        linestyle="none", markersize=3.2 * theme.width, gid="best")  # fmt: skip
    (bound,) = axes.plot(largest, record.array("bound"), color=theme.faint, linewidth=0.8 * theme.width,
                         linestyle=clipped.dashes, zorder=1.9, gid="bound")  # fmt: skip
    (other,) = axes.plot(
        largest, record.array("episodepp"), color=memory.colour(theme.dark), marker=memory.marker,
        linestyle=memory.dashes, linewidth=0.5 * theme.width, markersize=3.2 * theme.width, gid="episodepp",
    )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlim=(largest[0], largest[-1]))
    axes.xaxis.set(major_locator=FixedLocator(largest.tolist()), minor_locator=NullLocator(),
                   major_formatter=FuncFormatter(lambda value, _: number(value, 3)))  # fmt: skip
    low, high = axes.get_ylim()
    axes.set_ylim(low / _AIR, high * _AIR)
    ticks_of_powers(axes, "y")
    words = {best: clipped.title.replace(" ", "\n", 1), bound: "its lower bound", other: memory.title}
    for line in words:
        line.set_clip_on(False)
    labels = [end_label(line, text, theme, bold=line is not bound) for line, text in words.items()]
    label_ends(axes, labels, theme.label_size)


def _height(record: TabularResult, narrow: bool) -> str:
    target = number(record.values["target"])
    return (
        f"rounds to mean |F'| = {target}" if narrow else f"rounds until the mean of |F'| is at most {target}"
    )


def _headline(record: TabularResult) -> str:
    largest, best, memory = (record.array(name) for name in ("grad_max", "best", "episodepp"))
    ends = " to ".join(number(value, 4) for value in (best[0], best[-1]))
    gradients = " to ".join(number(value, 3) for value in (largest[0], largest[-1]))
    few, most = float(memory.min()), float(memory.max())
    rounds = number(most, 3) if few == most else f"{number(few, 3)} to {number(most, 3)}"
    return (
        f"{symbol('grad_max')} from {gradients}: clipped minibatch SGD needs {ends} rounds, "
        f"EPISODE++ {rounds} throughout; {_faster(largest, best, memory)}"
    )


def _faster(largest: Array, best: Array, memory: Array) -> str:
    """At which of the gradients that were run clipped minibatch SGD needs fewer rounds."""
    ahead = best < memory
    if ahead.all():
        return "the first is always the faster"
    if not ahead.any():
        return "the first is never the faster"
    values = [number(value, 3) for value in largest[ahead]]
    at_first = ahead[: len(values)].all()
    where = f"up to {symbol('grad_max')}" if at_first else f"at {symbol('grad_max')}"
    return f"the first is the faster {where}\N{NBSP}=\N{NBSP}{values[-1] if at_first else ', '.join(values)}"


def _note(record: TabularResult, narrow: bool) -> str:
    participation = f"one of {record.values['clients']} clients a round"
    first = f"The best pair of step and clip on the slowest of three hard losses; {participation}"
    if narrow:
        return f"{first}."
    start = f"{symbol('gap')}\N{NBSP}=\N{NBSP}{number(record.values['gap'], 3)}"
    return (
        f"{first}, {start}. No step and clip do better than the lower bound. "
        "EPISODE++ takes parts of its own step and clip, which do not depend on the size of gradients."
    )
