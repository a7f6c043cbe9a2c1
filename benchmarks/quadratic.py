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
    kind: type[StepEngine] | type[CollapsedEngine], asked: Run, replicas: int, dtype: str
) -> Callable[[], int]:
    """A sampling engine made and run; its work is its steps."""

    def work() -> int:
        kind(asked, replicas, dtype).trajectory()
        return asked.rounds * replicas * COUNT * TAU

    return work


def collapsed_warm(asked: Run, replicas: int, dtype: str) -> Callable[[], int]:
    """The collapsed engine with its maps at hand, as in a sweep over seeds."""
    engine = CollapsedEngine(asked, replicas, dtype)

    def work() -> int:
        engine.trajectory()
        return asked.rounds * replicas * COUNT * TAU

    return work


def exact(asked: Run) -> Callable[[], int]:
    """The exact engine made and run, credited with the steps of 20 replicas."""

    def work() -> int:
        ExactEngine(asked).trajectory()
        return asked.rounds * 20 * COUNT * TAU

    return work


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="one repeat of 20 rounds, to see that it runs")
    asked = parser.parse_args()
    repeats, rounds = (1, 20) if asked.quick else (asked.repeats, asked.rounds)
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
            ("collapsed, R = 20, maps included", dtype, sampled(CollapsedEngine, W1, 20, dtype)),
            ("collapsed, R = 20", dtype, collapsed_warm(W1, 20, dtype)),
            ("collapsed, R = 200", dtype, collapsed_warm(W1, 200, dtype)),
        ]
    rows += [
        ("exact moments, dense H", "float64", exact(W1)),
        ("exact moments, diagonal H", "float64", exact(easy)),
    ]
    print(f"{'engine':<34}{'dtype':<9}{'steps/CPU s':>13}{'x naive':>9}", flush=True)
    for dtype, speed in baseline.items():
        print(f"{'naive torch loop':<34}{dtype:<9}{speed:>13,.0f}{1:>9.1f}", flush=True)
    for name, dtype, work in rows:
        speed = rate(work, repeats)
        print(f"{name:<34}{dtype:<9}{speed:>13,.0f}{speed / baseline[dtype]:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
