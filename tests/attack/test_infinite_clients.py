"""Infinitely many clients: exact means against many real ones, drifts in closed form, and their bounds."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.infinite_clients import (
    DriftInstance,
    Gaussian,
    NoiseDistribution,
    PiecewiseLoss,
    RoundParameters,
    Splitting,
    TwoPoint,
    drift_instances,
    infinite_clients_apply,
    infinite_run,
    measure_drift_instances,
)
from boundkit.attack.infinite_clients.evidence import FIRST_ROUND, MANY, NESTEROV, in_one_round, is_curved
from boundkit.attack.infinite_clients.instances import TERM, drifting_instance
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Huber, LogCosh
from boundkit.simulation.run import make_run
from boundkit.theorems import catalogue, theorem
from tests.cases import each

REACHED = [
    t
    for t in map(theorem, catalogue())
    if infinite_clients_apply(t) and not in_one_round(t) and t.algorithm != NESTEROV
]
RIDGE = PiecewiseLoss.ridge(0.7, 9.0)
TAIL = PiecewiseLoss.huber(0.3, 1.2, 1.0, 0.1)


def test_many_clients_are_nearly_infinitely_many() -> None:
    m, replicas = 400, 50
    problem = Huber([1.0] * m, [0.2] * m, [None] * m, [[0.5]] * m, noise=2.0)
    run = make_run("fedavg", problem, eta=0.25, rounds=3, local_steps=4, x0=[-0.5])
    seen = StepEngine(run, replicas=replicas).trajectory()
    f = PiecewiseLoss.of(problem)
    told, still = (
        infinite_run(f, law, tau=4, x0=-0.5, eta=0.25, rounds=3) for law in (Gaussian(2.0), TwoPoint(0.0))
    )
    error = 0.25 * 2.0 * np.sqrt(4 * np.arange(1, 4) / (m * replicas))
    assert (np.abs(seen.x[1:, 0] - told.x[1:]) < 4 * error).all()
    assert (np.abs(still.x[1:] - told.x[1:]) > 5 * error).all()
    assert told.error < 1e-10


def walked(
    law: NoiseDistribution, f: PiecewiseLoss, eta: float, tau: int, x: float, clients: int
) -> list[float]:
    """Mean gradients of so many simulated clients; Splitting by its words."""
    rng = np.random.default_rng(3)
    y, s, means = np.full(clients, x), eta * law.sigma, []
    up = getattr(law, "up", 0.5)
    jumps = s * np.array([-((up / (1 - up)) ** 0.5), ((1 - up) / up) ** 0.5])
    for k in range(tau):
        g = f.gradient(y)
        means.append(float(g.mean()))
        step = y - eta * g
        if isinstance(law, Gaussian):
            y = step + s * rng.standard_normal(clients)
        elif isinstance(law, TwoPoint) or k == 0:
            y = step + jumps[(rng.random(clients) < up).astype(int)]
        else:
            places = np.unique(step)
            middle, half = places.mean(), ((places[1] - places[0]) ** 2 / 4 + s * s) ** 0.5
            rises = (step - middle + half) / (2 * half)
            went = np.where(rng.random(clients) < rises, middle + half, middle - half)
            for place in places:
                law_here = rises[step == place][0]
                assert 4 * half**2 * law_here * (1 - law_here) == pytest.approx(s * s)
            y = went
    return means


@each("f", [RIDGE, TAIL])
@each("law", [Gaussian(1.5), TwoPoint(1.5, 0.2), Splitting(1.5, 0.3)])
def test_mean_gradients_are_those_of_many_clients(f: PiecewiseLoss, law: NoiseDistribution) -> None:
    means, error = law.mean_gradients(f, 0.2, 5, -0.2)
    assert error < 1e-11
    np.testing.assert_allclose(means, walked(law, f, 0.2, 5, -0.2, 200_000), atol=5 * 0.8 / 200_000**0.5)


def test_the_quadrature_claims_only_digits_that_it_has() -> None:
    """The second mean in closed form: the mean of a clipped Gaussian."""
    s = 0.25 * 1.5
    z = 0.25 * 0.3 / s
    density, below = np.exp(-z * z / 2) / (2 * np.pi) ** 0.5, (1 + math.erf(z / 2**0.5)) / 2
    means, error = Gaussian(1.5).mean_gradients(PiecewiseLoss.huber(0.3), 0.25, 2, -0.3)
    assert abs(means[1] - (-0.3 + s * (z * below + density))) <= error < 1e-12


def test_quadratics_show_no_noise_drift() -> None:
    f = PiecewiseLoss((0.0,), (0.0,), 1.0, 1.0)
    for law in (Gaussian(1.0), TwoPoint(1.0, 0.1), Splitting(1.0, 0.1)):
        seen = infinite_run(f, law, eta=0.1, tau=4, x0=1.0, rounds=3)
        np.testing.assert_allclose(seen.x, 0.9 ** (4 * np.arange(4)), rtol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.05, 3), st.floats(0.05, 3), st.floats(0, 1), st.floats(-6, 6))
def test_a_landscape_is_its_huber_loss(a: float, b: float, floor: float, y: float) -> None:
    problem = Huber([1.0], [a], [b], [[0.4]], floor=floor)
    f, x = PiecewiseLoss.of(problem), np.array([[y]])
    assert f.optimum == pytest.approx(0.4)
    np.testing.assert_allclose(f.gradient(x[:, 0]), problem.client_gradients(x)[:, 0, 0], atol=1e-12)
    np.testing.assert_allclose(f.gap(x[:, 0]), problem.loss_gaps(x), atol=1e-12)
    np.testing.assert_allclose(f.slopes.max(), 1.0)
    assert f.convex


def test_what_is_no_landscape_is_refused() -> None:
    for wrong, words in (
        (lambda: PiecewiseLoss((0.0, 0.0), (1.0, 1.0)), "knots of a landscape must rise"),
        (lambda: PiecewiseLoss((0.0,), (1.0,)), "must not fall without end"),
        (lambda: PiecewiseLoss((), ()), "at least one knot"),
        (lambda: PiecewiseLoss.of(LogCosh([1.0], [[0.0]])), "need a huber problem"),
        (lambda: PiecewiseLoss.of(Huber.random(2, 1)), "of homogeneous clients"),
        (lambda: RoundParameters(TAIL, TwoPoint(1.0), 0.0, 2), "must be above 0"),
        (lambda: TwoPoint(1.0).mean_gradients(TAIL, 0.1, 40, 0.0), "outcomes"),
        (lambda: RoundParameters(TAIL, TwoPoint(1.0), 0.1, 2).fixed_point(3.0, 4.0), "does not remain"),
    ):
        with pytest.raises(BoundkitError, match=words):
            wrong()


def test_the_drift_on_a_ridge_is_the_mean_root_of_the_steps() -> None:
    """f' at rest is L times the mean distance walked, eta sigma sqrt(k) after k steps."""
    tau = 16
    one = DriftInstance("splitting", tau, 1e-5, 1e-3).evidence(theorem("local_sgd_nonconvex"))
    wanted = np.sqrt(np.arange(tau)).mean() / tau**0.5
    assert float(one.measured[0]) ** 0.5 == pytest.approx(wanted, abs=2e-3)


def test_the_drift_on_a_tail_is_an_eighth_of_the_variance_walked() -> None:
    one = DriftInstance("two-point", 5, 1e-5, 1e-5, 1e-5 / 5).evidence(theorem("fedavg_convex_sharp"))
    assert float(one.measured[0]) < 4 / 5 / 8
    best = drifting_instance(theorem("fedavg_convex_sharp"), 5, 1e-5).evidence(theorem("fedavg_convex_sharp"))
    assert float(best.measured[0]) == pytest.approx(4 / 5 / 8, rel=0.02)


@each("claimed", REACHED, ids=lambda t: t.name)
def test_no_bound_is_below_its_noise_drift_and_the_drift_is_seen(claimed: Any) -> None:
    shapes = [s for s in drift_instances(claimed) if s.noise == "two-point" and s.tau == 3]
    pieces = [s.evidence(claimed) for s in shapes]
    alone = TERM in claimed.bound.terms  # else it is a part of the noise of old models
    for one in pieces:
        assert one.conditions_hold(claimed).all()
        assert 0 < float(one.low[0]) <= float(one.high[0]) <= float(one.low[0]) * (1 + 1e-6)
        assert float(one.ratios(claimed)[0]) < 1
        if alone and one.values["T"][0] > MANY:  # else a condition limits T, and with it what is left of it
            assert one.shares(claimed)[0] == pytest.approx(one.ratios(claimed)[0], rel=1e-4)
    best = max(float(one.ratios(claimed)[0]) for one in pieces)
    assert best > (0.0003 if not alone else 0.001 if is_curved(claimed) else 0.006)


def test_witnesses_kill_wrong_powers() -> None:
    """Of the noise drift of local SGD: tau^0 for tau - 1, eta^3 L^3, a quarter of it, or none."""
    claimed = theorem("local_sgd_nonconvex")
    pieces = list(measure_drift_instances(claimed))
    assert len(pieces) >= 15
    term = claimed.bound.terms[TERM].expr
    letters = {s.name: s for s in term.free_symbols}
    eta, L, tau = (letters[n] for n in ("eta", "L", "tau"))
    rest = claimed.bound.total - term
    for wrong in (term / (tau - 1), term * eta * L, term * Rational(1, 4), 0 * term):
        assert any((one.low > evaluate(rest + wrong, one.values)).any() for one in pieces), wrong
    assert all((one.high < evaluate(claimed.bound.total, one.values)).all() for one in pieces)


@pytest.mark.parametrize("name", ["fedcm_nonconvex", "fednova_nonconvex_tuned", "fedawe_nonconvex_sharp"])
def test_momentum_rules_for_the_step_and_old_models_leave_the_drift(name: str) -> None:
    """Clients with momentum take shorter steps at the fixed point; a rule for the step determines T; small
    server steps leave little of the noise of old models."""
    claimed = theorem(name)
    pieces = list(measure_drift_instances(claimed))
    rest = claimed.bound.total - claimed.bound.terms[TERM].expr
    inside = [one for one in pieces if one.conditions_hold(claimed).all()]
    assert any((one.low > evaluate(rest, one.values)).any() for one in inside)
    assert all((one.high < evaluate(claimed.bound.total, one.values)).all() for one in inside)
    for one in inside:
        if claimed.rules:
            (rule,) = claimed.rules.values()
            assert evaluate(rule, one.values)[0] == pytest.approx(one.values["eta"][0])


def drift_slopes(statement: Theorem) -> dict[str, tuple[float, float]]:
    """Compute, for eta, tau and sigma, the logarithmic slopes of the drift and of the term.

    The loss grows with the noise, as in a worst case. All step sizes are below 1/1000 of their limit.
    """
    start = drifting_instance(statement, 8, 1e-3)
    eta = start.steps(statement)[0]
    grids = {
        "eta": [(eta * k, 8, 1.0) for k in (1.0, 0.5, 0.25)],
        "tau": [
            (eta / 64, tau, 1.0) for tau in ((4, 8, 12) if start.noise == "two-point" else (64, 128, 256))
        ],
        "sigma": [(eta, 8, sigma) for sigma in (1.0, 2.0, 4.0)],
    }
    result = {}
    for letter, grid in grids.items():
        pieces = [
            drifting_instance(statement, tau, 1.0)
            .at(statement, step, tau)
            .evidence(statement, step * tau**0.5 * sigma)
            for step, tau, sigma in grid
        ]
        at = np.log([float(one.values[letter][0]) for one in pieces])
        evidence = np.log([float(one.measured[0]) for one in pieces])
        term = statement.bound.terms[TERM].expr
        text = np.log([float(evaluate(term, one.values)[0]) for one in pieces])
        result[letter] = (float(np.polyfit(at, evidence, 1)[0]), float(np.polyfit(at, text, 1)[0]))
    return result


@each("name", ["local_sgd_nonconvex", "fedavg_convex_sharp", "fedavg_strongly_convex_partial"])
def test_the_drift_scales_as_its_term(name: str) -> None:
    for letter, (seen, said) in drift_slopes(theorem(name)).items():
        assert seen == pytest.approx(said, abs=0.02), letter


@pytest.mark.parametrize("name", sorted(FIRST_ROUND))
def test_the_first_round_is_that_of_fedavg(name: str) -> None:
    problem = Huber([1.0] * 4, [0.2] * 4, [None] * 4, [[0.5]] * 4, noise=2.0)
    first, fedavg = (
        StepEngine(
            make_run(one, problem, eta=0.25, rounds=1, local_steps=4, x0=[0.5]), replicas=3
        ).trajectory()
        for one in (name, "fedavg")
    )
    np.testing.assert_allclose(first.x[1], fedavg.x[1], rtol=1e-12)
    assert abs(first.x[1, 0] - 0.5) > 1e-3
