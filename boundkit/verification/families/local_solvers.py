"""Local solvers that are linear in their gradients, with unequal work: theorems on FedNova and FedAvg."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from sympy import Expr, Float

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.algebra.notation import a1_i, chi2, p_i, tau_eff, tau_i
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.sums import ClientSum
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import largest, limit_at
from boundkit.simulation.algorithms.fednova import FedNova
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext, run_settings
from boundkit.verification.families import general
from boundkit.verification.family import AssumptionRule, Families, Family
from boundkit.verification.instance import Instance
from boundkit.verification.surrogate import depends_on_inclusion, evaluate_definition, surrogate_objective

_LOCAL_STEPS, _WEIGHTS = (1, 3, 7, 12, 20), (0.1, 0.3, 0.2, 0.25, 0.15)
_SAME = 1e-12
_MOST_ROWS = 5000
_OF_CLIENTS: tuple[Quantity, ...] = (
    notation.tau_eff,
    notation.A_noise,
    notation.B_drift,
    notation.C_drift,
    notation.B_walk,
    notation.C_walk,
    notation.tau_clients,
    notation.prox_step,
    notation.tau_eff_mean,
    notation.A_mean,
    notation.B_mean,
    notation.C_mean,
    notation.tau_eff_max,
    notation.C_drift_max,
)
"""Quantities that the theorems define by the clients' local steps, weights and solver."""


def _objection(theorem: Theorem, run: Run) -> str:
    try:
        solver, _ = solver_of(run)
    except BoundkitError as reason:
        return str(reason).rstrip(".")
    if theorem.solvers and solver not in theorem.solvers:
        return f"it does not cover the solver {solver}"
    if run.algorithm.name == "fedavg" and np.abs(_server_weights(run) - run.problem.p).max() > _SAME:
        how = run.algorithm.settings.get("aggregation", "weighted")
        return f"it averages with the weights p_i, and aggregation {how!r} does not where they differ"
    if (run.problem.p <= 0).any():
        return "it divides by the weights, and some p_i of the run is 0"
    if _has_one_server_step(theorem) and len(run.local_steps) > 1:
        return "it needs the same local steps in every round, and those of the run change"
    if chi2 in theorem.quantities:
        try:
            surrogate_objective(theorem, run)
        except BoundkitError as error:
            return f"it is about the surrogate of unequal local steps, and {str(error).rstrip('.')}"
    return ""


def _plain_steps(theorem: Theorem, run: Run) -> str:
    try:
        solver, _ = solver_of(run)
    except BoundkitError as reason:
        return str(reason).rstrip(".")
    return "" if solver == "sgd" else f"its clients take plain steps, and the run has the solver {solver}"


def _has_one_server_step(theorem: Theorem) -> bool:
    return not any(q.name.endswith("_mean") for q in theorem.quantities)


def _server_weights(run: Run) -> Array:
    return AggregationWeights(run).moments(0).mean


def solver_of(run: Run) -> tuple[str, dict[str, float]]:
    """The local solver of a run, by its name in the theorems, and its parameters by keyword.

    Raises BoundkitError where the theorems have no such solver.
    """
    given = run.algorithm.settings
    momentum, mu = float(given.get("momentum", 0.0)), float(given.get("mu", 0.0))
    decay = float(given.get("decay", 1.0))
    if decay != 1 and (momentum or mu):
        raise BoundkitError("it covers decay alone, without momentum or a proximal term")
    if decay != 1:
        return "decay", {"decay": decay}
    settings = {"rho_momentum": momentum} if momentum else {}
    if mu:
        settings["mu_prox"] = mu
    names = {(False, False): "sgd", (True, False): "momentum", (False, True): "proximal"}
    return names.get((bool(momentum), bool(mu)), "proximal_momentum"), settings


def evaluate_definitions(theorem: Theorem, run: Run) -> dict[str, float]:
    """Every quantity that the theorem defines by its clients, evaluated on this run."""
    solver, settings = solver_of(run)
    whole_periods = run.rounds % len(run.local_steps) == 0
    local_steps = run.local_steps if whole_periods else _local_steps_of_all_rounds(run)
    rows = tuple(tuple(row) for row in local_steps.tolist())
    values = {"eta": run.eta, "m": run.problem.m, **_smoothness(run)}
    values |= {"T": run.rounds} if theorem.rules else {}  # eta depends on T by a rule, and mu_prox on eta
    values |= settings
    return _definition_values(
        _with_server_step(theorem, run),
        solver,
        tuple(settings.items()),
        rows,
        tuple(run.problem.p.tolist()),
        tuple(values.items()),
    )


def _smoothness(run: Run) -> dict[str, float]:
    constants = run.problem.constants(run.x0)
    return {"L": constants["L"].value} if "L" in constants else {}


@lru_cache(maxsize=512)
def _definition_values(
    theorem: Theorem,
    solver: str,
    settings: tuple[tuple[str, float], ...],
    local_steps: tuple[tuple[int, ...], ...],
    p: tuple[float, ...],
    values: tuple[tuple[str, float], ...],
) -> dict[str, float]:
    given: dict[str, Any] = {"p_i": list(p), "tau_i": [list(row) for row in local_steps], **dict(settings)}
    if "mu_prox" in given and not theorem.rules:  # a rule for the step has substituted it already
        given["eta"] = dict(values)["eta"]
    if len(local_steps) == 1:
        given["tau_i"] = list(local_steps[0])
    statement, remaining = substitute_clients(theorem, {**given, "solver": solver})
    numbers: dict[str, Any] = {**remaining, **dict(values)}
    return {q.name: float(evaluate(e, numbers)) for q, e in statement.definitions.items()}


def _local_steps_of_all_rounds(run: Run) -> Any:
    if run.rounds > _MOST_ROWS:
        raise BoundkitError(
            f"{run.rounds} rounds are no multiple of the {len(run.local_steps)} rows of local_steps."
        )
    return np.stack([run.steps(t) for t in range(run.rounds)])


def _with_server_step(theorem: Theorem, run: Run) -> Theorem:
    """The theorem with the server step of this run, where that is not FedNova's default."""
    rule = run.algorithm.settings.get("tau_eff")
    if tau_eff not in theorem.definitions or (rule is None and run.eta_s == 1):
        return theorem
    step: Expr = ClientSum(p_i * (a1_i if rule is None else tau_i))
    if isinstance(rule, (int, float)):
        step = Float(rule)
    return replace(theorem, definitions={**theorem.definitions, tau_eff: Float(run.eta_s) * step})


def _from_clients(name: str) -> Callable[[EvaluationContext], Constant]:
    def measure(context: EvaluationContext) -> Constant:
        if depends_on_inclusion(context.theorem):
            return evaluate_definition(context, name)
        values = evaluate_definitions(context.theorem, context.run)
        if name not in values:
            raise BoundkitError(f"{context.theorem.name} does not define {name} by its clients.")
        return Constant(values[name], "exact", "from the clients' steps, weights and solver")

    return measure


def server_steps(context: EvaluationContext) -> Array:
    """tau_eff of every round, (T,): the server's displacement over eta where all gradients are 1."""
    run = context.run
    weighing, solver = AggregationWeights(run), run.algorithm
    assert isinstance(solver, FedNova)
    period = [
        run.eta_s * float(weighing.moments(t).mean @ solver.weight_sums(run.rates(t), run.steps(t)))
        for t in range(min(run.period, run.rounds))
    ]
    return np.resize(np.array(period), run.rounds)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Instances with unequal work and weights, with and without noise, with each solver."""
    if not theorem.assumes("general-local-solver"):
        return None
    one_point = "eta" not in {q.name for q in theorem.quantities} and not theorem.rules
    if one_point:
        return list(_one_point())
    if theorem.assumes("plain-local-steps"):
        return [each for each in _runs(theorem) if not {"momentum", "mu", "decay"} & set(each.options)]
    return [_with_alpha(theorem, instance) for instance in _runs(theorem)]


def _runs(theorem: Theorem) -> Iterator[Instance]:
    fednova, varying = theorem.algorithm == "fednova", not _has_one_server_step(theorem)
    local_steps: Any = (
        [list(_LOCAL_STEPS), [2, 2, 2, 2, 2], [9, 1, 30, 4, 1]] if varying else list(_LOCAL_STEPS)
    )
    light: Any = [[1, 2, 3, 4, 6], [6, 1, 1, 2, 3]] if varying else [1, 2, 3, 4, 6]
    if theorem.rules:  # their conditions need the more rounds, the more local steps there are
        light = [1, 1, 2, 2, 2]
    heterogeneous, nonconvex = _heterogeneous(0.5), _nonconvex(0.5, (1, 2, 3, 4, 6))
    far = np.full(3, 2.0)
    yield Instance("unequal steps and weights, noise", heterogeneous, local_steps, rounds=300, x0=far)
    if not fednova:
        yield Instance(
            "clients as wrong as their weights", _inconsistent(), [1, 2, 3, 4, 5], step=0.01, rounds=2001
        )
    yield Instance("not convex, noise", nonconvex, light, rounds=60, x0=far)
    yield Instance("unequal steps, no noise", _heterogeneous(0.0), local_steps, rounds=300, x0=far)
    yield Instance("one round", _heterogeneous(0.0), light, rounds=len(light) if varying else 1, x0=far)
    yield Instance("only the initial error", _steep(), [1, 1, 2, 2, 3], rounds=24, x0=np.array([2.0]))
    yield Instance("one step each", heterogeneous, 1, step=0.5, rounds=300, x0=far)
    yield Instance("at the error floor", heterogeneous, local_steps, step=0.1, rounds=3000, x0=far)
    yield Instance("momentum", heterogeneous, local_steps, rounds=300, x0=far, options={"momentum": 0.6})
    if fednova:
        yield Instance(
            "proximal, alpha = 0.3", heterogeneous, local_steps, rounds=300, x0=far, options={"mu": 0.3}
        )
        yield Instance(
            "proximal, alpha = 1",
            _full_proximal(),
            [2, 2] if not varying else [[2, 2], [3, 2]],
            rounds=400,
            x0=np.array([1.0]),
            options={"mu": 1.0},
        )
        yield Instance(
            "proximal with momentum",
            heterogeneous,
            local_steps,
            rounds=300,
            x0=far,
            options={"mu": 0.2, "momentum": 0.5},
        )
        yield Instance(
            "falling rates", heterogeneous, local_steps, rounds=300, x0=far, options={"decay": 0.8}
        )
        if not varying and not theorem.rules:
            yield Instance(
                "another server step",
                heterogeneous,
                local_steps,
                eta_s=2.0,
                rounds=300,
                x0=far,
                options={"tau_eff": "steps"},
            )
    yield Instance("not convex, no noise", nonconvex.without_noise(), light, rounds=120, step=0.5, x0=far)


def _with_alpha(theorem: Theorem, instance: Instance) -> Instance:
    """Replace ``mu``, given as alpha = eta mu, at the step size that the theorem allows for that alpha."""
    if "mu" not in instance.options:
        return instance
    alpha, eta = instance.options["mu"], 1e-6
    trial = replace(instance, options={**instance.options, "mu": alpha / eta})
    run = trial.run(theorem.algorithm, eta)
    if theorem.rules:  # eta depends on T by a rule, and so does alpha
        return replace(
            instance, options={**instance.options, "mu": alpha * run.problem.constants(run.x0)["L"].value}
        )
    context = EvaluationContext(theorem, run, None, Families((FAMILY, general.FAMILY)))
    constants = {n: c.value for n, c in context.constants_before_run().items()}
    values = {q.name: q.typical for q in theorem.quantities} | constants | run_settings(run)
    values["prox_step"] = 0.0
    eta = instance.step * float(limit_at(largest(theorem), values))
    return replace(instance, eta=eta, options={**instance.options, "mu": alpha / eta})


def _one_point() -> Iterator[Instance]:
    """Clients for a theorem on one point: only the surrogate of the run matters."""
    yield Instance("clients as wrong as their weights", _inconsistent(), [1, 2, 3, 4, 5], eta=1e-3, rounds=1)
    yield Instance("unequal steps and weights", _heterogeneous(0.5), list(_LOCAL_STEPS), eta=1e-3, rounds=1)
    yield Instance(
        "momentum", _heterogeneous(0.0), list(_LOCAL_STEPS), eta=1e-3, rounds=1, options={"momentum": 0.6}
    )
    yield Instance("equal steps", _heterogeneous(0.5), 4, eta=1e-3, rounds=1)
    yield Instance("not convex", _nonconvex(0.0, _LOCAL_STEPS), list(_LOCAL_STEPS), eta=1e-3, rounds=1)


def _heterogeneous(noise: float) -> Problem:
    made = Quadratic.random(5, 3, seed=2, dense=True, spread=2.0, noise=noise, curvature=(0.2, 1.0))
    return Quadratic(list(made.H), made.e, list(_WEIGHTS), noise)


def _nonconvex(noise: float, local_steps: tuple[int, ...]) -> Problem:
    """Linear parts that cancel in the objective and in the surrogate: both are bounded below."""
    e = np.random.default_rng(4).standard_normal((5, 3))
    p = np.array(_WEIGHTS)
    both = np.stack([p, p * np.array(local_steps)])
    return SmoothNonconvex(e - both.T @ np.linalg.solve(both @ both.T, both @ e), list(_WEIGHTS), noise)


def _steep() -> Problem:
    return Quadratic([4.0] * 5, np.zeros((5, 1)), list(_WEIGHTS))


def _inconsistent() -> Problem:
    """1/2 ||x - e_i||^2 with e_i = (p_i - w_i)/w_i, where the objective inconsistency is attained."""
    local_steps = np.arange(1.0, 6.0)
    return Quadratic([1.0] * 5, (local_steps.mean() / local_steps - 1)[:, None])


def _full_proximal() -> Problem:
    """(x + 1)^2/2 and (x - 1)^2/4: at alpha = 1 the published drift coefficients are 0 on it."""
    return Quadratic([1.0, 0.5], [[-1.0], [1.0]])


FAMILY = Family(
    assumptions={
        vocabulary.PLAIN_LOCAL_STEPS: AssumptionRule(_plain_steps),
        vocabulary.GENERAL_SOLVER: AssumptionRule(
            _objection, options=frozenset({"momentum", "mu", "decay", "tau_eff", "aggregation"})
        ),
    },
    instances=default_instances,
    constants={quantity: _from_clients(quantity.name) for quantity in (*_OF_CLIENTS, chi2)},
    round_weights={"fednova": server_steps},
)
