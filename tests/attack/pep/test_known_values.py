"""Worst cases with a closed form, or with a value that another program found."""

from dataclasses import replace
from typing import Any

import pytest
from sympy import sqrt

from boundkit.algebra import Theorem
from boundkit.algebra.vocabulary import (
    LAST_DISTANCE,
    LAST_LOSS_GAP,
    OPTIMUM_DISSIMILARITY,
    UNIFORM_DISSIMILARITY,
    VIRTUAL_SQUARED_GRADIENT,
)
from boundkit.attack.pep import TOLERANCE, worst_case
from boundkit.theorems import theorem
from tests.attack.pep.needs import needs_pepit
from tests.cases import each
from tests.representatives import aside

pytestmark = needs_pepit


def slow(*case: float) -> object:
    """A case that shows what another has shown."""
    return pytest.param(*case, marks=pytest.mark.slow)


def near(value: float) -> object:
    return pytest.approx(value, rel=TOLERANCE)


def last_gap() -> Theorem:
    """The convex theorem, asked for the loss after the last round."""
    sharp = theorem("fedavg_convex_sharp")
    return replace(sharp, name="last_gap", claim=LAST_LOSS_GAP, reductions=(), limits=())


@each(("T", "L", "distance"), [(5, 1, 1), (2, 3, 2), slow(1, 0.1, 10)])
def test_gradient_descent_on_convex_losses(T: int, L: float, distance: float) -> None:
    """L D^2/(4 T + 2) at eta = 1/L (Drori and Teboulle 2014): 1/22 after five steps."""
    found = worst_case(last_gap(), tau=1, T=T, L=L, distance=distance, eta=1 / L)
    assert found.value == near(L * distance**2 / (4 * T + 2))
    assert found.exact
    assert found.inside


def test_fedavg_of_two_clients_as_two_other_programs_have_it() -> None:
    """0.168388: eta = 1/4, and gradients at the optimum of 1/2 in mean square; PEPit and PEPFlow by hand."""
    assumptions = tuple(
        OPTIMUM_DISSIMILARITY if a == UNIFORM_DISSIMILARITY else a for a in last_gap().assumptions
    )
    at_optimum = replace(last_gap(), assumptions=assumptions)
    found = worst_case(at_optimum, m=2, tau=2, T=2, eta=0.25, sigma_star=0.5)
    assert found.value == pytest.approx(0.168388, abs=1e-6)


@each("T", aside([1, 3], 1))
def test_gradient_descent_on_strongly_convex_losses(T: int) -> None:
    """(1 - eta mu)^(2 T), of the squared distance and of the gap of the loss alike."""
    gap = worst_case(theorem("sgd_strongly_convex"), T=T, eta=0.5, mu=0.2, gap=3)
    assert gap.value == near(3 * 0.9 ** (2 * T))
    partial = theorem("fedavg_strongly_convex_partial")
    distance = worst_case(partial, C=1, tau=1, T=T, mu=0.2, distance=2)
    assert distance.value == near(4 * (1 - 0.2 / 24) ** (2 * T))


@each("T", aside([1, 2, 4], 1, 4))
def test_the_bound_of_minibatch_sgd_is_attained_at_its_largest_step(T: int) -> None:
    found = worst_case(theorem("sgd_nonconvex"), T=T)
    assert found.value == near(found.bound)
    assert found.exact


def slowest_quadratic(eta: float, steps: int) -> float:
    """The mean squared gradient on x^2/2, of gap 1 at the start: each step leaves 1 - eta of the gradient."""
    return 2 / steps * float(sum((1 - eta) ** (2 * k) for k in range(steps)))


@each(("T", "tau", "eta"), [(1, 2, 1.6), slow(2, 2, 1.9)])
def test_a_long_step_of_one_loss_is_worst_on_a_quadratic(T: int, tau: int, eta: float) -> None:
    """1.36 at eta = 1.6; without the infimum's condition at the inner model it would be 1.3866."""
    found = worst_case(theorem("local_sgd_nonconvex"), T=T, tau=tau, eta=eta)
    assert found.value == near(slowest_quadratic(eta, T * tau))
    assert found.exact
    assert found.losses == 1


def test_the_infimum_of_several_losses_counts_at_their_mean_model_too() -> None:
    virtual = replace(theorem("fedavg_nonconvex"), name="virtual", claim=VIRTUAL_SQUARED_GRADIENT)
    found = worst_case(replace(virtual, reductions=(), limits=()), T=1, eta=1.6, sigma_g=0.1)
    assert found.value == near(slowest_quadratic(1.6, 2))
    assert not found.exact


ATTAINED: list[dict[str, Any]] = [{"T": 1}, {"T": 2, "distance": 3}, {"at_rest": True}, {"tau": 3, "T": 1}]


@pytest.mark.parametrize("given", aside(ATTAINED, *ATTAINED[:2]))
def test_the_bound_by_the_drift_of_the_mean_is_attained(given: dict[str, Any]) -> None:
    found = worst_case(theorem("fedavg_strongly_convex_average_drift"), **given)
    assert found.value == near(found.bound)
    assert found.exact


def test_constraints_that_are_violated_a_little_refute_no_bound() -> None:
    """At the largest step the solver ends early: primal and dual agree more closely than they are right."""
    found = worst_case(theorem("fedavg_strongly_convex_average_drift"), tau=4, mu=0.5, at_rest=True)
    assert found.value == pytest.approx(found.bound, rel=max(TOLERANCE, found.open))
    assert not found.refutes


@each("eta", aside([0.05, 0.2], 0.05))
def test_the_drift_at_rest_after_two_local_steps(eta: float) -> None:
    """q sigma_g^2/(1 - q), q = (eta L/2)^2: |grad F| is at most eta L/2 of the clients' root mean square."""
    q = (eta / 2) ** 2
    found = worst_case(theorem("fedavg_nonconvex"), at_rest=True, eta=eta, sigma_g=3)
    assert found.value == near(9 * q / (1 - q))
    assert found.exact


def test_one_local_step_of_all_clients_is_gradient_descent() -> None:
    eta = 0.3
    fedavg = worst_case(theorem("fedavg_nonconvex"), tau=1, eta=eta, T=3)
    assert fedavg.exact
    assert fedavg.losses == 1
    assert fedavg.value == near(worst_case(theorem("sgd_nonconvex"), eta=eta, T=3).value)
    convex = worst_case(theorem("fedavg_convex_partial"), C=1, tau=1, T=2)
    assert convex.losses == 1
    assert convex.value < worst_case(theorem("fedavg_convex_partial"), C=0.5, tau=1, T=2).value


def test_a_value_scales_with_the_units_of_loss_and_length() -> None:
    statement, loss, length = theorem("fedavg_convex_partial"), 50.0, 0.02
    plain = worst_case(statement, tau=1, eta=0.02, sigma_g=0.5)
    scaled = worst_case(
        statement,
        tau=1,
        L=loss / length**2,
        eta=0.02 * length**2 / loss,
        distance=length,
        sigma_g=0.5 * loss / length,
    )
    assert scaled.value == near(plain.value * loss)
    assert scaled.bound == pytest.approx(plain.bound * loss)


@pytest.mark.slow
def test_a_distance_is_the_root_of_the_squared_distance() -> None:
    squared = theorem("fedavg_strongly_convex_partial")
    (start, *_) = squared.terms
    rooted = replace(
        squared,
        name="rooted",
        claim=LAST_DISTANCE,
        terms=(replace(start, expr=sqrt(start.expr)),),
        reductions=(),
        limits=(),
    )
    distance = worst_case(rooted, tau=1, T=1, distance=3, sigma_g=2, mu=0.3).value
    assert distance**2 == near(worst_case(squared, tau=1, T=1, distance=3, sigma_g=2, mu=0.3).value)
