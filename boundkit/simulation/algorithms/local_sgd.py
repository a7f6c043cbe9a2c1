"""Local SGD (Stich, arXiv 1805.09767, Algorithm 1; Wang and Joshi, Cooperative SGD, arXiv 1808.07576, eq. 8).

y <- y - eta g from y = x, tau_i times; x <- x - eta_s sum_S p_i (x - y_i) / sum_S p_j. This is FedAvg without
options. The claims differ: they are for homogeneous clients, and bound the gradient at the virtual average
xbar_k = sum_S p_i y_i^k / sum_S p_j after every local step, not only at the end of rounds. So the virtual
average is observed inside rounds, as ``virtual_gradient_norm_squared``.

Both papers average uniformly; that is p_i = 1/m.
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.simulation.algorithms.base import Algorithm


class LocalSGD(Algorithm):
    """FedAvg for homogeneous clients, without options."""

    name = "local_sgd"
    reference = "arXiv 1805.09767, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {}
    virtual = True
