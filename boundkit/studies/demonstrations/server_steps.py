"""FedExP against FedAvg, SCAFFOLD and FedAdagrad, each with its step tuned on a grid of the same size.

Theory of FedExP: the initial gap is divided by the sum of the server's steps eta_g >= 1 in place of the
number of rounds, and nothing else of the bound changes. So at FedAvg's eta it should be ahead while the gap
is what counts, which is early; of the end, of steps that are tuned for each, of SCAFFOLD and of FedAdagrad it
says nothing. Each is tuned by the mean loss at the end, on replicas that are not those it is judged by; the
grids of FedAvg, FedExP and SCAFFOLD are the same, FedAdagrad takes FedAvg's best local step and has a grid of
server steps. FedExP goes to and fro, and its authors look at the mean of the last two iterates: so are all
four here; what the last iterate alone is worth is shown beside them. FedExP's epsilon is 0.001, not tuned.

A perceptron of 32 hidden units, which can fit all clients at once: there FedExP is meant to help.

Jhunjhunwala, Wang, Joshi, arXiv 2301.09604; Reddi and others, arXiv 2003.00295.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from boundkit.analysis.progress import Progress
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    Task,
    TrainingRow,
    TrainingSetting,
    TunedSetting,
    staged,
    train,
    tune,
)

STEPS = (0.03, 0.06, 0.12, 0.25, 0.5, 1.0)
SERVER_STEPS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
_SAME, _LAST = "fedexp at fedavg's eta", ", last iterate"
_GAP = "lower: initial gap over the sum of eta_g"
_NOT = "not said of tuned steps"


@dataclass(frozen=True)
class ServerSteps:
    """``early``: after a sixth of ``rounds``; ``end``: in the mean over their last fifth; ``tuned``: the best
    of each grid."""

    tuned: list[TunedSetting]
    early: list[TrainingRow]
    end: list[TrainingRow]
    early_comparisons: list[ReplicaComparison]
    end_comparisons: list[ReplicaComparison]
    rounds: int
    replicas: int


def server_steps(*, quick: bool = False, jobs: int = 1, progress: Progress | None = None) -> ServerSteps:
    """Fifty clients by Dirichlet(0.3), ten of them a round, ten local steps of batch 10."""
    rounds, replicas, tries = (6, 2, 1) if quick else (60, 8, 3)
    steps, server = (STEPS[2:5], SERVER_STEPS[1:4]) if quick else (STEPS, SERVER_STEPS)
    partition = {"kind": "dirichlet", "num_partitions": 50, "alpha": 0.3, "min_partition_size": 5}
    task = Task(partition, {"kind": "mlp", "hidden": [32]})
    common = {"local_steps": 10, "participation": {"kind": "uniform", "C": 0.2}}
    stages = staged(progress, [tries * len(steps)] * 4 + [7 * replicas])
    chosen: list[TrainingSetting] = []
    tuned: list[TunedSetting] = []

    def add(name: str, grid: tuple[float, ...], over: str, **settings: float) -> None:
        def made(step: float) -> TrainingSetting:
            return TrainingSetting(name, name, {**common, **settings, over: step}, pairs=True)

        setting, choice = tune(
            task, name, grid, made, rounds=rounds, replicas=tries, jobs=jobs, progress=stages[len(tuned)]
        )
        chosen.append(setting)
        tuned.append(choice)

    for name in ("fedavg", "fedexp", "scaffold"):
        add(name, steps, "eta")
    add("fedadagrad", server, "eta_s", eta=tuned[0].chosen)
    same = replace(chosen[0], label=_SAME, algorithm="fedexp")
    last = [replace(s, label=s.label + _LAST, pairs=False) for s in chosen[:2]]
    end = train(
        task, [*chosen, same, *last], rounds=rounds, replicas=replicas, looks=12, jobs=jobs,
        progress=stages[-1],
    )  # fmt: skip
    early = end.until(1 / 6)
    others = [("fedexp", name) for name in ("fedavg", "scaffold", "fedadagrad")]
    others += [("fedexp" + _LAST, "fedavg" + _LAST)]
    return ServerSteps(
        tuned,
        early.rows(),
        end.rows(),
        [early.compare(_SAME, "fedavg", theory=_GAP)] + [early.compare(*o, theory=_NOT) for o in others],
        [end.compare(_SAME, "fedavg", theory="not said: the gap is spent")]
        + [end.compare(*o, theory=_NOT) for o in others],
        rounds,
        replicas,
    )
