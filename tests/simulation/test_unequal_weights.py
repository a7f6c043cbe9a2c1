"""Why theorems of partial participation do not speak of unequal weights, unbiased or not.

With p_i/q_i the mean of the server's step is the full-participation step. Its variance is not what the
theorems bound: alike clients (sigma_g = 0) without noise leave a random factor W = sum_S p_i/C in front of
the step, of mean 1 and variance (1 - C)/(C (m - 1)) (m sum p_i^2 - 1), which sigma_g does not see.
"""

import numpy as np
import pytest

from boundkit.analysis.predict import predict
from boundkit.simulation.engines import ExactEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.verifier import verify
from tests.cases import each

PARTIAL = theorem("fedavg_nonconvex_partial")
ETA, ROUNDS = 1 / 24, 2000


def alike(p: list[float]) -> Run:
    """One of m clients a round, F_i = x^2/2 for all, at the largest step that the theorem allows."""
    m = len(p)
    return make_run(
        "fedavg", Quadratic([1.0] * m, np.zeros((m, 1)), p), rounds=ROUNDS, eta=ETA, x0=[1.0],
        participation={"kind": "uniform", "C": 1 / m}, options={"aggregation": "unbiased"},
    )  # fmt: skip


def bound(m: int) -> float:
    """The theorem's bound: sigma = sigma_g = 0 leaves the initial gap alone."""
    said = predict(PARTIAL, m=m, C=1 / m, T=ROUNDS, tau=1, eta=ETA, eta_s=1, L=1, sigma=0, sigma_g=0, gap=0.5)
    assert said.holds
    assert said.terms["partial participation"] == 0
    return float(said.total)


@each(
    ("heaviest", "m", "least_ratio"),
    [(0.9, 60, 2.0), (1.0, 40, 1.4), (1.0, 100, 1e50)],
)
def test_the_whole_bound_is_broken_and_not_only_its_participation_term(
    heaviest: float, m: int, least_ratio: float
) -> None:
    p = [heaviest] + [(1 - heaviest) / (m - 1)] * (m - 1)
    seen = ExactEngine(alike(p)).trajectory()
    assert seen.observed["dissimilarity"].max() < 1e-24  # rounding of sum p_i alone
    assert "sigma_g" in alike(p).problem.constants(np.ones(1))
    measured = seen.measure(PARTIAL.claim).value
    assert measured > least_ratio * bound(m)
    # by hand: E x_{t+1}^2 = E (1 - eta W)^2 x_t^2 with W = m p_i, i uniform
    factor = float(np.mean((1 - ETA * m * np.array(p)) ** 2))
    assert measured == pytest.approx(np.mean(factor ** np.arange(ROUNDS)), rel=1e-9)


def test_equal_weights_keep_it() -> None:
    seen = ExactEngine(alike([1 / 60] * 60)).trajectory()
    assert seen.measure(PARTIAL.claim).value < 0.3 * bound(60)


def test_verify_says_that_the_theorem_does_not_speak_of_it() -> None:
    verdict = verify(PARTIAL, alike([0.9] + [0.1 / 59] * 59))
    assert verdict.answer == "not applicable"
    assert "equal weights" in verdict.reason
