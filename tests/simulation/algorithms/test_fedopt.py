"""FedAdagrad and FedAdam: a server that divides each coordinate by what it has seen of it."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.uneven import STEPS, problem

BOTH = ["fedadagrad", "fedadam"]
SETTING: dict[str, Any] = {"rounds": 6, "eta": 0.1, "x0": [3.0, -1.0]}


def run(name: str, options: dict[str, Any], **more: Any) -> Any:
    return simulate(name, problem(), options=options, **{"local_steps": STEPS} | SETTING | more).x


@pytest.mark.parametrize("name", BOTH)
def test_large_adaptivity_makes_it_fedavg(name: str) -> None:
    # sqrt(v) is then the adaptivity itself, to which AdaGrad adds little; or little, where Adam forgets
    large = 1e12
    forget: dict[str, Any] = {"beta2": 0.0} if name == "fedadam" else {}
    x = run(name, {"adaptivity": large, "beta1": 0.0} | forget, eta_s=0.7 * (1 if forget else 2) * large)
    fedavg = simulate("fedavg", problem(), local_steps=STEPS, eta_s=0.7, **SETTING).x
    np.testing.assert_allclose(x, fedavg, atol=1e-11)


@pytest.mark.parametrize("name", BOTH)
def test_the_scale_of_a_coordinate_does_not_matter_far_above_adaptivity(name: str) -> None:
    one, other = Quadratic([[1.0, 1.0]], [[1.0, 1.0]]), Quadratic([[1.0, 1.0]], [[1.0, 100.0]])
    small = {"adaptivity": 1e-12}
    step = simulate(name, one, rounds=1, eta=0.1, eta_s=0.5, options=small).x[1]
    np.testing.assert_allclose(
        simulate(name, other, rounds=1, eta=0.1, eta_s=0.5, options=small).x[1], step, rtol=1e-9
    )
