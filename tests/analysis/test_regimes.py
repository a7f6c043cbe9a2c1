"""Which term dominates where: the map against ``predict``, and every crossover put back into its terms."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from sympy import Max, Rational, simplify

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.notation import L, T, eta, gap, m, sigma, sigma_g, tau
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.predict import predict
from boundkit.analysis.regimes import Crossover, Regimes, regimes
from boundkit.theorems import theorem
from tests.analysis.conftest import START, theorem_of
from tests.cases import each
from tests.representatives import REPRESENTATIVES

PARTIAL = "fedavg_nonconvex_partial"


def sides(found: Regimes, one: Crossover, points: Any) -> tuple[Any, Any]:
    terms, (x, y) = found.theorem.bound.terms, np.asarray(points).T
    at = {**found.window.values, found.x: x, found.y: y}
    return tuple(evaluate(terms[label].expr, at) for label in one.terms)  # type: ignore[return-value]


@each(
    ("name", "x", "y", "values"),
    [
        (PARTIAL, "tau", "C", {}),
        (PARTIAL, "tau", "eta_s", {"eta": "1/(sqrt(T)*tau*L)"}),
        ("fedavg_nonconvex", "T", "eta", {"gap": 3, "sigma": 2}),
        ("fedavg_strongly_convex_partial", "tau", "eta", {"T": 50}),
        ("fedavg_convex_partial", "tau", "distance", {}),
    ],
)
def test_every_crossover_put_back_makes_its_terms_equal(
    name: str, x: str, y: str, values: dict[str, Any]
) -> None:
    found = regimes(theorem(name), x, y, **values)
    curves = [(one, curve) for one in found.crossovers for curve in one.curves]
    assert curves
    for one, curve in curves:
        inside = curve.points[np.isfinite(curve.points).all(axis=-1)]
        first, second = sides(found, one, inside)
        np.testing.assert_allclose(first, second, rtol=1e-8)
        if curve.expr is not None and len(inside):
            place = 0 if curve.quantity == x else 1
            other = (y, x)[place]
            at: dict[str, Any] = {**found.window.values, other: inside[:, 1 - place]}
            value = np.broadcast_to(evaluate(curve.expr, at), len(inside))
            assert value == pytest.approx(inside[:, place], rel=1e-12)


def test_the_map_is_what_predict_says_point_by_point() -> None:
    found = regimes(theorem(PARTIAL), "tau", "C", tau=[1, 3, 10, 30, 300], C=[0.01, 0.1, 0.5, 1], eta=0.003)
    assert found.dominant.dims == ("tau", "C")
    for i, steps in enumerate(found.window.xs):
        for k, share in enumerate(found.window.ys):
            point = predict(theorem(PARTIAL), tau=int(steps), C=share, eta=0.003)
            assert str(found.dominant[i, k].item()) == point.dominant
            assert bool(found.prediction.holds[i, k]) == point.holds


def test_neighbours_of_unlike_regimes_are_parted_by_a_crossover_that_bounds() -> None:
    fine = {"eta": np.geomspace(0.003, 0.03, 201), "sigma_g": np.geomspace(0.01, 10, 201)}
    found = regimes(theorem(PARTIAL), "eta", "sigma_g", T=5000, eta_s=2, **fine)
    dominant = np.asarray(found.dominant)
    parted = {
        frozenset(pair)
        for grid in (dominant, dominant.T)
        for line in grid
        for pair in pairwise(line.tolist())
        if pair[0] != pair[1]
    }
    assert len(parted) == 7
    assert parted == {frozenset(c.terms) for c in found.crossovers if c.bounds}


def test_beyond_a_crossover_the_named_term_is_the_larger() -> None:
    found = regimes(theorem(PARTIAL), "tau", "C")
    seen = 0
    for one in found.crossovers:
        for curve in one.curves:
            inside = curve.points[np.isfinite(curve.points).all(axis=-1)]
            if not len(inside) or curve.grows is None:
                continue
            further = inside * np.where(curve.quantity == np.array(["tau", "C"]), 1.001, 1.0)
            first, second = sides(found, one, further)
            larger = one.terms[0] if first[-1] > second[-1] else one.terms[1]
            assert one.beyond(curve) == larger
            seen += 1
    assert seen >= 5


def test_lecture_notes_drift_dominates_noise_until_the_rounds_are_many() -> None:
    """The notes' step sqrt(m/(tau T))/L: exactly (tau - 1)^2 tau where they round to tau^3."""
    found = regimes(theorem("fedavg_nonconvex"), "T", "tau", eta="sqrt(m/(tau*T))/L", m=10)
    one = found.crossover("stochastic noise", "client drift")
    (curve,) = one.curves
    expected = 9 * m**3 * sigma_g**4 * tau * (tau - 1) ** 2 / sigma**4
    assert curve.quantity == "T"
    assert simplify(curve.expr - expected) == 0
    assert one.beyond(curve) == "stochastic noise"
    assert found.to_dict()["rules"] == {"eta": "sqrt(m)/(L*sqrt(T)*sqrt(tau))"}
    rounds = float(expected.subs({m: 10, tau: 5, sigma: 1, sigma_g: 1}))
    for factor, larger in ((0.99, "client drift"), (1.01, "stochastic noise")):
        at = predict(
            theorem("fedavg_nonconvex"), T=round(factor * rounds), tau=5, m=10, gap=0.01,
            eta=float(np.sqrt(10 / (5 * round(factor * rounds)))),
        )  # fmt: skip
        assert at.dominant == larger


def test_shares_are_of_the_area_and_know_the_condition() -> None:
    found = regimes(theorem("sgd_nonconvex"), "T", "eta", eta=[0.1, 1, 10], T=[1, 10, 100])
    assert sum(share for share, _ in found.shares.values()) == pytest.approx(1)
    # eta <= 1/L = 1: the cell of 10 reaches from sqrt(10) on, a quarter of the two decades.
    assert found.outside == pytest.approx(0.25)
    noise, outside = found.shares["stochastic noise"]
    assert noise * outside + found.shares["initial gap"][0] * found.shares["initial gap"][1] == pytest.approx(
        0.25
    )
    ((edge,),) = found.edges
    assert (edge.quantity, edge.expr, edge.grows) == ("eta", 1 / L, True)


def test_what_has_no_closed_form_is_found_by_bisection() -> None:
    odd = Term("client drift", L * gap * Max(eta * L, eta**3 * L**3 + Rational(1, 10)), "derived", "made up")
    statement = theorem_of("odd_one", START, odd)
    found = regimes(statement, "T", "eta", eta=np.geomspace(0.01, 10, 31).tolist())
    (one,) = found.crossovers
    assert {curve.quantity for curve in one.curves} <= {"T", "eta"}
    for curve in one.curves:
        inside = curve.points[np.isfinite(curve.points).all(axis=-1)]
        first, second = sides(found, one, inside)
        np.testing.assert_allclose(first, second, rtol=1e-9)
    assert one.bounds


def test_a_search_finds_every_branch() -> None:
    hump = Term("client drift", gap * L * (eta * L + 1 / (eta * L)) ** Rational(7, 3), "derived", "made up")
    flat = Term(
        "stochastic noise", gap * L * (T ** Rational(1, 3) + 9 / T ** Rational(1, 5)), "derived", "made up"
    )
    found = regimes(theorem_of("hump", flat, hump), "T", "eta", eta=np.geomspace(0.01, 100, 31).tolist())
    (one,) = found.crossovers
    assert [curve.expr for curve in one.curves] == [None, None]
    assert [one.beyond(curve) for curve in one.curves] == ["stochastic noise", "client drift"]
    assert "no closed form; (T, eta) = (" in found.to_text()
    json.dumps(found.to_dict(), allow_nan=False)


@each(
    ("x", "y", "values", "sentence"),
    [
        ("tau", "tau", {}, "regimes spans two quantities, but tau was given twice"),
        ("tau", "CC", {}, "unknown quantity of fedavg_nonconvex_partial 'CC'; did you mean 'C'"),
        ("tau", "mu", {}, "does not depend on mu here; it depends on m, C, T"),
        ("tau_i", "C", {}, "tau_i holds one value for each client, and a vector is never an axis"),
        ("tau", "C", {"tau": 5}, "tau was given as one value, but regimes spans tau and C"),
        ("tau", "C", {"tau": [5, 5]}, "give it a range, as tau=start:stop:count:log"),
        ("tau", "C", {"L": [1, 2]}, "L is a list, but regimes spans tau and C alone"),
        ("tau", "C", {"C": [0.1, 0.15], "m": 10}, "nearest values of C are 0.1 and 0.2"),
        ("tau", "C", {"C": ["a", "b"]}, "C = 'a' was given, but it must be a number"),
        ("tau", "eta", {"eta": "1/L"}, "eta follows a rule, so it cannot be an axis as well"),
        ("tau", "C", {"eta": "sqrt(m/T)"}, "divide by L"),
        ("tau", "C", {"sigmag": 1}, "did you mean 'sigma_g'"),
        ("tau", "C", {"m": 1}, "fedavg_nonconvex_partial requires m >= 2, but m = 1 was given"),
        ("C", "T", {"m": [10, 20]}, "m is a list, but regimes spans C and T alone"),
    ],
)
def test_mistakes_are_one_sentence(x: str, y: str, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoundkitError) as said:
        regimes(theorem(PARTIAL), x, y, **values)
    assert sentence in str(said.value)


@each("name", REPRESENTATIVES[::2])
def test_every_theorem_with_two_quantities_answers_or_refuses_in_a_sentence(name: str) -> None:
    statement = theorem(name)
    found = answered(statement)
    if found is None:
        return
    holds, dominant = np.asarray(found.prediction.holds), np.asarray(found.dominant)
    assert dominant.shape == holds.shape == (found.window.xs.size, found.window.ys.size)
    assert set(dominant.ravel()) == set(found.shares) <= {t.label for t in statement.terms}
    assert sum(share for share, _ in found.shares.values()) == pytest.approx(1)
    two = [*found.shares, *(t.label for t in statement.terms if t.label not in found.shares)][:2]
    if len(two) == 2:
        one = found.crossover(*two)
        for curve in one.curves:
            first, second = sides(found, one, curve.points[np.isfinite(curve.points).all(axis=-1)])
            np.testing.assert_allclose(first, second, rtol=1e-7)
    if len(statement.terms) <= 3:  # of the others, all crossovers take a second or more
        json.dumps(found.to_dict(), allow_nan=False)
        assert len(found.crossovers) == len(list(combinations(statement.terms, 2)))
        assert found.to_text()


def answered(statement: Theorem) -> Regimes | None:
    """Over the first pair of its quantities that is often asked for; None where a sentence refuses."""
    names = [q.name for q in statement.quantities]
    often = [n for n in ("T", "tau", "eta", "C", "m", "sigma_g") if n in names]
    x, y = [*often, *(n for n in names if n not in often), "T", "tau"][:2]
    short = {"T": [1, 10, 1000, 100000], "tau": [1, 3, 10, 100]}
    try:
        return regimes(statement, x, y, **{n: v for n, v in short.items() if n in (x, y)})
    except BoundkitError as error:
        said = str(error)
    assert said.endswith((".", "?"))
    return None


def test_a_term_that_vanishes_for_alike_clients_crosses_nothing() -> None:
    """fedavg_nonconvex_unequal_steps: chi^2 is 0 where all clients take the same steps."""
    found = regimes(theorem("fedavg_nonconvex_unequal_steps"), "T", "eta", tau=5)
    gone = [t.label for t in found.theorem.terms if t.expr == 0]
    assert gone
    one = found.crossover("initial gap", gone[0])
    assert one.curves == ()
    assert not one.bounds
    assert gone[0] not in found.shares
    assert f"initial gap = {gone[0]}" in found.to_text()
    json.dumps(found.to_dict(), allow_nan=False)
