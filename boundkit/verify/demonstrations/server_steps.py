"""FedExP against FedAvg, SCAFFOLD and FedAdagrad, each with its step tuned on a grid of the same size.

Theory of FedExP: the initial gap is divided by the sum of the server's steps eta_g >= 1 in place of the
number of rounds, and nothing else of the bound changes. So at the same eta it is at least as fast as FedAvg
while the gap is what counts. Of steps that are tuned for each, of SCAFFOLD, and of FedAdagrad it says
nothing. Each setting is tuned by the mean loss at the end, on replicas that are not those it is judged by;
the grids of FedAvg, FedExP and SCAFFOLD are the same; FedAdagrad takes FedAvg's best local step, and its grid
is of server steps.

A perceptron of 32 hidden units, which can fit all clients at once: there FedExP is meant to help.

Jhunjhunwala, Wang, Joshi, arXiv 2301.09604; Reddi and others, arXiv 2003.00295.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from boundkit.verify.demonstrations._training import (
    Comparison,
    Row,
    Setting,
    Task,
    Tuned,
    staged,
    train,
    tune,
)
from boundkit.verify.engines import Progress

STEPS = (0.03, 0.06, 0.12, 0.25, 0.5, 1.0)
SERVER_STEPS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
TUNED = ("fedavg", "fedexp", "scaffold")
_AT_SAME = "fedexp at fedavg's eta"
_GAP = "lower: initial gap over the sum of eta_g"


@dataclass(frozen=True)
class ServerSteps:
    """The end of ``rounds`` rounds, in the mean over their last fifth; ``tuned``: the best of each grid."""

    tuned: list[Tuned]
    end: list[Row]
    comparisons: list[Comparison]
    rounds: int
    replicas: int


def server_steps(*, quick: bool = False, jobs: int = 1, progress: Progress | None = None) -> ServerSteps:
    """Fifty clients by Dirichlet(0.3), ten of them a round, ten local steps of batch 10."""
    rounds, replicas, tries = (6, 2, 1) if quick else (60, 8, 3)
    steps, server = (STEPS[2:5], SERVER_STEPS[1:4]) if quick else (STEPS, SERVER_STEPS)
    partition = {"kind": "dirichlet", "num_partitions": 50, "alpha": 0.3, "min_partition_size": 5}
    task = Task(partition, {"kind": "mlp", "hidden": [32]})
    common = {"local_steps": 10, "participation": {"kind": "uniform", "C": 0.2}}
    stages = staged(progress, [tries * len(steps)] * 4 + [5 * replicas])
    chosen: list[Setting] = []
    won: list[Tuned] = []

    def add(name: str, grid: tuple[float, ...], settings: dict[str, object], over: str) -> None:
        setting, found = tune(
            task, name, grid, lambda step: Setting(name, name, {**common, **settings, over: step}),
            rounds=rounds, replicas=tries, jobs=jobs, progress=stages[len(won)],
        )  # fmt: skip
        chosen.append(setting)
        won.append(found)

    for name in TUNED:
        add(name, steps, {}, "eta")
    add("fedadagrad", server, {"eta": won[0].chosen}, "eta_s")
    same = replace(chosen[0], label=_AT_SAME, algorithm="fedexp")
    trained = train(task, [*chosen, same], rounds=rounds, replicas=replicas, jobs=jobs, progress=stages[-1])
    comparisons = [trained.compare(_AT_SAME, "fedavg", theory=_GAP)]
    comparisons += [
        trained.compare("fedexp", other, theory="not said of tuned steps")
        for other in ("fedavg", "scaffold", "fedadagrad")
    ]
    return ServerSteps(won, trained.rows(), comparisons, rounds, replicas)
