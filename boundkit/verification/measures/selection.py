"""What is seen of a run whose clients are chosen by their losses: the skew, the worst client's gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.observables import Seen
from boundkit.simulation.participation import PowerOfChoice
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.selection import Strategy, strategy_of
from boundkit.simulation.selection.orderings import order_at


class SteepestSeen(Seen):
    """gradient_norm_squared: max_i ||grad F_i||^2."""

    def observe(self, x: Any) -> dict[str, Any]:
        most = self.each_gradient(x).square().sum(dim=-1).amax(dim=-1)
        return {"gradient_norm_squared": most.numpy() if isinstance(x, np.ndarray) else most}


class SkewSeen(Seen):
    """``chosen``: sum q_k(x) F_k(x); ``all``: sum p_k F_k(x); ``chosen_at_optimum``: sum q_k(x) F_k(x*).

    q_k(x) is the chance of client k to be chosen at x, over how many are; every F_k* is 0.
    """

    def __init__(self, problem: Quadratic, strategy: Strategy) -> None:
        super().__init__(problem)
        self.strategy, self._there = strategy, problem.losses(problem.centre)

    def observe(self, x: Any) -> dict[str, Any]:
        import torch

        problem = self.problem
        assert isinstance(problem, Quadratic)
        at = np.atleast_2d(x if isinstance(x, np.ndarray) else x.double().cpu().numpy())
        orders, which = np.unique(order_at(problem, at), axis=0, return_inverse=True)
        shares = self.strategy.shares(problem.p, orders)[which.reshape(-1)]
        losses = problem.losses(at)
        found = {
            "chosen": (shares * losses).sum(axis=1),
            "all": losses @ problem.p,
            "chosen_at_optimum": shares @ self._there,
        }
        return found if isinstance(x, np.ndarray) else {n: torch.as_tensor(v) for n, v in found.items()}


def by_losses(run: Run) -> bool:
    """Whether losses decide who comes."""
    return isinstance(run.participation, PowerOfChoice) and any(
        d > run.participation.count for d in run.participation.d
    )


def steepest_seen(theorem: Theorem, run: Run) -> dict[str, Problem]:
    """The worst client's gradient, where it is not the weights of the objective that draw the clients."""
    if not theorem.assumes("biased-selection") or run.participation.kind == "with_replacement":
        return {}
    return {} if run.participation.kind in ("uniform", "full") and run.problem.equal_weights else {
        "largest": SteepestSeen(run.problem)
    }  # fmt: skip


def skew_seen(theorem: Theorem, run: Run) -> dict[str, Problem]:
    """The skew at every model of a run that chance has a part in, where the skew over all of space is 0."""
    from boundkit.verification.quantities.selection import needs_a_look

    if not needs_a_look(theorem, run) or not isinstance(run.problem, Quadratic):
        return {}
    return {"skew": SkewSeen(run.problem, strategy_of(run.participation))}


SEEN = {"bounded-gradients": steepest_seen, "biased-selection": skew_seen}
