"""FedAWE's clients of two curvatures: the recursion against clients of all ages and against many clients."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.attack.exact_instances import absent_crowds, sampled_moments
from boundkit.attack.exact_instances.absent_crowds import (
    means_over_rounds,
    measure_absent_crowds,
    measure_turns,
    settings,
)
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

OBSERVABLES = ("scaled_spread", "mean_model_gradient_norm_squared", "auxiliary_gradient_norm_squared")


def of_all_ages(at: dict[str, float], rounds: int) -> dict[str, float]:
    """The means over the rounds by the shares and models of all ages, with local steps one by one."""
    q, length, h = at["availability"], at["eta_s"] * at["eta"] * at["tau"], (at["h_1"], at["h_2"])

    def direction(c: float, x: float) -> float:
        y = x
        for _ in range(int(at["tau"])):
            y -= at["eta"] * c * y
        return (x - y) / (at["eta"] * at["tau"])

    stored = {1: (1.0, 1.0)}
    totals = dict.fromkeys(OBSERVABLES, 0.0)
    for _ in range(rounds):
        shares, models = np.array(list(stored.values())).T
        ages = np.array(list(stored))
        mean = shares @ models
        auxiliary = mean - length * np.mean(h) * shares @ ((ages - 1) * models)
        now = (shares @ (models - mean) ** 2, (np.mean(h) * mean) ** 2, (np.mean(h) * auxiliary) ** 2)
        for name, value in zip(OBSERVABLES, now, strict=True):
            totals[name] += float(value) / rounds
        sent = [
            x - length * age * np.mean([direction(c, x) for c in h])
            for age, x in zip(ages, models, strict=True)
        ]
        older = {age + 1: ((1 - q) * share, x) for age, (share, x) in stored.items()}
        stored = {1: (q, float(shares @ np.array(sent))), **older}
    return totals


@pytest.mark.parametrize("place", [40, 135, 211])
def test_the_recursion_is_that_of_clients_of_all_ages(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(absent_crowds, "_ROUNDS", (12,))
    at = {name: values[place : place + 1] for name, values in settings().items()}
    at |= {"eta": at["eta"] * at["tau"] / 16, "tau": np.full(1, 16.0)}
    expected = of_all_ages({name: float(values[0]) for name, values in at.items()}, 12)
    for name in OBSERVABLES:
        ((_, found),) = means_over_rounds(at, name)
        assert float(found[0]) == pytest.approx(expected[name], rel=1e-9)


@pytest.mark.parametrize("name", OBSERVABLES)
def test_many_clients_of_one_curvature_are_nearly_infinitely_many(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absent_crowds, "_ROUNDS", (64,))
    every = settings()
    wanted = (every["h_1"] == every["h_2"]) & (every["availability"] == 0.5) & (every["eta"] * 8 * 4096 < 0.1)
    at = {key: values[wanted] for key, values in every.items()}
    ((_, found),) = means_over_rounds(at, name)
    one = np.ones(found.shape)
    few = {**at, "m": 1e9 * one, "h": one, "x0": one, "sigma_g": 0 * one, "count": one, "group": one}
    *_, (rounds, moments) = sampled_moments.moments("fedawe", few, 6, name)
    assert rounds == 64
    np.testing.assert_allclose(found, moments[1] / rounds, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("fedawe_consensus", "initial gap: 199/200 for 199/100"),
        (
            "fedawe_consensus",
            "condition: eta*eta_s <= (1 - sqrt(mixing))/(L*beta^2*tau) for "
            "eta*eta_s <= (1 - sqrt(mixing))/(10*L*beta^2*tau)",
        ),
        ("fedawe_nonconvex_sharp", "condition: eta <= 5/(4*L*beta*tau) for eta <= 1/(8*L*beta*tau)"),
    ],
)
def test_the_initial_gap_lasts(name: str, change: str) -> None:
    claimed = theorem(name)
    mutants = {each.what: each for each in generate_mutants(claimed)}
    found = Measurements(claimed, tuple(measure_absent_crowds(claimed)))
    assert 0 < found.worst() < 1
    assert found.killer(mutants[change]) is not None


def test_many_clients_that_are_rare_by_turns_are_beside_the_optimum() -> None:
    rng, m, q, s, turn = np.random.default_rng(0), 4000, 0.5, 1e-4, 60
    side = np.where(np.arange(m) < m // 2, 1.0, -1.0)
    x, missed, total = np.zeros(m), np.zeros(m), 0.0
    for t in range(6 * turn):
        came = rng.random(m) < np.where(side == (-1.0) ** (t // turn), 1.0, q)
        missed = missed + x - side
        if came.any():
            x = np.where(came, (x - s * missed)[came].mean(), x)
        missed = np.where(came, 0.0, missed)
        total += x.mean() ** 2 * (t >= 2 * turn)
    assert total / (4 * turn) == pytest.approx((s * (1 - q) / (2 * q)) ** 2, rel=0.15)


def test_by_turns_the_error_does_not_fall_with_the_clients() -> None:
    claimed = theorem("fedawe_nonconvex_tuned")
    mutants = {each.what: each for each in generate_mutants(claimed)}
    found = Measurements(claimed, tuple(measure_turns(claimed)))
    assert 0 < found.worst() < 1
    assert found.killer(mutants["stale-model dissimilarity: m left out"]) is not None
    assert not list(measure_turns(theorem("fedawe_consensus")))
