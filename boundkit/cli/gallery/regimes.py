"""``boundkit figure regimes THEOREM X Y name=value ... [--eta RULE] [--eta_s RULE]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made


def make(asked: Asked) -> Made:
    """The phase diagram of one theorem over two quantities."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.regimes import asked as answered
    from boundkit.figures.csv_data import of_prediction
    from boundkit.figures.regimes import figure

    if len(asked.names) != 3:
        raise BoundkitError(
            "regimes needs a theorem and two quantities: boundkit figure regimes THEOREM X Y name=value ..."
        )
    theorem, x, y = asked.names
    found = answered(theorem, x, y, asked.values, asked.options)
    return Made(figure(found, asked.preset), theorem, columns=of_prediction(found.prediction))
