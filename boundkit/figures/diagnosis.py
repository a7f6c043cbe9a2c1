"""What each source of error costs a run, with the interval of each."""

from __future__ import annotations

from matplotlib.axes import Axes

from boundkit.algebra import BoundkitError
from boundkit.figures.number_format import number
from boundkit.figures.style import ink_of
from boundkit.studies.diagnosis import Diagnosis


def draw(axes: Axes, diagnosis: Diagnosis) -> None:
    """A point with its 95 % interval for each source, the dearest on top; left of 0 it helps.

    Raises BoundkitError where no source could be removed.
    """
    ink = ink_of(axes)
    sources = [(cost.source, cost.loss) for cost in diagnosis.costs if cost.loss is not None]
    costs = sorted(((source, loss) for source, loss in sources if loss), key=lambda pair: pair[1].value)
    if not costs:
        raise BoundkitError(
            f"there is nothing to draw of this run of {diagnosis.algorithm}: no source has a cost."
        )
    for place, (source, loss) in enumerate(costs):
        sure = loss.low > 0 or loss.high < 0
        colour = ink.text if sure else ink.faint
        axes.plot(
            [loss.low, loss.high], [place, place], color=colour, linewidth=ink.width, gid=f"interval {source}"
        )
        axes.plot(
            [loss.value], [place], "o", color=colour, markersize=3 * ink.width, gid=f"cost {source}",
        )  # fmt: skip
        axes.annotate(
            number(loss.value), (loss.value, place), xytext=(0, 0.6 * ink.size), textcoords="offset points",
            ha="center", fontsize=ink.label_size, color=colour,
        )  # fmt: skip
    axes.axvline(0, color=ink.faint, linewidth=0.7 * ink.width, zorder=1)
    axes.set_yticks(range(len(costs)), [source for source, _ in costs])
    axes.set_ylim(-0.6, len(costs) - 0.3)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("loss at the end, minus that of the run without it")
    axes.set_title(f"{diagnosis.algorithm}: what each source costs")
