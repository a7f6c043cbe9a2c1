"""Curvature against gradient norm along a run: ||H_i|| <= L0 + L1 ||grad F_i|| compared with ||H_i|| <= L.

FedAvg is run, and at points of its path, denser at the start, every client's full gradient is taken and the
largest |eigenvalue| of its Hessian. Relaxed smoothness lets curvature grow with the gradient; it was seen
first on recurrent networks. Softmax regression has a constant bound by formula, L, and needs no other; that
is no reason why curvature and gradient should not fall together there as well.

Three numbers are read of each replica. `path`: the correlation of the logarithms along the path, client by
client, in the mean over clients. `clients`: over clients at one point, in the mean over points. `slope`: of
||H_i|| on ||grad F_i|| along the path, client by client. L0 and L1 are of the lowest line above all pairs;
`line over constant` is the mean height of that line over the largest ||H_i||: never above 1, and 1 where the
line is level and L1 saves nothing. All is local: it is so at these points.

Zhang, He, Sra, Jadbabaie, arXiv 1905.11881 (the condition, and a recurrent network).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Network
from boundkit.simulation.simulate import simulate
from boundkit.studies.demonstrations._training import Task, interval, over_replicas, slope
from boundkit.studies.demonstrations.heterogeneous_texts import Languages
from boundkit.verification.estimate.curvature import client_norms
from boundkit.verification.estimate.measurement import envelope

CLIENTS = 8
_DIGITS = {"kind": "dirichlet", "num_partitions": CLIENTS, "alpha": 0.3, "min_partition_size": 20}
_SEQUENCE = {"kind": "recurrent", "hidden": 12, "embedding": 6, "cell": "tanh"}
MODELS: dict[str, tuple[Task, float]] = {
    "softmax": (Task(_DIGITS, "softmax"), 0.3),
    "mlp": (Task(_DIGITS, {"kind": "mlp", "hidden": [16]}), 0.3),
    "recurrent": (Languages(model=_SEQUENCE, clients=CLIENTS, length=10, apart=0.5), 1.0),
}
"""A task, and the step of FedAvg on it."""
ROUNDS = (0, 1, 2, 4, 8, 16, 32, 64)
_RISES, _FALLS, _NEITHER = "rises with the gradient", "falls as the gradient rises", "not told"


@dataclass(frozen=True)
class MeasureRow:
    """``value`` in ``low`` to ``high`` over replicas; ``found``: what the interval says of the sign."""

    model: str
    measure: str
    value: float
    low: float
    high: float
    found: str


@dataclass(frozen=True)
class RelaxedSmoothness:
    """Each replica has clients, start and mini-batches of its own; ``points`` of its path are looked at.
    ``L``: softmax regression's bound by formula, the largest over replicas."""

    measures: list[MeasureRow]
    L: float
    points: int
    replicas: int


def relaxed_smoothness(
    *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> RelaxedSmoothness:
    """Eight clients, all of whom come: digits, with a hidden layer or none, and text in eight languages."""
    replicas, rounds = (2, ROUNDS[:3]) if quick else (6, ROUNDS)
    work = [(name, seed, rounds) for name in MODELS for seed in range(replicas)]
    measured = over_replicas(measure_pairs, work, jobs, progress)
    rows, largest = [], 0.0
    for k, name in enumerate(MODELS):
        own = [pairs for pairs, _ in measured[k * replicas : (k + 1) * replicas]]
        each = [measures(*pairs) for pairs in own]
        rows += [_row(name, measure, np.array([one[measure] for one in each])) for measure in each[0]]
        largest = max(
            [largest, *(L for _, L in measured[k * replicas : (k + 1) * replicas] if L is not None)]
        )
    return RelaxedSmoothness(rows, largest, len(rounds), replicas)


def measure_pairs(name: str, seed: int, rounds: tuple[int, ...]) -> tuple[tuple[Array, Array], float | None]:
    """||grad F_i|| and ||H_i||, (points, m) each, after these rounds; and L where a formula gives it."""
    task, eta = MODELS[name]
    problem = task.problem(seed)
    assert isinstance(problem, Network)
    x0 = problem.initial_point({"seed": seed})
    run = simulate("fedavg", problem.leaner(), rounds=max(rounds), eta=eta, local_steps=5, x0=x0, seed=seed)
    assert run.path is not None
    gradients, curvatures, start = [], [], None
    for t in rounds:
        gradients.append(np.linalg.norm(problem.client_gradients(run.path[t][None])[0], axis=-1))
        norms = client_norms(problem, run.path[t], start, seed)
        curvatures.append(norms.low)
        start = norms.vectors
    L = problem.constants(x0).get("L")
    return (np.array(gradients), np.array(curvatures)), None if L is None else L.value


def measures(steep: Array, bent: Array) -> dict[str, float]:
    """What is read of ||grad F_i|| and ||H_i||, (points, m) each."""
    log_steep, log_bent = np.log(steep), np.log(bent)
    line = envelope(steep.ravel(), bent.ravel())
    height = line.intercept + line.slope * float(steep.mean())
    clients = range(steep.shape[1])
    return {
        "path": float(np.mean([_correlation(log_steep[:, i], log_bent[:, i]) for i in clients])),
        "clients": float(np.mean([_correlation(*pair) for pair in zip(log_steep, log_bent, strict=True)])),
        "slope": float(np.mean([slope(steep[:, i], bent[:, i]) for i in clients])),
        "L0": line.intercept,
        "L1": line.slope,
        "line over constant": height / float(bent.max()),
    }


def _correlation(x: Array, y: Array) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def _row(model: str, measure: str, each: Array) -> MeasureRow:
    mean = interval(each)
    verdict = _RISES if mean.low > 0 else _FALLS if mean.high < 0 else _NEITHER
    if measure == "line over constant":
        verdict = f"saves {100 * (1 - mean.high):.2g} % or more" if mean.high < 1 else _NEITHER
    elif measure in ("L0", "L1"):
        verdict = "above 0" if mean.low > 0 else "not told from 0"
    return MeasureRow(model, measure, mean.value, mean.low, mean.high, verdict)
