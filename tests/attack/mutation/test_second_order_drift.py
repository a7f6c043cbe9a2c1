"""A client drift that falls as 1/s^2: the changes of it that are proved, and those that are not."""

import numpy as np
import pytest

from boundkit.attack.mutation import generate_mutants, second_order_drift
from boundkit.attack.mutation.second_order_drift import has_drift_of_second_order
from boundkit.theorems import catalogue, theorem

FEDAVG = "fedavg_strongly_convex_decaying"


def proved(name: str) -> set[str]:
    return {each.what for each in generate_mutants(theorem(name)) if has_drift_of_second_order(each)}


def test_which_changes_are_proved() -> None:
    found = proved(FEDAVG)
    assert {"client drift: tau - 1 for (tau - 1)^2", "client drift: tau^2 for tau in T*tau + offset"} <= found
    for text in ("T^2 for T in T*tau + offset", "offset^2 for offset in T*tau + offset", "left out"):
        assert f"client drift: {text}" not in found
    assert "client drift: (T*tau + offset)^(-2) for 1/(T*tau + offset)" not in found
    assert all(text.startswith("client drift") for text in found)


def test_no_changes_of_other_theorems() -> None:
    names = [name for name, each in catalogue().items() if each.assumes("decaying-step") and name != FEDAVG]
    assert names
    assert not any(proved(name) for name in names)


def test_a_certificate_with_more_drift_does_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_order_drift, "_LARGEST", second_order_drift._LARGEST / 2)
    assert not proved(FEDAVG)


def test_steps_that_fall_keep_the_square() -> None:
    """X+ = (1 - 2 B/s) X + 8 q/s^3 stays below 8 q/((2 B - 2) s^2), and not below half of that."""
    ratios = []
    for B in (1.25, 1.5, 2.0):
        s, x = 8.0, 0.0
        for _ in range(5000):
            x, s = (1 - 2 * B / s) * x + 8 / s**3, s + 1
            ratios.append(x * s**2 * (2 * B - 2) / 8)
    assert 0.5 < max(ratios) <= 1


def test_the_way_of_a_round() -> None:
    """The sum of 2/s over a round is at most (13/4) tau over s at its end."""
    for first in (8.0, 9.5, 100.0):
        for tau in range(1, int(first) + 2):
            way = np.sum(2 / (first + np.arange(tau)))
            assert way <= 13 / 4 * tau / (first + tau)
