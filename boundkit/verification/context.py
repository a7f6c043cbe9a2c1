"""The context in which constants and claims are evaluated: a theorem, a run, and the run's trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.relaxed_smoothness import relaxed_smoothness_constants

if TYPE_CHECKING:
    from boundkit.verification.family import Families


class TrajectoryNeeded(BoundkitError):
    """A constant is measured along the trajectory, and the run has not been simulated yet."""


def auxiliary_objective(theorem: Theorem) -> str | None:
    """The prefix of an objective whose constants a theorem uses, though its claim is about another."""
    inconsistent = "chi2" in {q.name for q in theorem.quantities}
    return "surrogate" if inconsistent and theorem.solvers else None


def objective_of_constants(theorem: Theorem, run: Run) -> tuple[Problem, str]:
    """The problem of the theorem's constants, and the prefix of its observables.

    This is the run's problem, unless the run records another objective (such as a surrogate) that the claim
    is about, or from which the theorem returns to the run's own by chi^2.
    """
    for prefix, problem in run.objectives.items():
        if theorem.claim.observable.startswith(f"{prefix}_") or prefix == auxiliary_objective(theorem):
            return problem, f"{prefix}_"
    return run.problem, ""


def run_settings(run: Run) -> dict[str, float]:
    """The quantities that a run's configuration fixes, by keyword."""
    fraction = _participating_fraction(run)
    return {
        "m": run.problem.m,
        "T": run.rounds,
        "eta": run.eta,
        "eta_s": run.eta_s,
        **({} if run.tau is None else {"tau": run.tau}),
        **({} if fraction is None else {"C": fraction}),
    }


def _participating_fraction(run: Run) -> float | None:
    """C, where every round samples the same number of clients."""
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    size = sizes.pop() if len(sizes) == 1 else None
    return None if size is None else size / run.problem.m


@dataclass(frozen=True)
class EvaluationContext:
    """A theorem on a run, with the families that evaluate its constants and claims.

    ``recorded`` is the trajectory, or None before the run is simulated.
    """

    theorem: Theorem
    run: Run
    recorded: Trajectory | None
    families: Families

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """The constants that the problem has in closed form, in the theorem's definitions of them."""
        constants = objective_of_constants(self.theorem, self.run)[0].constants(self.run.x0)
        if self.theorem.assumes("uniform-dissimilarity"):  # of the worst client, not in the mean square
            constants.pop("sigma_g", None)
        return constants | relaxed_smoothness_constants(self.theorem, self.run)

    @property
    def prefix(self) -> str:
        """The prefix of the observables of the problem of the constants."""
        return objective_of_constants(self.theorem, self.run)[1]

    def constant(self, name: str) -> Constant:
        """One quantity: from the run's configuration, the problem's closed forms, or a family's measurement.

        Raises BoundkitError where there is none, TrajectoryNeeded where the run must be simulated first.
        """
        settings = run_settings(self.run)
        if name in settings:
            return Constant(settings[name], "exact", "the run's own")
        if name in self.constants:
            return self.constants[name]
        if name in self.families.constants:
            return self.families.constants[name](self)
        raise BoundkitError(f"{name} is not available for a run.")

    def value(self, name: str) -> float:
        """The value of ``constant``."""
        return self.constant(name).value

    def constants_before_run(self) -> dict[str, Constant]:
        """Every constant of the theorem that is available before the run is simulated.

        Raises BoundkitError where the problem does not have one; on networks it may be estimated later.
        """
        constants = dict(self.constants)
        for name in self.names_to_measure(constants):
            try:
                constants[name] = self.families.constants[name](self)
            except TrajectoryNeeded:
                continue
            except BoundkitError:
                if not self.run.problem.large:
                    raise
        return constants

    def names_to_measure(self, available: Mapping[str, Constant]) -> list[str]:
        """The theorem's constants that a family measures, and that are neither settings nor available."""
        missing = (q.name for q in self.theorem.quantities if q.name not in available)
        settings = run_settings(self.run)
        return [name for name in missing if name in self.families.constants and name not in settings]

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory. Raises TrajectoryNeeded before the run is simulated."""
        if self.recorded is None:
            raise TrajectoryNeeded("this is measured along the run, which has not been simulated yet.")
        return self.recorded

    def series(self) -> Array:
        """The observable of the theorem's claim at every round, (R, T + 1)."""
        observable = self.theorem.claim.observable
        if observable in self.families.observables:
            return self.families.observables[observable](self)
        return recorded_series(self, observable, "problem")


def recorded_series(context: EvaluationContext, observable: str, owner: str = "run") -> Array:
    """An observable as it was recorded, (R, T + 1); raises BoundkitError where it was not."""
    if observable not in context.trajectory.observed:
        raise BoundkitError(f"this {owner} has no {observable.replace('_', ' ')} to measure.")
    return context.trajectory.observed[observable]
