"""The mean of a maximum: against harmonic numbers, known maxima, sums over subsets, and samples."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma, gamma

from boundkit.algebra import BoundkitError
from boundkit.analysis.runtime.distributions import TotalTime, mean_maximum, step_time_distribution
from tests.cases import each

EXACT = 1e-9


def total(law: Any, mean: float = 1.0, steps: int = 1, **shape: float) -> TotalTime:
    return step_time_distribution(law, **shape).total(mean, steps)


def slowest_of_erlangs(clients: int, steps: int) -> float:
    """E max of m Erlang(k): integral of 1 - (1 - e^-t sum_{j<k} t^j/j!)^m, multiplied out, in fractions."""
    power, mean = {0: Fraction(1)}, Fraction(0)
    for j in range(1, clients + 1):
        grown: dict[int, Fraction] = {}
        for degree, value in power.items():
            for k in range(steps):
                grown[degree + k] = grown.get(degree + k, Fraction(0)) + value / factorial(k)
        power = grown
        integral = sum(v * factorial(d) / Fraction(j) ** (d + 1) for d, v in power.items())
        mean += (-1) ** (j + 1) * comb(clients, j) * integral
    return float(mean)


def test_one_exponential_step_is_the_harmonic_number() -> None:
    for clients in (1, 2, 3, 10, 100, 10_000, 10**8):
        harmonic = float(digamma(clients + 1) + np.euler_gamma)
        assert mean_maximum([total("exponential", 2.0)], clients) == pytest.approx(2 * harmonic, rel=EXACT)


def test_several_exponential_steps() -> None:
    for steps in (1, 2, 5, 30, 400):
        exact = steps + steps * (comb(2 * steps, steps) / 4**steps)
        assert mean_maximum([total("exponential", steps=steps)], 2) == pytest.approx(exact, rel=EXACT), steps
    for clients, steps in ((3, 2), (5, 3), (8, 4)):
        exact = slowest_of_erlangs(clients, steps)
        assert mean_maximum([total("exponential", steps=steps)], clients) == pytest.approx(exact, rel=EXACT)


def test_other_distributions_in_closed_form() -> None:
    assert mean_maximum([total("uniform", 0.5)], 7) == pytest.approx(7 / 8, rel=EXACT)
    assert mean_maximum([total("uniform", 1.0, spread=0.5)], 3) == pytest.approx(0.5 + 3 / 4, rel=EXACT)
    assert mean_maximum([total("shifted", shift=0.3)], 4) == pytest.approx(0.3 + 0.7 * 25 / 12, rel=EXACT)
    assert mean_maximum([total("constant", 3.0, 5)], 9) == 15
    pareto = gamma(5) * gamma(2 / 3) / gamma(5 - 1 / 3)
    assert mean_maximum([total(stats.pareto(3), 1.5)], 4) == pytest.approx(pareto, rel=EXACT)


@each(
    ("law", "draw"),
    [
        ("exponential", lambda rng, shape: rng.exponential(1.0, shape)),
        ("uniform", lambda rng, shape: rng.uniform(0.0, 2.0, shape)),
        ("shifted", lambda rng, shape: 0.5 + rng.exponential(0.5, shape)),
        (stats.lognorm(0.6), lambda rng, shape: rng.lognormal(-0.18, 0.6, shape)),
    ],
)
def test_samples_agree_within_four_standard_errors(law: Any, draw: Any) -> None:
    drawn = draw(np.random.default_rng(5), (40_000, 6, 3)).sum(axis=-1).max(axis=-1)
    error = drawn.std() / np.sqrt(drawn.size)
    assert abs(mean_maximum([total(law, 1.0, 3)], 6) - drawn.mean()) < 4 * error
    assert error < 0.01


def test_the_maximum_over_a_sampled_subset() -> None:
    sizes = (1.0, 2.0, 2.0, 5.0, 7.0)
    for count in (1, 2, 4, 5):
        exact = np.mean([max(c) for c in combinations(sizes, count)])
        certain = [total("constant", size) for size in sizes]
        assert mean_maximum(certain, count) == pytest.approx(exact, rel=1e-14)
    kinds = [total("exponential", 1.0)] * 2 + [total("exponential", 3.0)] * 3
    alone = mean_maximum(kinds, 1)
    assert alone == pytest.approx((2 * 1 + 3 * 3) / 5, rel=EXACT)
    # of two exponential times with rates a, b the slower takes 1/a + 1/b - 1/(a + b)
    pairs = [1 / a + 1 / b - 1 / (a + b) for a, b in combinations([1, 1, 1 / 3, 1 / 3, 1 / 3], 2)]
    assert mean_maximum(kinds, 2) == pytest.approx(np.mean(pairs), rel=EXACT)
    alike = [total("exponential", 2.0) for _ in range(6)]  # six kinds that happen to be one
    assert mean_maximum(alike, 4) == pytest.approx(2 * 25 / 12, rel=EXACT)


def test_the_maximum_with_a_constant() -> None:
    # E max(Y, d) = d + e^-d for one exponential time
    assert mean_maximum([total("exponential")], 1, minimum=0.7) == pytest.approx(
        0.7 + np.exp(-0.7), rel=EXACT
    )
    assert mean_maximum([total("constant", 2.0)], 5, minimum=3.0) == 3.0
    assert mean_maximum([total("uniform", 0.5)], 2, minimum=4.0) == 4.0


def test_sums_without_a_closed_form_report_their_accuracy() -> None:
    for steps in (2, 9):
        found = total(stats.weibull_min(1.0), 1.0, steps)  # an exponential law that does not say so
        assert 0 < found.accuracy < 1e-7
        exact = steps + steps * (comb(2 * steps, steps) / 4**steps)
        assert mean_maximum([found], 2) == pytest.approx(exact, rel=1e-7)
    with pytest.raises(BoundkitError, match="its tail is too heavy"):
        total(stats.pareto(1.05), 1.0, 5)


@each(
    ("given", "shape", "sentence"),
    [
        ("exponental", {}, "did you mean 'exponential'"),
        ("uniform", {"shift": 0.5}, "shift was given, but it belongs to 'shifted', not to 'uniform'"),
        ("shifted", {"shift": 1.5}, "must be a number from 0 to 1"),
        (stats.norm(1, 1), {}, "time is never negative"),
        (stats.pareto(0.9), {}, "above 0 and finite"),
        (3, {}, "or a frozen scipy distribution"),
    ],
)
def test_invalid_distributions(given: Any, shape: dict[str, float], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        step_time_distribution(given, **shape)
