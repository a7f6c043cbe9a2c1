"""``boundkit regimes``: the dominant term over two quantities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Eta, Picture, Preset, ServerEta, TheoremName, Values, check_picture
from boundkit.cli.output import print_answer

if TYPE_CHECKING:
    from boundkit.analysis.regimes import Regimes


def run(
    theorem: TheoremName,
    x: Annotated[str, typer.Argument(help="a quantity, such as tau", autocompletion=completion.quantities)],
    y: Annotated[
        str, typer.Argument(help="another quantity, such as C", autocompletion=completion.quantities)
    ],
    values: Values = None,
    eta: Eta = None,
    eta_s: ServerEta = None,
    plot: Picture = None,
    preset: Preset = "presentation",
    as_json: AsJson = False,
) -> None:
    """Find which term dominates over two quantities.

    With the crossovers as formulas. A range of a quantity is tau=1:1000:30:log.
    """
    check_picture(plot, preset)
    answer = compute_regimes(theorem, x, y, values or [], {"eta": eta, "eta_s": eta_s})
    if plot is not None:
        from boundkit.figures.regimes import figure
        from boundkit.figures.save import save

        save(figure(answer, preset), plot)
    print_answer(answer, as_json)


def compute_regimes(name: str, x: str, y: str, words: list[str], rules: dict[str, str | None]) -> Regimes:
    """The regimes of a theorem at ``name=value`` words.

    Raises BoundkitError for a step size that has both a rule and a value.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.regimes import regimes
    from boundkit.cli.parameter_values import read_values, with_rules
    from boundkit.theorems import theorem as named

    statement = named(name)
    for axis in (x, y):
        if "=" in axis:
            raise BoundkitError(
                f"regimes takes the names of its two axes first, and {axis!r} is none: "
                "boundkit regimes THEOREM tau C tau=1:1000:30:log."
            )
    return regimes(statement, x, y, **with_rules(read_values(words, statement), rules))
