"""How time and memory grow with replicas R, clients m, dimension d and local steps tau, engine by engine.

FedAvg with 10 % of the clients a round: on quadratics with diagonal Hessians and gradient noise, and on ReLU
networks with one hidden layer and mini-batches of 10 points. One quantity varies, the others stay. CPU
seconds of ten rounds on one thread, the engine's set-up included, the least of some repeats; memory is the
largest that Python and numpy take during another run. The slope is that of log(time) over log(quantity)
between the last two values.

    python benchmarks/scaling.py [--repeats 3] [ENGINE ...]
"""

from __future__ import annotations

import argparse
import math
import os
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from boundkit.simulation.engines import CollapsedEngine, ExactEngine, StepEngine
from boundkit.simulation.problems import Network, Problem, Quadratic
from boundkit.simulation.run import Run, make_run

USUAL = {"R": 10, "m": 100, "d": 100, "tau": 10}
NETWORK = {"R": 2, "d": 1000}
"""What is usual for networks."""
VALUES = {
    "R": (1, 10, 100, 1000),
    "m": (10, 100, 1000, 10_000, 100_000),
    "d": (10, 100, 1000, 10_000, 100_000, 1_000_000),
    "tau": (1, 10, 100, 1000),
}
SMALLER = {"m": {"R": 1, "d": 10}, "d": {"R": 1, "m": 10}}
"""What is smaller where that quantity varies, so that its largest value fits."""
ROUNDS, INPUTS, CLASSES, POINTS = 10, 20, 10, 10


def quadratic(m: int, d: int) -> Quadratic:
    """Clients with Hessians of their own in common axes."""
    rng = np.random.default_rng(0)
    return Quadratic(rng.uniform(0.1, 1.0, (m, d)), rng.standard_normal((m, d)), noise=0.1 * d**0.5)


def network(m: int, d: int) -> Network:
    """Clients with ten points each, and a network of about d weights."""
    rng = np.random.default_rng(0)
    clients = [(rng.standard_normal((POINTS, INPUTS)), rng.integers(0, CLASSES, POINTS)) for _ in range(m)]
    hidden = max(1, round((d - CLASSES) / (INPUTS + 1 + CLASSES)))
    return Network(clients, {"kind": "mlp", "hidden": [hidden]}, batch=10)


def run_of(problem: Problem, tau: int) -> Run:
    """Ten rounds, observed at their end."""
    x0 = {"seed": 0} if isinstance(problem, Network) else None
    return make_run("fedavg", problem, rounds=ROUNDS, eta=0.1, local_steps=tau, every=ROUNDS, x0=x0,
                    participation={"kind": "uniform", "C": 0.1})  # fmt: skip


ENGINES: dict[str, tuple[Callable[[int, int], Problem], Callable[[Run, int], Any]]] = {
    "step": (quadratic, lambda run, R: StepEngine(run, R)),
    "collapsed": (quadratic, lambda run, R: CollapsedEngine(run, R)),
    "exact": (quadratic, lambda run, R: ExactEngine(run)),
    "network": (network, lambda run, R: StepEngine(run, R, "float32")),
}


def measure(work: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """The least CPU seconds of some repeats, and the largest memory of another, in MB."""
    tracemalloc.start()
    work()
    memory = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    seconds = math.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds = min(seconds, time.process_time() - start)
    return seconds, memory


def sweep(name: str, quantity: str, repeats: int) -> None:
    """Print a line for each value of a quantity."""
    make, engine = ENGINES[name]
    before: tuple[int, float] | None = None
    for value in VALUES[quantity]:
        sizes = USUAL | (NETWORK if name == "network" else {}) | SMALLER.get(quantity, {}) | {quantity: value}
        run, replicas = run_of(make(sizes["m"], sizes["d"]), sizes["tau"]), sizes["R"]
        seconds, memory = measure(partial(trajectory, engine, run, replicas), repeats)
        steps = ROUNDS * max(1, sizes["m"] // 10) * sizes["tau"] * (1 if name == "exact" else replicas)
        slope = f"{math.log(seconds / before[1]) / math.log(value / before[0]):7.2f}" if before else ""
        print(f"{name:<11}{quantity:<4}{value:>9,}{steps / seconds:>14,.0f}"
              f"{1e3 * seconds / ROUNDS:>12.3f}{memory:>9.1f}{slope}", flush=True)  # fmt: skip
        before = value, seconds


def trajectory(engine: Callable[[Run, int], Any], run: Run, replicas: int) -> Any:
    """The engine made and run."""
    return engine(run, replicas).trajectory()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engines", nargs="*", choices=[[], *ENGINES], metavar="ENGINE")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{'engine':<11}{'':<4}{'value':>9}{'steps/CPU s':>14}{'ms a round':>12}{'MB':>9}{'slope':>7}")
    for name in options.engines or ENGINES:
        for quantity in VALUES:
            if (name, quantity) != ("exact", "R"):  # exact moments are those of infinitely many replicas
                sweep(name, quantity, options.repeats)


if __name__ == "__main__":
    main()
