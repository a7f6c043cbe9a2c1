"""Local work that leaves the optimum where it is: FedLin, FedDyn, and one solver, without noise."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from boundkit.algebra import Theorem, vocabulary
from boundkit.simulation.problems import Huber, Problem, Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance

_ROUNDING = 1e-9
_LEAST = 1.0
"""The weight of the proximal term where the solver's Hessian is the mean."""


def _exact_minimisers(theorem: Theorem, run: Run) -> str:
    if run.algorithm.name == "feddyn" and isinstance(run.problem, Quadratic):
        return ""
    return "it needs clients that return exact proximal minimisers, as feddyn has them on quadratics"


def distance_of_solver(problem: Quadratic, solver: int) -> float:
    """The distance of a client's Hessian from the mean Hessian."""
    apart = problem.H[solver] - np.tensordot(problem.p, problem.H, 1)
    norms = np.abs(apart if apart.ndim == 1 else np.linalg.eigvalsh(apart))
    return float(norms.max())


def _similar(theorem: Theorem, run: Run) -> str:
    settings, problem = run.algorithm.settings, run.problem
    if "solver" not in settings or not isinstance(problem, Quadratic):
        return "it needs one client that solves, as dane has it on quadratics"
    apart = distance_of_solver(problem, settings["solver"])
    if apart <= settings["mu"] * (1 + _ROUNDING):
        return ""
    return f"it needs mu of at least {apart:.4g}, the distance of the solver's Hessian from the mean"


def _weighted(theorem: Theorem, instance: Instance) -> Instance | None:
    """The instance with the least weight of the proximal term, where it has none of its own."""
    if "mu" in instance.options or not isinstance(instance.problem, Quadratic):
        return instance
    apart = distance_of_solver(instance.problem, instance.options.get("solver", 0))
    return replace(instance, options={**instance.options, "mu": apart if apart > _ROUNDING else _LEAST})


def _clients() -> Quadratic:
    return Quadratic.random(6, 3, 2, dense=True, spread=2.0, curvature=(0.05, 1.0))


def _one_stiff(flat: int = 9) -> Quadratic:
    """One client of curvature 1 and others that are nearly linear."""
    return Quadratic([1.0, *[1e-6] * flat], [[1.0], *[[-1.0]] * flat])


def _weights() -> list[float]:
    return [0.3, 0.25, 0.15, 0.1, 0.1, 0.1]


def _fedlin() -> list[Instance]:
    weighted = _clients().reweighted(np.array(_weights()))
    steep = Quadratic([4.0] * 4, np.zeros((4, 1)))
    kinked = Huber([1.0, 0.2, 0.2], None, [0.5, np.inf, np.inf], [[0.0], [1.0], [-1.0]])

    def instance(name: str, problem: Problem, tau: int, rounds: int, **more: float) -> Instance:
        return Instance(name, problem, tau, rounds=rounds, x0=np.full(problem.d, 3.0), **more)  # type: ignore[arg-type]

    return [
        instance("heterogeneous clients", _clients(), 10, 60),
        instance("weights, a larger server step", weighted, 5, 60, eta_s=2.0),
        instance("one stiff client, many steps", _one_stiff(), 500, 20),
        instance("one stiff client, one round", _one_stiff(), 2000, 1),
        instance("one step", _clients(), 1, 60),
        instance("homogeneous clients", steep, 20, 10),
        instance("a smaller step", _clients(), 10, 100, step=0.2),
        instance("kinks", kinked, 10, 30),
    ]


def _tilted(mu: float = 0.1, angle: float = 0.1) -> Quadratic:
    """Two clients with the curvatures mu and 1, mu in nearly one direction, gradients apart at the optimum.

    The first G_i turn into a distance of the server, within 1/angle rounds, and lose no more than they must.
    """
    flat = np.array([[np.cos(angle), np.sin(angle)], [np.cos(angle), -np.sin(angle)]])
    H = np.eye(2) - (1 - mu) * flat[:, :, None] * flat[:, None, :]
    pull = np.array([0.0, 1.0])
    return Quadratic(H, np.stack([np.linalg.solve(H[0], pull), np.linalg.solve(H[1], -pull)]))


def _feddyn() -> list[Instance]:
    heterogeneous, stiff = (
        _clients(),
        Quadratic.random(5, 2, 4, dense=True, spread=3.0, curvature=(0.01, 1.0)),
    )

    def instance(name: str, problem: Problem, weight: float, rounds: int) -> Instance:
        x0 = np.full(problem.d, 3.0)
        return Instance(name, problem, rounds=rounds, eta=1.0, x0=x0, options={"mu": weight})

    return [
        instance("heterogeneous clients, the best weight", heterogeneous, sqrt(0.05), 60),
        instance("a large weight", heterogeneous, 2.0, 100),
        instance("a small weight", heterogeneous, 0.02, 60),
        instance("ill-conditioned", stiff, 0.1, 100),
        instance("one round", heterogeneous, 0.3, 1),
        instance("homogeneous clients", Quadratic([0.1] * 4, np.zeros((4, 1))), 1.0, 20),
        replace(instance("tilted Hessians", _tilted(), sqrt(0.1), 20), x0=np.zeros(2)),
    ]


def _dane() -> list[Instance]:
    near = Quadratic([[0.5, 1.0], [0.45, 0.9], [0.55, 0.95]], [[1.0, 0.0], [-1.0, 1.0], [0.0, 2.0]])
    steep, flat = Quadratic([1.0, *[0.02] * 9], np.zeros((10, 1))), Quadratic([1.0] * 3, np.zeros((3, 1)))

    def instance(name: str, problem: Quadratic, rounds: int, **options: float) -> Instance:
        x0 = np.full(problem.d, 3.0)
        return Instance(name, problem, rounds=rounds, eta=1.0, x0=x0, options=options)

    return [
        instance("near clients", near, 3),
        instance("heterogeneous clients", _clients(), 20),
        instance("the steepest client solves", steep, 10),
        instance("a flat client solves", steep, 10, solver=1),
        instance("a large weight", near, 20, mu=2.0),
        instance("homogeneous clients, one round", flat, 1, mu=1.0),
    ]


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Heterogeneous clients, homogeneous ones, and one stiff client among flat ones."""
    made = {"fedlin": _fedlin, "feddyn": _feddyn, "dane": _dane}.get(theorem.algorithm)
    return None if made is None else made()


FAMILY = Family(
    assumptions={
        vocabulary.EXACT_MINIMISERS: AssumptionRule(_exact_minimisers),
        vocabulary.SIMILAR_SOLVER: AssumptionRule(_similar, _weighted),
    },
    instances=default_instances,
)
