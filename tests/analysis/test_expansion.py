"""Sums and maxima over clients as scalar formulas."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.dimension import ONE, dimension_of
from boundkit.algebra.notation import (
    availability,
    cutoff,
    eta,
    m,
    mu_prox,
    omega_i,
    p_i,
    q_i,
    tau,
    tau_i,
    units_of,
)
from boundkit.algebra.printing import latex
from boundkit.algebra.sums import ActiveShare, ClientMax, ClientSum, RoundMax, RoundMean
from boundkit.analysis.expansion import active_shares, expand_given, expand_homogeneous
from tests.cases import each

ROWS = {"tau_i": np.array([[2.0, 5.0]]), "p_i": np.array([[0.25, 0.75]])}
ROUNDS = {"tau_i": np.array([[2.0, 5.0], [1.0, 3.0], [4.0, 4.0]])}


def test_alike_clients() -> None:
    assert expand_homogeneous(ClientSum(tau_i)) == m * tau
    assert expand_homogeneous(ClientMax(tau_i**2)) == tau**2
    assert expand_homogeneous(RoundMean(ClientSum(p_i * tau_i))) == tau
    assert expand_homogeneous(RoundMax(tau_i) + eta) == tau + eta
    assert expand_homogeneous(ClientSum(p_i * ClientSum(p_i * tau_i))) == tau


def test_given_clients() -> None:
    assert float(expand_given(ClientSum(p_i * tau_i), ROWS)) == float(Rational(17, 4))
    assert expand_given(ClientMax(tau_i * (tau_i - 1)), ROWS) == 20
    assert float(expand_given(m * ClientSum(p_i**2), ROWS)) == float(Rational(5, 4))
    assert float(expand_given(ClientSum(tau_i) / m, ROWS)) == float(Rational(7, 2))


def test_a_sum_inside_a_sum_is_added_up_first() -> None:
    inner = ClientSum(p_i * tau_i)
    assert float(expand_given(ClientSum(p_i * (inner - tau_i) ** 2), ROWS)) == float(Rational(27, 16))
    assert float(expand_given(ClientMax(inner / tau_i), ROWS)) == float(Rational(17, 8))


def test_letters_stay_and_like_clients_are_counted() -> None:
    rows = {"tau_i": np.array([[2.0, 5.0, 2.0]])}
    assert expand_given(ClientSum(eta * tau_i), rows) == 9 * eta
    assert (
        expand_given(ClientSum((1 - eta * mu_prox) ** tau_i), rows)
        == 2 * (1 - eta * mu_prox) ** 2 + (1 - eta * mu_prox) ** 5
    )
    largest = expand_given(ClientMax(eta * tau_i), rows)
    assert largest.subs(eta, 3) == 15


def test_rounds() -> None:
    assert float(expand_given(RoundMean(ClientSum(tau_i)), ROUNDS)) == float(Rational(19, 3))
    assert expand_given(RoundMax(ClientMax(tau_i)), ROUNDS) == 5
    with pytest.raises(BoundkitError, match="tau_i has 3 rows, but here every round is the same"):
        expand_given(ClientSum(tau_i), ROUNDS)


def enumerated(chances: list[Fraction]) -> list[Fraction]:
    """Over all 2^m sets of those who come."""
    shares = [Fraction(0)] * len(chances)
    for comes in product((False, True), repeat=len(chances)):
        chance = prod((q if c else 1 - q for q, c in zip(chances, comes, strict=True)), start=Fraction(1))
        for i, there in enumerate(comes):
            shares[i] += chance * there / max(sum(comes), 1)
    return shares


@each("seed", range(6))
def test_shares_agree_with_an_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chances = [Fraction(int(k), 64) for k in rng.integers(1, 65, int(rng.integers(1, 9)))]
    expected = [float(s) for s in enumerated(chances)]
    np.testing.assert_allclose(active_shares([float(q) for q in chances]), expected, rtol=1e-14)


def test_two_clients_by_formula() -> None:
    q, r = 0.9, 0.3
    np.testing.assert_allclose(active_shares([q, r]), [q * (1 - r / 2), r * (1 - q / 2)], rtol=1e-15)


def test_share_in_a_formula() -> None:
    q = np.array([[0.9, 0.5, 0.2, 0.05]])
    share = ActiveShare(q_i)
    w = share / ClientSum(share)
    expected = active_shares(q[0]) / active_shares(q[0]).sum()
    chi2 = ClientSum((p_i - w) ** 2 / w)
    assert float(expand_given(chi2, {"q_i": q})) == pytest.approx(
        ((0.25 - expected) ** 2 / expected).sum(), 1e-12
    )
    assert float(expand_given(ClientMax(w), {"q_i": q})) == pytest.approx(expected.max(), 1e-14)
    assert expand_homogeneous(chi2) == 0
    assert expand_homogeneous(share) == (1 - (1 - availability) ** m) / m
    assert dimension_of(share, units_of(share)) == ONE
    assert latex(share**2) == r"\operatorname{share}_i^{2}\left(q_i\right)"
    assert str(share) == "share_i(q_i)"


def test_sums_inside_sums_agree_with_arrays() -> None:
    q, omega = np.array([0.9, 0.5, 0.2]), np.array([1.0, 2.0, 4.0])
    rows = {"q_i": q[None], "omega_i": omega[None]}
    w = omega_i * q_i / ClientSum(omega_i * q_i)
    a = omega * q / (omega * q).sum()
    assert float(expand_given(ClientSum(w**2 / q_i), rows)) == pytest.approx((a**2 / q).sum(), 1e-14)
    assert float(expand_given(ClientMax(w * (1 - q_i) / q_i), rows)) == pytest.approx(
        (a * (1 - q) / q).max(), 1e-14
    )
    mixed = expand_given(ClientSum((1 - (1 - q_i) ** cutoff) / ClientSum(1 - (1 - q_i) ** cutoff)), rows)
    assert float(mixed.subs(cutoff, 3)) == pytest.approx(1, 1e-14)
