"""Networks: FedAvg on digits, many clients and replicas at once, as a ratio to a naive torch loop.

W2: a 64-128-10 ReLU network, cross entropy, the digits over 100 clients (Dirichlet 0.3), 10 clients a round
without replacement, 10 local steps on 10 points drawn with replacement, eta 0.1, 100 rounds, 5 replicas, loss
and accuracy on all data every 10 rounds. Large: 1000 clients, 100 of them a round, 64 replicas; a CPU runs a
stated part of it. A step is one local step of one client of one replica. Timings include everything: streams,
drawing, gathering, stepping, averaging, observing. The naive loop is what a tutorial has: a module, autograd
and an optimiser for each client, one replica, and nothing observed. The batched loops take all clients of all
replicas in one stack of matrices, in forty lines of numpy or torch.bmm, and evaluate the loss as often. With
JAX, if it is installed: gradients by jax.grad, clients by vmap, local steps by scan, compiled beforehand.

On a GPU also with mini-batches and clients drawn by counter on the card, and with the fused kernel.

On a CPU: one thread; CPU seconds of the process, and wall seconds; medians of runs that alternate with the
naive loop. The minimum is 404,480 flop a step, 2b(2 64 128 + 3 128 10), at the rate of a product of two
matrices of 1024 x 1024, on a GPU 8192 x 8192.

    python benchmarks/network.py [--repeats 3] [--device cpu|cuda] [--quick]
"""

from __future__ import annotations

import argparse
import copy
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from torch import nn

from boundkit.simulation.engines import StepEngine, local_steps
from boundkit.simulation.engines.replica_rounds import resolve_device
from boundkit.simulation.problems import Network, problem_from_spec
from boundkit.simulation.run import Run, make_run

INPUTS, HIDDEN, CLASSES, BATCH, TAU, ETA = 64, 128, 10, 10, 10, 0.1
FLOP = 2 * BATCH * (2 * INPUTS * HIDDEN + 3 * HIDDEN * CLASSES)
NAIVE_ROUNDS, COUNT = 10, 10
PART = (5, 4)
"""Rounds and replicas of the large case that a CPU runs."""
DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class Rate:
    """Steps a second, of the processor and of the clock, and the seconds of a whole run by the clock."""

    cpu: float
    wall: float
    seconds: float


def digits(m: int) -> Network:
    """The digits of m clients. A thousand have a point or two each, and no draw by label serves them all."""
    split: dict[str, object] = {"kind": "iid", "num_partitions": m}
    if m <= 100:
        split = {"kind": "dirichlet", "num_partitions": m, "alpha": 0.3, "min_partition_size": 1, "seed": 42}
    spec = {"kind": "network", "data": "digits", "batch": BATCH, "partition": split,
            "model": {"kind": "mlp", "hidden": [HIDDEN]}}  # fmt: skip
    problem = problem_from_spec(spec)
    assert isinstance(problem, Network)
    return problem.leaner()


def run(clients: Network, rounds: int, algorithm: str = "fedavg") -> Run:
    """A tenth of the clients a round, observed every tenth round."""
    sampled = {"kind": "uniform", "C": 0.1}
    return make_run(algorithm, clients, rounds=rounds, eta=ETA, local_steps=TAU, participation=sampled,
                    every=10, x0={"seed": 0})  # fmt: skip


def naive(clients: Network, rounds: int, dtype: torch.dtype, device: str) -> int:
    """What one writes first: for each client a copy of the model, autograd, and an optimiser."""
    own, rng = clients.federation, np.random.default_rng(0)
    X = torch.as_tensor(own.X.reshape(-1, INPUTS), dtype=dtype, device=device)
    y = torch.as_tensor(own.y, device=device)
    data = [(X[a:b], y[a:b]) for a, b in zip(own.offsets[:-1], own.offsets[1:], strict=True)]
    model = nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES)).to(device, dtype)
    cross_entropy = nn.CrossEntropyLoss()
    for _ in range(rounds):
        states = []
        for i in rng.choice(len(data), COUNT, replace=False):
            local = copy.deepcopy(model)
            optimiser = torch.optim.SGD(local.parameters(), lr=ETA)
            points, labels = data[i]
            for _ in range(TAU):
                at = torch.randint(len(points), (BATCH,), device=device)
                optimiser.zero_grad()
                cross_entropy(local(points[at]), labels[at]).backward()
                optimiser.step()
            states.append(local.state_dict())
        model.load_state_dict({name: sum(s[name] for s in states) / len(states) for name in states[0]})
    return rounds * COUNT * TAU


def batched(clients: Network, rounds: int, dtype: str, library: str, replicas: int = 5) -> int:
    """The same work for all clients of all replicas at once, with gradients written by hand."""
    own, rng, xp = clients.federation, np.random.default_rng(0), torch if library == "torch" else np
    X, y = (xp.asarray(a) for a in (own.X.reshape(-1, INPUTS).astype(dtype), own.y))
    start, ends = clients.architecture.start(0).astype(dtype), np.cumsum([0, INPUTS, 1, HIDDEN, 1])
    sizes = (HIDDEN, HIDDEN, CLASSES, CLASSES)
    cuts = np.cumsum([0, *(n * k for n, k in zip(np.diff(ends), sizes, strict=True))])
    model = [
        xp.asarray(np.tile(start[a:b].reshape(1, -1, k), (replicas, 1, 1)))
        for a, b, k in zip(cuts[:-1], cuts[1:], sizes, strict=True)
    ]
    K = replicas * COUNT
    rows, points = np.arange(K)[:, None], np.arange(BATCH)

    def forward(weights: list[Any], x: Any) -> tuple[Any, Any]:
        W1, b1, W2, b2 = weights
        h = x @ W1
        h += b1
        h = h.clip(0)
        z = h @ W2
        z += b2
        z -= z.max(-1)[..., None] if xp is np else z.amax(-1, keepdim=True)
        return h, z

    def descend(w: Any, a: Any, g: Any) -> None:
        if xp is torch:
            w.baddbmm_(a.transpose(1, 2), g, alpha=-ETA)
        else:
            step = a.transpose(0, 2, 1) @ g
            step *= ETA
            w -= step

    for t in range(rounds):
        i = np.argpartition(rng.random((replicas, len(own.sizes))), COUNT, axis=1)[:, :COUNT].reshape(-1)
        drawn = rng.random((K, TAU, BATCH)) * own.sizes[i][:, None, None]
        index = own.offsets[i][:, None, None] + drawn.astype(np.intp)
        local = [w.repeat(COUNT, 0) if xp is np else w.repeat_interleave(COUNT, 0) for w in model]
        for k in range(TAU):
            x = X[index[:, k]]
            h, z = forward(local, x)
            q = xp.exp(z)
            q /= BATCH * q.sum(-1)[..., None]
            q[rows, points, y[index[:, k]]] -= 1 / BATCH
            back = q @ local[2].swapaxes(1, 2)
            back *= h > 0
            for w, a, g in ((local[2], h, q), (local[0], x, back)):
                descend(w, a, g)
            local[3] -= ETA * q.sum(1)[:, None]
            local[1] -= ETA * back.sum(1)[:, None]
        model = [w.reshape(replicas, COUNT, *w.shape[1:]).mean(1) for w in local]
        if t % 10 == 9:
            _, z = forward(model, X[None])
            float((xp.log(xp.exp(z).sum(-1)) - z[:, np.arange(len(y)), y]).mean())
    return rounds * K * TAU


def jax_rounds(clients: Network, rounds: int, dtype: str, replicas: int = 5) -> Callable[[], int]:
    """The same work by JAX, compiled by a first round."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", dtype == "float64")
    own, start = clients.federation, clients.architecture.start(0).astype(dtype)
    X, y = jnp.asarray(own.X.reshape(-1, INPUTS).astype(dtype)), jnp.asarray(own.y)
    shapes = ((INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,))
    cuts = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    first = [
        jnp.tile(start[a:b].reshape(shape), (replicas,) + (1,) * len(shape))
        for a, b, shape in zip(cuts[:-1], cuts[1:], shapes, strict=True)
    ]

    def loss(w: list[Any], x: Any, labels: Any) -> Any:
        z = jax.nn.relu(x @ w[0] + w[1]) @ w[2] + w[3]
        return -jnp.take_along_axis(jax.nn.log_softmax(z), labels[:, None], 1).mean()

    def local(w: list[Any], xs: Any, labels: Any) -> list[Any]:
        def step(w: list[Any], batch: Any) -> tuple[list[Any], None]:
            return [a - ETA * g for a, g in zip(w, jax.grad(loss)(w, *batch), strict=True)], None

        return jax.lax.scan(step, w, (xs, labels))[0]

    @jax.jit
    def one_round(model: list[Any], index: Any) -> list[Any]:
        of_clients = jax.vmap(jax.vmap(local, in_axes=(None, 0, 0)))(model, X[index], y[index])
        return [w.mean(1) for w in of_clients]

    losses = jax.jit(jax.vmap(lambda *w: loss(list(w), X, y)))

    def run_rounds(count: int) -> int:
        rng, model = np.random.default_rng(0), first
        for t in range(count):
            i = np.argpartition(rng.random((replicas, len(own.sizes))), COUNT, axis=1)[:, :COUNT]
            drawn = rng.random((replicas, COUNT, TAU, BATCH)) * own.sizes[i][..., None, None]
            model = one_round(model, own.offsets[i][..., None, None] + drawn.astype(np.intp))
            if t % 10 == 9:
                float(losses(*model).mean())
        jax.block_until_ready(model)
        return count * replicas * COUNT * TAU

    run_rounds(10)
    return lambda: run_rounds(rounds)


def without_compiled_steps(work: Callable[[], int]) -> Callable[[], int]:
    """The work as on a machine without numba."""

    def done() -> int:
        with mock.patch.object(local_steps, "_failed", True):
            return work()

    return done


def engine(workload: Run, replicas: int, dtype: str, device: str, **options: Any) -> Callable[[], int]:
    """The engine made and run; its work is its steps."""
    participants = workload.problem.m // 10
    options = {"arrays": "numpy" if device == "cpu" else "torch", **options}

    def work() -> int:
        StepEngine(workload, replicas, dtype, device, **options).trajectory()
        return workload.rounds * replicas * participants * TAU

    return work


def rate(work: Callable[[], int], device: str) -> Rate:
    """Steps a second of one run."""
    wall, cpu = time.perf_counter(), time.process_time()
    steps = work()
    if device == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - wall
    return Rate(steps / (time.process_time() - cpu), steps / seconds, seconds)


def products(dtype: torch.dtype, device: str) -> float:
    """Flop a second of a product of two large matrices: CPU seconds on a CPU, wall seconds on a GPU."""
    n = 1024 if device == "cpu" else 8192
    a = torch.randn(n, n, dtype=dtype, device=device)

    def work() -> int:
        a @ a
        return 2 * n**3

    rates = [rate(work, device) for _ in range(5)]
    return max(r.wall if device == "cuda" else r.cpu for r in rates)


def alternating(works: dict[str, Callable[[], int]], repeats: int, device: str) -> dict[str, Rate]:
    """The median rate of each work; all are run in turn, after one turn that warms up."""
    rates: dict[str, list[Rate]] = {name: [] for name in works}
    for turn in range(repeats + 1):
        for name, work in works.items():
            measured = rate(work, device)
            if turn:
                rates[name].append(measured)
    return {
        name: Rate(
            statistics.median(r.cpu for r in own),
            statistics.median(r.wall for r in own),
            statistics.median(r.seconds for r in own),
        )
        for name, own in rates.items()
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--quick", action="store_true", help="one short run of each, to see that it runs")
    options = parser.parse_args()
    device = resolve_device(options.device)
    torch.set_num_threads(1)
    repeats, rounds = (1, 10) if options.quick else (options.repeats, 100)
    part = (rounds, 64) if device == "cuda" else (2, 1) if options.quick else PART
    name = torch.cuda.get_device_name() if device == "cuda" else "one thread of a CPU"
    print(f"{name}, torch {torch.__version__}")
    W2, large = run(digits(100), rounds), run(digits(1000), part[0])
    of_whole = part[0] * part[1] / 6400
    for dtype in DTYPES:
        exact = getattr(torch, dtype)
        peak = products(exact, device)
        works = {
            "naive torch loop": lambda exact=exact: naive(W2.problem, NAIVE_ROUNDS, exact, device),
            "W2, R = 5": engine(W2, 5, dtype, device, fused=False),
            f"large, {of_whole:.2%} of it": engine(large, part[1], dtype, device, fused=False),
        }
        if device == "cpu":
            works |= {
                "numpy, batched products": lambda dtype=dtype: batched(W2.problem, rounds, dtype, "numpy"),
                "torch.bmm": lambda dtype=dtype: batched(W2.problem, rounds, dtype, "torch"),
                "W2, R = 5, without numba": without_compiled_steps(works["W2, R = 5"]),
            }
            if find_spec("jax") is not None:
                works["JAX, vmap and scan"] = jax_rounds(W2.problem, rounds, dtype)
        if device == "cuda":
            kinds = {"counter": {"draws": "counter", "fused": False}}
            if dtype == "float32":
                kinds |= {"fused": {}, "counter, fused": {"draws": "counter"}}
            for name, settings in kinds.items():
                works[f"W2, R = 5, {name}"] = engine(W2, 5, dtype, device, **settings)
                works[f"large, {name}"] = engine(large, part[1], dtype, device, **settings)
        if dtype == "float32":
            for name in ("scaffold", "fednova"):
                works[f"W2, {name}, R = 5"] = engine(run(W2.problem, rounds, name), 5, dtype, device)
            if device == "cpu":
                short = run(W2.problem, rounds // 5)
                works["W2, R = 20, alone"] = engine(short, 20, dtype, device)
                works["W2, R = 20, 2 processes"] = engine(short, 20, dtype, device, jobs=2)
        _table(dtype, alternating(works, repeats, device), peak, device)


def _table(dtype: str, rates: dict[str, Rate], peak: float, device: str) -> None:
    base = rates["naive torch loop"]
    print(f"\n{dtype}: products at {peak / 1e9:,.0f} GFLOP/s, so at most {peak / FLOP:,.0f} steps a second")
    print(
        f"{'':<28}{'steps/CPU s':>13}{'x naive':>9}{'steps/wall s':>14}{'x naive':>9}"
        f"{'of the minimum':>16}{'seconds':>9}"
    )
    for name, r in rates.items():
        several = name.endswith("processes")  # the processor time of others is not measured here
        cpu = f"{'':>13}{'':>9}" if several else f"{r.cpu:>13,.0f}{r.cpu / base.cpu:>9.1f}"
        share = (r.wall if device == "cuda" or several else r.cpu) * FLOP / peak
        print(
            f"{name:<28}{cpu}{r.wall:>14,.0f}{r.wall / base.wall:>9.1f}{share:>16.1%}{r.seconds:>9.3f}",
            flush=True,
        )
    if "torch.bmm" in rates:
        others = ("numpy, batched products", "torch.bmm", "JAX, vmap and scan")
        best = max(r.cpu for name, r in rates.items() if name in others)
        print(f"W2 over the best batched loop: {rates['W2, R = 5'].cpu / best:.2f}")


if __name__ == "__main__":
    main()
