"""The compiled local steps of dense networks are those of the array path.

In float64 the results differ by the order of sums alone: a relative 1e-12 of the largest number.
"""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms import Algorithm, Local, Round, algorithm
from boundkit.simulation.engines import StepEngine, local_steps
from boundkit.simulation.engines.stochastic_gradients import Minibatches
from boundkit.simulation.networks import MLP, Architecture, SoftmaxRegression
from boundkit.simulation.problems import Network
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.representatives import aside

compiled = pytest.importorskip("boundkit.simulation.networks.compiled", reason="needs numba, the extra fast")

R, N, TAU = 2, 3, 4
PRECISIONS = aside(["float64", "float32"], "float32")  # each takes seconds to compile
SIZES = (3, 9, 4, 14, 1, 6)
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("fedavg", {}),
    "momentum": ("fedavg", {"momentum": 0.5}),
    "proximal": ("fedprox", {"mu": 0.3}),
    "proximal and momentum": ("fedprox", {"mu": 0.3, "momentum": 0.5}),
    "control variates": ("scaffold", {}),
    "all": ("fednova", {"mu": 0.3, "momentum": 0.5, "variance_reduction": True}),
}
NETWORKS: dict[str, Architecture] = {
    "no hidden layer": SoftmaxRegression((5, 3)),
    "vectors of one remainder": MLP((5, 7, 3)),
    "whole vectors": MLP((16, 32, 8)),
    "more classes than hidden units": MLP((5, 4, 20)),
    "three hidden layers, wider and narrower": MLP((5, 40, 9, 33, 3)),
}


def problem(network: Architecture, batch: int, order: str = "independent", l2: float = 0.0) -> Network:
    draw = np.random.default_rng(0)
    inputs, classes = network.shapes[0][0], network.shapes[-1][0]
    clients = [(draw.normal(size=(n, inputs)), draw.integers(0, classes, n)) for n in SIZES]
    return Network(clients, network, batch=batch, order=order, l2=l2, classes=classes)


def local_state(rule: Algorithm, x: np.ndarray) -> Local:
    """A state with all vectors that the algorithm's steps have, with random numbers."""
    draw = np.random.default_rng(1)
    names = {
        "fedavg": (),
        "fedprox": ("x",),
        "scaffold": ("correction",),
        "fednova": ("x", "correction", "total"),
    }
    more = (*names[rule.name], *(["v"] if rule.settings.get("momentum") else []))
    y = np.broadcast_to(x[:, None], (R, N, x.shape[-1]))
    return {"y": y} | {
        n: y if n == "x" else 0.1 * draw.standard_normal(y.shape).astype(x.dtype) for n in more
    }


def arguments(clients: Network, rule: Algorithm, dtype: str, steps: Any) -> Any:
    """Those of ``take_local_steps``, for a round of three clients."""
    taking, rates = np.array([1, 3, 5]), np.linspace(0.2, 0.1, TAU)
    x = np.stack([clients.architecture.start(seed) for seed in range(R)]).astype(dtype)
    around = Round(0, clients.m, taking, None, steps, np.full(N, 1 / 3), rates, 1.0)
    return rule, local_state(rule, x), around, Minibatches(clients, taking, TAU, N, Streams(0, R))


def both(
    clients: Network, rule: Algorithm, dtype: str, steps: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[Local, Local]:
    """The local state after all steps, by the compiled function and by arrays."""
    given = arguments(clients, rule, dtype, steps)
    before = {name: value.copy() for name, value in given[1].items()}
    found = local_steps._by_compiled_function(*given)
    assert found is not None
    for name, value in given[1].items():
        np.testing.assert_array_equal(value, before[name])
    with monkeypatch.context() as patch:
        patch.setattr(local_steps, "_failed", True)
        return found, local_steps.take_local_steps(*given)


def agree(found: Local, expected: Local, dtype: str) -> None:
    bound = 1e-12 if dtype == "float64" else 1e-5
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name].dtype == dtype
        np.testing.assert_allclose(found[name], value, rtol=0, atol=bound * abs(value).max())


@each("dtype", PRECISIONS)
@each("name", list(ALGORITHMS))
@each("order", ["independent", "shuffled"])
def test_algorithms(name: str, order: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a penalty, different numbers of steps and step sizes, and smaller batches at the end of a pass."""
    kind, options = ALGORITHMS[name]
    clients = problem(NETWORKS["vectors of one remainder"], 4, order, l2=0.1)
    agree(*both(clients, algorithm(kind, options), dtype, np.array([4, 1, 3]), monkeypatch), dtype)


@each("dtype", PRECISIONS)
@each("network", list(NETWORKS))
@each("batch", [1, 3, 9, 17])
def test_networks_and_sizes_of_batches(
    network: str, batch: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients = problem(NETWORKS[network], batch)
    agree(*both(clients, algorithm("fedavg"), dtype, np.full(N, TAU), monkeypatch), dtype)


def test_numbers_that_overflow_stay_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that diverges ends as such: no comparison or rectification hides what is not a number."""
    clients = problem(NETWORKS["vectors of one remainder"], 4)
    clients.federation.X[:] *= 1e200
    with np.errstate(all="ignore"):
        found, expected = both(clients, algorithm("fedavg"), "float64", np.full(N, TAU), monkeypatch)
    assert not np.isfinite(expected["y"]).all(axis=-1).any()
    assert not np.isfinite(found["y"]).all(axis=-1).any()


def test_short_runs_do_not_load_the_compiled_function(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, module = 0, local_steps._compiled_module()

    def load() -> Any:
        nonlocal loaded
        loaded += 1
        return module

    clients = problem(NETWORKS["vectors of one remainder"], 4)
    short = make_run("fedavg", clients, rounds=3, eta=0.2, local_steps=[1, 2, 2, 4, 3, 1], x0={"seed": 0})
    monkeypatch.setattr(local_steps, "_compiled_module", load)
    by_arrays = StepEngine(short, R).trajectory()
    assert loaded == 0
    monkeypatch.setattr(local_steps, "_LOADING", 0)
    by_function = StepEngine(short, R).trajectory()
    assert loaded == short.rounds
    np.testing.assert_allclose(by_function.x, by_arrays.x, rtol=0, atol=1e-12 * abs(by_arrays.x).max())


def test_a_failure_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any) -> None:
        raise RuntimeError("no compiler\nand more")

    given = arguments(
        problem(NETWORKS["no hidden layer"], 2), algorithm("fedavg"), "float64", np.full(N, TAU)
    )
    expected = local_steps.take_local_steps(*given)["y"]
    monkeypatch.setattr(local_steps, "_failed", False)
    monkeypatch.setattr(compiled, "take_local_steps", fails)
    message = "^local steps are not compiled, because numba fails here: no compiler$"
    with pytest.warns(UserWarning, match=message):
        found = local_steps.take_local_steps(*given)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    local_steps.take_local_steps(*given)


def test_without_numba_arrays_are_used_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    given = arguments(
        problem(NETWORKS["no hidden layer"], 2), algorithm("fedavg"), "float64", np.full(N, TAU)
    )
    expected = local_steps.take_local_steps(*given)["y"]
    monkeypatch.setattr(local_steps, "find_spec", lambda name: None)
    local_steps._compiled_module.cache_clear()
    assert local_steps._by_compiled_function(*given) is None
    np.testing.assert_allclose(local_steps.take_local_steps(*given)["y"], expected, rtol=1e-12)
    local_steps._compiled_module.cache_clear()
