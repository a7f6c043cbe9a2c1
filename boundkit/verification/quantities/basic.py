"""Dissimilarities in the readings that theorems use, measured where a problem has no formula for them."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.quantities.proximal import beta_along
from boundkit.verification.quantities.readings import everywhere, where_it_settles
from boundkit.verification.quantities.subject import Subject
from boundkit.verification.quantities.uniform import of_every_client

AT_EVERY_POINT = {"fedawe"}
"""Algorithms whose clients start from models of their own: no iterate is there to read a dissimilarity at."""


def root_along(seen: Trajectory, observable: str) -> Constant:
    """The square root of the largest expectation of an observable at x_0, ..., x_{T-1}."""
    series = seen.mean(observable)[: max(len(seen.x) - 1, 1)]
    worst = int(np.argmax(series))
    value = float(max(series[worst], 0.0)) ** 0.5
    return Constant(
        value, "estimated" if seen.random else "local", f"largest along the run, at round {worst}"
    )


def dissimilarity_along(seen: Trajectory, prefix: str = "") -> Constant:
    """sigma_g in reading D2, along a trajectory; ``prefix``: of another objective of the same clients."""
    return root_along(seen, f"{prefix}dissimilarity")


def _beta(subject: Subject) -> Constant:
    if subject.theorem.assumes("local-dissimilarity"):
        return beta_along(subject)
    _refuse_unequal(subject, "beta")
    if subject.theorem.algorithm in AT_EVERY_POINT:
        return everywhere(subject.run.problem, subject.run.x0)[0]
    return Constant(
        1.0, "exact", "no part of the clients' spread grows with the gradient: kappa bounds all of it"
    )


def _kappa(subject: Subject) -> Constant:
    _refuse_unequal(subject, "kappa")
    if subject.theorem.claim.summary == "limit":
        return where_it_settles(subject)
    if subject.theorem.algorithm in AT_EVERY_POINT:
        return everywhere(subject.run.problem, subject.run.x0)[1]
    found = subject.constants.get("sigma_g")
    return found if found is not None else dissimilarity_along(subject.trajectory, subject.prefix)


def _refuse_unequal(subject: Subject, name: str) -> None:
    if not subject.run.problem.equal_weights and not subject.theorem.assumes("weighted-objective"):
        raise BoundkitError(f"{name} is read with equal weights here, and the p_i of the run differ.")


def _sigma_g(subject: Subject) -> Constant:
    if subject.theorem.assumes("uniform-dissimilarity"):
        return of_every_client(subject)
    return dissimilarity_along(subject.trajectory, subject.prefix)


KNOWN = {"sigma_g": _sigma_g, "beta": _beta, "kappa": _kappa}
