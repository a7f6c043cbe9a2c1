"""The instance of the lower bounds on noise drift with infinitely many clients, at long server steps.

The server's step is deterministic then, by the mean over the outcomes of a client's noise. Beyond a condition
on the server step the models oscillate about the point where the expected gradients of a round cancel, and
come nearer to the optimum than the bound allows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.infinite_clients.noise import TwoPoint
from boundkit.attack.infinite_clients.rounds import RoundParameters
from boundkit.attack.measurement import Array, Measurement, measure_known
from boundkit.simulation.problems import Huber
from boundkit.verification.families.lower_bounds import jumping_instance

_STRAIGHT = ((2, 0.01, 16.0, 5), (2, 0.01, 31.9, 5), (2, 0.01, 64.0, 5), (3, 0.03, 40.0, 11))
"""tau, eta L (tau - 1), eta_s eta^2 L^2 tau (tau - 1) and T."""
_CURVED = ((2, 0.25, 1.0, 2), (2, 1.4, 1.0, 10), (3, 1.4, 2.0, 5), (2, 1.4, 10.0, 3))
"""tau, eta L (tau - 1), eta_s and T; mu = L/40."""
_MU, _ROUNDING = 1 / 40, 1e-9


def measure_jumping_crowds(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the error of the claim; that of the mean model, as there is no other."""
    if theorem.kind != "lower" or theorem.algorithm != "fedavg" or not theorem.assumes("rare-jumps"):
        return
    curved = theorem.assumes("strongly-convex")
    for tau, length, long, rounds in _CURVED if curved else _STRAIGHT:
        server = long if curved else long * (tau - 1) / (tau * length**2)
        errors, eta = crowd_errors(tau, length, server, rounds, _MU * curved)
        known = {
            "L": 1.0, "mu": _MU * curved, "sigma": 1.0, "eta": eta, "eta_s": server, "tau": float(tau),
            "T": float(rounds),
        }  # fmt: skip
        measured = errors[-1] if curved else errors[:-1].mean()
        said = "infinitely many clients that rarely jump"
        yield from measure_known(theorem, known, measured, _ROUNDING, said)


def crowd_errors(tau: int, length: float, server: float, rounds: int, mu: float) -> tuple[Array, float]:
    """Return the squared distances from the optimum, or the loss gaps where mu is 0, and eta.

    At L = 1 and sigma = 1; of x_0, ..., x_T.
    """
    plan = jumping_instance("", 1, 1.0, mu, tau, length * tau / (tau - 1), rounds)
    problem, eta = plan.problem, plan.eta
    assert isinstance(problem, Huber)
    assert isinstance(eta, float)
    clients = RoundParameters(PiecewiseLoss.of(problem), TwoPoint(1.0, problem.jump), eta, tau)
    models = [0.0]
    for _ in range(rounds):
        models.append(models[-1] - server * eta * clients.gradient_sum(models[-1]))
    away = np.array(models) - float(problem.e[0, 0])
    if mu:
        return away**2, eta
    past = float(problem.a[0, 0])  # the curvature rises so far before the optimum, and beyond it has no end
    return np.where(away > -past, away**2 / 2, past * (-away - past / 2)), eta
