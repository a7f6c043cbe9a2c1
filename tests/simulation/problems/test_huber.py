"""Asymmetric Huber losses: constants by brute force, digits near the optimum, and the noise drift."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Huber
from boundkit.simulation.run import make_run

X = np.linspace(-30, 30, 60_001)[:, None]
ENDS = st.one_of(st.none(), st.floats(0.1, 4))


@st.composite
def problems(draw: st.DrawFn) -> Huber:
    """Up to three clients in one coordinate, with and without floors, tails and weights."""
    m = draw(st.integers(1, 3))
    h = draw(arrays(np.float64, m, elements=st.floats(0.5, 2)))
    e = draw(arrays(np.float64, (m, 1), elements=st.floats(-4, 4)))
    a, b = (draw(st.lists(ENDS, min_size=m, max_size=m)) for _ in range(2))
    p = draw(arrays(np.float64, m, elements=st.floats(0.1, 1)))
    return Huber(h, a, b, e, draw(st.sampled_from([0.0, 0.25, 0.5])), p / p.sum(), 0.3)


@settings(max_examples=15, deadline=None)
@given(problems(), st.floats(-6, 6))
def test_constants_hold_and_are_attained(problem: Huber, start: float) -> None:
    x0 = np.array([start])
    found, each = problem.constants(x0), problem.client_gradients(X)[..., 0]
    step = X[1, 0] - X[0, 0]
    bends = np.diff(each, axis=0) / step
    mean = each @ problem.p
    loss = problem.losses(X) @ problem.p
    assert bends.max() == pytest.approx(found["L"].value, rel=1e-9)
    assert bends.min() >= -1e-9
    assert loss.min() == pytest.approx(problem.infimum.value, abs=2 * step**2)
    assert abs(float(problem.client_gradients(problem.centre)[:, 0] @ problem.p)) < 1e-14
    np.testing.assert_allclose(problem.loss_gaps(X), loss - problem.infimum.value, atol=1e-9)
    if "mu" in found and found["mu"].trust == "exact":
        assert bends.min() == pytest.approx(found["mu"].value, rel=1e-9)
    elif "mu" in found:
        below = np.maximum(loss[:-1], loss[1:]) <= float(problem.losses(x0) @ problem.p)
        assert (bends[below] >= found["mu"].value * (1 - 1e-9)).all()
    if "G" in found:
        assert np.abs(each).max() ** 2 + 0.09 == pytest.approx(found["G"].value ** 2, rel=1e-9)
    if "sigma_g" in found:
        spread = ((each - mean[:, None]) ** 2 @ problem.p).max() ** 0.5
        assert spread <= found["sigma_g"].value * (1 + 1e-9) + 1e-12
        assert spread == pytest.approx(found["sigma_g"].value, abs=2 * step)
        assert np.abs(each - mean[:, None]).max() == pytest.approx(found["zeta"].value, abs=4 * step)


def test_available_constants() -> None:
    x0 = np.array([0.4])
    tails = Huber([1.0, 2.0], [1.0, 1.0], [0.5, 2.0], [[0.0], [0.2]])
    assert {"G", "G_inf", "sigma_g", "zeta"} <= set(tails.constants(x0))
    assert tails.constants(x0)["mu"].trust == "local"  # both clients are between their ends
    assert "mu" not in tails.constants(np.array([0.6]))
    one = Huber([1.0, 1.0], [1.0, 0.3], [None, None], [[0.0], [0.5]], noise=0.1).constants(x0)
    assert {"sigma_g", "zeta"} <= set(one)
    assert not {"G", "mu"} & set(one)
    unlike = Huber([1.0, 2.0], [1.0, 1.0], [None, None], [[0.0], [0.0]]).constants(x0)
    assert not {"sigma_g", "zeta", "G"} & set(unlike)  # far to the right the slopes run apart
    floored = Huber([1.0, 2.0], [1.0, 1.0], [None, 1.0], [[0.0], [0.0]], floor=0.1).constants(x0)
    assert (floored["mu"].value, floored["mu"].trust) == (0.1, "exact")
    alike = Huber([0.7] * 3, [1.0] * 3, [None] * 3, [[0.1]] * 3).constants(x0)
    assert alike["sigma_g"].value == 0
    plain = Huber([1.0, 2.0], [None, None], [None, None], [[0.0], [0.0]]).constants(x0)
    assert (plain["mu"].value, plain["L"].value) == (1.0, 2.0)


def test_the_loss_gap_is_accurate_near_the_optimum() -> None:
    problem = Huber([1.0, 2.0], [0.5, 1.0], [2.0, 0.3], [[0.2], [1.4]])
    assert problem.centre == pytest.approx(np.array([1.0]), abs=1e-15)
    assert problem.constants(problem.centre)["gap"].value == 0
    for u in (1e-4, 1e-7, 1e-10):
        at = problem.centre + u
        v = float(at[0] - problem.centre[0])
        assert float(problem.observe(at)["loss_gap"]) == pytest.approx(3 / 2 * v * v / 2, rel=1e-9)


def test_noise_drift() -> None:
    """Two steps of one client from the end of its tail: E(-a + z - min(z, 0)) with Gaussian z."""
    problem = Huber([1.0], [0.5], [None], [[0.0]], noise=1.5)
    settings: dict[str, Any] = {"rounds": 1, "eta": 0.5, "local_steps": 2, "x0": [-0.5], "seed": 5}
    first = -0.5 + 0.5 * 0.5
    z, weight = np.polynomial.legendre.leggauss(200)
    noise = 6 * z
    law = 6 * weight * np.exp(-noise * noise / 2) / (2 * np.pi) ** 0.5
    second = law @ np.clip(first + 0.75 * noise, -0.5, None)
    noisy = StepEngine(make_run("fedavg", problem, **settings), replicas=4000).trajectory()
    error = 0.5 * 1.5 * 2**0.5 / 4000**0.5
    assert abs(float(noisy.x[1, 0]) - (first - 0.5 * second)) < 3 * error
    assert second - first > 5 * error
