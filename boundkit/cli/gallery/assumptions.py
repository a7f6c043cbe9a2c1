"""``boundkit figure assumptions [SUBJECT...]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made


def make(asked: Asked) -> Made:
    """The lattice of assumptions, or the part of it that is on some subjects."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.assumptions import figure
    from boundkit.figures.csv_data import of_assumptions

    if asked.values:
        raise BoundkitError(
            f"{asked.name} takes subjects, such as dissimilarity, but no {asked.values[0]!r}."
        )
    return Made(figure(asked.names, asked.preset), columns=of_assumptions(asked.names))
