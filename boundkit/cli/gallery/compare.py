"""``boundkit figure compare THEOREM THEOREM ... name=value ... [--tuned] [--eta RULE] [--eta_s RULE]``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made


def make(asked: Asked) -> Made:
    """The picture of a comparison."""
    from boundkit.cli.compare import asked as answered
    from boundkit.figures.compare import figure
    from boundkit.figures.csv_data import of_comparison

    rules = {name: asked.options[name] for name in ("eta", "eta_s")}
    found = answered(asked.words, asked.options["tuned"], rules)
    return Made(figure(found, asked.preset), found.names, columns=of_comparison(found))
