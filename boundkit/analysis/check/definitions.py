"""The check of what a bound derives from its clients, such as FedNova's A, B and C."""

from __future__ import annotations

from sympy import Expr

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.quantity import Vector
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.points import numbers
from boundkit.analysis.check.result import Found, failed, passed, skipped
from boundkit.analysis.client_values import alike, settled
from boundkit.analysis.evaluate import evaluate

CLIENTS, STEPS = 3, 4
_TOLERANCE = 1e-12


def definitions(setting: Setting) -> Found:
    """The sum over clients that are alike, written out, is the formula for clients that are alike."""
    theorem = setting.theorem
    if not theorem.definitions and not theorem.solvers:
        return skipped("nothing is derived from the clients.")
    typical = {q.name: q.typical for q in theorem.quantities} | numbers(setting.points[0])
    compared = 0
    for solver in theorem.solvers or (None,):
        scalar = alike(theorem, solver).definitions
        every = (*scalar.values(), *_defined(theorem, solver).values())  # a letter may go where all are alike
        letters = {s for expr in every for s in expr.free_symbols if not isinstance(s, Vector)}
        values = (
            {s.name: s.typical for s in letters} | typical | {"m": CLIENTS, "tau": STEPS, "availability": 0.5}
        )
        given = {v.name: [float(evaluate(v.alike, values))] * CLIENTS for v in _vectors(theorem, solver)}
        chosen: dict[str, object] = {} if solver is None else {"solver": solver}
        written, left = settled(theorem, {**chosen, **given})
        known = {**values, **{name: value for name, value in left.items() if isinstance(value, float)}}
        for quantity in (q for q in theorem.quantities if q in _defined(theorem, solver)):
            short = float(evaluate(scalar.get(quantity, quantity), values))
            long = float(evaluate(written.definitions.get(quantity, quantity), known))
            compared += 1
            if abs(short - long) > _TOLERANCE * max(abs(short), 1):
                by = f" (solver {solver})" if solver else ""
                return failed(
                    f"{quantity}{by} is {long:.6g} summed over like clients, but {short:.6g} as a formula."
                )
    return passed(f"{compared} derived quantities agree with sums over {CLIENTS} like clients.")


def _vectors(theorem: Theorem, solver: str | None) -> set[Vector]:
    """The vectors that must be given: those that the definitions use and do not define."""
    defined = _defined(theorem, solver)
    used = {s for expr in defined.values() for s in expr.free_symbols if isinstance(s, Vector)}
    return used - set(defined)


def _defined(theorem: Theorem, solver: str | None) -> dict[Quantity, Expr]:
    return {**theorem.definitions, **(theorem.solvers[solver] if solver else {})}
