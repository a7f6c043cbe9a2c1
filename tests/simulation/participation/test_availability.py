"""Availability: independent Bernoulli clients, and Markov chains."""

import numpy as np
import pytest

from boundkit.simulation.dirichlet_draws import draw_probabilities
from boundkit.simulation.participation import (
    Bernoulli,
    Full,
    Independent,
    Markov,
    WithoutReplacement,
    participation,
)
from tests.cases import each
from tests.simulation.participation.kinds import came, rounds

BASE = [0.9, 0.3, 0.15]


def made(dynamics: str, **fields: float) -> Bernoulli:
    who = participation(
        {"kind": "bernoulli", "probabilities": BASE, "dynamics": dynamics, **fields}, len(BASE)
    )
    assert isinstance(who, Bernoulli)
    return who


def table(who: Bernoulli, T: int = 20) -> np.ndarray:
    return np.stack([who.distribution(t).first for t in range(T)])


def test_dynamics_are_the_formulas() -> None:
    p, t = np.array(BASE), np.arange(40)[:, None]
    wave = 0.3 * np.sin(2 * np.pi * t / 20) + 0.7
    np.testing.assert_array_equal(table(made("stationary"), 40), np.tile(p, (40, 1)))
    np.testing.assert_allclose(table(made("staircase"), 40), p * np.where(t % 20 < 10, 1, 0.4), atol=1e-15)
    np.testing.assert_allclose(table(made("sine"), 40), p * wave, atol=1e-15)
    np.testing.assert_allclose(table(made("interleaved_sine"), 40), p * wave * (p * wave >= 0.1), atol=1e-15)
    other = made("sine", period=8, gamma=0.5)
    assert other.distribution(6).first[0] == pytest.approx(0.0)
    assert other.distribution(2).first[0] == pytest.approx(0.9)
    assert table(made("staircase", period=3, low=0.5), 3)[:, 0].tolist() == [0.9, 0.9, 0.45]


def test_bounds_on_the_probabilities() -> None:
    who = made("staircase")
    assert who.min_probability == pytest.approx(0.06)
    assert who.max_probability == 0.9
    np.testing.assert_allclose(who.mean_probabilities, 0.7 * np.array(BASE))
    assert made("interleaved_sine").min_probability == 0
    assert (Full(3).min_probability, Full(3).max_probability) == (1, 1)
    assert WithoutReplacement(4, 0.5).min_probability is None  # clients are not independent of each other
    assert Markov(np.array(BASE)).min_probability is None  # nor of the past


def test_the_distribution_is_constant_without_dynamics() -> None:
    assert made("stationary").distribution(7) == Independent(tuple(BASE))
    assert (made("stationary").period, made("sine", period=7).period) == (1, 7)
    assert made("sine").mean_counts() is None
    np.testing.assert_array_equal(made("stationary").mean_counts(), BASE)


def test_probabilities_may_be_one_number_or_drawn_from_labels() -> None:
    spec = {"dirichlet": 0.1, "rule": "fedawe", "seed": 4}
    who = participation({"kind": "bernoulli", "probabilities": spec}, 50)
    np.testing.assert_array_equal(who.mean_counts(), draw_probabilities(spec, 50))
    assert who.to_json()["probabilities"] == spec
    lasting = participation({"kind": "markov", "probabilities": 0.25}, 3)
    np.testing.assert_array_equal(lasting.mean_counts(), [0.25] * 3)


@each("switch_on", [0.05, 1.0])
def test_chains_have_the_given_stationary_probabilities(switch_on: float) -> None:
    q = np.array([0.9, 0.5, 0.02, 0.0, 1.0, 0.3])
    who = Markov(q, switch_on)
    assert ((who.on >= 0) & (who.on <= 1) & (who.off >= 0) & (who.off <= 1)).all()
    assert (who.on[q < 1] <= switch_on).all()
    np.testing.assert_allclose(q * (1 - who.off) + (1 - q) * who.on, q, atol=1e-15)  # stationary
    R, T = 3000, 6
    seen = np.stack([came(here, R) for here in rounds(who, 1, R, T=T)])
    assert (np.abs(seen.mean(axis=1) - q) <= 5 * np.sqrt(q * (1 - q) / R)).all()
    both = (seen[:-1] * seen[1:]).mean(axis=1)  # in two consecutive rounds
    expected = q * (1 - who.off)
    assert (np.abs(both - expected) <= 5 * np.sqrt(expected * (1 - expected) / R) + 1e-12).all()
