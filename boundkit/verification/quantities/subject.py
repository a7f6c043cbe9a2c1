"""Who is asked for a quantity: a theorem, a run, and what was seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.relaxed_smoothness import read_anew


class NotYet(BoundkitError):
    """A quantity that is measured along a run which has not been made."""


def meant(theorem: Theorem, run: Run) -> tuple[Problem, str]:
    """The problem that the theorem's constants are about, and the prefix of what is observed of it.

    The run's own, unless the run is watched by another objective, such as a surrogate, that the claim is
    about, or from which the theorem comes back to the run's own by chi^2.
    """
    for prefix, problem in run.watch.items():
        if theorem.claim.observable.startswith(f"{prefix}_") or prefix == detour(theorem):
            return problem, f"{prefix}_"
    return run.problem, ""


def detour(theorem: Theorem) -> str | None:
    """The objective whose constants a theorem asks for, though it bounds the gradient of another."""
    inconsistent = "chi2" in {q.name for q in theorem.quantities}
    return "surrogate" if inconsistent and theorem.solvers else None


@dataclass(frozen=True)
class Subject:
    """A theorem on a run; ``seen`` is None before the run is made."""

    theorem: Theorem
    run: Run
    seen: Trajectory | None = None

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """What the problem that is meant says of itself, in the readings of the theorem."""
        found = meant(self.theorem, self.run)[0].constants(self.run.x0)
        if self.theorem.assumes("uniform-dissimilarity"):  # of the worst client, not in the mean square
            found.pop("sigma_g", None)
        return found | read_anew(self.theorem, self.run)

    @property
    def prefix(self) -> str:
        """The prefix of what is observed of that problem."""
        return meant(self.theorem, self.run)[1]

    def value(self, name: str) -> float:
        """A quantity that another one needs, by house keyword."""
        return self.constant(name).value

    def constant(self, name: str) -> Constant:
        """The same with its trust."""
        from boundkit.verification.constants import known_of

        return known_of(self, name)

    @property
    def trajectory(self) -> Trajectory:
        """What was seen. Raises NotYet before the run."""
        if self.seen is None:
            raise NotYet("this is measured along the run, which has not been made yet.")
        return self.seen
