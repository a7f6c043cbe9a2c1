"""Weights of gradients by running the solver, against FedNova's weights written out by hand."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.solver_weights import gradient_weights, local_weights, weight_sums
from tests.cases import each

STEPS = each("tau", [1, 2, 7])


@STEPS
def test_the_table_of_weights(tau: int) -> None:
    s = np.arange(tau)
    assert gradient_weights("sgd", tau) == [1] * tau
    assert gradient_weights("proximal", tau, prox_step=0.3) == pytest.approx(0.7 ** (tau - 1 - s), rel=1e-13)
    assert gradient_weights("decay", tau, decay=0.9) == pytest.approx(0.9**s, rel=1e-13)
    heavy = (1 - 0.8 ** (tau - s)) / 0.2
    assert gradient_weights("momentum", tau, rho_momentum=0.8) == pytest.approx(heavy, rel=1e-13)
    both = (0.7 ** (tau - s) - 0.8 ** (tau - s)) / (0.7 - 0.8)
    found = gradient_weights("proximal_momentum", tau, prox_step=0.3, rho_momentum=0.8)
    assert found == pytest.approx(both, rel=1e-12)


def test_a_real_run_sends_what_the_weights_say() -> None:
    rng = np.random.default_rng(0)
    gradients, eta, mu, rho = rng.normal(size=6), 0.1, 2.0, 0.7
    x, y, v = 1.5, 1.5, 0.0
    for g in gradients:
        v = rho * v + g
        y = y - eta * (v + mu * (y - x))
    weights = gradient_weights("proximal_momentum", 6, prox_step=eta * mu, rho_momentum=rho)
    assert x - y == pytest.approx(eta * np.dot(weights, gradients), rel=1e-13)


@STEPS
def test_sums_are_what_their_names_say(tau: int) -> None:
    way = local_weights("momentum", tau, rho_momentum=0.5)
    found = weight_sums(way)
    assert found["a1_i"] == pytest.approx(way[-1].sum())
    assert found["a2_i"] == pytest.approx((way[-1] ** 2).sum())
    assert found["alast_i"] == way[-1, -1] == 1
    assert found["walk1_i"] == pytest.approx(way[tau - 1].sum()), "the longest walk is the last one"
    assert found["walk2_i"] == pytest.approx((way[tau - 1] ** 2).sum())


@each(
    ("solver", "tau", "setting", "sentence"),
    [
        ("adam", 3, {}, "unknown solver 'adam'"),
        ("decya", 3, {}, "did you mean 'decay'"),
        ("sgd", 3, {"decay": 0.9}, "unknown setting of the solver sgd"),
        ("momentum", 0, {"rho_momentum": 0.9}, "at least one step"),
    ],
)
def test_mistakes_are_refused(solver: str, tau: int, setting: dict[str, float], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        gradient_weights(solver, tau, **setting)
