"""``boundkit figure sensitivity THEOREM [--eta RULE] [--eta_s RULE]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made


def make(asked: Asked) -> Made:
    """The table of arrows of one theorem."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.sensitivity import sensitivity
    from boundkit.figures.csv_data import of_sensitivity
    from boundkit.figures.sensitivity import figure
    from boundkit.theorems import theorem

    if asked.values:
        raise BoundkitError(f"{asked.name} holds for all values, so {asked.values[0]!r} must not be given.")
    statement = theorem(asked.theorem())
    answer = sensitivity(statement, eta=asked.options["eta"], eta_s=asked.options["eta_s"])
    return Made(figure(answer, asked.preset), statement.name, columns=of_sensitivity(answer))
