"""Candidates for shell completion: commands, theorems, algorithms, quantities and fixed choices.

A candidate is a word, or a word and its meaning. A message about a missing argument lists them, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer

Candidates = list[str] | list[tuple[str, str]]


def choices(*words: str) -> Callable[[str], list[str]]:
    """Completion of one of a few words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def theorems(incomplete: str) -> list[str]:
    """Theorems of the catalogue."""
    from boundkit.theorems import names

    return [name for name in names() if name.startswith(incomplete)]


def algorithms(incomplete: str) -> list[str]:
    """Algorithms of simulations."""
    from boundkit.simulation.algorithms import ALGORITHMS

    return [name for name in sorted(ALGORITHMS) if name.startswith(incomplete)]


def demonstrations(incomplete: str) -> list[tuple[str, str]]:
    """Demonstrations, and what each shows."""
    from boundkit.studies.demonstrations import names, sentence

    return [(name, sentence(name)) for name in names() if name.startswith(incomplete)]


def proofs(incomplete: str) -> list[str]:
    """Theorems with a proof."""
    from boundkit.proofs.evaluation import with_proof

    return [name for name in with_proof() if name.startswith(incomplete)]


def quantities(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Quantities of the theorem on the command line."""
    return [(name, meaning) for name, meaning in _quantities(context) if name.startswith(incomplete)]


def assignments(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """``name=`` for every quantity of the theorem on the command line that has no value yet."""
    given = {word.partition("=")[0] for word in context.params.get("values") or ()}
    return [
        (f"{name}=", meaning)
        for name, meaning in _quantities(context)
        if f"{name}=".startswith(incomplete) and name not in given
    ]


def theorems_and_assignments(context: typer.Context, incomplete: str) -> Candidates:
    """Theorems, and ``name=`` for the quantities of the first one."""
    words = context.params.get("words") or ()
    return [*((name, "") for name in theorems(incomplete)), *_assignments_of(words, incomplete)]


def settings(context: typer.Context, incomplete: str) -> list[str]:
    """``name=`` for the settings of a sweep."""
    from boundkit.simulation.run import SYMBOLS
    from boundkit.simulation.sweeps.simulations import FIELDS, FRACTION

    given = {word.partition("=")[0] for word in context.params.get("words") or ()}
    names = [name for name in (*FIELDS, FRACTION, *SYMBOLS) if name not in given]
    return [f"{name}=" for name in names if name.startswith(incomplete)]


def graph_names(incomplete: str) -> list[str]:
    """Theorems and assumptions."""
    from boundkit.analysis.lattice import LATTICE

    return [*theorems(incomplete), *(name for name in LATTICE.assumptions if name.startswith(incomplete))]


def _assignments_of(words: Iterable[str], incomplete: str) -> list[tuple[str, str]]:
    known = set(theorems(""))
    name = next((word for word in words if word in known), None)
    return [
        (f"{quantity}=", meaning)
        for quantity, meaning in _meanings(name)
        if f"{quantity}=".startswith(incomplete)
    ]


def _quantities(context: typer.Context) -> list[tuple[str, str]]:
    return _meanings(context.params.get("theorem"))


def _meanings(theorem: str | None) -> list[tuple[str, str]]:
    """The quantities of a theorem with their meanings; none of an unknown one."""
    from boundkit.theorems import names
    from boundkit.theorems import theorem as named

    if theorem not in names():
        return []
    return [(quantity.name, quantity.meaning) for quantity in named(str(theorem)).quantities]
