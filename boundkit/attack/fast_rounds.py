"""Rounds of gradient descent on quadratics in closed form, with all local steps at once.

A local model after k steps is e_i + (1 - eta H_i)^k (x - e_i), which replaces k steps of the step engine
where the run is deterministic and all clients participate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.algebra import Theorem
from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.recorder import VIRTUAL_OBSERVABLES
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.engine_options import EngineOptions


@dataclass(frozen=True)
class FastEngineOptions(EngineOptions):
    """The usual engines, and closed forms for runs whose local steps are observed."""

    def trajectory(self, theorem: Theorem, run: Run, progress: Progress | None = None) -> Trajectory:
        """Simulate the run, with all local steps of a round at once where that is possible."""
        if self.engine == "auto" and has_closed_form(run):
            return run_by_powers(run)
        return super().trajectory(theorem, run, progress)


def has_closed_form(run: Run) -> bool:
    """Check whether local steps of the run are observed and have a closed form."""
    plain = run.algorithm.name in ("fedavg", "local_sgd") and not run.algorithm.changed_options()
    steady = (
        isinstance(run.problem, Quadratic) and not run.problem.stochastic and run.participation.kind == "full"
    )
    names = run.tau is not None and run.offset is None and not run.objectives and run.iterate_ratio is None
    return plain and steady and names and run.every == 1 and (run.observes_local_steps or run.local_spread)


def run_by_powers(run: Run) -> Trajectory:
    """Compute the trajectory with the observables of local steps."""
    problem, tau = run.problem, run.tau
    assert isinstance(problem, Quadratic)
    assert tau is not None
    spectrum, basis = problem.spectrum, problem.basis
    powers = (1 - run.eta * spectrum) ** np.arange(tau + 1)[:, None, None]
    x = np.empty((run.rounds + 1, problem.d))
    x[0] = run.x0
    inside: list[dict[str, float]] = []
    spreads: list[float] = []
    end = run.rounds
    with np.errstate(all="ignore"):
        for t in range(run.rounds):
            offset = x[t] - problem.e
            rotated = offset if basis is None else np.einsum("ikj,ik->ij", basis, offset)
            iterates = powers * rotated  # (tau + 1, m, d), in each client's own axes
            gradients = spectrum * iterates[:-1]
            if basis is not None:
                iterates = np.einsum("ijk,tik->tij", basis, iterates)
                gradients = np.einsum("ijk,tik->tij", basis, gradients)
            models = problem.e + iterates
            means = np.einsum("i,tij->tj", problem.p, models)
            if run.observes_local_steps:
                evidence = problem.observe(means[:-1])
                inside.append(
                    {name: float(evidence[name].mean()) for name in VIRTUAL_OBSERVABLES if name in evidence}
                )
            if run.local_spread:
                spreads.append(_spread(problem, models[:-1], gradients))
            x[t + 1] = x[t] + run.eta_s * (means[-1] - x[t])
            recorded = [*(inside[-1].values() if inside else ()), *spreads[-1:]]
            after = problem.observe(x[t + 1][None]).values()
            if not all(np.isfinite(v).all() for v in (x[t + 1], recorded, *after)):
                end = t
                break
        observed = {name: np.asarray(v)[None] for name, v in problem.observe(x[: end + 1]).items()}
    for name in inside[0] if inside else ():
        each = [*(one[name] for one in inside[:end]), float(observed[name][0, -1])]
        observed[f"virtual_{name}"] = np.array(each)[None]
    if spreads:
        observed["local_spread"] = np.array([*spreads[:end], spreads[max(end - 1, 0)]])[None]
    done = end == run.rounds
    return Trajectory(
        run.algorithm.name, "powers", x[: end + 1], observed, False, "done" if done else "diverged",
        None if done else end + 1,
    )  # fmt: skip


def _spread(problem: Quadratic, models: Array, gradients: Array) -> float:
    """Compute the largest ||grad F_i(y_i) - grad F(y_i)||^2 over clients and local steps."""
    H, offset = problem.mean_hessian, models - problem.centre
    mean = offset * H if problem.diagonal else offset @ H
    return float(((gradients - mean) ** 2).sum(axis=-1).max())
