"""The weight of a round in FedNova's and FedExP's means over rounds."""

from __future__ import annotations

import numpy as np

from boundkit.simulation.engines.aggregation_weights import Weighing
from boundkit.simulation.problems.base import Array
from boundkit.verification.quantities import Subject


def server_steps(subject: Subject) -> Array:
    """tau_eff of every round, (T,): how far the server moves, in steps of eta, where all gradients are 1."""
    run = subject.run
    weighing = Weighing(run)
    period = [
        run.eta_s * float(weighing.moments(t).first @ run.algorithm.sums(run.rates(t), run.steps(t)))  # type: ignore[attr-defined]
        for t in range(min(run.period, run.rounds))
    ]
    return np.resize(np.array(period), run.rounds)


def long_steps(subject: Subject) -> Array:
    """FedExP's server step of every round, (R, T)."""
    return subject.trajectory.observed["server_step"][:, : subject.run.rounds]


WEIGHTS = {"fednova": server_steps, "fedexp": long_steps}
