"""Gradient dissimilarity (sigma_g, beta, kappa) at the points at which each theorem evaluates it.

Between groups of clients, and within them, it is an observable of a run.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import first_largest
from boundkit.simulation.arrays import AnyArray, Array, as_like
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.engines import trajectory
from boundkit.simulation.participation import Cyclic
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.problems.base import ObservedProblem, QuadraticForm
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.context import EvaluationContext
from boundkit.verification.surrogate import all_participate, closed_form_weights, reweighted

EVERYWHERE = {"fedawe"}
"""Algorithms whose clients start from local models of their own: their bounds need it at every point."""
_REPLICAS = 100
_SAME = 1e-10
_LARGE = 1e150
"""An observable above this is near overflow: its square is not finite."""
_ABOVE_LEAST = 1.5
"""beta^2 over the least value for which some kappa exists: kappa diverges as beta^2 approaches it."""


def sigma_g(context: EvaluationContext) -> Constant:
    """sigma_g: of the worst client at local models, or of the mean square along the run."""
    if context.theorem.assumes("uniform-dissimilarity"):
        return worst_client_dissimilarity(context)
    return dissimilarity_along(context.trajectory, context.prefix)


def beta(context: EvaluationContext) -> Constant:
    """beta of sum_i p_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2; 1 where kappa bounds the rest."""
    if context.theorem.assumes("local-dissimilarity"):
        return beta_along(context)
    _refuse_unequal_weights(context, "beta")
    if context.theorem.algorithm in EVERYWHERE:
        return dissimilarity_everywhere(context.run.problem, context.run.x0)[0]
    return Constant(
        1.0, "exact", "kappa bounds the whole dissimilarity, so that none of it scales with the gradient"
    )


def kappa(context: EvaluationContext) -> Constant:
    """kappa of the same inequality, beside ``beta``."""
    _refuse_unequal_weights(context, "kappa")
    if context.theorem.claim.summary == "limit":
        return dissimilarity_at_surrogate_optimum(context)
    if context.theorem.algorithm in EVERYWHERE:
        return dissimilarity_everywhere(context.run.problem, context.run.x0)[1]
    closed_form = context.constants.get("sigma_g")
    return dissimilarity_along(context.trajectory, context.prefix) if closed_form is None else closed_form


def _refuse_unequal_weights(context: EvaluationContext, name: str) -> None:
    if not context.run.problem.equal_weights and not context.theorem.assumes("weighted-objective"):
        raise BoundkitError(f"{name} is defined with equal weights here, and the p_i of the run differ.")


def dissimilarity_along(recorded: Trajectory, prefix: str = "") -> Constant:
    """The root of the largest E sum_i p_i ||grad F_i - grad F||^2 at x_0, ..., x_{T-1}.

    ``prefix``: of another objective of the same clients.
    """
    series = recorded.mean(f"{prefix}dissimilarity")[: max(len(recorded.x) - 1, 1)]
    worst = first_largest(series)
    value = float(max(series[worst], 0.0)) ** 0.5
    how = f"largest along the run, at round {worst}"
    return Constant(value, "estimated" if recorded.random else "local", how)


def rounds_with_dissimilarity(theorem: Theorem, run: Run, recorded: Trajectory) -> tuple[Run, Trajectory]:
    """The run; where its dissimilarity diverges, the rounds in which every observable is far from overflow.

    Along a diverging run the dissimilarity grows without limit where clients have different curvatures: no
    sigma_g or kappa holds for all rounds, but each shorter run has its own, and a theorem must hold for it.
    """
    needed = {"sigma_g", "kappa"} & {q.name for q in theorem.quantities}
    along = theorem.algorithm not in EVERYWHERE and theorem.claim.summary != "limit"
    if recorded.outcome != "diverged" or not (needed and along) or same_at_every_point(run.problem, run.x0):
        return run, recorded
    series = [abs(recorded.mean(name)) for name in recorded.observed]
    last = int((np.max(series, axis=0) < _LARGE).sum()) - 1
    last = max(last // run.period * run.period, 1)
    ended = replace(
        recorded,
        x=recorded.x[: last + 1],
        observed={name: values[:, : last + 1] for name, values in recorded.observed.items()},
        models={name: values[: last + 1] for name, values in recorded.models.items()},
        outcome="done",
        diverged_at=None,
    )
    return replace(run, rounds=last), ended


def dissimilarity_everywhere(
    problem: Problem, x0: Array, above: float = _ABOVE_LEAST
) -> tuple[Constant, Constant]:
    """beta and kappa with sum_i p_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2 at every point.

    beta = 1 where the dissimilarity is the same at every point. On quadratics with u = x - x*, M = sum_i p_i
    H_i^2, v = sum_i p_i H_i grad F_i(x*) and H the mean Hessian, beta^2 is ``above`` times the largest
    eigenvalue of H^-1 M H^-1, the least possible value, and kappa^2 = sum_i p_i ||grad F_i(x*)||^2 +
    v'(beta^2 H^2 - M)^-1 v, the least for this beta. Raises BoundkitError on other problems, and where the
    mean loss has no unique minimum.
    """
    constants = problem.constants(x0)
    if "sigma_g" in constants:
        one = Constant(1.0, "exact", "the dissimilarity is the same at every point")
        return one, constants["sigma_g"]
    if not isinstance(problem, Quadratic) or problem.optimum is None:
        raise BoundkitError(
            f"the dissimilarity on all of space is not known for this {problem.kind} problem."
        )
    H = problem.H if problem.H.ndim == 3 else np.stack([np.diag(h) for h in problem.H])
    g = np.einsum("ijk,ik->ij", H, problem.optimum - problem.e)
    mean, M = np.tensordot(problem.p, H, 1), np.einsum("i,ijk,ikl->jl", problem.p, H, H)
    v = np.einsum("i,ijk,ik->j", problem.p, H, g)
    inverse = np.linalg.inv(mean)
    square = above * float(np.linalg.eigvalsh(inverse @ M @ inverse)[-1])
    remainder = float(v @ np.linalg.solve(square * mean @ mean - M, v))
    value = (float(problem.p @ (g**2).sum(axis=1)) + remainder) ** 0.5
    how = "with {} on all of space, by eigenvalues"
    return Constant(square**0.5, "exact", how.format("kappa")), Constant(value, "exact", how.format("beta"))


def dissimilarity_at_surrogate_optimum(context: EvaluationContext) -> Constant:
    """kappa where the gradient of the surrogate is 0: the root of sum_i w_i ||grad F_i||^2 there."""
    w = closed_form_weights(context.run)
    if w is None:
        raise BoundkitError(f"{context.run.algorithm.name} has no surrogate here that it minimises.")
    problem = reweighted(context.run.problem, w)
    if problem.optimum is None:
        raise BoundkitError("the surrogate has no unique minimum.")
    square = float(w @ (problem.client_gradients(problem.optimum[None])[0] ** 2).sum(axis=1))
    return Constant(square**0.5, "exact", "where the gradient of the surrogate is 0")


def same_at_every_point(problem: Problem, x0: Array) -> bool:
    """Whether the clients' gradients differ by the same vectors at every point."""
    if not isinstance(problem, Quadratic):
        return problem.homogeneous
    return "sigma_g" in problem.constants(x0)


def worst_client_distance(problem: Problem, x: Array) -> float:
    """The largest ||grad F_i(x) - grad F(x)||."""
    each = problem.client_gradients(x[None])[0]
    return float(np.linalg.norm(each - problem.p @ each, axis=1).max())


def worst_client_dissimilarity(context: EvaluationContext) -> Constant:
    """The root of the largest E||grad F_i - grad F||^2, at the clients' local models at every local step.

    Exact where the gradients differ by the same vectors everywhere; else measured at the local steps, where
    the worst client of each step and replica counts. Raises TrajectoryNeeded before the run.
    """
    problem, x0 = context.run.problem, context.run.x0
    if same_at_every_point(problem, x0):
        worst = worst_client_distance(problem, x0)
        return Constant(worst, "exact", "the client furthest from the mean, the same at every point")
    recorded = context.trajectory
    series = recorded.mean("local_spread")
    at = first_largest(series)
    how = f"largest at local models, in round {at}"
    return Constant(float(series[at]) ** 0.5, "estimated" if recorded.random else "local", how)


def beta_along(context: EvaluationContext) -> Constant:
    """beta with kappa = 0: on all of space where clients share a minimiser, else along sampled runs."""
    problem = context.run.problem
    if isinstance(problem, Quadratic) and problem.optimum is not None:
        gradients = np.abs(problem.apply(problem.centre - problem.e)).max()
        if gradients <= _SAME * np.abs(problem.H).max() * max(1.0, float(np.abs(problem.e).max())):
            how = "largest eigenvalue, clients with one minimiser"
            return Constant(_beta_of_hessians(problem), "exact", how)
    if hasattr(problem, "homogeneous") and problem.homogeneous:
        return Constant(1.0, "exact", "all clients have one loss")
    recorded = context.trajectory
    if recorded.engine == "exact":
        recorded = trajectory(context.run, "step", _REPLICAS)
    between, mean = (
        recorded.observed[n][:, : context.run.rounds] for n in ("dissimilarity", "gradient_norm_squared")
    )
    nonzero = mean > 0
    ratio = float((between[nonzero] / mean[nonzero]).max(initial=0.0))
    trust: Trust = "estimated" if recorded.random else "local"
    return Constant((1 + ratio) ** 0.5, trust, "largest along the runs")


def _beta_of_hessians(problem: Quadratic) -> float:
    from scipy.linalg import eigh

    if problem.diagonal:
        return float((problem.p @ problem.H**2 / problem.mean_hessian**2).max() ** 0.5)
    squares = np.tensordot(problem.p, problem.H @ problem.H, 1)
    mean = problem.mean_hessian @ problem.mean_hessian
    return float(eigh(squares, mean, eigvals_only=True)[-1] ** 0.5)


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

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """From the gradients of all clients at x, (..., d)."""
        each = self.problem.client_gradients(x)
        mean = (as_like(self.p, each)[:, None] * each).sum(-2)
        series: dict[str, AnyArray] = {}
        for k, members in enumerate(self.groups):
            own = each[..., list(members), :]
            group = own.mean(-2)
            series[f"between_{k}"] = ((group - mean) ** 2).sum(-1)
            series[f"within_{k}"] = ((own - group[..., None, :]) ** 2).sum(-1).mean(-1)
        return series


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

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """Each from its quadratic form."""
        u = x - as_like(self.centre, x)
        return {name: form(u) for name, form in self.forms.items()}


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
