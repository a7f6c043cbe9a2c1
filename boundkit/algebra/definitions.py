"""What derived quantities are made of: definitions that must not lead back to themselves."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Symbol

from boundkit.algebra.quantity import Quantity


def cycle_of(definitions: Mapping[Quantity, Expr]) -> list[Symbol]:
    """The first cycle: quantities each of which is defined by the next, the last by the first; else empty.

    >>> from boundkit.algebra.notation import C_drift, tau, tau_eff
    >>> cycle_of({C_drift: tau_eff**2, tau_eff: tau})
    []
    >>> cycle_of({C_drift: tau_eff**2, tau_eff: C_drift / tau})
    [C_drift, tau_eff]
    """
    sound: set[Symbol] = set()

    def walk(quantity: Symbol, path: list[Symbol]) -> list[Symbol]:
        if quantity in path:
            return path[path.index(quantity) :]
        if quantity in sound or quantity not in definitions:
            return []
        for part in sorted(definitions[quantity].free_symbols, key=str):
            if cycle := walk(part, [*path, quantity]):
                return cycle
        sound.add(quantity)
        return []

    return next((cycle for q in definitions if (cycle := walk(q, []))), [])
