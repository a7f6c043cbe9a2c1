"""Infinitely many homogeneous clients: terms over m vanish, and the noise drift remains alone."""

from boundkit.attack.infinite_clients.evidence import (
    InfiniteEvidence,
    evidence_at_fixed_point,
    infinite_clients_apply,
)
from boundkit.attack.infinite_clients.instances import (
    DriftInstance,
    drift_instances,
    measure_drift_instances,
)
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import Gaussian, NoiseDistribution, Splitting, TwoPoint
from boundkit.attack.infinite_clients.rounds import InfiniteRun, RoundParameters, infinite_run

__all__ = [
    "DriftInstance",
    "Gaussian",
    "InfiniteEvidence",
    "InfiniteRun",
    "NoiseDistribution",
    "PiecewiseLoss",
    "RoundParameters",
    "Splitting",
    "TwoPoint",
    "drift_instances",
    "evidence_at_fixed_point",
    "infinite_clients_apply",
    "infinite_run",
    "measure_drift_instances",
]
