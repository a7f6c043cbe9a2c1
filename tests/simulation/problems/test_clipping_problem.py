"""The worst-case instances of clipping as problems: constants and runs."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import ClippingProblem, problem_from_spec
from boundkit.simulation.run import make_run

SETTING: dict[str, Any] = {
    "clients": 3, "L0": 1.0, "L1": 1.0, "grad_max": 8.0, "target": 0.5, "gap": 300.0,
}  # fmt: skip
NAMES = ("wrong_majority", "valley", "ramp")


@pytest.mark.parametrize("name", NAMES)
def test_one_set_of_parameters_for_all_instances(name: str) -> None:
    problem = problem_from_spec({"kind": "clipping_instance", "instance": name, **SETTING})
    assert isinstance(problem, ClippingProblem)
    found = problem.constants(problem.start)
    assert found["gap"].value == pytest.approx(problem.instance.gap, rel=1e-12)
    assert (found["L0"].value, found["L1"].value, found["zeta"].value) == (1.0, 1.0, 0.0)
    assert found["rho_zeta"].value == (4.0 if name == "wrong_majority" else 0.0)
    assert found["grad_max"].value == pytest.approx(1.0 if name == "ramp" else 8.0)
    assert problem.equal_weights
    assert problem.homogeneous is (name != "wrong_majority")
    x = np.linspace(-1, problem.start[0] + 1, 2001)[:, None]
    np.testing.assert_allclose(
        problem.observe(x)["loss"], problem.instance.loss(x[:, 0]), rtol=1e-12, atol=1e-12
    )
    steep = np.abs(problem.client_gradients(x))
    steps = np.abs(np.diff(problem.client_gradients(x), axis=0)) / np.diff(x, axis=0)[:, None]
    assert (steps <= found["L"].value * (1 + 1e-9)).all() or found["L"].trust == "local"
    middle = np.maximum(steep[1:], steep[:-1])
    assert (steps <= (1 + middle) * (1 + 1e-9)).all()  # L0 + L1 |F_i'|, as |F'| does not fall with x


def test_gradient_descent_reaches_the_end_of_the_ramp() -> None:
    problem = ClippingProblem("ramp", **SETTING)
    run = make_run("fedavg", problem, rounds=700, eta=0.5, local_steps=1, x0=problem.start)
    seen = StepEngine(run).trajectory()
    loss = seen.mean("loss")
    assert (np.diff(loss) <= 1e-12).all()
    far = loss > 5  # on the slope of 2 target each step gains eta (2 target)^2
    np.testing.assert_allclose(np.diff(loss)[far[:-1]], -0.5, rtol=1e-9)
    assert seen.mean("gradient_norm_squared")[-1] < 0.5**2
