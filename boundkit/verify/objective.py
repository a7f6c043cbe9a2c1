"""Which objective does this sampling and aggregation minimise?

Three answers. The exact limit of E x_t at this step size. The surrogate of small steps,
sum_i v_i F_i with v_i proportional to E[w_i] ||a_i||_1, where a_i holds the weights of a client's
gradients (all 1 for plain SGD, so ||a_i||_1 = tau_i) and w_i the server's weight, 0 for who stays
away; summed over a period where steps or schedule change. And the optimum that was meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.engines.weighing import TooManySubsets, Weighing
from boundkit.verify.fixed_point import FixedPoint, fixed_point
from boundkit.verify.participation import UniformSubsets
from boundkit.verify.problems import Problem, Quadratic
from boundkit.verify.run import Run
from boundkit.verify.simulate import as_run

Array = NDArray[np.float64]
_BATCHES, _DRAWS = 20, 20_000


@dataclass(frozen=True, repr=False)
class Objective:
    """The limit of a run, the surrogate of small steps, and the true optimum.

    ``interval``: where the expectation over participation was sampled, a 99 % interval for the distance
    to the optimum; None where it is exact.
    """

    algorithm: str
    limit: FixedPoint
    surrogate_weights: Array
    surrogate_optimum: Array
    optimum: Array
    interval: tuple[float, float] | None = None

    @property
    def distance_to_optimum(self) -> float:
        """||limit - x*||; over a cycle, of its mean point."""
        return _distance(self.limit, self.optimum)

    @property
    def surrogate_distance(self) -> float:
        """||surrogate optimum - x*||."""
        return float(np.linalg.norm(self.surrogate_optimum - self.optimum))

    def to_dict(self) -> dict[str, Any]:
        """design.md's ``objective --json``."""
        points = self.limit.points.tolist()
        return {
            "algorithm": self.algorithm,
            **({"fixed_point": points[0]} if self.limit.is_point else {"cycle": points}),
            "surrogate_weights": self.surrogate_weights.tolist(),
            "surrogate_optimum": self.surrogate_optimum.tolist(),
            "optimum": self.optimum.tolist(),
            "distance_to_optimum": self.distance_to_optimum,
            "surrogate_distance_to_optimum": self.surrogate_distance,
            "exact": self.interval is None,
            **({} if self.interval is None else {"interval": list(self.interval)}),
            "stable": self.limit.stable,
            "spectral_radius": self.limit.spectral_radius,
        }

    def to_text(self) -> str:
        """For a terminal."""
        limit = self.limit
        settles = "" if limit.stable else "   (not reached: the run diverges at this step size)"
        where = [f"  fixed point          {_vector(limit.points[0])}{settles}"]
        if not limit.is_point:
            where = [f"  cycle, after round {t:<2} {_vector(x)}{settles}" for t, x in enumerate(limit.points)]
        spread = (
            "exact"
            if self.interval is None
            else f"99 % interval [{self.interval[0]:.6g}, {self.interval[1]:.6g}]"
        )
        return "\n".join([
            f"{self.algorithm} minimises, as its step size goes to 0, sum v_i F_i with",
            f"  surrogate weights    {_vector(self.surrogate_weights)}",
            f"  surrogate optimum    {_vector(self.surrogate_optimum)}   "
            f"{self.surrogate_distance:.6g} from the optimum",
            "At this step size its mean settles at",
            *where,
            "The optimum that was meant is",
            f"  optimum              {_vector(self.optimum)}",
            f"  distance             {self.distance_to_optimum:.6g}   ({spread})",
        ])  # fmt: skip

    def __repr__(self) -> str:
        return self.to_text()


def objective(algorithm: str | Run, problem: Problem | None = None, **settings: Any) -> Objective:
    """What an algorithm's aggregation minimises on a problem; the settings are those of ``simulate``.

    Raises BoundkitError where the problem is not quadratic, an optimum is not unique, or no limit exists.

    >>> import boundkit as bk
    >>> notes = bk.Quadratic(hessians=[2.0, 4.0], centers=[[1.0], [5.0]])  # (x-1)^2 and 2(x-5)^2
    >>> answer = objective("fedavg", notes, eta=0.1, local_steps=1)
    >>> round(float(answer.limit.points[0, 0]), 12)
    3.666666666667
    """
    run = as_run(algorithm, problem, **({"rounds": 1} | settings if isinstance(algorithm, str) else settings))
    problem = run.problem
    if not isinstance(problem, Quadratic):
        raise BoundkitError(f"the exact limit needs a quadratic problem, not {problem.kind}.")
    if problem.optimum is None:
        raise BoundkitError("the mean loss has no unique minimum: sum p_i H_i is not positive definite.")
    try:
        weights = _exact_weights(run)
        limit, interval = fixed_point(run, weights), None
    except TooManySubsets:
        weights, limit, interval = _sampled(run, problem.optimum)
    surrogate = surrogate_weights(run, weights)
    return Objective(
        run.algorithm.name, limit, surrogate, _minimiser(problem, surrogate), problem.optimum, interval
    )


def surrogate_weights(run: Run, weights: list[Array] | None = None) -> Array:
    """v_i proportional to sum over a period of E[w_i(t)] ||a_i(t)||_1, summing to 1."""
    weights = _exact_weights(run) if weights is None else weights
    total = sum(
        (w * _gradient_mass(run, run.steps(t)) for t, w in enumerate(weights)), np.zeros(run.problem.m)
    )
    if not total.sum() > 0:
        raise BoundkitError("nobody ever comes, so nothing is minimised.")
    return np.asarray(total / total.sum())


def _exact_weights(run: Run) -> list[Array]:
    weighing = Weighing(run)
    return [weighing.moments(t).first for t in range(run.period)]


def _sampled(run: Run, optimum: Array) -> tuple[list[Array], FixedPoint, tuple[float, float]]:
    """Weights, limit and an interval for its distance, from batches of sampled subsets."""
    from scipy.special import stdtrit

    weighing, rng, law = Weighing(run), np.random.default_rng(run.seed), run.participation.law(0)
    if not isinstance(law, UniformSubsets):
        raise BoundkitError("only uniform participation can be sampled here.")
    batches = [weighing.sampled_first(law, _DRAWS, rng) for _ in range(_BATCHES)]
    distances = [_distance(fixed_point(run, [w] * run.period), optimum) for w in batches]
    mean = np.mean(batches, axis=0)
    margin = float(stdtrit(_BATCHES - 1, 0.995) * np.std(distances, ddof=1) / _BATCHES**0.5)
    limit = fixed_point(run, [mean] * run.period)
    centre = _distance(limit, optimum)
    return [mean] * run.period, limit, (max(centre - margin, 0.0), centre + margin)


def _vector(v: Array) -> str:
    shown = ", ".join(f"{x:.6g}" for x in v[:8])
    return f"({shown}{', ...' if len(v) > 8 else ''})"


def _distance(limit: FixedPoint, optimum: Array) -> float:
    return float(np.linalg.norm(limit.points.mean(axis=0) - optimum))


def _gradient_mass(run: Run, steps: NDArray[np.intp]) -> Array:
    """||a_i||_1: how far unit gradients carry a client, over eta; asked of the algorithm's own step."""
    import torch

    everyone = np.arange(run.problem.m)
    state = run.algorithm.start(torch.zeros(1, 1, dtype=torch.float64))
    local = run.algorithm.enter(state, everyone)
    ones, mass = torch.ones(1, run.problem.m, 1, dtype=torch.float64), np.zeros(run.problem.m)
    for k in range(1, int(steps.max()) + 1):
        local = run.algorithm.local_step(local, ones, run.eta)
        if (steps == k).any():
            left = run.algorithm.leave(state, local)[0, :, 0].numpy() / run.eta
            mass = np.where(steps == k, left, mass)
    return mass


def _minimiser(problem: Quadratic, weights: Array) -> Array:
    H = np.tensordot(weights, problem.H, 1)
    linear = weights @ problem.apply(problem.e)
    lowest = H.min() if problem.diagonal else np.linalg.eigvalsh(H)[0]
    if lowest <= 0:
        raise BoundkitError("the surrogate objective has no unique minimum.")
    return np.asarray(linear / H if problem.diagonal else np.linalg.solve(H, linear))
