"""Biased client selection by losses (power-of-choice), averaged with equal weights.

The proofs need rho_bar of selections at the starts of rounds, evaluated there and at the mean local models of
that round, and rho_tilde of the same selections, evaluated at the optimum. A deterministic run is measured
there. For a random one the least over all of space is taken, by the orders of losses that occur; where that
is 0 and the theorem divides by it, the ratio of expectations at the rounds' starts, which the proof uses
where tau = 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.algebra.decaying_steps import requires_positive_skew
from boundkit.algebra.notation import offset as OFFSET
from boundkit.analysis.evaluate import first_largest
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, to_device, to_numpy
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.participation import PowerOfChoice
from boundkit.simulation.participation.power_of_choice import ranking
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.problems.base import ObservedProblem
from boundkit.simulation.run import Run
from boundkit.simulation.selection import Skew, Strategy, skew, skew_along, strategy_of
from boundkit.simulation.selection.orderings import order_at
from boundkit.simulation.selection.pencil import Pencil
from boundkit.verification.context import EvaluationContext
from boundkit.verification.families.decaying_steps import (
    WORST_CLIENT,
    decaying_rate,
)
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance

_SAME = 1e-9


def _selected_by_losses(theorem: Theorem, run: Run) -> str:
    participation, how = run.participation, run.algorithm.settings.get("aggregation", "weighted")
    try:
        strategy_of(participation)
        if not run.problem.large:
            Pencil.of(run.problem)
    except BoundkitError as error:
        return str(error).rstrip(".")
    if not (how == "mean" or (how == "weighted" and run.problem.equal_weights)):
        return f"it gives the selected models equal weights, and the run has aggregation {how!r}"
    if participation.kind == "with_replacement" and run.problem.stochastic and participation.size(0) != 1:
        return "it needs independent noise for every draw, and a client that is drawn twice sends one model"
    return _published_step(theorem, run)


def _published_step(theorem: Theorem, run: Run) -> str:
    """The objection to a decaying step other than 1/(mu t + 4 L), for a theorem without a free offset."""
    if not theorem.assumes("decaying-step") or OFFSET in theorem.quantities or run.offset is None:
        return ""
    constants = run.problem.constants(run.x0)
    L, mu = constants["L"].value, constants["mu"].value
    right = abs(4 * L * run.eta - 1) <= _SAME and abs(run.offset * mu / (4 * L) - 1) <= _SAME
    wanted = f'{{"first": {1 / (4 * L):g}, "offset": {4 * L / mu:g}}}'
    return "" if right else f"it is about the step 1/(mu t + 4 L) in local step t, here eta = {wanted}"


def _deterministic(theorem: Theorem, run: Run) -> str:
    participation = run.participation
    power_of_choice = isinstance(participation, PowerOfChoice)
    deterministic = not participation.random if power_of_choice else participation.kind == "full"
    if run.tau == 1 or deterministic:
        return ""
    return (
        "with more than one local step the selection must be a function of the model, and that of the run is "
        "random: all clients must be candidates"
    )


def power_of_choice(count: int, d: int) -> dict[str, Any]:
    """Power of choice: of d candidates the ``count`` largest losses."""
    return {"kind": "power_of_choice", "count": count, "d": d}


def three_clients(noise: float = 0.0) -> Quadratic:
    """Three clients on a line with one curvature: x* = 0.4, Gamma = 0.76."""
    return Quadratic([1.0] * 3, [[-1.0], [0.2], [2.0]], noise=noise)


def _rate(theorem: Theorem, problem: Problem, tau: int, part: float) -> Any:
    """``part`` of 1/(4 L), the largest fixed step; else the theorem's decaying step."""
    constants = problem.constants(problem.centre)
    L, mu = constants["L"].value, constants["mu"].value
    if not theorem.assumes("decaying-step"):
        return part / (4 * L)
    if OFFSET not in theorem.definitions:  # published without a free offset
        return {"first": 1 / (4 * L), "offset": 4 * L / mu}
    return decaying_rate(theorem, {"L": L, "mu": mu, "tau": float(tau)})


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Few and many candidates, one and several local steps, noise; deterministic selection where assumed."""
    if not theorem.assumes("biased-selection"):
        return None
    curvatures = [1.0, 2.0, 4.0, 1.5]
    plane = Quadratic(
        [[1.0, 0.4], [0.5, 1.0], [1.0, 1.0], [0.4, 0.6]],
        [[2, 0], [0, -1], [-1, 1], [1, 2]],
        [0.4, 0.3, 0.2, 0.1],
    )
    power_law = Quadratic(curvatures, [[-1.0], [0.5], [2.0], [0.0]], [0.4, 0.1, 0.2, 0.3], noise=0.3)

    def instance(
        name: str,
        problem: Problem,
        participation: Any,
        tau: int = 1,
        rounds: int = 60,
        start: float = 3.0,
        step: float = 1.0,
    ) -> Instance:
        return Instance(
            name,
            problem,
            local_steps=tau,
            participation=participation,
            options={"aggregation": "mean"},
            rounds=rounds,
            x0=[start] * problem.d,
            eta=_rate(theorem, problem, tau, step),
        )

    instances = [
        instance("one of two candidates", three_clients(), power_of_choice(1, 2), rounds=12),
        instance("the largest losses, several steps", three_clients(), power_of_choice(2, 3), tau=4),
        instance("different curvatures and weights, noise", power_law, power_of_choice(1, 2), rounds=50),
        instance("one round, distant start", three_clients(), power_of_choice(1, 3), rounds=1, start=30.0),
        instance("drawn by their weights", plane, {"kind": "with_replacement", "count": 2}, rounds=300),
        instance(
            "the largest loss, where it ends",
            three_clients(),
            power_of_choice(1, 3),
            rounds=300,
            start=0.5,
            step=0.1,
        ),
        instance("in the plane, the largest losses", plane, power_of_choice(2, 4), tau=3, rounds=100),
        instance(
            "one minimiser, the steepest client", Quadratic([1.0, 4.0], [[0.0], [0.0]]), power_of_choice(1, 2)
        ),
    ]
    if not theorem.assumes("deterministic-selection"):
        instances.append(
            instance(
                "two candidates, several steps", three_clients(0.2), power_of_choice(1, 2), tau=4, rounds=40
            )
        )
    return instances


@lru_cache(maxsize=32)
def _skew_everywhere(problem: Quadratic, strategy: Strategy) -> Skew:
    return skew(problem, strategy)


def is_deterministic(run: Run) -> bool:
    """Whether the losses determine the selection, and nothing else of the run is random."""
    participation = run.participation
    return (
        isinstance(participation, PowerOfChoice) and not participation.random and not run.problem.stochastic
    )


def _measures_skew_along(theorem: Theorem, run: Run) -> bool:
    """Whether the skew is measured along the run: its least value is 0, and the theorem divides by it."""
    if is_deterministic(run) or not isinstance(run.participation, PowerOfChoice):
        return False
    if run.tau != 1 or not requires_positive_skew(theorem):
        return False
    try:
        return _skew_everywhere(_quadratic(run), strategy_of(run.participation)).rho_bar <= 0
    except BoundkitError:
        return False


def _quadratic(run: Run) -> Quadratic:
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(
            f"the skew of a selection is computed for quadratic problems, not for {run.problem.kind} ones."
        )
    return run.problem


def _skew(context: EvaluationContext) -> dict[str, Constant]:
    run = context.run
    problem, strategy = _quadratic(run), strategy_of(run.participation)
    if is_deterministic(run):
        x = context.trajectory.x
        starts = x[: max(len(x) - 1, 1)]
        return skew_along(problem, strategy, starts, mean_local_models(run, starts)).constants()
    if "skew" in run.objectives:
        return _measured_skew(context)
    return _skew_everywhere(problem, strategy).constants()


def mean_local_models(run: Run, starts: Array) -> Array | None:
    """The mean models of the chosen clients after 1, ..., tau - 1 steps of each round; (T, tau - 1, d)."""
    participation, tau = run.participation, run.tau
    assert isinstance(participation, PowerOfChoice)
    if tau is None or tau == 1:
        return None
    problem = _quadratic(run)
    what = f"the mean local models after every one of {tau:,} local steps of {len(starts):,} rounds"
    refuse_larger(24 * tau * len(starts) * problem.d, what, "use fewer local steps or rounds")
    losses = problem.losses(starts)
    losses[:, participation.p == 0] = -np.inf
    chosen = ranking(losses)[:, : participation.count]
    rates = np.stack([run.rates(t) for t in range(len(starts))])
    H, e = problem.H[chosen], problem.e[chosen]
    y = np.repeat(starts[:, None, :], participation.count, axis=1)
    means = []
    for k in range(tau - 1):
        u = y - e
        gradients = H * u if problem.diagonal else np.einsum("tnij,tnj->tni", H, u)
        y = y - rates[:, k, None, None] * gradients
        means.append(y.mean(axis=1))
    return np.stack(means, axis=1)


def _measured_skew(context: EvaluationContext) -> dict[str, Constant]:
    """The least of E sum q_k F_k(x_t)/E sum p_k F_k(x_t), and the largest of E sum q_k F_k(x*)/Gamma."""
    recorded = context.trajectory
    last = max(len(recorded.x) - 1, 1)
    ratio = recorded.mean("skew_chosen")[:last] / recorded.mean("skew_all")[:last]
    gamma = context.value("Gamma")
    low = float(ratio.min())
    high = float(recorded.mean("skew_chosen_at_optimum")[:last].max()) / gamma if gamma > 0 else low
    trust: Trust = "estimated" if recorded.random else "local"
    how = "in the mean over replicas, at the start of {} (0 over all of space)"
    return {
        "rho_bar": Constant(low, trust, how.format(f"round {first_largest(-ratio)}")),
        "rho_tilde": Constant(max(low, high), trust, how.format("the worst round, evaluated at the optimum")),
    }


class WorstClientGradient(ObservedProblem):
    """gradient_norm_squared: max_i ||grad F_i||^2."""

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        squares = (self.problem.client_gradients(x) ** 2).sum(-1)
        return {"gradient_norm_squared": array_namespace(x).max(squares, axis=-1)}


class SelectionSkew(ObservedProblem):
    """``chosen``: sum q_k(x) F_k(x); ``all``: sum p_k F_k(x); ``chosen_at_optimum``: sum q_k(x) F_k(x*).

    q_k(x) is the selection probability of client k at x over the number of selected clients; every F_k* is 0.
    """

    def __init__(self, problem: Quadratic, strategy: Strategy) -> None:
        super().__init__(problem)
        self.strategy, self._losses_at_optimum = strategy, problem.losses(problem.centre)

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        problem = self.problem
        assert isinstance(problem, Quadratic)
        at = np.atleast_2d(to_numpy(x).astype(np.float64))
        orders, which = np.unique(order_at(problem, at), axis=0, return_inverse=True)
        shares = self.strategy.shares(problem.p, orders)[which.reshape(-1)]
        losses = problem.losses(at)
        series = {
            "chosen": (shares * losses).sum(axis=1),
            "all": losses @ problem.p,
            "chosen_at_optimum": shares @ self._losses_at_optimum,
        }
        return {name: to_device(values, x) for name, values in series.items()}


def _objectives(theorem: Theorem, run: Run) -> Mapping[str, Problem]:
    return _worst_client(theorem, run) | _skew_along(theorem, run)


def _worst_client(theorem: Theorem, run: Run) -> dict[str, Problem]:
    """The worst client's gradient, where clients are not sampled by the weights of the objective."""
    if (
        not theorem.assumes("biased-selection", "bounded-gradients")
        or run.participation.kind == "with_replacement"
    ):
        return {}
    return (
        {}
        if run.participation.kind in ("uniform", "full") and run.problem.equal_weights
        else {WORST_CLIENT: WorstClientGradient(run.problem)}
    )


def _skew_along(theorem: Theorem, run: Run) -> dict[str, Problem]:
    """The skew at every model of a random run, where its least value over all of space is 0."""
    if not theorem.assumes("biased-selection") or not _measures_skew_along(theorem, run):
        return {}
    if not isinstance(run.problem, Quadratic):
        return {}
    return {"skew": SelectionSkew(run.problem, strategy_of(run.participation))}


FAMILY = Family(
    assumptions={
        vocabulary.BIASED_SELECTION: AssumptionRule(_selected_by_losses),
        vocabulary.DETERMINISTIC_SELECTION: AssumptionRule(_deterministic),
    },
    instances=default_instances,
    constants={
        notation.rho_bar: lambda context: _skew(context)["rho_bar"],
        notation.rho_tilde: lambda context: _skew(context)["rho_tilde"],
    },
    objectives=_objectives,
)
