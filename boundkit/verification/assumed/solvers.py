"""Clients that work unequally, by solvers linear in their gradients: FedNova's theorems, and FedAvg's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import chi2
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.verification.assumed.rule import Plan, Rule
from boundkit.verification.measures.surrogate import surrogate
from boundkit.verification.quantities.solvers import solver_of

WORK, WEIGHTS = (1, 3, 7, 12, 20), (0.1, 0.3, 0.2, 0.25, 0.15)
_SAME = 1e-12


def _broken(theorem: Theorem, run: Run) -> str:
    try:
        solver, _ = solver_of(run)
    except BoundkitError as reason:
        return str(reason).rstrip(".")
    if theorem.solvers and solver not in theorem.solvers:
        return f"it knows no solver {solver}"
    if run.algorithm.name == "fedavg" and np.abs(_server_weights(run) - run.problem.p).max() > _SAME:
        how = run.algorithm.settings.get("aggregation", "weighted")
        return f"it averages by the p_i, and aggregation {how!r} does not where they differ"
    if (run.problem.p <= 0).any():
        return "it divides by the weights, and some p_i of the run is 0"
    fixed = _has_one_server_step(theorem) and len(run.local_steps) > 1
    if fixed:
        return "it needs the same work in every round, and that of the run changes"
    if chi2 in theorem.quantities:
        try:
            surrogate(theorem, run)
        except BoundkitError as error:
            return f"it speaks of the surrogate that unequal work minimises, and {str(error).rstrip('.')}"
    return ""


def _has_one_server_step(theorem: Theorem) -> bool:
    return not any(q.name.endswith("_mean") for q in theorem.quantities)


def _server_weights(run: Run) -> Array:
    from boundkit.simulation.engines.aggregation_weights import Weighing

    return Weighing(run).moments(0).first


def designs(theorem: Theorem) -> list[Plan]:
    """Plans with unequal work and weights, noise and none, each solver, and nothing but the start to pay."""
    one_point = "eta" not in {q.name for q in theorem.quantities} and not theorem.rules
    if one_point:
        return list(_points(theorem))
    return [_fitted(theorem, plan) for plan in _usual(theorem)]


def _usual(theorem: Theorem) -> Iterator[Plan]:
    fednova, varying = theorem.algorithm == "fednova", not _has_one_server_step(theorem)
    work: Any = [list(WORK), [2, 2, 2, 2, 2], [9, 1, 30, 4, 1]] if varying else list(WORK)
    light: Any = [[1, 2, 3, 4, 6], [6, 1, 1, 2, 3]] if varying else [1, 2, 3, 4, 6]
    if theorem.rules:  # whose conditions make a run the longer, the more its clients work
        light = [1, 1, 2, 2, 2]
    unlike, bent = _unlike(0.5), _bent(0.5, (1, 2, 3, 4, 6))
    far = np.full(3, 2.0)
    yield Plan("unequal steps and weights, noise", unlike, work, rounds=300, x0=far)
    if not fednova:
        yield Plan(
            "clients as wrong as their weights", _inconsistent(), [1, 2, 3, 4, 5], step=0.01, rounds=2001
        )
    yield Plan("not convex, noise", bent, light, rounds=60, x0=far)
    yield Plan("unequal steps, no noise", _unlike(0.0), work, rounds=300, x0=far)
    yield Plan("one round", _unlike(0.0), light, rounds=len(light) if varying else 1, x0=far)
    yield Plan("no error but the start", _steep(), [1, 1, 2, 2, 3], rounds=24, x0=np.array([2.0]))
    yield Plan("one step each", unlike, 1, step=0.5, rounds=300, x0=far)
    yield Plan("on the floor", unlike, work, step=0.1, rounds=3000, x0=far)
    yield Plan("momentum", unlike, work, rounds=300, x0=far, options={"momentum": 0.6})
    if fednova:
        yield Plan("proximal, alpha = 0.3", unlike, work, rounds=300, x0=far, options={"mu": 0.3})
        if theorem.name != "fednova_nonconvex_surrogate":  # which is false near alpha = 1, as its remark says
            yield Plan("proximal, alpha = 1", _at_rest(), [2, 2] if not varying else [[2, 2], [3, 2]],
                       rounds=400, x0=np.array([1.0]), options={"mu": 1.0})  # fmt: skip
        yield Plan(
            "proximal with momentum", unlike, work, rounds=300, x0=far, options={"mu": 0.2, "momentum": 0.5}
        )
        yield Plan("falling rates", unlike, work, rounds=300, x0=far, options={"decay": 0.8})
        if not varying and not theorem.rules:
            yield Plan(
                "another server step",
                unlike,
                work,
                eta_s=2.0,
                rounds=300,
                x0=far,
                options={"tau_eff": "steps"},
            )
    yield Plan("not convex, no noise", bent.quiet(), light, rounds=120, step=0.5, x0=far)


def _fitted(theorem: Theorem, plan: Plan) -> Plan:
    """A plan whose ``mu`` was given as alpha = eta mu, at the step that the theorem allows for that alpha."""
    if "mu" not in plan.options:
        return plan
    from boundkit.analysis.step_size import largest, limit_at
    from boundkit.verification.constants import constants_before, settings

    alpha, eta = plan.options["mu"], 1e-6
    trial = replace(plan, options={**plan.options, "mu": alpha / eta})
    run = trial.run(theorem.algorithm, eta)
    if theorem.rules:  # the step follows T, and alpha with it
        return replace(plan, options={**plan.options, "mu": alpha * run.problem.constants(run.x0)["L"].value})
    found = {n: c.value for n, c in constants_before(run, theorem).items()}
    values = {q.name: q.typical for q in theorem.quantities} | found | settings(run) | {"prox_step": 0.0}
    eta = plan.step * float(limit_at(largest(theorem), values))
    return replace(plan, eta=eta, options={**plan.options, "mu": alpha / eta})


def _points(theorem: Theorem) -> Iterator[Plan]:
    """Clients for a theorem that speaks of one point alone: the run is only asked for its surrogate."""
    yield Plan("clients as wrong as their weights", _inconsistent(), [1, 2, 3, 4, 5], eta=1e-3, rounds=1)
    yield Plan("unequal steps and weights", _unlike(0.5), list(WORK), eta=1e-3, rounds=1)
    yield Plan("momentum", _unlike(0.0), list(WORK), eta=1e-3, rounds=1, options={"momentum": 0.6})
    yield Plan("equal steps", _unlike(0.5), 4, eta=1e-3, rounds=1)
    yield Plan("not convex", _bent(0.0, WORK), list(WORK), eta=1e-3, rounds=1)


def _unlike(noise: float) -> Problem:
    made = Quadratic.random(5, 3, seed=2, dense=True, spread=2.0, noise=noise, curvature=(0.2, 1.0))
    return Quadratic(list(made.H), made.e, list(WEIGHTS), noise)


def _bent(noise: float, work: tuple[int, ...]) -> Problem:
    """Tilts that cancel in the objective and in the surrogate of that work: both have a least value."""
    e = np.random.default_rng(4).standard_normal((5, 3))
    p = np.array(WEIGHTS)
    both = np.stack([p, p * np.array(work)])
    return SmoothNonconvex(e - both.T @ np.linalg.solve(both @ both.T, both @ e), list(WEIGHTS), noise)


def _steep() -> Problem:
    return Quadratic([4.0] * 5, np.zeros((5, 1)), list(WEIGHTS))


def _inconsistent() -> Problem:
    """1/2 ||x - e_i||^2 with e_i = (p_i - w_i)/w_i, where the objective inconsistency is attained."""
    work = np.arange(1.0, 6.0)
    return Quadratic([1.0] * 5, (work.mean() / work - 1)[:, None])


def _at_rest() -> Problem:
    """(x + 1)^2/2 and (x - 1)^2/4: what the published drift misses of a full proximal pull."""
    return Quadratic([1.0, 0.5], [[-1.0], [1.0]])


RULES = {"general-local-solver": Rule(_broken, designs=designs)}
