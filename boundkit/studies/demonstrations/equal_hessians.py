"""Two clients with equal Hessians and weights: selection by losses is faster, with a lower error floor.

With F_k(x) = h (x -+ a)^2/2 the losses are equal at the optimum x* = 0, so that selection by losses has no
bias there. The model alternates between x* -+ r a/(2 - r), with r = 1 - (1 - eta h)^tau: a gap of
h r^2 a^2/(2 (2 - r)^2), O(eta^2). A client sampled at random gives the variance a^2 r/(2 - r): O(eta). With
unequal weights the losses are equal at a point at distance a |p_1 - p_2| from x*, and selection converges
there.
"""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run


@dataclass(frozen=True)
class EqualHessians:
    """F(x_T) - F* after T = 0, 1, ... rounds, chosen and drawn, and the floors by formula."""

    chosen: Array
    drawn: Array
    chosen_floor: float
    drawn_floor: float


def equal_hessians(eta: float = 0.1, tau: int = 1, rounds: int = 300, start: float = 5.0) -> EqualHessians:
    """One of two clients a round, at -1 and 1 with curvature 1: selected by loss, or at random."""
    problem = Quadratic([1.0, 1.0], [[-1.0], [1.0]])

    def gaps(participation: dict[str, object], engine: str) -> Array:
        run = make_run("fedavg", problem, rounds=rounds, eta=eta, local_steps=tau, x0=[start],
                       participation=participation, options={"aggregation": "mean"})  # fmt: skip
        return trajectory(run, engine).mean("loss_gap")

    r = 1 - (1 - eta) ** tau
    return EqualHessians(
        gaps({"kind": "power_of_choice", "count": 1, "d": 2}, "step"),
        gaps({"kind": "uniform", "C": 0.5}, "exact"),
        r**2 / (2 * (2 - r) ** 2),
        r / (2 * (2 - r)),
    )
