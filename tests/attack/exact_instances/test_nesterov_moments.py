"""Moments of accelerated local SGD: they are those of the engine, and refute planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.nesterov_moments import (
    measure_nesterov_moments,
    noise_of_round,
    second_moments,
    straight_length,
)
from boundkit.attack.infinite_clients import measure_drift_instances
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant import Mutant
from boundkit.simulation.problems import Huber, Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

CONVEX, STRONG = "accelerated_local_sgd_convex", "accelerated_local_sgd_strongly_convex"


def planted(name: str, what: str) -> Mutant:
    return next(one for one in generate_mutants(theorem(name)) if one.what == what)


@pytest.mark.parametrize(("beta", "noise", "start"), [(0.6, 1.0, 0.0), (0.6, 0.0, 1.0), (None, 1.0, 0.5)])
def test_moments_are_those_of_the_engine(beta: float | None, noise: float, start: float) -> None:
    h, eta, tau, m, rounds = 0.2, 0.3, 3, 2, (1, 2, 7)
    problem = Quadratic([[h]] * m, np.zeros((m, 1)), noise=noise)
    run = make_run(
        "accelerated_local_sgd", problem, rounds=rounds[-1], eta=eta, local_steps=tau, x0=[start],
        options={} if beta is None else {"server_momentum": beta},
    )  # fmt: skip
    evidence = collect_evidence(theorem(STRONG if beta is not None else CONVEX), run)
    keeps, momentum = np.array([(1 - eta * h) ** tau]), None if beta is None else np.array([beta])
    spread = noise**2 * noise_of_round(np.array([h]), np.array([eta]), np.array([tau])) / m
    moments = second_moments(keeps, spread, start, momentum, rounds)
    at = [list(evidence.horizons).index(t) for t in rounds]
    np.testing.assert_allclose(h / 2 * np.concatenate(moments), evidence.measured[at], rtol=1e-9)


def test_they_refute_mistakes_and_no_true_bound() -> None:
    for name, wrong, right in (
        (
            STRONG,
            (
                "stochastic noise: 1/(2 - 2*beta_s) left out",
                "initial gap: 1/2 for 1 in 1 - beta_s",
                "stochastic noise: 1/16 for 1/4",
            ),
            "stochastic noise: 1/m left out",
        ),
        (
            CONVEX,
            (
                "stochastic noise: m^(-2) for 1/m",
                "stochastic noise: T/6 + 1/2 left out",
                "initial gap: 1 for 2",
            ),
            "stochastic noise: 1/m left out",
        ),
    ):
        measurements = Measurements(theorem(name), tuple(measure_nesterov_moments(theorem(name))))
        assert measurements.above() is None
        assert measurements.inside.mean() > 0.7
        for what in wrong:
            assert measurements.killer(planted(name, what)) is not None, what
        assert measurements.killer(planted(name, right)) is None


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_a_straight_start_is_that_of_the_engine(rounds: int) -> None:
    eta, tau = 0.5, 2
    a = eta * tau * straight_length(rounds)
    slope = 1 / (2 * a + 1)  # of Huber's loss, with curvature 1 up to there
    line = Huber([1.0] * 2, [slope] * 2, [slope] * 2, np.zeros((2, 1)))
    run = make_run("accelerated_local_sgd", line, rounds=rounds, eta=eta, local_steps=tau, x0=[1.0])
    evidence = collect_evidence(theorem(CONVEX), run)
    assert evidence.measured[-1] == pytest.approx(1 / (4 * a + 2), rel=1e-9)


def test_relaxed_conditions_are_refuted() -> None:
    """Less strong convexity for the momentum."""
    measurements = Measurements(theorem(STRONG), tuple(measure_nesterov_moments(theorem(STRONG))))
    relaxed = [one for one in generate_mutants(theorem(STRONG)) if one.condition is not None]
    assert [one.place for one in relaxed if measurements.killer(one) is not None] == [1, 1]


def test_others_have_none() -> None:
    assert not list(measure_nesterov_moments(theorem("fedavgm_convex_homogeneous")))


@pytest.mark.parametrize("name", [CONVEX, STRONG])
def test_infinitely_many_clients_need_a_tenth_of_the_drift(name: str) -> None:
    claimed = theorem(name)
    pieces = list(measure_drift_instances(claimed))
    assert all(float(piece.ratios(claimed)[0]) <= 1 for piece in pieces)
    assert max(float(piece.shares(claimed)[0]) for piece in pieces) > 0.12
