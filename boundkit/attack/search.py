"""The search for the worst instance: known ones, random ones, and walks from the best of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Evidence
from boundkit.attack.evidence_batch import Pool
from boundkit.attack.fast_rounds import Swift
from boundkit.attack.initial_instances import anchors, own
from boundkit.attack.local_search import METHOD, Method, walk
from boundkit.attack.objectives import Aim, usual_aims
from boundkit.attack.parametrisation import Chart
from boundkit.attack.random_starts import drawn
from boundkit.attack.search_budget import Clock, Over
from boundkit.attack.search_result import Attack, Find
from boundkit.attack.search_state import Hunt, Lead
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import EngineOptions

Progress = Callable[[int, int], None]
REPLICAS = 32
"""Of a run that must be sampled, while searching: what is found is asked again with fresh seeds."""
_FIRST = 0.5
"""The part of the search that goes to random starts before the first walk; anchors included."""
_SESSION = 30
"""Evaluations of one walk."""


def search(
    theorem: Theorem,
    aims: Sequence[Aim] | None = None,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    starts: Sequence[Run] = (),
    machine: EngineOptions | None = None,
    progress: Progress | None = None,
    interruptible: bool = False,
    method: Method | None = METHOD,
) -> Attack:
    """The worst instances of a theorem's class that ``budget`` seconds find, for every aim.

    ``aims``: None for the bound and each of its terms. ``evaluations``: so many, whatever time they take, so
    that the answer is the same on every machine. ``starts``: runs that are looked at first.
    ``interruptible``: whether Ctrl-C ends the search with what it has, in place of raising.
    ``method``: of the walks; None for random starts alone.
    """
    chosen = tuple(usual_aims(theorem) if aims is None else aims)
    rng = np.random.default_rng(seed)
    clock = Clock(budget, evaluations, progress)
    hunt = Hunt(theorem, chosen, machine or Swift(replicas=REPLICAS), clock)
    interrupted = False
    try:
        for run in starts:
            hunt.replay(run)
        for family, plan in anchors(theorem):
            hunt.ask(family, plan)
        bases = own(theorem)
        while clock.part < _FIRST:
            hunt.ask(*drawn(theorem, rng, bases))
        while True:
            lead = None if method is None else hunt.lead(rng)
            if lead is None or method is None or rng.random() < 0.3:
                for _ in range(10):
                    hunt.ask(*drawn(theorem, rng, bases))
            else:
                _follow(hunt, lead, method, rng)
    except Over:
        pass
    except KeyboardInterrupt:
        if not interruptible:
            raise
        interrupted = True
    return _found(hunt, clock, seed, interrupted)


def _follow(hunt: Hunt, lead: Lead, method: Method, rng: np.random.Generator) -> None:
    """One walk from a lead, for one aim."""
    if lead.plan is None:
        return
    chart = Chart(hunt.theorem, lead.plan)
    if not len(chart):
        return

    def height(vector: Any) -> float:
        return hunt.step(lead, lambda: chart.plan(vector))

    before = hunt.height(lead.aim)
    walk(height, chart.zeros, _SESSION, rng, method)
    hunt.learn(lead.aim, before)


def _found(hunt: Hunt, clock: Clock, seed: int, interrupted: bool) -> Attack:
    finds = [[_find(hunt, lead) for lead in leads] for leads in hunt.leads]
    best = {aim.name: found[0] for aim, found in zip(hunt.aims, finds, strict=True) if found}
    return Attack(
        hunt.theorem, tuple(hunt.aims), best, tuple(finds[0]), Pool(hunt.pieces), clock.done,
        dict(hunt.refused), dict(hunt.families), clock.seconds, seed, interrupted,
    )  # fmt: skip


def _find(hunt: Hunt, lead: Lead) -> Find:
    run = truncated(lead.evidence, lead.horizon)
    name = hunt.aims[lead.aim].name
    return Find(name, lead.score, lead.evidence, lead.horizon, run, lead.family, lead.plan)


def truncated(evidence: Evidence, horizon: float) -> dict[str, Any]:
    """The RUN.json of the run's first rounds, up to that horizon."""
    run, last = evidence.run, float(evidence.horizons[-1])
    spec = run.to_json()
    if np.isfinite(horizon) and horizon < last:
        spec["rounds"] = run.rounds - round(last - horizon)
    return spec
