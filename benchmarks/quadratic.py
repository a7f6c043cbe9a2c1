"""Workload W1: FedAvg on dense quadratics, engine by engine, as a ratio to a naive torch loop.

100 clients, 100 dimensions, dense Hessians with spectrum 0.1 to 1 in an eigenbasis each, eta 0.1,
noise 0.1 a coordinate, tau 10, 10 clients a round without replacement, 200 rounds, ||x - x*||^2 observed
every round. One local step of one client of one replica counts as a step; the collapsed and exact engines
are credited with the steps that they stand for (exact: as many as 20 replicas would take). One thread;
CPU seconds of the process; medians after a warm-up. Timings include making the maps unless a row says so.

    python benchmarks/quadratic.py [--repeats 3] [--rounds 200] [--quick]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch

from boundkit.simulation.engines import CollapsedEngine, ExactEngine, StepEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run

M, D, COUNT, TAU, ETA, NOISE = 100, 100, 10, 10, 0.1, 0.1
NAIVE_ROUNDS = 20

BOTH = ("float32", "float64")
RATIOS = (
    ("step, R = 20", "numpy grouped, R = 20", BOTH),
    ("collapsed, R = 20", "numpy collapsed grouped, R = 20", BOTH),
    ("collapsed, R = 200", "numpy collapsed grouped, R = 200", BOTH),
    ("exact moments, dense H", "numpy exact moments, dense H", ("float64",)),
    ("exact moments, diagonal H", "numpy exact moments, diagonal H", ("float64",)),
)
"""Rows of which the last lines are ratios."""


def problem(diagonal: bool = False) -> Quadratic:
    """W1's clients; the diagonal ones have the same spectrum on the axes."""
    return Quadratic.random(M, D, seed=0, curvature=(0.1, 1.0), dense=not diagonal, noise=NOISE * D**0.5)


def run(clients: Quadratic, rounds: int) -> Run:
    """W1's run on these clients."""
    return make_run("fedavg", clients, rounds=rounds, eta=ETA, local_steps=TAU,
                    participation={"kind": "uniform", "C": COUNT / M})  # fmt: skip


def naive(clients: Quadratic, rounds: int, dtype: torch.dtype) -> int:
    """What one writes first: a loop over clients and steps, with torch tensors and a gradient by hand."""
    H = torch.as_tensor(clients.H, dtype=dtype)
    e = torch.as_tensor(clients.e, dtype=dtype)
    best = torch.as_tensor(clients.centre, dtype=dtype)
    x, seen = torch.zeros(D, dtype=dtype), []
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        models = []
        for i in rng.choice(M, COUNT, replace=False):
            y = x.clone()
            for _ in range(TAU):
                y = y - ETA * (H[i] @ (y - e[i]) + NOISE * torch.randn(D, dtype=dtype))
            models.append(y)
        x = torch.stack(models).mean(dim=0)
        seen.append(float(((x - best) ** 2).sum()))
    return rounds * COUNT * TAU


def clients_in_order(replicas: int, rng: np.random.Generator) -> tuple[np.ndarray, list[tuple[int, slice]]]:
    """The pairs of a round sorted by client: the replica of each, and the rows of each client."""
    clients = np.stack([rng.choice(M, COUNT, replace=False) for _ in range(replicas)]).ravel()
    order = np.argsort(clients, kind="stable")
    present, starts = np.unique(clients[order], return_index=True)
    ends = [*starts[1:].tolist(), len(order)]
    return order // COUNT, [(int(i), slice(a, b)) for i, a, b in zip(present, starts, ends, strict=True)]


def numpy_grouped(clients: Quadratic, rounds: int, replicas: int, dtype: str) -> int:
    """Every local step in numpy: the replicas of a client take theirs at once, with one product a step."""
    H, e, best = (a.astype(dtype) for a in (clients.H, clients.e, clients.centre))
    rng, x, seen = np.random.default_rng(0), np.zeros((replicas, D), dtype), []
    kind = np.dtype(dtype).type
    for _ in range(rounds):
        replica, spans = clients_in_order(replicas, rng)
        y = x[replica]
        noise = rng.standard_normal((TAU, *y.shape), dtype=kind) * kind(NOISE)
        for i, rows in spans:
            z = y[rows]
            for k in range(TAU):
                z = z - kind(ETA) * ((z - e[i]) @ H[i] + noise[k, rows])
            y[rows] = z
        x = np.zeros_like(x)
        np.add.at(x, replica, y / kind(COUNT))
        seen.append(((x - best) ** 2).sum(axis=1))
    return rounds * replicas * COUNT * TAU


def round_maps(clients: Quadratic) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y = A_i x + b_i + L_i z for all local steps of a round with standard normals z."""
    h, Q = np.linalg.eigh(clients.H)
    shrinks = (1 - ETA * h) ** TAU
    variance = (NOISE * ETA) ** 2 * (1 - (1 - ETA * h) ** (2 * TAU)) / (1 - (1 - ETA * h) ** 2)
    A = (Q * shrinks[:, None, :]) @ Q.transpose(0, 2, 1)
    b = clients.e - (A @ clients.e[..., None])[..., 0]
    return A, b, Q * np.sqrt(variance)[:, None, :]


def numpy_collapsed(clients: Quadratic, rounds: int, replicas: int, dtype: str) -> Callable[[], int]:
    """Rounds as affine maps in numpy, their matrices at hand: one product for all replicas of a client."""
    A, b, L = round_maps(clients)
    maps = np.concatenate([A.transpose(0, 2, 1), L.transpose(0, 2, 1)], axis=1).astype(dtype)
    shift, best, kind = b.astype(dtype), clients.centre.astype(dtype), np.dtype(dtype).type

    def work() -> int:
        rng, x, seen = np.random.default_rng(0), np.zeros((replicas, D), dtype), []
        for _ in range(rounds):
            replica, spans = clients_in_order(replicas, rng)
            inputs = np.empty((len(replica), 2 * D), dtype)
            inputs[:, :D], inputs[:, D:] = x[replica], rng.standard_normal((len(replica), D), dtype=kind)
            y = np.empty((len(replica), D), dtype)
            for i, rows in spans:
                np.dot(inputs[rows], maps[i], out=y[rows])
                y[rows] += shift[i]
            x = y[np.argsort(replica, kind="stable")].reshape(replicas, COUNT, D).mean(axis=1)
            seen.append(((x - best) ** 2).sum(axis=1))
        return rounds * replicas * COUNT * TAU

    return work


def numpy_moments(clients: Quadratic, rounds: int) -> int:
    """E x and E x x' of every round in numpy, centred at the optimum, by two large products a round."""
    best, steps = clients.centre, rounds * 20 * COUNT * TAU
    one, two = 1 / (M * COUNT), (COUNT - 1) / (M * (M - 1) * COUNT)  # E w_i^2 and E w_i w_j
    if clients.diagonal:
        A = (1 - ETA * clients.H) ** TAU
        b = (1 - A) * (clients.e - best)
        N = (NOISE * ETA) ** 2 * (1 - A**2) / (1 - (1 - ETA * clients.H) ** 2)
        both = [((one - two) * (u * v).sum(axis=0) + two * u.sum(axis=0) * v.sum(axis=0))
                for u, v in ((A, A), (A, b), (b, b))]  # fmt: skip
        mean_A, mean_b, noise = A.mean(axis=0), b.mean(axis=0), one * N.sum(axis=0)
        mu, S, seen = -best, best**2, []
        for _ in range(rounds):
            S = both[0] * S + 2 * both[1] * mu + both[2] + noise
            mu = mean_A * mu + mean_b
            seen.append(S.sum())
        return steps
    A, b, L = round_maps(clients)
    b = b + (A @ best) - best
    rows = A.transpose(1, 0, 2).reshape(D * M, D)
    columns = A.transpose(0, 2, 1).reshape(M * D, D)
    N = np.einsum("ijk,ilk->jl", L, L)
    mean_A, mean_b = A.mean(axis=0), b.mean(axis=0)
    mu, S, seen = -best, np.outer(best, best), []
    for _ in range(rounds):
        squares = (rows @ S).reshape(D, M * D) @ columns
        cross = (rows @ mu).reshape(D, M) @ b
        pulled = mean_A @ mu
        of_means = mean_A @ S @ mean_A.T + np.outer(pulled, mean_b) + np.outer(mean_b, pulled + mean_b)
        alone = squares + cross + cross.T + b.T @ b
        S = (one - two) * alone + one * N + two * M**2 * of_means
        mu = pulled + mean_b
        seen.append(np.trace(S))
    return steps


def rate(work: Callable[[], int], repeats: int) -> float:
    """Steps a CPU second: the median of some repeats after one that warms up."""
    work()
    rates = []
    for _ in range(repeats):
        start = time.process_time()
        steps = work()
        rates.append(steps / max(time.process_time() - start, 1e-9))
    return statistics.median(rates)


def sampled(
    kind: type[StepEngine] | type[CollapsedEngine], setting: Run, replicas: int, dtype: str
) -> Callable[[], int]:
    """A sampling engine made and run; its work is its steps."""

    def work() -> int:
        kind(setting, replicas, dtype).trajectory()
        return setting.rounds * replicas * COUNT * TAU

    return work


def collapsed_warm(setting: Run, replicas: int, dtype: str) -> Callable[[], int]:
    """The collapsed engine with its maps at hand, as in a sweep over seeds."""
    engine = CollapsedEngine(setting, replicas, dtype)

    def work() -> int:
        engine.trajectory()
        return setting.rounds * replicas * COUNT * TAU

    return work


def exact(setting: Run) -> Callable[[], int]:
    """The exact engine made and run, credited with the steps of 20 replicas."""

    def work() -> int:
        ExactEngine(setting).trajectory()
        return setting.rounds * 20 * COUNT * TAU

    return work


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="one repeat of 20 rounds, to see that it runs")
    setting = parser.parse_args()
    repeats, rounds = (1, 20) if setting.quick else (setting.repeats, setting.rounds)
    torch.set_num_threads(1)
    dense, diagonal = problem(), problem(diagonal=True)
    W1, easy = run(dense, rounds), run(diagonal, rounds)
    baseline = {
        dtype: rate(partial(naive, dense, NAIVE_ROUNDS, getattr(torch, dtype)), repeats)
        for dtype in ("float32", "float64")
    }
    rows: list[tuple[str, str, Callable[[], int]]] = []
    for dtype in ("float32", "float64"):
        rows += [
            ("step, R = 20", dtype, sampled(StepEngine, W1, 20, dtype)),
            ("step, R = 200", dtype, sampled(StepEngine, W1, 200, dtype)),
            ("numpy grouped, R = 20", dtype, partial(numpy_grouped, dense, rounds, 20, dtype)),
            ("collapsed, R = 20, maps included", dtype, sampled(CollapsedEngine, W1, 20, dtype)),
            ("collapsed, R = 20", dtype, collapsed_warm(W1, 20, dtype)),
            ("collapsed, R = 200", dtype, collapsed_warm(W1, 200, dtype)),
            ("numpy collapsed grouped, R = 20", dtype, numpy_collapsed(dense, rounds, 20, dtype)),
            ("numpy collapsed grouped, R = 200", dtype, numpy_collapsed(dense, rounds, 200, dtype)),
        ]
    rows += [
        ("exact moments, dense H", "float64", exact(W1)),
        ("numpy exact moments, dense H", "float64", partial(numpy_moments, dense, rounds)),
        ("exact moments, diagonal H", "float64", exact(easy)),
        ("numpy exact moments, diagonal H", "float64", partial(numpy_moments, diagonal, rounds)),
    ]
    print(f"{'engine':<34}{'dtype':<9}{'steps/CPU s':>13}{'x naive':>9}", flush=True)
    for dtype, speed in baseline.items():
        print(f"{'naive torch loop':<34}{dtype:<9}{speed:>13,.0f}{1:>9.1f}", flush=True)
    speeds: dict[tuple[str, str], float] = {}
    for name, dtype, work in rows:
        speed = rate(work, repeats)
        print(f"{name:<34}{dtype:<9}{speed:>13,.0f}{speed / baseline[dtype]:>9.1f}", flush=True)
        speeds[name, dtype] = speed
    for of, to, kinds in RATIOS:
        for dtype in kinds:
            print(f"{of} / {to}, {dtype}: {speeds[of, dtype] / speeds[to, dtype]:.2f}")


if __name__ == "__main__":
    main()
