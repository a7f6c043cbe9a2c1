"""MIFA: the server stores every client's last update, and no client is absent for long."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem, vocabulary
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.families.availability import independent, tilted_nonconvex
from boundkit.verification.family import AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance, vary_instance

_ABSENCE = 3


def _bounded_absence(theorem: Theorem, run: Run) -> str:
    participation = run.participation
    if participation.random:
        return "it needs bounded absences, and they are unbounded under random participation"
    rounds = [participation.distribution(t).inclusion_probabilities > 0 for t in range(participation.period)]
    ever = np.any(rounds, axis=0)
    if not ever.all():
        return f"it needs bounded absences, and client {int(np.argmin(ever))} never participates"
    if not run.algorithm.settings.get("wait", False) and not rounds[0].all():
        return "it needs all clients in its first round, or the option wait, and the run has neither"
    return ""


def _initial_updates(theorem: Theorem, run: Run) -> str:
    if run.algorithm.settings.get("wait", False):
        return ""
    return "it needs an update of every client before the first step, the option wait"


def _from_first_round(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with full participation from the first round on, unless it has a schedule."""
    if instance.participation is not None or instance.schedule is not None:
        return instance
    return replace(instance, present=1.0, options={"wait": False, **instance.options})


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Full participation, cyclic groups, a long absence, irregular and empty rounds, random availability."""
    if theorem.assumes("initial-updates"):
        return _random_availability()
    if not theorem.assumes("bounded-absence"):
        return None
    tau, noise = (4, 0.5) if theorem.assumes("common-local-steps") else (1, 0.0)
    heterogeneous = Quadratic.random(8, 3, seed=2, dense=True, noise=noise, curvature=(0.2, 1.0))
    turns = [[2 * k, 2 * k + 1] for k in range(4)]
    long = [list(range(8))] + [list(range(7))] * 11
    irregular = [[0, 1, 2], [], [3], [0, 7], [4, 5], [], [6, 0, 1], [2, 3]]
    tilted = tilted_nonconvex(np.full(8, 1 / 8), 4, noise)
    homogeneous = Quadratic([4.0] * 8, np.zeros((8, 1)))

    def instance(name: str, problem: Any, schedule: Any, **more: Any) -> Instance:
        return Instance(
            name, problem, schedule=schedule, x0=np.full(problem.d, 2.0), **{"local_steps": tau, **more}
        )

    instances = [
        instance(
            "full participation",
            homogeneous,
            [list(range(8))],
            rounds=1,
            local_steps=1,
            options={"wait": False},
        ),
        instance("cyclic groups, different Hessians", heterogeneous, turns, rounds=200),
        instance("not convex, irregular and empty rounds", tilted, irregular, rounds=200),
        instance("a client that is long away", heterogeneous, long, rounds=300, options={"wait": False}),
        instance("not convex, full participation", tilted, [list(range(8))], rounds=40),
        instance("homogeneous clients, cyclic groups", homogeneous, turns, rounds=20),
        instance("not convex, one at a time", tilted, [[k] for k in range(8)], rounds=400),
        instance("one round after the wait", heterogeneous, turns, rounds=5),
    ]
    if theorem.assumes("polyak-lojasiewicz"):  # known on quadratics only
        instances = [each for each in instances if isinstance(each.problem, Quadratic)]
        instances.append(instance("one at a time", heterogeneous, [[k] for k in range(8)], rounds=400))
    return instances


def _random_availability() -> list[Instance]:
    """Clients available independently at random, with probabilities that may change between rounds."""
    heterogeneous = Quadratic.random(8, 3, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))
    shared_hessian = Quadratic.random(8, 3, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0))
    homogeneous = Quadratic([4.0] * 4, np.zeros((4, 1)))
    tilted = tilted_nonconvex(np.full(8, 1 / 8), 4, 0.5)
    q = np.linspace(0.3, 0.95, 8)
    sine = independent(q, dynamics="sine", period=10)

    def instance(name: str, problem: Any, participation: Any, tau: int = 4, **more: Any) -> Instance:
        return Instance(
            name,
            problem,
            local_steps=tau,
            participation=participation,
            x0=np.full(problem.d, 2.0),
            options={"wait": True},
            **more,
        )

    return [
        instance("seldom clients, noise", heterogeneous, independent(q), rounds=200),
        instance("full participation", heterogeneous, independent(1.0), rounds=100),
        instance("not convex, changing probabilities", tilted, sine, rounds=80),
        instance("one local step, at the error floor", shared_hessian, independent(0.9), 1, rounds=4000),
        instance("a large server step", heterogeneous, independent(0.5), 8, eta_s=4.0, rounds=100),
        instance("homogeneous clients", homogeneous, independent(0.9), 1, rounds=40),
    ]


def _sweeps(theorem: Theorem) -> Sweeps | None:
    """MIFA with decaying steps: rounds, local steps, clients, and the longest absence.

    Clients start near the optimum and are nearly homogeneous, so that noise dominates the bound from the
    first rounds on: the terms in 1/T^2 have unspecified constants, and would make the bound fall too fast.
    """
    if not theorem.assumes("bounded-absence"):
        return None
    clients = Quadratic([0.8, 1.0, 0.9, 1.0], [[0.1], [-0.1], [0.05], [-0.1]], noise=1.5)
    instance = Instance("cyclic groups, decreasing steps", clients, 4, rounds=40, x0=np.full(1, 0.2))
    instance = vary_instance(instance, "m", 8)

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        absence = int(value) if keyword == "staleness" else _ABSENCE
        instance = instance if keyword == "staleness" else vary_instance(instance, keyword, value)
        m, tau = instance.problem.m, int(instance.local_steps)
        turns = [[i for i in range(m) if i % (absence + 1) == k] for k in range(absence + 1)]
        constants = instance.problem.constants(np.zeros(instance.problem.d))
        L, mu = constants["L"].value, constants["mu"].value
        offset = (1 + absence) * (L / mu) ** 1.5  # in rounds: the source's eta_t = 4/(mu tau (t + offset))
        eta = {"first": 4 / (mu * tau * offset), "offset": tau * offset}
        return replace(instance, schedule=turns, eta=eta)

    values = {
        "T": (30, 45, 65, 90, 120),
        "tau": (1, 2, 3, 5, 8),
        "m": (4, 8, 12, 16),
        "staleness": (1, 2, 3, 5, 7),
    }
    return Sweeps(instance, values, vary)


FAMILY = Family(
    assumptions={
        vocabulary.BOUNDED_ABSENCE: AssumptionRule(_bounded_absence, _from_first_round, frozenset({"wait"})),
        vocabulary.INITIAL_UPDATES: AssumptionRule(_initial_updates, options=frozenset({"wait"})),
    },
    instances=default_instances,
    sweeps=_sweeps,
)
