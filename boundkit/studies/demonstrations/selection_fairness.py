"""Power of choice and uniform sampling on digits: smaller loss of the worst clients, no faster convergence.

Three of 50 clients participate: sampled uniformly, or those with the largest losses of 12 candidates,
which are ranked by the exact loss (pow-d), by that of one mini-batch (cpow-d), or by what they last
reported (rpow-d). All weights are equal, so that d = 3 would be uniform sampling; a penalty makes F
strongly convex, as the theorems of biased selection assume. Their bounds divide noise and drift by
rho_bar, which is above 1 where large losses are preferred: faster at first. They add the bias (8 L
Gamma/(3 mu)) (rho_tilde/rho_bar - 1): higher in the end, and more so for more heterogeneous clients. They
say nothing about the deviation of the client losses and about the worst client.

Cho, Wang, Joshi, arXiv 2010.01243.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boundkit.analysis.progress import Progress
from boundkit.studies.demonstrations._modified_tasks import (
    LossOnlyTask,
    first_index_below,
    named,
    with_measure,
)
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    TrainingResult,
    TrainingSetting,
    staged,
    train,
)

CLIENTS, COUNT, CANDIDATES = 50, 3, 12
ALPHAS = (0.1, 1.0)
UNIFORM = "uniform"
_CHOICE: dict[str, Any] = {"kind": "power_of_choice", "count": COUNT, "d": CANDIDATES}
CHOSEN: dict[str, dict[str, Any]] = {
    "pow-d": _CHOICE,
    "cpow-d": {**_CHOICE, "variant": "cpow", "batch": 8},
    "rpow-d": {**_CHOICE, "variant": "rpow"},
}
SELECTIONS = {UNIFORM: {"kind": "uniform", "C": COUNT / CLIENTS}, **CHOSEN}
_FASTER = "lower: noise and drift over rho_bar > 1"
_BIASED = "higher in the end: selection bias"
_SILENT = "no theorem: who loses most is worked for most"
_MORE = "no theorem: heterogeneous clients have more spread to lose"
EXPECTED = {
    "early": _FASTER,
    "rounds": _FASTER,
    "loss_gap": _BIASED,
    "loss_spread": _SILENT,
    "worst_accuracy": _SILENT,
}


@dataclass(frozen=True)
class FairnessRow:
    """``early``: F - F* after a tenth of the rounds; ``rounds``: until F is what uniform selection has after
    half of them; ``gap``: F - F* at the end; ``spread``: sqrt of (1/m) sum (F_i - F)^2; ``worst``: the
    accuracy of the client that is served worst."""

    alpha: float
    selection: str
    early: float
    rounds: float
    gap: float
    spread: float
    worst: float
    test_accuracy: float


@dataclass(frozen=True)
class SelectionFairness:
    """Means over ``replicas``, ends over the last two looks; ``alpha`` is that of the Dirichlet partition."""

    table: list[FairnessRow]
    comparisons: list[ReplicaComparison]
    rounds: int
    replicas: int


def selection_fairness(
    eta: float = 0.1, *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> SelectionFairness:
    """Softmax regression on the digits, five local steps, at two Dirichlet alphas."""
    rounds, replicas, looks = (20, 2, 10) if quick else (240, 6, 40)
    tell = staged(progress, [len(SELECTIONS) * replicas] * len(ALPHAS))
    runs = {
        alpha: train(_task(alpha), _settings(eta), rounds=rounds, replicas=replicas, looks=looks, jobs=jobs,
                     progress=tell[k])
        for k, alpha in enumerate(ALPHAS)
    }  # fmt: skip
    runs = {alpha: _measured(trained, rounds // looks) for alpha, trained in runs.items()}
    table = [_row(alpha, name, trained) for alpha, trained in runs.items() for name in SELECTIONS]
    comparisons = [verdict for alpha, trained in runs.items() for verdict in _verdicts(alpha, trained)]
    return SelectionFairness(table, [*comparisons, _over_alphas(runs)], rounds, replicas)


def _task(alpha: float) -> LossOnlyTask:
    split = {"kind": "dirichlet", "num_partitions": CLIENTS, "alpha": alpha, "min_partition_size": 2}
    return LossOnlyTask(split, "softmax", batch=8, l2=0.01, settled=True)


def _settings(eta: float) -> list[TrainingSetting]:
    common = {"eta": eta, "local_steps": 5}
    return [
        TrainingSetting(name, "fedavg", {**common, "participation": selection})
        for name, selection in SELECTIONS.items()
    ]


def _measured(trained: TrainingResult, between: int) -> TrainingResult:
    """With ``early`` and ``rounds``, of which there are ``between`` from one look to the next."""
    gaps = {label: own["loss_gap"] for label, own in trained.series.items()}
    last = gaps[UNIFORM].shape[1] - 1
    level = gaps[UNIFORM][:, last // 2]
    trained = with_measure(trained, "early", {n: v[:, last // 10] for n, v in gaps.items()})
    return with_measure(
        trained, "rounds", {n: between * first_index_below(v, level) for n, v in gaps.items()}
    )


def _row(alpha: float, name: str, trained: TrainingResult) -> FairnessRow:
    return FairnessRow(alpha, name, *(trained.at_end(name, n).value for n in (*EXPECTED, "test_accuracy")))


def _verdicts(alpha: float, trained: TrainingResult) -> list[ReplicaComparison]:
    return [
        named(
            trained.compare(name, UNIFORM, measure, theory=theory,
                            by="difference" if measure == "worst_accuracy" else "ratio"),
            f"alpha {alpha:g}",
        )
        for measure, theory in EXPECTED.items()
        for name in CHOSEN
    ]  # fmt: skip


def _over_alphas(runs: Mapping[float, TrainingResult]) -> ReplicaComparison:
    """Test whether pow-d reduces the deviation of the losses more for more heterogeneous clients."""
    fairer = {
        f"pow-d over uniform, alpha {alpha:g}": {
            "loss_spread": (t.each("pow-d", "loss_spread") / t.each(UNIFORM, "loss_spread"))[:, None]
        }
        for alpha, t in runs.items()
    }
    heterogeneous, homogeneous = fairer
    return TrainingResult(fairer).compare(heterogeneous, homogeneous, "loss_spread", theory=_MORE)
