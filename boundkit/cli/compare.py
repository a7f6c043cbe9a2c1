"""``boundkit compare``: which of several bounds is lowest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import VALUES, AsJson, Eta, Picture, Preset, ServerEta, check_picture
from boundkit.cli.output import emit, print_json, warn

if TYPE_CHECKING:
    from boundkit.analysis.compare import Comparison


def run(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="THEOREM THEOREM... [name=value]...",
            help=f"theorems of boundkit list; {VALUES}",
            autocompletion=completion.theorems_and_assignments,
        ),
    ],
    tuned: Annotated[bool, typer.Option("--tuned", help="each theorem with its own best eta")] = False,
    eta: Eta = None,
    eta_s: ServerEta = None,
    plot: Picture = None,
    preset: Preset = "presentation",
    as_json: AsJson = False,
) -> None:
    """Compare bounds: which is lowest at the same values.

    At a point, along one list or range, or over two.
    """
    from boundkit.cli.parameter_values import MOST_ROWS

    check_picture(plot, preset)
    comparison = compute_comparison(words, tuned, {"eta": eta, "eta_s": eta_s})
    if plot is not None:
        from boundkit.figures.compare import figure
        from boundkit.figures.save import save

        save(figure(comparison, preset), plot)
    if not as_json:
        emit(comparison.to_text(rows=MOST_ROWS))
        return
    for c in comparison.contenders:
        if not c.holds.all():
            warn(
                f"the steps are outside the condition of {c.name} somewhere here, so its bound is not proved."
            )
    print_json(comparison.to_dict())


def compute_comparison(words: Sequence[str], tuned: bool, rules: dict[str, str | None]) -> Comparison:
    """The comparison of the arguments: names of theorems, then values."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.compare import compare
    from boundkit.cli.parameter_values import (
        read_values,
        split_words,
        warn_of_merged_points,
        with_rules,
    )
    from boundkit.theorems import theorem as named

    names, values = split_words(words)
    theorems = [named(name) for name in names]
    if not theorems:
        raise BoundkitError(
            "compare needs two theorems or more: boundkit compare THEOREM THEOREM name=value ..."
        )
    reader = next((t for t in theorems if t.solvers), theorems[0])  # it has a solver among its values
    parameters = read_values(values, reader)
    comparison = compare(*theorems, tuned=tuned, **with_rules(parameters, rules))
    warn_of_merged_points(values, parameters)
    return comparison
