"""FedAWE's rare clients at a concave kink: the limit against models of all ages, and what it shows."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest

from boundkit.attack.exact_instances.rare_noise_at_a_kink import (
    _KINK,
    mean_distance,
    measure_rare_noise_at_a_kink,
    settings,
)
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def test_the_limit_is_near_models_of_all_ages() -> None:
    """With q = 1/200, longer steps and a kink that is farther, for fast returns; the means of 8 runs."""
    q, length, d, rounds, runs = 0.005, 0.005 * 0.3, 0.5, 12_000, 8
    ages = np.arange(1, int(8 / q))
    shares = q * (1 - q) ** (ages - 1)
    shares /= shares.sum()
    rng, b = np.random.default_rng(0), mean_distance(d)
    models, total = rng.normal(size=(runs, ages.size)), 0.0
    for t in range(rounds):
        mean = models @ shares
        total += float(((b - np.abs(mean - d)) ** 2).mean()) * (t >= rounds // 4) / (rounds - rounds // 4)
        echoes = (b - np.abs(models - d)) @ (shares * ages)
        new = mean - length * echoes + rng.normal(size=runs)
        models = np.concatenate([new[:, None], models[:, :-1]], axis=1)
    moved = q**2 / (2 * length * erf(d / sqrt(2)))  # of the mean, by its noise, 0 in the limit
    assert total == pytest.approx((b - d) ** 2 + moved, rel=0.05)


def test_what_is_small_in_the_limit_is_small() -> None:
    at = settings()
    q, m = at["availability"], at["m"]
    for small in (np.sqrt(q), 1 / (m * q), np.sqrt(m * q**3) / at["eta_s"]):
        assert (small < 1e-4).all()
    step = at["eta_s"] * at["eta"] * at["tau"]
    back = np.sqrt(2 / np.pi) * _KINK  # the mean of f'' over L
    moved = np.sqrt(q / (2 * back * step.max() / q))  # by noises of variance q^2, which steps take back
    assert (moved < _KINK / 20).all()
    assert (step * back * at["T"] > 1e6).all()


@pytest.mark.parametrize(
    "change",
    ["{inner} + 1 left out", "1/(1 - sqrt(mixing)) left out in {inner} + 1", "eta_s left out in {inner} + 1",
     "1/availability left out in {inner} + 1", "eta_s^2 for eta_s in {inner} + 1",
     "tau left out in {inner} + 1"],
)  # fmt: skip
def test_noise_in_few_of_the_models_is_seen(change: str) -> None:
    inner = "13*L*eta*eta_s*tau*(1 - availability)/(5*availability*(1 - sqrt(mixing)))"
    claimed = theorem("fedawe_nonconvex_sharp")
    mutants = {each.what: each for each in generate_mutants(claimed)}
    found = Measurements(claimed, tuple(measure_rare_noise_at_a_kink(claimed)))
    assert 0.09 < found.worst() < 1
    assert found.killer(mutants[f"stochastic noise: {change.format(inner=inner)}"]) is not None
