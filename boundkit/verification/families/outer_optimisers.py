"""Momentum at the server and in local steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import BoundkitError, Term, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.verification.context import EvaluationContext, recorded_series
from boundkit.verification.family import AssumptionRule, Family, TermSweep
from boundkit.verification.instance import Instance


def _option(name: str) -> Callable[[EvaluationContext], Constant]:
    def read(context: EvaluationContext) -> Constant:
        value = context.run.algorithm.settings.get(name)
        if value is None:
            raise BoundkitError(f"the run has no constant {name}.")
        return Constant(float(value), "exact", f"the option {name}")

    return read


def local_average_loss_gap(context: EvaluationContext) -> Array:
    """The mean over the averages of the local models before each step of a round."""
    return recorded_series(context, "virtual_loss_gap")


def _constant_momentum(theorem: Theorem, run: Run) -> str:
    given = run.algorithm.settings.get("server_momentum")
    return "it needs a constant momentum, and that of the run is t/(t + 3)" if given is None else ""


def _increasing_momentum(theorem: Theorem, run: Run) -> str:
    given = run.algorithm.settings.get("server_momentum")
    return "" if given is None else f"it needs the momentum t/(t + 3), and the run has {given:g}"


def _random(noise: float, spread: float = 1.0, shared: bool = False) -> Problem:
    return Quadratic.random(8, 3, seed=2, dense=True, noise=noise, spread=spread, curvature=(0.2, 1.0),
                            shared=shared)  # fmt: skip


def _momentum_instances() -> list[Instance]:
    """Heavy ball and Nesterov's method, at several momenta."""
    far = np.full(3, 2.0)
    rows = [
        ("noise, heavy ball", _random(0.5), 8, 0.25, 1.0, 200, (0.5, 0.0)),
        ("noise, Nesterov", _random(0.5), 8, 0.25, 2.0, 200, (0.9, 1.0)),
        ("not convex, noise", SmoothNonconvex.random(8, 3, seed=4, noise=0.5), 4, 0.25, 1.0, 100, (0.8, 1.0)),
        ("no noise, many steps", _random(0.0, 3.0), 64, 1.0, 1.0, 100, (0.9, 0.0)),
        ("no momentum", _random(0.5), 8, 0.5, 1.0, 200, (0.0, 0.0)),
        ("one step", _random(0.5), 1, 0.5, 1.0, 500, (0.9, 1.0)),
        ("one round", _random(0.0, 3.0), 4, 0.5, 1.0, 1, (0.7, 0.5)),
        (
            "homogeneous clients, the start alone",
            Quadratic([4.0] * 8, np.zeros((8, 1))),
            4,
            1.0,
            1.0,
            20,
            (0.5, 1.0),
        ),
        ("error floor", _random(0.5, shared=True), 8, 0.25, 0.1, 5000, (0.9, 0.0)),
    ]
    return [
        Instance(name, problem, tau, present=C, eta_s=eta_s, rounds=rounds, x0=far[: problem.d],
                 options={"server_momentum": beta, "nesterov": n})
        for name, problem, tau, C, eta_s, rounds, (beta, n) in rows
    ]  # fmt: skip


def _accelerated_instances(theorem: Theorem) -> list[Instance]:
    """From a point along a direction of small curvature, with and without noise."""
    rows = [
        ("small curvature, no noise", 0.002, 0.0, 4, 0.5, 35),
        ("smaller curvature, many rounds", 2e-4, 0.0, 4, 0.5, 110),
        ("noise", 0.01, 1.0, 8, 0.5, 40),
        ("small steps, noise", 0.05, 0.5, 8, 0.05, 80),
        ("one step", 0.01, 0.0, 1, 0.5, 30),
        ("one round", 0.1, 0.0, 16, 0.5, 1),
        ("little noise, many steps", 0.02, 0.1, 32, 0.1, 40),
        ("error floor", 0.05, 1.0, 4, 0.1, 600),
    ]
    strongly, instances = theorem.assumes("strongly-convex"), []
    for name, curvature, noise, tau, eta, rounds in rows:
        problem = Quadratic([[1.0, curvature]] * 4, np.zeros((4, 2)), noise=noise)
        root = float(np.sqrt(1 - (1 - eta * curvature * (1 - 1e-12)) ** tau))
        options = {"server_momentum": (1 - root) / (1 + root)} if strongly else {}
        x0 = np.array([0.0, 3.0])
        instances.append(Instance(name, problem, tau, rounds=rounds, x0=x0, eta=eta, options=options))
    return instances


def _local_momentum_instances() -> list[Instance]:
    far = np.full(3, 2.0)
    rows = [
        ("noise", _random(0.5), 8, 1.0, 100, 0.3),
        ("no noise, many steps", _random(0.0, 3.0), 32, 1.0, 60, 0.5),
        ("not convex, noise", SmoothNonconvex.random(8, 3, seed=4, noise=0.5), 4, 1.0, 80, 0.2),
        ("one step", _random(0.5), 1, 1.0, 300, 0.1),
        ("plain steps", _random(0.5), 4, 2.0, 100, 1.0),
        ("one round", _random(0.0, 3.0), 4, 1.0, 1, 0.5),
        ("many rounds, noise", _random(0.5), 4, 1.0, 2000, 0.1),
    ]
    return [
        Instance(name, problem, tau, eta_s=eta_s, rounds=rounds, x0=far, options={"fresh": fresh})
        for name, problem, tau, eta_s, rounds, fresh in rows
    ]


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Those of the theorem's kind of momentum; None without."""
    if theorem.algorithm == "fedcm":
        return _local_momentum_instances()
    if theorem.algorithm == "accelerated_local_sgd":
        return _accelerated_instances(theorem)
    if theorem.algorithm != "fedavgm":
        return None
    convex = theorem.assumes("convex")
    return [i for i in _momentum_instances() if not convex or i.problem.convexity()[0]]


def term_sweeps(theorem: Theorem, term: Term) -> list[TermSweep] | None:
    """The noise under momentum in local steps, at the longest round that the theorem allows.

    That term does not depend on the length of a round, which the conditions limit. The initial gap of
    accelerated local SGD has no sweep: on a quadratic the loss oscillates under it, and has no exponent in T.
    """
    if theorem.algorithm == "accelerated_local_sgd" and term.cause == "initial gap":
        return []
    if theorem.algorithm != "fedcm" or term.cause != "stochastic noise":
        return None

    def run_at(m: int = 4, tau: int = 4) -> Run:
        fresh, eta = 0.1, 0.01 / tau
        problem = Quadratic([1.0] * m, np.zeros((m, 2)), noise=1.0)
        return make_run("fedcm", problem, rounds=400, eta=eta, eta_s=fresh / (3 * tau * eta), local_steps=tau,
                        x0=np.zeros(2), options={"fresh": fresh})  # fmt: skip

    return [
        TermSweep("m", (2, 4, 8, 16), lambda m: run_at(m=int(m))),
        TermSweep("tau", (1, 2, 4, 8, 16), lambda tau: run_at(tau=int(tau))),
    ]


FAMILY = Family(
    assumptions={
        vocabulary.CONSTANT_MOMENTUM: AssumptionRule(_constant_momentum),
        vocabulary.INCREASING_MOMENTUM: AssumptionRule(_increasing_momentum),
    },
    instances=default_instances,
    term_sweeps=term_sweeps,
    constants={
        notation.beta_s: _option("server_momentum"),
        notation.nesterov: _option("nesterov"),
        notation.fresh: _option("fresh"),
    },
    observables={
        "virtual_start_loss_gap": local_average_loss_gap,
        "mean_model_loss_gap": lambda context: recorded_series(context, "mean_model_loss_gap"),
    },
)
