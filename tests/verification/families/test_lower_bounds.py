"""Steps of the proofs of the lower bounds on piecewise quadratics, by enumeration and by plain loops."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from boundkit.algebra import Theorem
from boundkit.attack.infinite_clients import PiecewiseLoss, TwoPoint
from boundkit.attack.infinite_clients.rounds import RoundParameters
from boundkit.simulation.problems import Huber
from boundkit.simulation.run import Run
from boundkit.theorems import theorem
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.default_instances import default_instances, default_runs
from boundkit.verification.families.lower_bounds import jumping_instance
from boundkit.verification.instance import Instance
from boundkit.verification.verifier import verify

NOISE_DRIFT = ("fedavg_convex_noise_drift_lower", "fedavg_strongly_convex_noise_drift_lower")
PIECEWISE = (
    *NOISE_DRIFT, "fedavg_strongly_convex_piecewise_drift_lower", "fedavg_convex_piecewise_floor_lower",
)  # fmt: skip


def few_steps(bound: Theorem) -> list[Run]:
    return [run for _, run in default_runs(bound) if run.tau is not None and run.tau <= 12]


@pytest.mark.parametrize("name", NOISE_DRIFT)
def test_the_expected_gradients_of_a_round_are_convex_and_not_negative_at_the_start(name: str) -> None:
    """By all 2^tau outcomes of one client: so the expected model never moves towards the optimum."""
    runs = few_steps(theorem(name))
    assert len(runs) == 3
    for run in runs:
        problem = run.problem
        assert isinstance(problem, Huber)
        assert run.tau is not None
        rounds = RoundParameters(
            PiecewiseLoss.of(problem), TwoPoint(problem.noise, problem.jump), run.eta, run.tau
        )
        start, half = float(run.x0[0]), float(problem.e[0, 0] - problem.a[0, 0] - run.x0[0])
        sums = np.array([rounds.gradient_sum(start + half * z) for z in np.linspace(-4, 2, 61)])
        assert rounds.gradient_sum(start) >= 0
        assert (np.diff(sums, 2) >= -1e-12 * np.abs(sums).max()).all()
        assert float(problem.e[0, 0]) > start


@pytest.mark.parametrize("tau", [2, 3, 6])
def test_a_long_round_leads_no_mean_model_nearer_to_the_optimum(tau: int) -> None:
    """Up to where the bound is 0 mean gradients are above the tangent at 0, of slope at most 1/(eta tau)."""
    for ratio, part in product((1 / 40, 1 / 100, 1e-3), (0.02, 0.3, 0.6, 0.9, 0.999)):
        length = part * (2 - 20 * ratio) * tau / (tau - 1)
        plan = jumping_instance("", 1, 1.0, ratio, tau, length, 1)
        problem, eta = plan.problem, plan.eta
        assert isinstance(problem, Huber)
        assert eta is not None
        noise = TwoPoint(1.0, problem.jump)
        rounds = RoundParameters(PiecewiseLoss.of(problem), noise, eta, tau)
        knee = float(problem.e[0, 0] - problem.a[0, 0])
        step = 1e-4 * knee
        slope = (rounds.gradient_sum(step) - rounds.gradient_sum(-step)) / (2 * step)
        assert rounds.gradient_sum(0.0) >= 0
        assert slope * eta <= 1
        for x in knee * np.linspace(-4, 8, 49):
            assert rounds.gradient_sum(x) >= rounds.gradient_sum(0.0) + slope * x - 1e-9 * abs(slope * knee)


def test_the_inequalities_of_the_proof_for_long_rounds_hold() -> None:
    """Those on the probabilities, on a grid of k and p, and those on q, b and mu/L that end the two cases."""
    for k, chance in product((1, 2, 3, 7, 40), (1e-3, 0.1, 0.25, 0.5)):
        if k * chance <= 1 / 2:
            once = k * chance * (1 - chance) ** (k - 1) - (1 - (1 - chance) ** k) / 2
            assert once >= k * chance / 2 * (1 - 3 / 2 * (k - 1) * chance) - 1e-15
    r, b = np.meshgrid(np.linspace(1e-4, 1 / 40, 60), np.linspace(0, 2, 400))
    inside = 1 - b / 2 > 10 * r
    q = np.minimum(1 / 2, 2 * r / np.where(inside, 1 - b / 2 - 8 * r, 1))
    short = b / 6 + 13 * r / 2 - q * (1 + b / 12)
    assert (short >= 0)[inside & (q <= 1 / 6)].all()
    assert (short < 0)[inside].any()
    long = q * (1 - q) * (1 - 3 * r) / (2 * r * (3 - 20 * r)) - 1 - r / 2
    assert (long >= 0)[inside & (q >= 1 / 6)].all()


def test_a_hyperbolic_cosine_of_the_floor_is_at_most_five_halves() -> None:
    factors = [math.exp(q / 2) * math.sinh(q) / (1 - math.exp(-q / 2)) for q in np.linspace(1e-6, 1 / 8, 200)]
    assert max(factors) * math.cosh(1 / 2) <= 5 / 2


@pytest.mark.parametrize("name", PIECEWISE)
def test_another_instance_is_refused(name: str) -> None:
    """A start beside that of the proof, a longer step, and quadratics are not its instance."""
    bound = theorem(name)
    run = next(run for _, run in default_runs(bound))
    assert not reasons_not_applicable(bound, run)
    problem = run.problem
    assert isinstance(problem, Huber)
    scale = float(problem.a[0, 0])
    assert reasons_not_applicable(bound, replace(run, x0=run.x0 + 0.1 * scale))
    assert reasons_not_applicable(bound, replace(run, eta=0.9 * run.eta))
    straight = Huber(problem.h, None, None, problem.e, problem.floor, noise=problem.noise)
    assert reasons_not_applicable(bound, replace(run, problem=straight))


@pytest.mark.parametrize("name", PIECEWISE)
def test_a_larger_bound_is_violated(name: str) -> None:
    """The instances attain the bound in the limit of the proof: 1.6 times the bound is too much."""
    bound = theorem(name)
    larger = replace(bound, terms=tuple(replace(t, expr=1.6 * t.expr) for t in bound.terms))
    instances = {each.name: each for each in default_instances(bound)}
    assert any(violated(larger, instance) for instance in instances.values())


def violated(bound: Theorem, instance: Instance) -> bool:
    return verify(bound, instance.run(bound.algorithm, instance.eta), slopes=False).answer == "violated"


def test_the_drift_of_a_piecewise_client_is_at_least_that_of_its_proof() -> None:
    """Its inequalities on a grid of b = eta L (tau - 1) and q = mu/L, and the mean by sums."""
    b, q = np.meshgrid(np.linspace(0, 7 / 4, 71), np.linspace(0, 1 / 5, 21))
    x = np.maximum(1 - b / 2, 0) / (3 - b * q)
    mean = (1 - b * q / 3) * (1 - x) ** 2 * (1 / 2 - b * (1 - x) / 6)
    shown, claimed = mean - q / (1 - q) * b / 6, 1 - 2 * b / 5
    assert (shown >= 2 / 9 * claimed - 1e-12).all()
    assert (shown >= 2 / 9 - b / 18 - q / 3 * claimed - 1e-12).all()
    assert (shown < 2 / 9 * (1 - b / 10)).any()
    for n in (1, 2, 3, 4, 7, 30):
        k = np.arange(n + 1)[:, None, None] / n
        straight = np.maximum((1 - b * q / 3) * k - np.maximum(1 - b / 2, 0) / 3, 0)
        means = (straight * (1 - b + b * k)).mean(axis=0)
        assert (means >= mean - 1e-12)[b <= 7 / 4 * n / (n + 1)].all()
