"""Every algorithm on workload W1, as a ratio to FedAvg in the same run; and FedAvg as W1 grows.

W1 (see quadratic.py): 100 clients, 100 dimensions, dense Hessians, eta 0.1, noise 0.1 a coordinate, 10
clients a round, 10 local steps, R = 20 replicas, float64, every step. Algorithms of one local step a round
take 1; those that need everybody get everybody. A local step of a client of a replica counts as one, also
where a round asks for further gradients. One thread; CPU seconds; medians after a warm-up.

    python benchmarks/algorithms.py [--repeats 3] [--rounds 50] [--quick]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch

from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run

M, D, COUNT, TAU, ETA, NOISE, REPLICAS = 100, 100, 10, 10, 0.1, 0.1, 20
ONE_STEP = {"minibatch_sgd", "async_sgd"}
OPTIONS: dict[str, dict[str, Any]] = {
    "fedprox": {"mu": 0.1},
    "clusterfedvarp": {"clusters": [list(range(k, M, 10)) for k in range(10)]},
    "async_sgd": {"delays": 5},
    "fedadagrad": {"adaptivity": 0.1},
    "fedadam": {"adaptivity": 0.1},
    "mifa": {"wait": False},
}
"""Where the default would not exercise the algorithm."""


def w1(name: str, rounds: int, m: int = M, d: int = D) -> Run:
    """W1 for this algorithm."""
    problem = Quadratic.random(m, d, seed=0, curvature=(0.1, 1.0), dense=True, noise=NOISE * d**0.5)
    return make_run(
        name,
        problem,
        rounds=rounds,
        eta=ETA,
        local_steps=1 if name in ONE_STEP else TAU,
        participation={"kind": "uniform", "C": COUNT / m},
        options=OPTIONS.get(name),
    )


def rate(run: Run, replicas: int, repeats: int) -> float:
    """Local steps a CPU second: the median of some repeats after one that warms up."""
    engine = StepEngine(run, replicas, "float64")
    steps = run.rounds * replicas * COUNT * int(run.local_steps.max())
    engine.trajectory()
    rates = []
    for _ in range(repeats):
        start = time.process_time()
        engine.trajectory()
        rates.append(steps / max(time.process_time() - start, 1e-9))
    return statistics.median(rates)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--quick", action="store_true", help="one repeat of 5 rounds, to see that it runs")
    asked = parser.parse_args()
    repeats, rounds = (1, 5) if asked.quick else (asked.repeats, asked.rounds)
    torch.set_num_threads(1)
    base = rate(w1("fedavg", rounds), REPLICAS, repeats)
    print(f"{'algorithm':<24}{'steps/CPU s':>13}{'x FedAvg':>10}", flush=True)
    print(f"{'fedavg':<24}{base:>13,.0f}{1:>10.2f}", flush=True)
    for name in ALGORITHMS:
        if name != "fedavg":
            speed = rate(w1(name, rounds), REPLICAS, repeats)
            print(f"{name:<24}{speed:>13,.0f}{speed / base:>10.2f}", flush=True)
    print(f"\n{'fedavg with':<24}{'steps/CPU s':>13}{'x W1':>10}")
    for replicas in (1, 5, 20, 80):
        _row(f"R = {replicas}", rate(w1("fedavg", rounds), replicas, repeats), base)
    for m in (20, 100, 500):
        _row(f"m = {m}", rate(w1("fedavg", rounds, m=m), REPLICAS, repeats), base)
    for d in (10, 30, 100, 200):
        _row(f"d = {d}", rate(w1("fedavg", rounds, d=d), REPLICAS, repeats), base)


def _row(name: str, speed: float, base: float) -> None:
    print(f"{name:<24}{speed:>13,.0f}{speed / base:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
