"""Local steps of many clients in cache-sized blocks, in decreasing order of step counts.

A local step involves one client at a time, so clients may be stepped in any groups. A block takes all
its steps before the next block begins. Clients with more steps come first, so that the active clients of a
block are always its first rows. Local steps y <- y - eta g are done in place.

Linear steps on dense networks are taken by a compiled function where numba is installed and arrays are those
of numpy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.algorithms import Algorithm, Local, Round, State
from boundkit.simulation.arrays import AnyArray, array_namespace, as_like, is_torch_array, on_gpu, to_device
from boundkit.simulation.engines.memory import clients_per_round
from boundkit.simulation.engines.stochastic_gradients import Minibatches
from boundkit.simulation.networks import fused
from boundkit.simulation.networks.base import empty
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.problems.base import Points
from boundkit.simulation.run import Run

if TYPE_CHECKING:
    import torch

_CACHE = 2**21
"""Bytes of one array of a block on a CPU: more exceeds the caches, less gives each call too little work."""
_AHEAD, _AHEAD_ON_GPU = 2**21, 2**28
"""Bytes of the points that are gathered at once: on a CPU they should still be in cache when used."""
_LOADING = 5e8
"""Weights times points, over all steps of a run, from which the compiled function is loaded."""
_CALLS = 2e5
"""Weights times points that arrays take in the time of the calls of one step."""

Steps = Iterator[tuple[float, int, Points]]
"""The step size of each step, the number of rows of a block that still take it, and its points."""


def take_local_steps(
    algorithm: Algorithm, local: Local, around: Round, batches: Minibatches, compiled: bool = True
) -> Local:
    """All local steps of a round on mini-batches: arrays (R, n, ...) in and out.

    ``compiled``: whether steps that the compiled function serves are taken by it.
    """
    after = _by_compiled_function(algorithm, local, around, batches) if compiled else None
    if after is not None:
        return after
    y = local["y"]
    R, n, d = y.shape
    steps = np.broadcast_to(around.steps, (R, n)).reshape(-1)
    order = None if np.ptp(steps) == 0 else np.argsort(-steps, kind="stable")
    own = steps if order is None else steps[order]
    rows = {name: _rows(value, R, n, order) for name, value in local.items()}
    take = _taking(batches, order, y)
    gpu = on_gpu(y)
    blocks = 1 if gpu else max(1, round(len(own) / pairs_in_a_block(d, y.dtype.itemsize)))
    size = -(-len(own) // blocks)
    for first in range(0, len(own), size):
        block = {name: value[first : first + size] for name, value in rows.items()}
        points = _by_step(take, first, own[first : first + size], around.rates, gpu)
        if algorithm.plain_steps and local.keys().isdisjoint(("v", "correction", "total")):
            _descend(batches.problem, block["y"], points)
        else:
            _step(algorithm, batches.problem, block, points)
    if order is not None:
        back = np.argsort(order)
        rows = {name: value[back] for name, value in rows.items()}
    return {name: value.reshape(R, n, *value.shape[1:]) for name, value in rows.items()}


def is_worth_loading(run: Run, replicas: int) -> bool:
    """Whether a run on mini-batches is so long that loading the compiled function may pay off."""
    assert run.problem.batches is not None
    points = replicas * clients_per_round(run) * run.problem.batches.size
    steps = run.rounds * int(run.local_steps.max())
    return steps * (_CALLS + points * run.problem.d) >= _LOADING


_failed = False
"""Whether the compiled function failed in this process."""


def _by_compiled_function(
    algorithm: Algorithm, local: Local, around: Round, batches: Minibatches
) -> Local | None:
    """The same by the compiled function; None where it does not serve, is not installed, or fails."""
    global _failed
    y, problem = local["y"], batches.problem
    if _failed or is_torch_array(y) or not algorithm.linear_steps or not isinstance(problem, Network):
        return None
    try:
        compiled = _compiled_module()
        if compiled is None or not compiled.serves(problem.architecture, problem.federation.y):
            return None
        steps, coefficients = np.broadcast_to(around.steps, y.shape[:2]), algorithm.step_coefficients
        data, drawn = problem.federation.tensors(y), (batches.index, batches.weights)
        after: Local = compiled.take_local_steps(
            problem.architecture, data, *drawn, steps, around.rates, problem.l2, coefficients, local
        )
    except MemoryError:
        raise
    except Exception as error:  # numba and LLVM have many
        _failed = True
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        warnings.warn(f"local steps are not compiled, because numba fails here: {reason}", stacklevel=2)
        return None
    return after


@lru_cache
def _compiled_module() -> ModuleType | None:
    """The module of the compiled function, whose import takes a second; None without numba."""
    return import_module("boundkit.simulation.networks.compiled") if find_spec("numba") else None


def fused_updates(
    algorithm: Algorithm, state: State, local: Local, around: Round, batches: Minibatches
) -> AnyArray | None:
    """The updates x - y of a round by the fused kernel, (R, n, d); None where it does not serve the round.

    It serves plain steps from the server's model, in float32 on a GPU, of networks that fit.
    """
    x, y, problem = state["x"], local["y"], batches.problem
    if not (on_gpu(x) and isinstance(problem, Network)):
        return None
    import torch

    plain = algorithm.plain_steps and type(algorithm).message is Algorithm.message and len(local) == 1
    received = y.data_ptr() == x.data_ptr() and y.stride(1) == 0
    if not (plain and received and x.dtype == torch.float32):
        return None
    if not fused.is_available() or not fused.serves(problem.architecture, batches.sampling.size):
        return None
    X, labels = problem.federation.tensors(x)
    equal = bool(np.ptp(around.steps) == 0)
    steps = None if equal else to_device(np.broadcast_to(around.steps, y.shape[:2]).copy(), x)
    index = batches.index if is_torch_array(batches.index) else to_device(batches.index, x)
    weights = None if batches.weights is None else to_device(batches.weights, x).to(x.dtype)
    rates = _step_sizes(tuple(around.rates.tolist()), x.device)
    points = (X.flatten(1), labels)
    return fused.local_updates(problem.architecture, x, points, index, weights, steps, rates, problem.l2)


@lru_cache
def _step_sizes(rates: tuple[float, ...], device: torch.device) -> AnyArray:
    import torch

    return torch.tensor(rates, dtype=torch.float32, device=device)


def pairs_in_a_block(d: int, itemsize: int) -> int:
    """Pairs (replica, client) that a CPU steps at a time: as many weights as its cache stores."""
    return max(1, _CACHE // (d * itemsize))


def _descend(problem: Problem, w: AnyArray, points: Steps) -> None:
    """y <- y - eta g."""
    gradient = problem.gradient_at(w)
    for eta, K, step_points in points:
        if len(w) > K:
            w = w[:K]
            gradient = problem.gradient_at(w)
        g = gradient(step_points)
        g *= eta
        w -= g


def _step(algorithm: Algorithm, problem: Problem, block: Local, points: Steps) -> None:
    """The algorithm's own step; ``y`` is copied back to the array at which the gradient is taken."""
    local, w = {name: value[None] for name, value in block.items()}, block["y"]
    xp = array_namespace(w)
    gradient = problem.gradient_at(w)
    for eta, K, step_points in points:
        if len(w) > K:
            _keep(block, local, K)
            local, w = {name: value[:, :K] for name, value in local.items()}, w[:K]
            gradient = problem.gradient_at(w)
        g = gradient(step_points)
        local = algorithm.local_step(local, g[None], eta)
        taken = {_address(g), _address(w)}  # both are overwritten
        local |= {n: xp.asarray(v, copy=True) for n, v in local.items() if n != "y" and _address(v) in taken}
        w[...] = local["y"][0]
        local["y"] = w[None]
    _keep(block, local, 0)


def _keep(block: Local, local: Local, done: int) -> None:
    """Write the values of a block, (1, K, ...), to their place, from the row ``done`` on."""
    for name, value in local.items():
        place = block[name][done : value.shape[1]]
        if _address(place) != _address(value[0, done:]):  # a step may return its argument
            place[...] = value[0, done:]


def _address(array: AnyArray) -> int:
    """The address of the first number."""
    address: int = array.data_ptr() if is_torch_array(array) else array.__array_interface__["data"][0]
    return address


def _rows(value: AnyArray, R: int, n: int, order: NDArray[np.intp] | None) -> AnyArray:
    """(R, n, ...) to a copy (R n, ...), in this order."""
    value = array_namespace(value).broadcast_to(value, (R, n, *value.shape[2:]))
    if order is not None:
        replica, client = np.divmod(order, n)
        return value[replica, client]
    own = empty((R * n, *value.shape[2:]), value)
    own.reshape(value.shape)[...] = value
    return own


def _taking(
    batches: Minibatches, order: NDArray[np.intp] | None, like: AnyArray
) -> Callable[[slice, slice], Points]:
    """Return a gatherer of the points of steps and rows. All indices of the round go to a GPU at once."""

    def sent(array: AnyArray) -> AnyArray:
        rows = array.reshape(-1, *array.shape[2:])
        by_step = (rows if order is None else rows[order]).swapaxes(0, 1)
        return (
            by_step.contiguous() if is_torch_array(array) else to_device(np.ascontiguousarray(by_step), like)
        )

    assert batches.index is not None
    index = sent(batches.index)
    weights = None if batches.weights is None else as_like(sent(batches.weights), like)

    def take(steps: slice, rows: slice) -> Points:
        of_points = None if weights is None else weights[steps, rows]
        return batches.problem.gather_points(index[steps, rows], like, of_points)

    return take


def _by_step(
    take: Callable[[slice, slice], Points],
    first: int,
    own: NDArray[np.intp],
    rates: NDArray[np.float64],
    gpu: bool,
) -> Steps:
    """The steps of a block that begins at row ``first``; ``own``: steps of each row, decreasing."""
    most, k, ahead = int(own[0]), 0, 1
    while k < most:
        rows, end = int(np.count_nonzero(own > k)), min(k + ahead, most)
        X, labels, weights = take(slice(k, end), slice(first, first + rows))
        ahead = max(1, (_AHEAD_ON_GPU if gpu else _AHEAD) * (end - k) // X.nbytes)
        for j, step_points in enumerate(zip(X, labels, weights, strict=True), k):
            K = int(np.count_nonzero(own > j))
            X_j, labels_j, weights_j = step_points
            yield float(rates[j]), K, step_points if rows == K else (X_j[:K], labels_j[:K], weights_j[:K])
        k = end
