"""The best steps against dense grids and hand-made formulas."""

from __future__ import annotations

import json
import re
from math import ceil, floor, inf, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sympy import simplify

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import (
    C,
    L,
    T,
    control_error_star,
    delay,
    distance,
    eta,
    eta_s,
    gap,
    m,
    sigma,
    sigma_g,
    tau,
    wall,
)  # fmt: skip
from boundkit.analysis.predict import predict
from boundkit.analysis.tune import tune
from boundkit.report.formatting import format_number
from boundkit.theorems import theorem
from tests.analysis.asking import usual, with_step
from tests.cases import each, thinned

PARTIAL = theorem("fedavg_nonconvex_partial")
ONE = theorem("fedavg_nonconvex")
WITHOUT_BEST_STEP = {
    "clipped_gd_relaxed_smooth": {400, 10**9},
    "fedavg_strongly_convex_drift_limit": {400, 10**9},
    "fedavg_strongly_convex_drift_limit_lower": {400, 10**9},
    **{f"fedavg_{losses}_drift_lower": {400, 10**9} for losses in ("nonconvex", "convex", "strongly_convex")},
    "fedavg_strongly_convex_average_drift": {400, 10**9},  # a typical start is nearer than the limit
    "episode_relaxed_smooth_decrease": {400, 10**9},
    "fedawe_consensus": {400, 10**9},
    "scaffold_strongly_convex_partial": {400},  # too few rounds to forget anything
}
"""Where the infimum is at step size 0, and the numbers of rounds at which it does."""


@each("name", thinned([n for n in with_step() if n in WITHOUT_BEST_STEP or not n.endswith("_lower")], 20))
@each("given", [{"T": 400, "wall": 4000, "clip": 1e-3}, {"T": 10**9, "sigma": 0.5, "clip": 1e-3}])
def test_no_step_on_a_dense_grid_is_better(name: str, given: dict[str, Any]) -> None:
    statement = theorem(name)
    asked = usual(statement, **given)
    if given["T"] in WITHOUT_BEST_STEP.get(name, ()):
        best = tune(statement, **asked)
        assert (best.outcome, best.values) == ("infimum at 0", {"eta": 0.0})
        limit = predict(statement, eta=1e-12, **asked).largest
        rising = predict(statement, eta=limit * np.geomspace(1e-12, 1, 2001), **asked).total.to_numpy()
        assert rising.min() >= best.bound * (1 - 1e-12)
        near = float(predict(statement, eta=limit * 1e-30, **asked).total)
        assert near == pytest.approx(best.bound, rel=1e-12, abs=1e-20)
        if statement.kind == "upper":  # what one instance shows may fall again near its limit
            assert (np.diff(rising) >= -1e-12 * rising[1:]).all()
        return
    best = tune(statement, **asked)
    assert best.outcome in ("minimum", "at the limit")
    limit = best.prediction.largest
    assert best.values["eta"] <= limit
    assert best.prediction.holds
    for spread in (3.0, 1.001):
        grid = best.values["eta"] * np.geomspace(1 / spread, spread, 1001)
        others = predict(statement, eta=grid[grid <= limit], **asked)
        assert best.bound <= float(others.total.where(others.holds).min()) * (1 + 1e-12)


def test_the_root_law_of_minibatch_sgd() -> None:
    best = tune(theorem("sgd_nonconvex"), m=8, T=100, L=2, sigma=3, gap=5)
    assert best.formula is not None
    assert simplify(best.formula**2 - 2 * gap * m / (L * T * sigma**2)) == 0
    assert best.values["eta"] == pytest.approx(sqrt(2 * 5 * 8 / (2 * 100 * 9)), rel=1e-12)
    assert (best.at_limit, best.method) == (False, "closed form")


def test_the_cube_root_law_without_noise() -> None:
    best = tune(ONE, sigma=0)
    assert best.formula is not None
    assert simplify(best.formula**3 - gap / (6 * tau**2 * (tau - 1) * L**2 * T * sigma_g**2)) == 0
    assert best.values["eta"] == pytest.approx((4 / (10 * 1000) / (2 * 12 * 90)) ** (1 / 3), rel=1e-12)
    assert best.formula_holds_when.startswith("stochastic noise and noise drift are 0")


@each("L", [0.1, 0.7, 4.2, 5.0, 5.5])
def test_a_best_step_that_is_the_limit_itself_is_at_the_limit(L: float) -> None:
    """sqrt(2 gap m/(L T sigma^2)) = 1/L where gap = T sigma^2/(2 m L), whatever the roots round to."""
    best = tune(theorem("sgd_nonconvex"), m=10, T=100, L=L, sigma=0.3, gap=100 * 0.3**2 / (20 * L))
    assert best.values["eta"] == pytest.approx(1 / L, rel=1e-12)
    assert best.outcome == "at the limit"


def test_without_an_initial_gap_no_step_is_best() -> None:
    for statement, over in ((ONE, "eta"), (PARTIAL, "eta,eta_s")):
        best = tune(statement, over, gap=0)
        assert best.outcome == "infimum at 0"
        assert best.values["eta"] == best.bound == best.infimum == 0
        assert "so that no eta above 0 is best" in best.note


def test_without_noise_and_condition_the_bound_falls_for_ever(
    free_of_conditions: Theorem, drift_of_both_steps: Theorem
) -> None:
    best = tune(free_of_conditions, sigma=0)
    assert (best.outcome, best.values, best.bound) == ("falls for ever", {"eta": inf}, 0)
    assert best.to_dict()["values"] == {"eta": None}
    with pytest.raises(BoundkitError, match="falls for ever with both steps"):
        tune(drift_of_both_steps, "eta,eta_s", sigma=0, sigma_g=0)


@each(
    ("name", "over", "given", "outcome"),
    [
        ("scaffold_strongly_convex_partial", "eta", {"T": 400}, "infimum at 0"),
        ("scaffold_strongly_convex_partial", "eta", {"T": 500}, "infimum at 0"),
        ("fedavg_strongly_convex_partial", "eta", {"T": 200, "sigma": 0.5}, "infimum at 0"),
        ("fedavg_strongly_convex_partial", "eta_s", {"T": 200, "sigma": 0.5}, "infimum at 0"),
        ("sgd_strongly_convex", "eta", {"T": 400, "sigma": 30}, "infimum at 0"),
        ("fedavg_strongly_convex_drift_limit", "eta", {"tau": 10}, "infimum at 0"),
        ("sgd_strongly_convex", "eta", {"T": 10**9, "sigma": 0}, "at the limit"),
        ("scaffold_strongly_convex_partial", "eta", {"T": 10**9, "sigma": 0}, "at the limit"),
        ("fedavg_convex_partial_rate", "eta_s", {}, "falls for ever"),
        ("scaffold_nonconvex_partial", "eta_s", {}, "falls for ever"),
    ],
)
def test_where_a_bound_is_flat_to_rounding_its_slope_decides(
    name: str, over: str, given: dict[str, Any], outcome: str
) -> None:
    best = tune(theorem(name), over, **given)
    assert best.outcome == outcome
    assert best.values[over] == {"infimum at 0": 0, "falls for ever": inf}.get(
        outcome, best.prediction.largest
    )


@pytest.mark.parametrize(
    ("name", "given", "free"),
    [
        ("scaffold_strongly_convex_partial", {"T": 1, "sigma": 0}, "; without the condition 0.02"),
        ("scaffold_strongly_convex_partial", {"T": 1, "sigma": 0, "distance": 0}, "allows."),
        ("fedawe_nonconvex", {"availability": 0.5, "eta": 1e-4, "gap": 1e-9}, "; without the condition"),
    ],
)
def test_a_server_step_that_must_be_at_least_one_is_not_tuned_below(
    name: str, given: dict[str, float], free: str
) -> None:
    best = tune(theorem(name), "eta_s", **given)
    assert (best.values["eta_s"], best.outcome) == (1, "at the limit")
    assert f"the condition binds: eta_s is the least that {name} allows" in best.note
    assert free in best.note
    assert best.prediction.holds


def test_a_client_step_that_must_be_long_enough_is_not_tuned_below() -> None:
    """The momentum is made for a strong convexity that a round of shorter steps does not have."""
    best = tune(theorem("accelerated_local_sgd_strongly_convex"), T=400, tau=10, mu=0.1, beta_s=0.9)
    assert best.values["eta"] == pytest.approx((1 - (1 - (0.1 / 1.9) ** 2) ** 0.1) / 0.1, rel=1e-12)
    assert "eta is the least that accelerated_local_sgd_strongly_convex allows; without" in best.note
    assert best.prediction.holds


@each("name", ["fedawe_nonconvex_auxiliary", "fedawe_nonconvex"])
def test_a_pair_is_inside_a_condition_on_the_server_step_alone(name: str) -> None:
    """The bound feels the product alone: which pair is answered must not be a matter of rounding."""
    best = tune(theorem(name), "eta,eta_s", availability=0.5)
    assert best.prediction.holds
    assert "any such pair is best" in best.note
    product = best.values["eta"] * best.values["eta_s"]
    assert best.values["eta"] == pytest.approx(min(product, best.prediction.largest))
    assert product <= best.prediction.largest_product * (1 + 1e-12)
    for factor in (0.999, 1.001):
        pair = {"eta": best.values["eta"], "eta_s": best.values["eta_s"] * factor}
        near = predict(theorem(name), availability=0.5, **pair)
        assert near.total > best.bound or not near.holds


@each("given", [{}, {"T": 10**6}, {"sigma_g": 0, "T": 10**5}, {"C": 1, "tau": 3}])
@each("name", [f"fedavg_{c}_partial" for c in ("nonconvex", "convex", "strongly_convex")])
def test_the_pair_comes_near_an_infimum(name: str, given: dict[str, Any]) -> None:
    statement = theorem(name)
    best = tune(statement, "eta,eta_s", **given)
    product = best.values["eta"] * best.values["eta_s"]
    assert best.infimum is not None
    assert best.prediction.holds
    assert best.infimum < best.bound <= 1.01 * best.infimum * (1 + 1e-9)
    # Smaller eta at the same product: nearer, never below.
    nearer = predict(statement, **given, eta=1e-9, eta_s=product / 1e-9).total
    assert nearer == pytest.approx(best.infimum, rel=1e-6)
    limit = predict(statement, **given, eta=1e-9).largest_product
    products = np.geomspace(1e-4, 1, 80) * limit
    at_products = [predict(statement, **given, eta=1e-9, eta_s=p / 1e-9).total for p in products]
    assert min(at_products) >= best.infimum * (1 - 1e-9)
    larger = predict(
        statement, **given, eta=best.values["eta"] * 1.01, eta_s=product / best.values["eta"] / 1.01
    )
    assert larger.total > 1.01 * best.infimum or not larger.holds


def test_terms_that_overflow_are_refused() -> None:
    with pytest.raises(BoundkitError, match=r"no finite numbers|too large for a number"):
        tune(theorem("fedvarp_nonconvex"), "eta,eta_s", sigma_g=1e308)


def test_the_excess_is_what_the_drift_may_add() -> None:
    best = tune(PARTIAL, ("eta", "eta_s"), excess=0.2)
    assert best.infimum is not None
    drift = best.terms["client drift"] + best.terms["noise drift"]
    assert drift == pytest.approx(0.2 * best.infimum, rel=1e-9)
    assert "at most 20 %" in best.note
    for excess in (0, -1, float("nan"), float("inf"), True):
        with pytest.raises(BoundkitError, match="excess"):
            tune(PARTIAL, "eta,eta_s", excess=excess)


def test_where_a_best_pair_exists_it_is_found(drift_of_both_steps: Theorem) -> None:
    best = tune(drift_of_both_steps, "eta,eta_s", gap=1, T=100, L=1, sigma=1, sigma_g=1)

    def bound(u: np.ndarray) -> float:
        eta, eta_s = np.exp(u)
        return float(1 / (eta * eta_s * 100) + eta**2 + eta_s**2 / 100)

    reference = minimize(bound, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    assert best.bound == pytest.approx(reference.fun, rel=1e-10)
    assert [best.values["eta"], best.values["eta_s"]] == pytest.approx(np.exp(reference.x), rel=1e-4)
    assert best.infimum is None


@each("eta", [1e-2, 1e-3, 1e-5])
def test_the_best_tau_by_trying_all(eta: float) -> None:
    best = tune(ONE, "tau", eta=eta)
    tried = predict(ONE, tau=range(1, int(1 / (2 * eta)) + 1), eta=eta)
    inside = tried.total.where(tried.holds)
    assert best.values["tau"] == int(inside.idxmin())
    assert best.bound == pytest.approx(float(inside.min()))


def test_a_best_tau_beyond_a_hundred_thousand() -> None:
    best = tune(ONE, "tau", eta=1e-9, T=10)
    assert "geometric" in best.note
    assert best.values["tau"] > 10**5
    near = predict(ONE, tau=[best.values["tau"] + k for k in range(-500, 501)], eta=1e-9, T=10)
    assert best.bound == pytest.approx(float(near.total.min()), rel=1e-14)
    assert best.bound <= float(predict(ONE, tau=[int(1.3**k) for k in range(75)], eta=1e-9, T=10).total.min())


CLOCK = theorem("local_sgd_nonconvex_clock")


@each(
    ("name", "given", "counts"),
    [
        ("local_sgd_nonconvex_clock", {"wall": 200}, 250),
        ("local_sgd_nonconvex_clock", {"wall": 6}, 50),
        ("overlap_sgd_nonconvex_clock", {"wall": 37}, 100),
    ],
)
def test_the_best_tau_satisfies_the_requirements(name: str, given: dict[str, float], counts: int) -> None:
    statement = theorem(name)
    best = tune(statement, "tau", delay=5, **given)

    def bound(count: int) -> float:
        try:
            at = predict(statement, tau=count, delay=5, **given)
        except BoundkitError:  # not one round fits into the time
            return inf
        return float(at.total) if at.holds else inf

    tried = [(height, count) for count in range(1, counts) if (height := bound(count)) < inf]
    assert (best.bound, best.values["tau"]) == min(tried)
    if "eta" not in given:
        last = max(count for _, count in tried)
        assert re.match(rf"every tau up to {last}, the largest that .*wall >= .* allow", best.note)


@pytest.mark.parametrize("given", [{"wall": 1e6}, {"wall": 1e4, "sigma": 3}, {"wall": 1e5, "delay": 200}])
def test_the_best_tau_against_the_clock_as_a_formula(given: dict[str, float]) -> None:
    best = tune(CLOCK, "tau", **{"eta": 0.01, "delay": 5, "L": 2, **given})
    assert best.formula is not None
    assert simplify(best.formula**2 - 2 * gap * delay / (eta**3 * L**2 * sigma**2 * wall)) == 0
    values = best.prediction.parameters.values
    real = sqrt(2 * values["gap"] * values["delay"] / (0.01**3 * 4 * values["sigma"] ** 2 * values["wall"]))
    assert best.values["tau"] in (floor(real), ceil(real))
    assert (best.at_limit, best.formula_for) == (False, "tau")
    assert f"The formula gives {format_number(real)} before rounding" in best.note
    assert best.formula_holds_when == "the condition allows it"


def test_the_formula_for_tau_comes_from_powers_not_from_names() -> None:
    found = {
        "local_sgd_nonconvex": 2 * gap / (eta**3 * L**2 * sigma**2 * T),
        "scaffold_convex_partial": C * distance**2 / (9 * control_error_star**2 * eta**2 * eta_s**2),
    }
    for name, square in found.items():
        best = tune(theorem(name), "tau", eta=1e-3)
        assert best.formula is not None
        assert simplify(best.formula**2 - square) == 0
        assert best.at_limit
    assert tune(CLOCK, "tau", delay=0).formula is None  # nothing falls with tau
    assert tune(ONE, "tau", eta=1e-3).formula is None  # tau (tau - 1) is two powers, one of them negative


@each(
    ("name", "given", "count"),
    [
        ("scaffold_strongly_convex_partial", {"T": 10**6, "eta": 1e-6}, 12345),  # the falling term: 1e-268
        ("scaffold_nonconvex_partial", {}, inf),
        ("fedavg_nonconvex", {"T": 1000, "eta": 1e-9}, 55032121),  # five neighbours are equal to rounding
        ("local_sgd_nonconvex", {"T": 1000, "eta": 0.1}, 1),  # at tau = 2 the bound is 0.021 again
    ],
)
def test_the_best_tau_where_rounding_hides_it(name: str, given: dict[str, float], count: float) -> None:
    best = tune(theorem(name), "tau", **given)
    assert best.values == {"tau": count}
    assert (best.outcome == "falls for ever") == (count == inf)
    assert json.loads(json.dumps(best.to_dict(), allow_nan=False))["values"]["tau"] == (
        None if count == inf else count
    )


@each(
    ("over", "given", "sentence"),
    [
        ("eta", {"eta": 0.1}, "must not be given"),
        ("L", {}, "what can be tuned"),
        ("eta,eta_s", {}, "fedavg_nonconvex has no eta_s .server step size. to tune"),
        ("eta", {"T": [1, 0]}, "T = 0 was given"),
        ("", {}, "what can be tuned"),
    ],
)
def test_what_cannot_be_tuned(over: str, given: dict[str, object], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        tune(ONE, over, **given)  # type: ignore[arg-type]
