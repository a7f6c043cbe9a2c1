r"""Counterexample to a step of the published proof: the skew at a local iterate depends on the sampled set.

The proof bounds E_S[(1/|S|) sum_{k in S} (F_k(y_S) - F_k*)] from below by rho_bar times
E[F(y_S) - sum p_k F_k*]. By the definition of rho_bar this holds for models y that do not depend on S: for
tau = 1, or where the model determines S. A local iterate y_S has already moved towards the
minimisers of S. Two clients with F_k(x) = (x -+ 1)^2/2, one sampled without bias (rho = 1), eta = 0.2, start
0: at the last of tau local steps the ratio is 1, 8/13, 0.124, 1.05e-4 for tau = 1, 2, 5, 20.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection.pencil import Pencil


def skew_of_local_iterate(problem: Quadratic, start: Array, eta: float, tau: int) -> float:
    """E F_k(y_k) / E[F(y_k)] for one client k drawn by p, y_k its iterate before the last of tau steps.

    Full gradients: y_k = e_k + (I - eta H_k)^(tau-1) (x_0 - e_k); every F_k* is 0. The proof needs 1 or more.
    Raises BoundkitError for tau below 1, and where every loss is 0.
    """
    Pencil.of(problem)
    if tau < 1:
        raise BoundkitError(f"tau = {tau} was given, but at least 1 local step is needed.")
    y = np.broadcast_to(np.asarray(start, dtype=float), (problem.m, problem.d)).copy()
    for _ in range(tau - 1):
        y -= eta * problem.apply(y - problem.e)
    losses = problem.losses(y)  # (m, m): of client j at the iterate of client k
    mean = float(problem.p @ losses @ problem.p)
    if mean == 0:
        raise BoundkitError("every loss is 0 at the local iterates, where the skew is 0/0.")
    return float(problem.p @ np.diag(losses)) / mean
