"""Theorem files with one mistake each, written from the template as a user would write them."""

from __future__ import annotations

from boundkit.cli.new_theorem import theorem_file

Changes = tuple[tuple[str, str], ...]

PLANTED: dict[str, Changes] = {
    "a wrong exponent of tau in the client drift": (
        ("12 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2", "12 * eta**2 * L**2 * (tau - 1) * sigma_g**2"),
    ),
    "an initial gap too small by 20": (
        ("4 * gap / (eta * tau * T)", "gap / (5 * eta * tau * T)"),
        ('factors={"initial gap": 2,', 'factors={"initial gap": Rational(1, 10),'),
    ),
    "a missing participation term": (
        ("*ALL_CLIENTS)", "*SAMPLED_CLIENTS, SERVER_STEP_ONE)"),
        ("4 * eta * L * sigma**2 / m", "4 * eta * L * sigma**2 / (C * m)"),
        ("{tau: 1}, factors", "{tau: 1, C: 1}, factors"),
    ),
}
"""What is wrong with the file, and how it differs from the template. Units, reductions, limits hold."""


def mistaken(changes: Changes, name: str = "mine") -> str:
    """The template with these changes, each of which must be there to be made."""
    text = theorem_file(name)
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text
