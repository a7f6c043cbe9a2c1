"""Assumptions on clients that come and go, and on how the server weighs those who came."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.participation import Bernoulli
from boundkit.simulation.participation.base import Participation
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.verification.assumed.availability_plans import coming, designs, server
from boundkit.verification.assumed.rule import Plan, Rule
from boundkit.verification.quantities.coming import chances, everybody

_SAME = 1e-12


def _steady(theorem: Theorem, run: Run) -> str:
    q = chances(run)
    if q is None:
        return (
            "it needs clients that come independently, each with the same chance in every round, "
            f"and the run has {_told(run.participation)}"
        )
    return _never(q)


def _changing(theorem: Theorem, run: Run) -> str:
    if everybody(run):
        return ""
    who = run.participation
    if not isinstance(who, Bernoulli):
        return f"it needs clients that come independently of each other, and the run has {_told(who)}"
    if not who.floor > 0:
        return "it needs a chance above 0 for every client in every round, and one here has none at times"
    return ""


def _told(who: Participation) -> str:
    if isinstance(who, Bernoulli):
        return "chances that change from round to round"
    return "a schedule" if who.kind == "schedule" else f"{who.kind} participation"


def _never(q: Array) -> str:
    return "" if (q > 0).all() else f"it needs all clients to come, and client {int(np.argmin(q))} never does"


def _known(theorem: Theorem, run: Run) -> str:
    broken = _steady(theorem, run)
    if broken:
        return broken
    kind, said = run.algorithm.settings.get("aggregation"), run.algorithm.settings.get("probabilities")
    if kind == "unbiased" and run.problem.equal_weights:
        return ""
    if kind != "known":
        return f"its server divides by the chance to come, and the run has aggregation {kind!r}"
    if np.abs(np.array(said) - chances(run)).max() > _SAME:
        return "its server knows the chances to come, and the probabilities of the run are others"
    return ""


def _over_all(theorem: Theorem, run: Run) -> str:
    kind = run.algorithm.settings.get("aggregation")
    same = everybody(run) and (kind == "mean" or (kind == "weighted" and run.problem.equal_weights))
    return "" if kind == "all" or same else f"its server divides by all clients, and the run has {kind!r}"


def _over_present(theorem: Theorem, run: Run) -> str:
    kind = run.algorithm.settings.get("aggregation")
    same = (kind == "weighted" and run.problem.equal_weights) or (kind == "all" and everybody(run))
    if kind == "mean" or same:
        return ""
    return f"its server takes the plain mean of those who came, and the run has aggregation {kind!r}"


def _fixed(theorem: Theorem, run: Run) -> str:
    if run.algorithm.settings.get("weights") is not None:
        return ""
    return "its weights are fixed, and those of the run are learnt: give the option weights"


def _intervals(theorem: Theorem, run: Run) -> str:
    options = run.algorithm.settings
    if options.get("weights") is not None:
        return "its weights are mean intervals between visits, and those of the run are fixed"
    return "" if options.get("cutoff") is not None else "it cuts intervals off, and the run has no cutoff"


def _surrogate(theorem: Theorem, run: Run) -> str:
    from boundkit.verification.measures.surrogate import surrogate

    try:
        problem = surrogate(theorem, run)
    except BoundkitError as error:
        return f"its surrogate is not to be had: {str(error).rstrip('.')}"
    return "" if "gap" in problem.constants(run.x0) else "its surrogate is not bounded below"


def _never_long_away(theorem: Theorem, run: Run) -> str:
    who = run.participation
    if who.random:
        return "nobody may stay away for long, and nothing bounds an absence that is left to chance"
    rounds = [who.law(t).presence > 0 for t in range(who.period)]
    ever = np.any(rounds, axis=0)
    if not ever.all():
        return f"nobody may stay away for long, and client {int(np.argmin(ever))} never comes"
    if not run.algorithm.settings.get("wait", False) and not rounds[0].all():
        return "all clients come in its first round, and some of the run do not; the option wait would do"
    return ""


def _there(theorem: Theorem, plan: Plan) -> Plan:
    """The plan with clients that come as often as it takes of them, weighed as the theorem has it."""
    if plan.participation is not None or plan.schedule is not None:
        return plan
    q = np.full(plan.problem.m, float(plan.present))
    options = {**plan.options, **({} if theorem.algorithm == "fedawe" else server(theorem, q))}
    return replace(plan, participation=coming(q), options=options)


def _at_once(theorem: Theorem, plan: Plan) -> Plan:
    """The plan with everybody there from the first round on, where nothing is said of who comes."""
    if plan.participation is not None or plan.schedule is not None:
        return plan
    return replace(plan, present=1.0, options={"wait": False, **plan.options})


RULES = {
    "bernoulli-availability": Rule(_steady, _there, designs),
    "changing-availability": Rule(_changing, _there, designs),
    "known-availability": Rule(_known, _there, designs),
    "bounded-absence": Rule(_never_long_away, _at_once, designs),
    "average-over-all": Rule(_over_all),
    "average-over-present": Rule(_over_present),
    "fixed-weights": Rule(_fixed),
    "interval-weights": Rule(_intervals),
    "surrogate-dissimilarity": Rule(_surrogate),
}
