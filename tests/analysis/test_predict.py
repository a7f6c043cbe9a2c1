"""Predictions against the formulas of the theory, written out by hand."""

from __future__ import annotations

import itertools
import json
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from sympy import Le, oo

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.predict import predict
from boundkit.analysis.step_size import conditions_hold, largest, largest_product
from boundkit.theorems import theorem
from tests.analysis.asking import usual, with_step

PARTIAL = theorem("fedavg_nonconvex_partial")
POINT: dict[str, float] = {
    "m": 100, "C": 0.1, "tau": 10, "T": 1000, "eta": 0.001, "eta_s": 1, "L": 1, "sigma": 1, "sigma_g": 1,
    "gap": 1,
}  # fmt: skip


def by_hand(m: float, C: float, tau: float, T: float, eta: float, eta_s: float, L: float) -> dict[str, float]:
    """The five terms at sigma = 2, sigma_g = 3, gap = 5."""
    return {
        "initial gap": 4 * 5 / (eta_s * eta * tau * T),
        "stochastic noise": 4 * eta_s * eta * L * 4 / (C * m),
        "noise drift": 8 * eta**2 * L**2 * (tau - 1) * 4,
        "partial participation": 12 * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * 9,
        "client drift": 32 * eta**2 * L**2 * tau * (tau - 1) * 9,
    }


def test_the_example_of_the_paper() -> None:
    p = predict(PARTIAL, **POINT)
    assert p.terms == pytest.approx(
        {
            "initial gap": 0.4,
            "stochastic noise": 0.0004,
            "noise drift": 7.2e-05,
            "partial participation": 0.012 * 0.9 / (0.1 * 99) * 10,
            "client drift": 0.00288,
        },
        rel=1e-14,
    )
    assert p.total == pytest.approx(0.414261090909, rel=1e-11)
    assert p.dominant == "initial gap"
    assert p.assumed == ()


def test_a_grid_agrees_with_its_points() -> None:
    axes: dict[str, list[float]] = {"tau": [5, 1, 2], "C": [1, 0.1], "eta": [0.001, 0.004]}
    rest: dict[str, float] = {"m": 10, "T": 50, "eta_s": 2, "L": 3}
    p = predict(PARTIAL, **axes, **rest, sigma=2, sigma_g=3, gap=5)
    assert p.axes == ("tau", "C", "eta")
    assert p.total.dims == p.axes
    for tau, C, eta in itertools.product(*axes.values()):
        expected = by_hand(tau=tau, C=C, eta=eta, **rest)
        here = {"tau": tau, "C": C, "eta": eta}
        for label, value in expected.items():
            assert float(p.terms[label].sel(here)) == pytest.approx(value, rel=1e-12)
        assert float(p.total.sel(here)) == pytest.approx(sum(expected.values()), rel=1e-12)
        assert p.dominant.sel(here).item() == max(expected, key=lambda k: expected[k])
        limit = min(1 / (8 * 3 * tau), 1 / (24 * 3 * tau * 2))
        assert float(p.largest.sel(here)) == pytest.approx(limit, rel=1e-12)
        assert bool(p.holds.sel(here)) == (eta <= limit)
        assert float(p.largest_product.sel(here)) == pytest.approx(1 / (24 * 3 * tau), rel=1e-12)


def test_the_order_of_an_axis_is_kept_and_values_may_repeat() -> None:
    p = predict(PARTIAL, tau=[10, 1, 10])
    assert p.total.coords["tau"].values.tolist() == [10, 1, 10]
    assert p.to_dict()["parameters"]["tau"] == [10, 1, 10]
    assert p.total[0] == p.total[2]


def test_json_is_clean_and_counts_are_whole() -> None:
    whole = predict(theorem("fedavg_nonconvex"), tau=[1, 2], eta=0.1).to_dict()
    text = json.loads(json.dumps(whole, allow_nan=False))
    assert text == whole
    assert text["parameters"]["tau"] == [1, 2]
    assert all(isinstance(text["parameters"][n], int) for n in ("m", "T"))
    assert text["terms"]["client drift"][0] == 0
    assert text["step_size"]["largest"] == pytest.approx([1 / 2, 1 / np.sqrt(24)])


def test_the_largest_step_satisfies_the_conditions_and_a_larger_one_does_not() -> None:
    for name, (tau, L) in itertools.product(with_step(), ((1, 7), (10, 0.3))):
        statement = theorem(name)
        values = usual(statement, tau=tau, L=L, mu=L / 50, m=100, T=10**6)
        tiny = predict(statement, **values, eta=1e-9)
        if not tiny.holds or tiny.largest == np.inf:  # another condition fails, or none is on eta
            continue
        assert predict(statement, **values, eta=tiny.largest).holds, (name, tau, L)
        assert not predict(statement, **values, eta=tiny.largest * (1 + 1e-9)).holds, (name, tau, L)


def test_limits_in_closed_form() -> None:
    one = theorem("fedavg_nonconvex")
    at: dict[str, ArrayLike] = {"L": 2.0, "tau": np.array([1.0, 2.0, 50.0])}
    expected = [1 / 4, 1 / np.sqrt(96), 1 / np.sqrt(4 * 12 * 50 * 49)]
    assert evaluate(largest(one), at) == pytest.approx(expected)
    assert largest_product(one) is None
    assert largest(one, next(q for q in one.quantities if q.name == "m")) is oo
    assert conditions_hold(PARTIAL, {"eta": 1 / 240, "eta_s": 1.0, "L": 1.0, "tau": 10.0})


def test_a_condition_that_is_no_monomial_is_solved(free_of_conditions: Theorem) -> None:
    from dataclasses import replace

    from boundkit.algebra.notation import L, eta

    solved = replace(free_of_conditions, step_size=(Le(eta * L + (eta * L) ** 2, 2),))
    limit = predict(solved, L=4, eta=0.1).largest
    assert limit == pytest.approx(1 / 4)


def test_relations_are_met_up_to_rounding_only() -> None:
    from boundkit.algebra.notation import L, eta

    assert satisfied(Le(eta, 1 / L), {"eta": 1 / 3 * (1 + 1e-13), "L": 3.0})
    assert not satisfied(Le(eta, 1 / L), {"eta": 1 / 3 * (1 + 1e-11), "L": 3.0})


BAD: list[tuple[dict[str, Any], str]] = [
    ({"tau": 0.5}, "tau = 0.5 was given, but it must be a whole number, at least 1 (local steps"),
    ({"tau": 0}, "tau = 0 was given"),
    ({"eta": float("nan")}, "eta = nan"),
    ({"eta": float("inf")}, "eta = inf"),
    ({"eta": 10**400}, "eta = "),
    ({"eta": True}, "eta = True was given, but it must be a number"),
    ({"eta": None}, "eta = None"),
    ({"eta": "0.1"}, "eta = '0.1'"),
    ({"eta": 1j}, "eta = 1j"),
    ({"eta": []}, "at least one value"),
    ({"eta": [[0.1]]}, "flat list"),
    ({"eta": np.ones((2, 2))}, "flat list"),
    ({"eta": [0.1, -1]}, "eta = -1"),
    ({"eta": np.array([0.1, np.nan])}, "eta = nan"),
    ({"tau": np.array([1, 2.5])}, "tau = 2.5"),
    ({"C": 1.5}, "at most 1"),
    ({"etaa": 1}, "did you mean 'eta'"),
    ({"C": 0.15, "m": 10}, "m = 10 and C = 0.15 make 1.5 clients a round"),
    ({"m": 25}, "C = 0.1 (assumed)"),
    ({"C": [1, 0.5], "m": [4, 5]}, "m = 5 and C = 0.5 make 2.5 clients"),
    ({"C": 1e-12, "m": 2}, "The nearest value of C is 0.5."),
    ({"m": 1, "C": 1}, "requires m >= 2, but m = 1 was given"),
    ({"eta": 1e-320}, "'initial gap' is too large for a number"),
    ({"eta": 1e200}, "too large for a number"),
    ({"T": np.arange(1, 10**6), "eta": 1e-3 * np.arange(1, 100)}, "at most 20000000 fit"),
]


def test_invalid_values_are_refused_in_a_sentence() -> None:
    for values, sentence in BAD:
        with pytest.raises(BoundkitError) as refusal:
            predict(PARTIAL, **values)
        assert sentence in str(refusal.value), values
        assert "\n" not in str(refusal.value), values


def test_the_near_fractions_are_legal() -> None:
    with pytest.raises(BoundkitError) as refusal:
        predict(PARTIAL, C=0.3, m=7)
    near = str(refusal.value).split("values of C are ")[1].rstrip(".").split(" and ")
    assert [round(7 * float(c)) for c in near] == [2, 3]
    for c in near:
        predict(PARTIAL, C=float(c), m=7)


def test_a_requirement_between_quantities() -> None:
    strongly = theorem("fedavg_strongly_convex_partial")
    with pytest.raises(BoundkitError, match=r"requires mu <= L, but L = 0.05 and mu = 0.1 \(assumed\)"):
        predict(strongly, L=0.05)


@settings(max_examples=8)
@given(
    name=st.sampled_from([q.name for q in PARTIAL.quantities] + ["", "Eta", "lambda"]),
    value=st.one_of(
        st.floats(), st.integers(), st.text(max_size=5), st.none(), st.booleans(),
        st.lists(st.one_of(st.floats(), st.integers(), st.text(max_size=2)), max_size=3),
    ),
)  # fmt: skip
def test_any_value_is_predicted_or_refused(name: str, value: object) -> None:
    with suppress(BoundkitError):
        json.dumps(predict(PARTIAL, **{name: value}).to_dict(), allow_nan=False)


def test_a_contraction_keeps_its_digits_over_many_rounds() -> None:
    # (1 - 5e-13)**(2e12): naive floating point is wrong in the fifth digit.
    strongly = theorem("fedavg_strongly_convex_partial")
    start = predict(strongly, mu=0.1, eta=1e-12, tau=10, eta_s=1, T=2 * 10**12, distance=1).terms[
        "initial gap"
    ]
    assert start == pytest.approx(np.exp(-1), rel=1e-12)
    # Far outside the condition the base is negative, and its sign is kept.
    for T, sign in ((2, 1), (3, -1)):
        far = predict(strongly, mu=1, L=1, eta=0.5, tau=10, eta_s=1, T=T, distance=1).terms["initial gap"]
        assert far == pytest.approx(sign * 1.5**T)
