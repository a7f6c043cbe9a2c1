"""Every algorithm computes the same rounds with numpy arrays and with torch tensors."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.simulation.algorithms import (
    ClientOracle,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    algorithm,
)
from boundkit.simulation.arrays import AnyArray, array_namespace, as_like, is_torch_array, to_numpy
from tests.cases import each
from tests.simulation.algorithms.options import CASES

torch = pytest.importorskip("torch")
from torch.overrides import TorchFunctionMode  # noqa: E402

R, M, D = 3, 4, 2
P = np.array([0.4, 0.1, 0.2, 0.3])
P.setflags(write=False)
CURVATURES, CENTRES = np.random.default_rng(1).normal(size=(2, M, D)) + 1
X0 = np.random.default_rng(2).normal(size=(R, D))
STEPS = np.array([2, 3, 1, 3])
RATES = 0.1 / (1 + np.arange(3))
ROUNDS: list[tuple[Any, Any]] = [
    (np.array([[0, 3, 1], [2, 0, 1], [1, 2, 3]]), np.array([[2, 1, 0], [1, 0, 0], [1, 1, 3]])),
    (np.array([2, 0]), None),
    (np.array([], dtype=np.intp), None),
    (np.array([1, 3]), np.array([1, 2])),
]
"""The participating clients and their counts: padded, the same in all replicas, none, and again."""


class WithoutTorch(TorchFunctionMode):
    """Refuses every function of torch."""

    def __torch_function__(self, func: Any, *_: Any) -> Any:
        raise AssertionError(f"{func} was called")


def gradient(clients: NDArray[np.intp], y: AnyArray) -> AnyArray:
    return as_like(CURVATURES[clients], y) * (y - as_like(CENTRES[clients], y))


def proximal(clients: NDArray[np.intp], y: AnyArray, mu: float) -> AnyArray:
    return y - gradient(clients, y) / (mu + 3)


def excess(x: AnyArray) -> AnyArray:
    return array_namespace(x).sum(x**2, axis=-1)


def rounds(name: str, options: dict[str, Any], x0: AnyArray) -> list[State]:
    """All that the functions of an algorithm return in some rounds, with x0's library and type."""
    solver = algorithm(name, options)
    rates = solver.rates(RATES)
    oracle = ServerOracle(M, P, partial(gradient, np.arange(M)), excess)
    state = solver.start(x0, oracle)
    returned = [state]
    for t, (clients, counts) in enumerate(ROUNDS):
        state, planned = solver.plan(state, t, STEPS, oracle)
        steps = (
            planned[..., clients]
            if planned.ndim == 1
            else np.take_along_axis(planned, np.broadcast_to(clients, (R, clients.shape[-1])), axis=-1)
        )
        times = np.ones(clients.shape) if counts is None else counts
        inputs = WeightInputs(P[clients], times, steps, M, rates)
        weights = as_like(solver.weights(inputs), x0)
        round = Round(t, M, clients, counts, steps, weights, rates, 0.7)
        if not clients.size:
            state = solver.empty_round(state, round)
        else:
            own = ClientOracle(partial(gradient, clients), partial(proximal, clients))
            local = solver.local_start(state, round, own)
            for eta in rates.tolist():
                local = solver.local_step(local, gradient(clients, local["y"]), eta)
            sent = solver.message(state, local, round)
            state = solver.server_step(state, Received(sent, round))
            returned += [local, sent]
        if solver.adds_clients:
            added = solver.participation_counts(state, np.eye(M, dtype=np.intp)[:R])
            returned.append({"added": as_like(added, x0)})
        waiting = solver.waiting(state)
        returned += [state, solver.models(state), solver.diagnostics(state)]
        returned += [{"waiting": waiting}] if waiting is not None else []
    if solver.counters & state.keys():
        returned.append(solver.limit_of_counters(state, np.full((2, M), 0.5)))
    return returned


@each("case", CASES, ids=str)
def test_numpy_and_torch_agree(case: tuple[str, dict[str, Any]]) -> None:
    with WithoutTorch():
        expected = rounds(*case, X0)
        single = rounds(*case, X0.astype(np.float32))
    tensors = rounds(*case, torch.tensor(X0))
    assert len(expected) == len(tensors)
    for these, those, low in zip(expected, tensors, single, strict=True):
        assert these.keys() == those.keys()
        for key, array in these.items():
            assert isinstance(array, np.ndarray), key
            assert is_torch_array(those[key]), key
            assert low[key].dtype == (np.float32 if array.dtype == np.float64 else array.dtype), key
            scale = np.abs(array, where=np.isfinite(array), out=np.zeros(array.shape)).max(initial=0)
            np.testing.assert_allclose(
                to_numpy(those[key]), array, rtol=1e-12, atol=1e-12 * scale, err_msg=key
            )


def test_torch_is_refused_where_it_is_forbidden() -> None:
    with WithoutTorch(), pytest.raises(AssertionError, match="was called"):
        as_like(X0, torch.zeros(1))
