"""``boundkit figure rates``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made


def make(asked: Asked) -> Made:
    """The exponents of the record of all verdicts."""
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.cli.gallery.verdict_records import verified
    from boundkit.figures.csv_data import of_table
    from boundkit.figures.rates import figure

    found, file = verified(asked)
    with drawing(asked.name, file):
        return Made(figure(found, asked.preset), columns=of_table(found, "slopes"), record=file)
