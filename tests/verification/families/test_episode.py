"""EPISODE's bounds with constants: the steps of their instances, and planted mistakes."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Expr

from boundkit.algebra.notation import L0, eta, m, tau
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.exponential import Exponential
from boundkit.theorems import theorem
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.families.episode import at_largest_steps
from boundkit.verification.instance import Instance
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times

DECREASE, EXPLICIT = theorem("episode_relaxed_smooth_decrease"), theorem("episode_relaxed_smooth_explicit")
COSH = Instance(
    "cosh",
    Exponential([[0.0]] * 2, noise=0.25).with_bounded_noise(),
    3,
    rounds=2000,
    x0=np.array([1.0]),
    target=0.5,
)


def test_steps_are_at_the_limits_of_the_conditions() -> None:
    free = replace(COSH, target=None)
    # threshold 1.75 = 7 sigma; 12 tau (L0 + 1.75 + sigma) = 36 * 3, and 4 target/9 is more than sigma/12
    for statement, instance in ((DECREASE, free), (EXPLICIT, COSH)):
        steps = at_largest_steps(statement, instance)
        assert steps is not None
        arranged = replace(steps, target=instance.target)
        assert arranged.eta == pytest.approx(1 / (36 * 3), rel=1e-8)
        assert arranged.options["gamma"] == pytest.approx(1.75 * arranged.eta, rel=1e-8)
        assert verify(statement, arranged.run("episode", arranged.eta), slopes=False).answer == "holds"
        short = verify(statement, replace(arranged, rounds=2).run("episode", arranged.eta), slopes=False)
        assert short.answer == ("holds" if statement is DECREASE else "undecided")
        longer = {"gamma": arranged.options["gamma"] * (1 + 1e-6)}
        run = replace(arranged, options=longer).run("episode", arranged.eta)
        assert "outside the condition" in verify(statement, run, slopes=False).reason
    for target, step in (
        (0.03, 0.03 * 4 / 9 / 0.25 / (3 * 3)),  # 9 tau sigma K = 4 target
        (1.0, 1 / (36 * 3.5)),  # threshold 9/4
        (0.004, 2 * 0.004**2 / (4 * 0.25**2)),  # 4 eta L0 sigma^2 = m target^2
    ):
        longest = at_largest_steps(EXPLICIT, replace(COSH, target=target))
        assert longest is not None
        assert longest.eta == pytest.approx(step, rel=1e-8)


def test_the_target_of_a_run_without_one_satisfies_the_conditions() -> None:
    arranged = at_largest_steps(EXPLICIT, replace(COSH, target=0.3))
    assert arranged is not None
    verdict = verify(EXPLICIT, arranged.run("episode", arranged.eta), slopes=False)
    assert verdict.answer == "holds", verdict.reason
    low, high = (
        9 * 3 * 0.25 * (1 + 1.75 + 0.25) * arranged.eta / 4,
        arranged.options["gamma"] / arranged.eta / (9 / 4),
    )
    assert low <= verdict.constants["target"].value <= high


def test_equal_hessians_have_a_dissimilarity_in_norm() -> None:
    bowls = Quadratic([2.0, 2.0], [[1.5], [-0.5]], noise=1.0).with_bounded_noise()
    arranged = at_largest_steps(DECREASE, Instance("bowls", bowls, 2, rounds=30, x0=np.array([3.0])))
    assert arranged is not None
    verdict = verify(DECREASE, arranged.run("episode", arranged.eta), slopes=False)
    assert verdict.answer == "holds", verdict.reason
    assert verdict.constants["zeta"].value == pytest.approx(2.0)  # 2 |1.5 - 0.5|
    assert verdict.constants["rho_zeta"].value == 0
    unlike = Quadratic([1.0, 2.0], [[1.5], [-0.5]])
    assert at_largest_steps(DECREASE, Instance("unlike", unlike, x0=np.array([3.0]))) is None


@pytest.mark.parametrize(
    ("label", "factor", "letter"),  # each takes the sweeps of all quantities
    [
        pytest.param("stochastic noise", eta * L0, "eta", marks=pytest.mark.slow),
        pytest.param("initial gap", 1 / tau, "tau", marks=pytest.mark.slow),
        pytest.param("stochastic noise", 1 / m, "m", marks=pytest.mark.slow),
    ],
)
def test_a_smaller_power_is_a_violation(label: str, factor: Expr, letter: str) -> None:
    checks, _ = slope_checks(times(DECREASE, label, factor))
    assert {c.numbers["letter"] for c in checks if c.outcome == "violated"} == {letter}
