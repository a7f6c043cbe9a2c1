"""Power of choice with losses estimated from mini-batches (cpow-d), on a network."""

import numpy as np
import pytest

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.engines.stochastic_gradients import estimate_losses
from boundkit.simulation.problems import Network
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run, make_run

SIZES = (5, 1, 40, 12, 3, 9)


def network(**more: object) -> Network:
    rng = np.random.default_rng(0)
    clients = [(rng.normal(size=(n, 3)), rng.integers(4, size=n)) for n in SIZES]
    return Network(clients, "softmax", batch=2, classes=4, **more)  # type: ignore[arg-type]


def point() -> np.ndarray:
    problem = network()
    return np.random.default_rng(1).normal(size=(1, problem.d))


def test_estimates_are_unbiased_with_the_variance_of_a_batch() -> None:
    problem, x, batch, tries = network(l2=0.3), point(), 5, 1000
    found = estimate_losses(problem, np.repeat(x, tries, axis=0), batch, Streams(3, tries))
    exact = problem.losses(x)[0]
    labels, owner = problem.federation.tensors(x)[1], problem.federation.owner
    X = problem.federation.tensors(x)[0]
    each = problem.architecture.point_losses(x, X[None], labels[None])[0]
    deviation = np.array([each[owner == i].std() for i in range(problem.m)]) / batch**0.5
    assert (np.abs(found.mean(axis=0) - exact) <= 5 * deviation / tries**0.5 + 1e-12).all()
    assert found.std(axis=0) == pytest.approx(deviation, rel=0.15, abs=1e-12)
    assert deviation[1] == 0  # a client with one point
    assert (deviation[[0, 2, 3, 4, 5]] > 0.01).all()


def chosen(**who: object) -> Run:
    fields = {"kind": "power_of_choice", "count": 2, "d": 6, **who}
    return make_run("fedavg", network(), rounds=12, eta=0.3, local_steps=2, seed=4, participation=fields,
                    options={"aggregation": "mean"})  # fmt: skip


def test_estimates_do_not_depend_on_the_chunk() -> None:
    run = chosen(variant="cpow", batch=3)
    whole, split = (StepEngine(run, replicas=5, chunk=c).trajectory().observed["loss"] for c in (5, 2))
    np.testing.assert_allclose(split, whole, rtol=1e-12)
