"""Sums and maxima over clients as scalar formulas."""

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.client_sums import ClientMax, ClientSum, RoundMax, RoundMean
from boundkit.algebra.notation import eta, m, mu_prox, p_i, tau, tau_i
from boundkit.analysis.expansion import expand_given, expand_homogeneous

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


def test_missing_vectors_are_alike() -> None:
    rows = {"tau_i": np.array([[2.0, 5.0]])}
    assert float(expand_given(ClientSum(p_i * tau_i), rows)) == float(Rational(7, 2))
    assert expand_given(ClientSum(p_i), rows) == 1


def test_rounds() -> None:
    assert float(expand_given(RoundMean(ClientSum(tau_i)), ROUNDS)) == float(Rational(19, 3))
    assert expand_given(RoundMax(ClientMax(tau_i)), ROUNDS) == 5
    with pytest.raises(BoundkitError, match="tau_i has 3 rows, but here every round is the same"):
        expand_given(ClientSum(tau_i), ROUNDS)


def test_one_row_of_weights_serves_all_rounds() -> None:
    rows = {**ROUNDS, "p_i": np.array([[0.25, 0.75]])}
    assert expand_given(RoundMean(ClientSum(p_i * tau_i)), rows) == pytest.approx((4.25 + 2.5 + 4) / 3)
