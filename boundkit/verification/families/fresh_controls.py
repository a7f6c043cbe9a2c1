"""Local work that leaves the optimum where it is: FedLin and FedDyn, without noise."""

from __future__ import annotations

from math import sqrt

import numpy as np

from boundkit.algebra import Theorem, vocabulary
from boundkit.simulation.problems import Huber, Problem, Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.family import Family, Rule
from boundkit.verification.instance import Instance


def _exact_minimisers(theorem: Theorem, run: Run) -> str:
    if run.algorithm.name == "feddyn" and isinstance(run.problem, Quadratic):
        return ""
    return "it needs clients that return exact proximal minimisers, as feddyn has them on quadratics"


def _unlike() -> Quadratic:
    return Quadratic.random(6, 3, 2, dense=True, spread=2.0, curvature=(0.05, 1.0))


def _one_stiff(flat: int = 9) -> Quadratic:
    """One client of curvature 1 and others that are nearly linear."""
    return Quadratic([1.0, *[1e-6] * flat], [[1.0], *[[-1.0]] * flat])


def _weights() -> list[float]:
    return [0.3, 0.25, 0.15, 0.1, 0.1, 0.1]


def _fedlin() -> list[Instance]:
    weighted = _unlike().reweighted(np.array(_weights()))
    steep = Quadratic([4.0] * 4, np.zeros((4, 1)))
    kinked = Huber([1.0, 0.2, 0.2], None, [0.5, np.inf, np.inf], [[0.0], [1.0], [-1.0]])

    def instance(name: str, problem: Problem, tau: int, rounds: int, **more: float) -> Instance:
        return Instance(name, problem, tau, rounds=rounds, x0=np.full(problem.d, 3.0), **more)  # type: ignore[arg-type]

    return [
        instance("unlike clients", _unlike(), 10, 60),
        instance("weights, a larger server step", weighted, 5, 60, eta_s=2.0),
        instance("one stiff client, many steps", _one_stiff(), 500, 20),
        instance("one stiff client, one round", _one_stiff(), 2000, 1),
        instance("one step", _unlike(), 1, 60),
        instance("homogeneous clients", steep, 20, 10),
        instance("a smaller step", _unlike(), 10, 100, step=0.2),
        instance("kinks", kinked, 10, 30),
    ]


def _feddyn() -> list[Instance]:
    unlike, stiff = _unlike(), Quadratic.random(5, 2, 4, dense=True, spread=3.0, curvature=(0.01, 1.0))

    def instance(name: str, problem: Problem, weight: float, rounds: int) -> Instance:
        x0 = np.full(problem.d, 3.0)
        return Instance(name, problem, rounds=rounds, eta=1.0, x0=x0, options={"mu": weight})

    return [
        instance("unlike clients, the best weight", unlike, sqrt(0.05), 60),
        instance("a large weight", unlike, 2.0, 100),
        instance("a small weight", unlike, 0.02, 60),
        instance("ill-conditioned", stiff, 0.1, 100),
        instance("one round", unlike, 0.3, 1),
        instance("homogeneous clients", Quadratic([0.1] * 4, np.zeros((4, 1))), 1.0, 20),
    ]


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Unlike clients, homogeneous ones, and one stiff client among flat ones."""
    made = {"fedlin": _fedlin, "feddyn": _feddyn}.get(theorem.algorithm)
    return None if made is None else made()


FAMILY = Family(
    assumptions={vocabulary.EXACT_MINIMISERS: Rule(_exact_minimisers)},
    instances=default_instances,
)
