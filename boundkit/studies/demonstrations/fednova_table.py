"""FedAvg and FedNova with four local solvers, fixed or random epochs, on handwritten digits.

Sixteen clients with unequal n_i take tau_i = E_i n_i/B local steps, so that plain averaging weighs client i
by w_i ~ p_i ||a_i||_1, not by p_i, and minimises sum w_i F_i. FedNova divides each update by ||a_i||_1. The
loss is softmax regression with a penalty, which has one minimum. The bounds are on the gradient of the true F
near the end: for FedAvg with an error floor of at most chi^2 kappa^2, chi^2 = sum (p_i - w_i)^2/w_i, for
FedNova with none beyond drift and noise. FedAvg with variance reduction is SCAFFOLD (variant II), whose fixed
point is the minimum of F for all tau_i: there FedNova makes no difference.

Wang, Liu, Liang, Joshi, Poor, arXiv 2007.07481, section 6 (theirs: VGG-11 on CIFAR-10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.analysis.progress import Progress
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.fednova import FedNova
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import make_run
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    Task,
    TrainingResult,
    TrainingSetting,
    train,
)

EPOCHS = {"2": 2, "drawn from 2 to 5": [2, 5]}
SOLVERS: dict[str, dict[str, Any]] = {
    "vanilla": {},
    "momentum": {"momentum": 0.9},
    "proximal": {"mu": 1.0},
    "variance-reduced": {"variance_reduction": True},
    "both": {"momentum": 0.9, "variance_reduction": True},
}
"""The options of FedNova for each local solver; ``both``, momentum on reduced gradients, it has alone."""
_SLOWER = 5
"""Heavy balls go up to 10 times as far: their step is a fifth."""
_INCONSISTENT = "lower: objective inconsistency"
_EQUAL = "none: both rest at the minimum of F"


@dataclass(frozen=True)
class SolverRow:
    """Test accuracy, and loss and |grad F|^2 of the true objective, of FedAvg and FedNova; ``chi2``: how far
    FedAvg's weights are from p."""

    epochs: str
    solver: str
    accuracy_fedavg: float | None
    accuracy_fednova: float
    loss_fedavg: float | None
    loss_fednova: float
    gradient_fedavg: float | None
    gradient_fednova: float
    chi2: float | None


@dataclass(frozen=True)
class FedNovaTable:
    """Means over the last fifth of ``rounds`` and over ``replicas``, each with a division of its own."""

    table: list[SolverRow]
    comparisons: list[ReplicaComparison]
    eta: float
    rounds: int
    replicas: int


def fednova_table(
    eta: float = 0.05, *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> FedNovaTable:
    """The talk's table on the digits: softmax regression, 16 clients by Dirichlet(0.1), all of whom come."""
    rounds, replicas, batch = (4, 2, 64) if quick else (60, 6, 32)
    partition = {"kind": "dirichlet", "num_partitions": 16, "alpha": 0.1}
    task = Task(partition, "softmax", batch=batch, l2=0.01)
    settings = [
        setting for epochs in EPOCHS for solver in SOLVERS for setting in _pair(epochs, solver, eta, rounds)
    ]
    trained = train(task, settings, rounds=rounds, replicas=replicas, jobs=jobs, progress=progress)
    table, comparisons = [], []
    for epochs in EPOCHS:
        for solver in SOLVERS:
            table.append(_row(trained, task, epochs, solver, eta, rounds, replicas))
            if solver != "both":
                comparisons += _verdicts(trained, epochs, solver)
    return FedNovaTable(table, comparisons, eta, rounds, replicas)


def _label(name: str, epochs: str, solver: str) -> str:
    return f"{name} {solver}, E {epochs}"


def _pair(epochs: str, solver: str, eta: float, rounds: int) -> list[TrainingSetting]:
    options = SOLVERS[solver]
    step = eta / _SLOWER if "momentum" in options else eta
    E = EPOCHS[epochs]
    passes = {"epochs": E} if isinstance(E, int) else {"epochs": E, "rounds": rounds}
    common = {"eta": step, "local_steps": passes}
    nova = TrainingSetting(_label("fednova", epochs, solver), "fednova", {**common, "options": options})
    if solver == "both":
        return [nova]
    name = {"proximal": "fedprox", "variance-reduced": "scaffold"}.get(solver, "fedavg")
    own = {} if name == "scaffold" else options
    return [TrainingSetting(_label("fedavg", epochs, solver), name, {**common, "options": own}), nova]


def _row(
    trained: TrainingResult, task: Task, epochs: str, solver: str, eta: float, rounds: int, replicas: int
) -> SolverRow:
    def end(name: str, observable: str) -> float:
        return trained.at_end(_label(name, epochs, solver), observable).value

    named = ("test_accuracy", "loss", "gradient_norm_squared")
    nova = [end("fednova", n) for n in named]
    if solver == "both":
        return SolverRow(epochs, solver, None, nova[0], None, nova[1], None, nova[2], None)
    plain = [end("fedavg", n) for n in named]
    chi2 = None
    if solver != "variance-reduced":
        (setting,) = (s for s in _pair(epochs, solver, eta, rounds) if s.algorithm == "fednova")
        chi2 = float(
            np.mean([inconsistency(task.problem(seed), setting, rounds) for seed in range(replicas)])
        )
    return SolverRow(epochs, solver, plain[0], nova[0], plain[1], nova[1], plain[2], nova[2], chi2)


def inconsistency(problem: Problem, setting: TrainingSetting, rounds: int) -> float:
    """chi^2 = sum (p_i - w_i)^2/w_i, w_i ~ p_i ||a_i||_1 in the mean over rounds, of a ``setting``."""
    run = make_run("fednova", problem, rounds=rounds, **setting.settings)
    solver = algorithm("fednova", setting.settings["options"])
    assert isinstance(solver, FedNova)
    most = int(run.local_steps.max())
    sums = solver.weight_sums(np.full(most, run.eta), np.arange(1, most + 1))
    w = (problem.p * sums[run.local_steps - 1]).mean(axis=0)
    w /= w.sum()
    return float(((problem.p - w) ** 2 / w).sum())


def _verdicts(trained: TrainingResult, epochs: str, solver: str) -> list[ReplicaComparison]:
    theory = _EQUAL if solver == "variance-reduced" else _INCONSISTENT
    nova, plain = (_label(name, epochs, solver) for name in ("fednova", "fedavg"))
    return [trained.compare(nova, plain, m, theory=theory) for m in ("loss", "gradient_norm_squared")]
