"""Dissimilarity between groups of clients, and within them, as observables of a run."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.observables import ObservedProblem
from boundkit.simulation.participation import Cyclic
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.problems.base import QuadraticForm
from boundkit.simulation.run import Run
from boundkit.verification.inclusion_probabilities import all_participate

Groups = tuple[tuple[int, ...], ...]
PREFIX = "groups"


def groups_of(run: Run) -> Groups:
    """The groups that take turns; one group of all clients under full participation or uniform sampling.

    Raises BoundkitError for other participation, for groups of unequal size, and for one that shuffles.
    """
    participation = run.participation
    if isinstance(participation, Cyclic):
        if participation.shuffle and participation.random:
            raise BoundkitError("it needs independent sampling in a group, and the run shuffles its groups.")
        if len({len(g) for g in participation.groups}) > 1:
            raise BoundkitError("its groups have one size, and those of the run do not.")
        return participation.groups
    if participation.kind == "uniform" or all_participate(run):
        return (tuple(range(run.problem.m)),)
    kind = participation.kind
    pattern = "a schedule" if kind == "schedule" else f"{kind} participation"
    raise BoundkitError(f"it needs cyclic participation of groups, and the run has {pattern}.")


class GroupDissimilarity(ObservedProblem):
    """Dissimilarity of the groups of a problem, at every iterate.

    ``between_g``: ||grad F_g - grad F||^2; ``within_g``: its mean of ||grad F_i - grad F_g||^2.
    """

    kind = "groups"

    def __init__(self, problem: Problem, groups: Groups) -> None:
        super().__init__(problem)
        self.groups = groups

    def observe(self, x: Any) -> dict[str, Any]:
        """From the gradients of all clients at x, (R, d) as an array or a tensor."""
        each = self.each_gradient(x)
        mean = (each.new_tensor(self.p)[:, None] * each).sum(dim=1)
        series: dict[str, Any] = {}
        for k, members in enumerate(self.groups):
            own = each[:, list(members)]
            group = own.mean(dim=1)
            series[f"between_{k}"] = (group - mean).square().sum(dim=-1)
            series[f"within_{k}"] = (own - group[:, None]).square().sum(dim=-1).mean(dim=1)
        return {n: v.numpy() if isinstance(x, np.ndarray) else v for n, v in series.items()}


class QuadraticGroupDissimilarity(Quadratic):
    """The same on quadratics, as quadratic forms, whose expectations are exact."""

    groups: Groups

    @classmethod
    def of(cls, problem: Quadratic, groups: Groups) -> QuadraticGroupDissimilarity:
        """The observables of the groups of that problem."""
        result = cls.__new__(cls)
        result.__dict__.update(copy.copy(problem).__dict__)
        result.__dict__.pop("forms", None)
        result.groups = groups
        return result

    @property
    def forms(self) -> dict[str, QuadraticForm]:
        """between_g and within_g in u = x - centre."""
        pull = self.apply(self.centre - self.e)
        series = {}
        for k, members in enumerate(self.groups):
            H, g = self.H[list(members)], pull[list(members)]
            mean, pulled = H.mean(axis=0), g.mean(axis=0)
            series[f"between_{k}"] = _square(mean - self.mean_hessian, pulled)
            each = [_square(h - mean, v - pulled) for h, v in zip(H, g, strict=True)]
            series[f"within_{k}"] = QuadraticForm(
                np.mean([f.Q for f in each], axis=0),
                np.mean([f.q for f in each], axis=0),
                float(np.mean([f.c for f in each])),
            )
        return series

    def observe(self, x: Any) -> dict[str, Any]:
        """Each from its quadratic form."""
        centre = self.centre if isinstance(x, np.ndarray) else x.new_tensor(self.centre)
        return {name: form(x - centre) for name, form in self.forms.items()}


def _square(A: Array, b: Array) -> QuadraticForm:
    """||A u + b||^2 for a symmetric A, (d,) where diagonal."""
    if A.ndim == 1:
        return QuadraticForm(A * A, A * b, float(b @ b))
    return QuadraticForm(A @ A, A @ b, float(b @ b))


def group_objectives(run: Run) -> dict[str, Problem]:
    """The objective that records the dissimilarity of the run's groups, by prefix; empty without groups."""
    try:
        groups = groups_of(run)
    except BoundkitError:
        return {}
    problem = run.problem
    if isinstance(problem, Quadratic):
        return {PREFIX: QuadraticGroupDissimilarity.of(problem, groups)}
    return {PREFIX: GroupDissimilarity(problem, groups)}
