"""The skew of a selection by losses: rho_bar and rho_tilde, over all of space or along the run.

The proofs evaluate rho_bar at the models with which rounds start, judged there and at the mean local models
of that round, and rho_tilde at the starts, judged at the optimum. A run in which nothing is random is looked
at there. Where chance has a part the least over all of space is taken, by the orders of losses that occur;
where that is 0 and the theorem divides by it, the ratio of expectations at the rounds' starts, which is what
the proof uses where tau = 1 or where it expands around the start of a round.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from sympy import StrictGreaterThan

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import rho_bar
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.participation import PowerOfChoice
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.simulation.selection import Skew, Strategy, skew, skew_along, strategy_of
from boundkit.verification.quantities.subject import Subject

_FROM_STARTS = frozenset(f"biased_selection_strongly_convex_{kind}" for kind in ("rigorous", "double"))
"""Theorems whose proofs compare the chosen clients with all at the start of a round, whatever tau is."""


@lru_cache(maxsize=32)
def _in_space(problem: Quadratic, strategy: Strategy) -> Skew:
    return skew(problem, strategy)


def certain(run: Run) -> bool:
    """Whether losses alone decide who comes, and nothing else is random either."""
    who = run.participation
    return isinstance(who, PowerOfChoice) and not who.random and not run.problem.draws


def needs_a_look(theorem: Theorem, run: Run) -> bool:
    """Whether the skew is to be read along a random run: 0 over all of space, where it must not be."""
    if certain(run) or not isinstance(run.participation, PowerOfChoice):
        return False
    if not (run.tau == 1 or theorem.name in _FROM_STARTS):
        return False
    above = any(isinstance(r, StrictGreaterThan) and rho_bar in r.free_symbols for r in theorem.requires)
    try:
        return above and _in_space(_quadratic(run), strategy_of(run.participation)).rho_bar <= 0
    except BoundkitError:
        return False


def _quadratic(run: Run) -> Quadratic:
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(
            f"the skew of a selection is computed for quadratic problems, not for {run.problem.kind} ones."
        )
    return run.problem


def _skew(subject: Subject) -> dict[str, Constant]:
    run = subject.run
    problem, strategy = _quadratic(run), strategy_of(run.participation)
    if certain(run):
        x = subject.trajectory.x
        starts = x[: max(len(x) - 1, 1)]
        return skew_along(problem, strategy, starts, inside_rounds(run, starts)).constants()
    if "skew" in run.watch:
        return _along(subject)
    return _in_space(problem, strategy).constants()


def inside_rounds(run: Run, starts: Array) -> Array | None:
    """The mean models of the chosen clients after 1, ..., tau - 1 steps of each round; (T, tau - 1, d)."""
    who, tau = run.participation, run.tau
    assert isinstance(who, PowerOfChoice)
    if tau is None or tau == 1:
        return None
    problem = _quadratic(run)
    what = f"the mean local models after every one of {tau:,} local steps of {len(starts):,} rounds"
    refuse_larger(24 * tau * len(starts) * problem.d, what, "use fewer local steps or rounds")
    losses = problem.losses(starts)
    losses[:, who.p == 0] = -np.inf
    chosen = np.argsort(-losses, axis=1, kind="stable")[:, : who.count]
    rates = np.stack([run.rates(t) for t in range(len(starts))])
    H, e = problem.H[chosen], problem.e[chosen]
    y = np.repeat(starts[:, None, :], who.count, axis=1)
    means = []
    for k in range(tau - 1):
        away = y - e
        pull = H * away if problem.diagonal else np.einsum("tnij,tnj->tni", H, away)
        y = y - rates[:, k, None, None] * pull
        means.append(y.mean(axis=1))
    return np.stack(means, axis=1)


def _along(subject: Subject) -> dict[str, Constant]:
    """The least of E sum q_k F_k(x_t)/E sum p_k F_k(x_t), and the largest of E sum q_k F_k(x*)/Gamma."""
    seen = subject.trajectory
    last = max(len(seen.x) - 1, 1)
    ratio = seen.mean("skew_chosen")[:last] / seen.mean("skew_all")[:last]
    gamma = subject.value("Gamma")
    low = float(ratio.min())
    high = float(seen.mean("skew_chosen_at_optimum")[:last].max()) / gamma if gamma > 0 else low
    trust: Trust = "estimated" if seen.random else "local"
    how = "in the mean over replicas, at the start of {} (0 over all of space)"
    return {
        "rho_bar": Constant(low, trust, how.format(f"round {int(np.argmin(ratio))}")),
        "rho_tilde": Constant(max(low, high), trust, how.format("the worst round, judged at the optimum")),
    }


KNOWN = {"rho_bar": lambda s: _skew(s)["rho_bar"], "rho_tilde": lambda s: _skew(s)["rho_tilde"]}
