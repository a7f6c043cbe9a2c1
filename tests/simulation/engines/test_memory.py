"""How many replicas fit, what happens where they do not, and what is said then."""

from typing import Any

import numpy as np
import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import SHARE
from boundkit.simulation.arrays import AnyArray
from boundkit.simulation.engines import StepEngine, memory
from boundkit.simulation.networks.perceptron import MLP
from boundkit.simulation.problems import Network
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.engines.networks import network as dense_network

REPLICAS = 8


class SingleSteps(MLP):
    """A network that the compiled function of local steps does not serve."""

    def gradients(self, w: AnyArray, X: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
        return super().gradients(w, X, labels, weights)


def network() -> Network:
    problem = dense_network()
    problem.architecture.__class__ = SingleSteps
    return problem


def a_run(problem: Network | None = None, name: str = "fedavg", **more: Any) -> Run:
    settings: dict[str, Any] = {"rounds": 2, "eta": 0.1, "local_steps": 2, "x0": {"seed": 0}}
    who = {"participation": {"kind": "uniform", "C": 0.5}}
    return make_run(name, problem or network(), **settings | who | more)


def with_free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda device: size)


def room_for(run: Run, replicas: int) -> int:
    return int(memory.estimate_memory(run, 8).of(replicas) / SHARE) + 1


@pytest.mark.parametrize("replicas", [1, 3, 8])
def test_as_many_replicas_as_fit_are_in_flight(replicas: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, room_for(a_run(), replicas))
    assert StepEngine(a_run(), REPLICAS).chunk == replicas


def test_a_run_that_cannot_fit_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, 1000)
    with pytest.raises(BoundkitError, match=r"one replica of this run needs about .* MiB \(57 parameters, "
                       r"3 clients a round\), and 0.0 MiB of the 0.0 MiB that is free on cpu"):  # fmt: skip
        StepEngine(a_run(), REPLICAS)


def test_what_is_remembered_of_every_client_needs_room() -> None:
    assert memory.estimate_memory(a_run(name="scaffold"), 8).each > memory.estimate_memory(a_run(), 8).each
    assert memory.estimate_memory(a_run(), 4).each < memory.estimate_memory(a_run(), 8).each
    lean = network().leaner()
    assert memory.estimate_memory(a_run(lean), 8).fixed < memory.estimate_memory(a_run(), 8).fixed
    assert memory.estimate_memory(a_run(every=2), 8).fixed < memory.estimate_memory(a_run(), 8).fixed


class Scarce(Network):
    """Memory runs out where more than ``most`` replicas are in flight."""

    most = 3
    error: BaseException = MemoryError()

    def gradient_at(self, w: AnyArray) -> Any:
        if len(w) > 3 * self.most:
            raise self.error
        return super().gradient_at(w)


ERRORS = [
    MemoryError(),
    torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes."),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"),
]


def scarce(most: int, error: Any) -> Scarce:
    problem = network()
    problem.__class__ = Scarce
    assert isinstance(problem, Scarce)
    problem.most, problem.error = most, error
    return problem


@each("error", ERRORS, ids=["numpy", "torch", "allocator", "cublas"])
def test_out_of_memory_halves_the_chunk_and_says_so(error: BaseException) -> None:
    run = a_run(scarce(3, error))
    with pytest.warns(
        UserWarning, match="8 replicas at a time did not fit in memory; they are run 2 at a time"
    ):
        halved = StepEngine(run, REPLICAS, chunk=REPLICAS).trajectory()
    assert halved.settings["chunk"] == 2
    enough = StepEngine(a_run(), REPLICAS, chunk=2).trajectory()
    np.testing.assert_array_equal(halved.x, enough.x)
    np.testing.assert_array_equal(halved.observed["loss"], enough.observed["loss"])


def test_one_replica_that_does_not_fit_is_refused_with_the_numbers() -> None:
    with pytest.raises(
        BoundkitError, match=r"memory ran out with one replica in flight, which needs about .* MiB"
    ):
        StepEngine(a_run(scarce(0, MemoryError())), REPLICAS).trajectory()


def test_client_state_counts_for_all_clients() -> None:
    plain, stateful = (memory.estimate_memory(a_run(name=name), 8) for name in ("fedavg", "scaffold"))
    problem = a_run().problem
    assert stateful.each - plain.each == 8 * problem.d * memory._STORED * problem.m
