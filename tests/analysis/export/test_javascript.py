"""The exported script, run by an engine of its own, against the numbers of Python."""

import json
from functools import cache
from typing import Any

import pytest

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import ALPHABET, eta
from boundkit.algebra.quantity import Vector
from boundkit.analysis.check.context import admissible, numbers
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.export import export
from boundkit.analysis.export.javascript import code
from boundkit.analysis.step_size import largest, limit_at
from boundkit.theorems import catalogue, theorem
from tests.cases import each
from tests.representatives import representatives

quickjs = pytest.importorskip("quickjs", reason="quickjs runs the exported scripts")

EVERY = each("name", representatives())
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
CLOSE = 1e-12


class Engine:
    """A JavaScript engine that has loaded one theorem."""

    def __init__(self, statement: Theorem) -> None:
        self.context = quickjs.Context()
        self.context.eval(export(statement, "javascript"))
        self.object = f"boundkit.{statement.name}"

    def evaluate(self, expression: str, q: dict[str, Any]) -> Any:
        value = self.context.eval(f"JSON.stringify((q => {self.object}.{expression})({json.dumps(q)}))")
        return json.loads(value)


@cache
def engine_of(name: str) -> Engine:
    return Engine(theorem(name))


@EVERY
@each("seed", SEEDS)
def test_terms_conditions_and_largest_step_are_those_of_python(name: str, seed: int) -> None:
    statement, engine = theorem(name), engine_of(name)
    q = numbers(admissible(statement, seed))
    terms = engine.evaluate("terms.map(term => term.value(q))", q)
    expected = [float(evaluate(t.expr, q)) for t in statement.terms]
    assert terms == pytest.approx(expected, rel=CLOSE, abs=1e-300)
    assert engine.evaluate("total(q)", q) == pytest.approx(sum(expected), rel=CLOSE, abs=1e-300)
    for step in (1.0, 1e9):  # inside, and far outside wherever eta is limited
        far = q | ({"eta": q["eta"] * step} if "eta" in q else {})
        holding = engine.evaluate("conditions.map(condition => condition.holds(q))", far)
        assert holding == [bool(satisfied(c, far)) for c in statement.step_size]
    if eta in statement.quantities and engine.evaluate("largestEta !== null", q):
        limit = engine.evaluate("largestEta(q)", q)
        assert limit == pytest.approx(float(limit_at(largest(statement), q)), rel=CLOSE)


def solvers() -> list[Any]:
    derived = [t for t in catalogue().values() if t.definitions or t.solvers]
    pairs = [(t, s) for t in derived for s in (t.solvers or {"usual": {}})]
    firsts = {(t.algorithm, s): t for t, s in reversed(pairs)}
    return [  # one of each algorithm and solver is never slow
        pytest.param(
            t, s, marks=[] if firsts[t.algorithm, s] is t else [pytest.mark.slow], id=f"{t.name}-{s}"
        )
        for t, s in pairs
    ]


VALUES = {"tau": 5, "m": 12, "availability": 0.3, "C": 0.25, "clusters": 4, "cutoff": 7, "sigma": 1.3}
HETEROGENEOUS = {
    "tau_i": [1, 3, 7, 12],
    "p_i": [0.1, 0.2, 0.3, 0.4],
    "q_i": [0.9, 0.5, 0.2, 0.05],
    "omega_i": [1.0, 2.0, 5.0, 20.0],
    "sigma_i": [0.5, 1.0, 2.0, 0.0],
}


def scalars(statement: Theorem, solver: str) -> dict[str, Any]:
    """A value for every quantity that is not derived."""
    derived = {q.name for q in {**statement.definitions, **statement.solvers.get(solver, {})}}
    values = {name: q.typical for name, q in ALPHABET.items()} | VALUES
    return {name: value for name, value in values.items() if name not in derived}


@each("heterogeneous", [False, True], ids=["homogeneous", "heterogeneous"])
@each(("statement", "solver"), solvers())
def test_derived_quantities_are_those_of_python(statement: Theorem, solver: str, heterogeneous: bool) -> None:
    options: dict[str, Any] = {} if solver == "usual" else {"solver": solver}
    rows = {v.name: HETEROGENEOUS[v.name] for v in base_vectors(statement, solver)} if heterogeneous else {}
    values = scalars(statement, solver) | ({"m": 4} if rows else {"availability": 0.3})
    expected = substitute_clients(statement, options | rows, free=("tau", "availability"))[0].definitions
    answer = engine_of(statement.name).evaluate(f"derived['{solver}'](q)", values | rows)
    assert expected
    for quantity, expr in expected.items():
        assert answer[quantity.name] == pytest.approx(float(evaluate(expr, values)), rel=CLOSE, abs=1e-14)


def base_vectors(statement: Theorem, solver: str) -> set[Vector]:
    definitions = {**statement.definitions, **statement.solvers.get(solver, {})}
    used = {s for e in definitions.values() for s in e.free_symbols if isinstance(s, Vector)}
    return used - set(definitions)


def test_what_has_no_form_in_javascript_is_refused() -> None:
    from sympy import Function, Symbol

    with pytest.raises(BoundkitError, match="Airy has no form in JavaScript"):
        code(Function("Airy")(Symbol("x")))
