"""Limits and recursions of single algorithms in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.simulate import simulate
from tests.simulation.reference.cases import line
from tests.simulation.reference.setting import Array

LINE_E = [1.0, -2.0, 4.0]


def models(algorithm: str, spec: dict[str, Any]) -> Array:
    return np.asarray(simulate(run_from_spec(algorithm, spec)).x, dtype=float)


def close(x: Array, expected: Array, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(x, expected, rtol=0, atol=tolerance)


def test_a_delay_of_one_round() -> None:
    # One client, F = x^2/2: x_{t+1} = x_t - eta x_{t-1}.
    one = {"problem": {"kind": "quadratic", "H": [1.0], "e": [[0.0]]}, "x0": [1.0], "rounds": 6, "eta": 0.5}
    x = models("async_sgd", one | {"local_steps": 1, "options": {"delays": 1}})[:, 0]
    assert x.tolist() == [1.0, 0.5, 0.0, -0.25, -0.25, -0.125, 0.0]


def test_overlap_sgd_follows_its_recursion_for_equal_hessians() -> None:
    # H = 1, equal tau: the mean m and the anchor z obey m+ = (1-a)(c + q (m - c)) + a z, q = (1-eta)^tau.
    spec = line(3, options={"pull": 0.4, "momentum": 0.3}, rounds=30)
    spec["problem"] = spec["problem"] | {"H": [1.0] * 3}
    c, q = float(np.dot(spec["problem"]["p"], LINE_E)), 0.9**3
    m = z = 5.0
    v, expected = 0.0, [z]
    for _ in range(30):
        m = 0.6 * (c + q * (m - c)) + 0.4 * z
        v = 0.3 * v + (m - z)
        z = z + v
        expected.append(m)
    close(models("overlap_sgd", spec)[:, 0], np.array(expected))


def test_adacomm_counts_down_with_the_loss() -> None:
    # One client, F = x^2/2 and eta = 1/2: each step halves x, and sqrt(F/F_0) = |x|.
    one = {"problem": {"kind": "quadratic", "H": [1.0], "e": [[0.0]]}, "x0": [1.0], "rounds": 4, "eta": 0.01}
    x = models("adacomm", one | {"local_steps": 1, "options": {"tau_0": 20, "period": 1}})[:, 0]
    # tau: 20; 0.99^20 = .818 -> 17; 0.99^37 = .689 -> 14; 0.99^51 = .599 -> 12.
    np.testing.assert_allclose(x, 0.99 ** np.cumsum([0, 20, 17, 14, 12]))
    slow = one | {"local_steps": 1, "eta": 1e-6, "options": {"tau_0": 7, "period": 2}, "rounds": 8}
    # ceil leaves 7, so the rule halves: 7, 4, 2 (ceil of 7 is not smaller than 4, ...), 1.
    x = models("adacomm", slow)[:, 0]
    np.testing.assert_allclose(x, (1 - 1e-6) ** np.cumsum([0, 7, 7, 4, 4, 2, 2, 1, 1]))
