"""FedAdagrad and FedAdam: a server that divides each coordinate by what it has seen of it."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.uneven import STEPS, assert_each_runs_as_alone, problem

BOTH = ["fedadagrad", "fedadam"]
SETTING: dict[str, Any] = {"rounds": 6, "eta": 0.1, "x0": [3.0, -1.0]}


def run(name: str, options: dict[str, Any], **more: Any) -> Any:
    return simulate(name, problem(), options=options, **{"local_steps": STEPS} | SETTING | more).x


@pytest.mark.parametrize(
    ("name", "v_of"),
    [
        ("fedadagrad", lambda v, square: v + square),
        ("fedadam", lambda v, square: 0.9 * v + 0.1 * square),
    ],
)
def test_two_rounds_by_hand(name: str, v_of: Any) -> None:
    alone = Quadratic([[1.0, 2.0]], [[0.0, 0.0]])
    options = {"beta1": 0.5, "adaptivity": 0.2} | ({"beta2": 0.9} if name == "fedadam" else {})
    x = simulate(name, alone, rounds=2, eta=0.1, eta_s=0.3, x0=[3.0, -1.0], options=options).x
    model, u, v = x[0], np.zeros(2), np.full(2, 0.04)
    for after in x[1:]:
        D = 0.1 * np.array([1.0, 2.0]) * model
        u, v = 0.5 * u + 0.5 * D, v_of(v, D**2)
        model = model - 0.3 * u / (np.sqrt(v) + 0.2)
        np.testing.assert_allclose(after, model, rtol=1e-14)


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


@pytest.mark.parametrize("name", BOTH)
def test_an_empty_round_moves_nothing(name: str) -> None:
    x = run(name, {"beta1": 0.5}, rounds=3, schedule=[[0, 2], [], [1]], local_steps=2)
    np.testing.assert_array_equal(x[1], x[2])
    np.testing.assert_array_equal(
        run(name, {"beta1": 0.5}, rounds=2, schedule=[[0, 2], [1]], local_steps=2)[-1], x[-1]
    )


@pytest.mark.parametrize("name", BOTH)
def test_replicas_do_not_mind_each_other(name: str) -> None:
    assert_each_runs_as_alone(name, beta1=0.6)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adaptivity": 0}, "adaptivity of {} must be above 0"),
        ({"adaptivity": -1}, "adaptivity of {} must be a number"),
        ({"beta1": 1}, "beta1 of {} must be a number from 0 up to, not including, 1"),
    ],
)
def test_values_of_options_are_checked(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(BoundkitError, match=words.format(name)):
        algorithm(name, options)


def test_adagrad_forgets_nothing() -> None:
    with pytest.raises(BoundkitError, match="unknown option of fedadagrad 'beta2'"):
        algorithm("fedadagrad", {"beta2": 0.9})
    with pytest.raises(BoundkitError, match="beta2 of fedadam"):
        algorithm("fedadam", {"beta2": 1.0})
