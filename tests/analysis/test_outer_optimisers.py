"""Closed forms of outer optimisers: the recorded tables, and linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.outer_optimisers import (
    OuterOptimiser,
    best_local_steps,
    best_outer_optimiser,
    closed_forms,
    decay,
    from_convention,
    limit_expansion,
    noise_bias,
    round_noise,
    stationary_covariance,
)

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-10}
Q = np.array([1, 0.5, 0.1, 0.01, 0.001])
FACTORS = {
    (0.7, 0.9, 0): [0.948683298051, 0.948683298051, 0.948683298051, 0.948683298051, 0.992488329799],
    (0.07, 0.9, 0): [0.948683298051, 0.948683298051, 0.948683298051, 0.992488329799, 0.999295530354],
    (0.7, 0.9, 1): [0.519615242271, 0.764852927039, 0.914877040919, 0.945357075395, 0.992543126840],
    (1, 0.9, 1): [0, 0.670820393250, 0.9, 0.943927963353, 0.988998748416],
    (0.7, 0.8, 1): [0.489897948557, 0.721110255093, 0.862554346114, 0.959272021473, 0.996459633329],
}
NOISE = {
    (0.7, 0.9, 0): [4.290322580645, 5.782608695652, 6.774798927614, 6.977853941471, 6.997789066407],
    (0.07, 0.9, 0): [0.356568364611, 0.529880478088, 0.666227260744, 0.696628326271, 0.699662888527],
    (0.7, 0.9, 1): [1.909469922573, 2.496026659831, 4.701000251935, 6.647329051672, 6.962744344023],
    (1, 0.9, 1): [4.42, 3.590909090909, 6.113636363636, 9.318172531546, 9.926299771038],
    (0.7, 0.8, 1): [1.684801892371, 2.055762081784, 2.957284961966, 3.432400899228, 3.493069985169],
}
BEST = {
    2: ("heavy_ball", 1.372583002030, 0.029437251523, 0.171572875254),
    10: ("nesterov", 1.290322580645, 0.471442316618, 0.640789395947),
    100: ("heavy_ball", 3.305785123967, 0.669421487603, 0.818181818182),
    1000: ("nesterov", 1.332889036988, 0.929554376111, 0.963491247118),
}
BY_TAU: dict[int, tuple[float, ...]] = {
    1: (1000, 13.3288903699, 0.929554376111, 0.963491247118, 0.999295979904, 0.9999),
    10: (651.614708338670, 2.046073242153, 0.913466601208, 0.954776634859, 0.992546719260, 0.999000449880),
    50: (199.457133983, 1.338004555233, 0.848954365038, 0.918307537591, 0.947025715156, 0.995012230423),
    100: (100.493163980, 1.328960620046, 0.793728708722, 0.885004186935, 0.945373515271, 0.990049338691),
    500: (20.5031666847, 1.312003242192, 0.596216343787, 0.747037011753, 0.932348131950, 0.951227046272),
    2000: (5.516406393685, 1.257356543735, 0.353710707558, 0.522579463371, 0.886450910157, 0.818722565266),
    10000: (1.581930672611, 1.101279453000, 0.090296731624, 0.165636984878, 0.708344873104, 0.367861046433),
}
Array = np.ndarray[Any, Any]
MATRICES = [OuterOptimiser(*v) for v in ((0.7, 0.9, 1.0), (0.3, 0.5, 0.4), (2.9, 0.6, 0.0), (1.0, 0.0, 1.0))]


def matrix(outer: OuterOptimiser, q: float) -> Array:
    a, n, beta = outer.eta_s * q, outer.nesterov, outer.beta
    return np.array([[1 - a * (1 + n * beta), -(1 - n * (1 - beta)) * beta], [a, beta]])


def test_contraction_and_noise_are_those_of_the_table() -> None:
    for key, factors in FACTORS.items():
        np.testing.assert_allclose(OuterOptimiser(*key).contraction(Q), factors, **EXACT)
        np.testing.assert_allclose(OuterOptimiser(*key).amplification(Q), NOISE[key], **EXACT)


def test_contraction_and_gain_are_those_of_the_matrix() -> None:
    for outer in MATRICES:
        for q in (0.02, 0.3, 1.0):
            M, n = matrix(outer, q), outer.nesterov
            assert outer.contraction(q) == pytest.approx(np.abs(np.linalg.eigvals(M)).max(), abs=1e-7)
            g = outer.eta_s * np.array([-(1 + n * outer.beta), 1])
            P = np.linalg.solve(np.eye(4) - np.kron(M, M), np.outer(g, g).ravel())[0]
            assert outer.gain(q) == pytest.approx(P, rel=1e-9)


def test_the_stable_region_ends_at_contraction_one() -> None:
    for beta, n in ((0.9, 1.0), (0.9, 0.0), (0.5, 0.3), (0.0, 1.0)):
        edge = OuterOptimiser(1.0, beta, n).largest
        assert OuterOptimiser(edge * (1 - 1e-9), beta, n).contraction(1.0) < 1
        assert OuterOptimiser(edge * (1 + 1e-9), beta, n).contraction(1.0) > 1
    assert OuterOptimiser(1, 0.9, 1).largest == pytest.approx(1.357142857143, abs=1e-10)
    assert OuterOptimiser(1, 0.9, 0).largest == pytest.approx(3.8, abs=1e-10)


def test_a_late_step_is_stable_up_to_the_root_on_the_unit_circle() -> None:
    for beta, n in ((0.9, 1.0), (0.9, 0.0), (0.4, 0.5), (0.0, 1.0)):
        a = OuterOptimiser(1.0, beta, n).largest_late
        cubic = np.polymul([1, -1, 0], [1, -beta]) + a * np.array([0, 0, 1 + n * beta, -n * beta])
        assert np.abs(np.roots(cubic)).max() == pytest.approx(1, abs=1e-9)
    assert OuterOptimiser(1, 0.9, 1).largest_late == pytest.approx(0.253137856511, abs=1e-10)


def test_the_best_optimisers_are_those_of_the_tables() -> None:
    for kappa, (method, *expected) in BEST.items():
        outer, factor = best_outer_optimiser(1 / kappa, 1.0, method)
        np.testing.assert_allclose([outer.eta_s, outer.beta, factor], expected, **EXACT)
        np.testing.assert_allclose(outer.contraction([1 / kappa, 1.0]), factor, atol=1e-7)
    outer, factor = best_outer_optimiser(0.1, 1.0, "plain")
    np.testing.assert_allclose([outer.eta_s, factor], [1.818181818182, 0.818181818182], **EXACT)
    for tau, (ratio, *expected) in BY_TAU.items():
        low, high = decay(1.0, [1e-4, 0.1], tau)
        assert high / low == pytest.approx(ratio, rel=1e-11)
        outer, factor = best_outer_optimiser(low, high)
        others = OuterOptimiser(0.7, 0.9, 1), OuterOptimiser()
        usual, plain = (other.contraction([low, high]).max() for other in others)
        np.testing.assert_allclose([outer.eta_s, outer.beta, factor, usual, plain], expected, **EXACT)


def test_stationary_variances_are_those_of_the_table() -> None:
    q, z = decay(0.1, 1.0, 5), round_noise(0.1, 1.0, 5, 1.0, 4, 0.5, 0.5)
    np.testing.assert_allclose([q, z], [0.40951, 0.045089781067], **EXACT)
    expected = {
        (1, 0, 0): 0.069228141432, (0.7, 0.9, 0): 0.416816310468,
        (0.7, 0.9, 1): 0.188362792123, (0.1, 0.9, 1): 0.043731705641,
    }  # fmt: skip
    for key, variance in expected.items():
        assert OuterOptimiser(*key).gain(q) * z == pytest.approx(variance, abs=1e-10)


def test_the_largest_steps_under_sampling_are_those_of_the_table() -> None:
    rows = {0.0: (2.941176470588, 2.941176470588), 0.5: (2.884615384615, 2.071214274785),
            0.9: (0.969387755102, 1.694911826975)}  # fmt: skip
    for beta, row in rows.items():
        for n, expected in enumerate(row):
            step = OuterOptimiser(1.0, beta, n).largest_sampled(0.5, 0.09)
            assert step == pytest.approx(expected, abs=1e-10)
            assert OuterOptimiser(step * (1 + 1e-9), beta, n).sampled_variance(0.5, 0.09, 1.0) == float("inf")


def test_the_limit_point_to_two_orders() -> None:
    h, e = np.array([1.0, 0.5, 0.25]), np.array([1.0, -2.0, 3.0])
    b1, b2 = limit_expansion(h[:, None, None], e[:, None], 5)
    np.testing.assert_allclose([b1[0], b2[0]], [-1 / 7, 0.137755102041], **EXACT)

    def limit(eta: float) -> float:
        q = decay(eta, h, 5)
        return float((q * e).mean() / q.mean() - 3 / 7)

    assert limit(0.01) == pytest.approx(-0.001414648491679, abs=1e-12)
    assert 2 * limit(0.01) - limit(0.02) == pytest.approx(-2.843630116294e-5, abs=1e-12)


def test_the_bias_of_noise_grows_with_the_effective_outer_step() -> None:
    """Two clients with F' = e^x - 1 and noise 1: -1/8 of eta at eta_s = 1, twice that at eta_s = 2."""
    for step, expected in ((1.0, -0.125), (2.0, -0.25)):
        S = stationary_covariance([[1.0]], [[1.0]], 2, step)
        assert noise_bias([[1.0]], [[[1.0]]], S)[0] == pytest.approx(expected)
    exact = OuterOptimiser(0.5, 0.5).gain(decay(1e-4, 1.0, 5)) * round_noise(1e-4, 1.0, 5, 1.0, 2)
    assert stationary_covariance([[1.0]], [[1.0]], 2, 1e-4)[0, 0] == pytest.approx(float(exact), rel=1e-3)


def test_the_best_number_of_local_steps_is_that_of_the_table() -> None:
    tau, time = best_local_steps(0.5, 20, 3, 0.01, 1, 8, 1, 1, 0.002)
    assert tau == pytest.approx(41.6613214966, abs=1e-9)
    assert [time(tau), time(1)] == pytest.approx([474087.342202, 6709090.909091], rel=1e-11)
    assert time(122.648083623693) == pytest.approx(time(1), rel=1e-9)
    assert time(1e4) == float("inf")


def test_conventions_and_refusals() -> None:
    assert from_convention("average", 1.0, 0.75) == OuterOptimiser(0.25, 0.75)
    assert from_convention("torch", 0.7, 0.9, nesterov=True) == OuterOptimiser(0.7, 0.9, 1.0)
    for words, call in (
        ("did you mean 'torch'", lambda: from_convention("troch", 1.0)),
        ("flower has no Nesterov", lambda: from_convention("flower", 1.0, 0.9, nesterov=True)),
        ("beta_s in", lambda: OuterOptimiser(1.0, 1.0)),
        ("did you mean 'nesterov'", lambda: best_outer_optimiser(0.1, 1, "nesterow")),
        ("below the noise", lambda: best_local_steps(0.5, 20, 3, 0.01, 1, 8, 1, 1, 1e-6)),
        ("increasing order", lambda: best_outer_optimiser(0.5, 0.1)),
    ):
        with pytest.raises(BoundkitError, match=words):
            call()


def test_the_symbolic_forms_of_pages_are_the_numeric_ones() -> None:
    forms, rng = closed_forms(), np.random.default_rng(0)
    for eta_s, beta, n, q, slowest in rng.uniform((0.05, 0, 0, 0.2, 0.01), (3, 0.99, 1, 1, 0.2), (20, 5)):
        outer = OuterOptimiser(eta_s, beta, n)
        known = {"eta_s": eta_s, "beta_s": beta, "nesterov": n, "q": q, "slowest": slowest, "tau": 7}
        known |= {"curvature": 0.3 * q, "residual": slowest, "buffer": 0.4 * q}
        found = {name: evaluate(form, known) for name, form in forms.items()}
        expected = {
            "decay": decay(1, 0.3 * q, 7),
            "contraction": outer.contraction(q),
            "largest": outer.largest / q,
        }
        expected |= dict(zip(("residual", "buffer"), matrix(outer, q) @ [slowest, 0.4 * q], strict=True))
        for method in ("nesterov", "heavy_ball"):
            best = best_outer_optimiser(slowest, q, method)[0]
            expected |= {f"{method}_step": best.eta_s, f"{method}_momentum": best.beta}
        if eta_s * q < outer.largest:
            expected["amplification"] = outer.amplification(q)
        for name, value in expected.items():
            assert found[name] == pytest.approx(float(value), rel=1e-11), name
