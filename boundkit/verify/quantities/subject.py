"""Who is asked for a quantity: a theorem, a run, and what was seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from boundkit.algebra import BoundkitError, Theorem
from boundkit.verify.constant import Constant
from boundkit.verify.run import Run
from boundkit.verify.trajectory import Trajectory


class NotYet(BoundkitError):
    """A quantity that is measured along a run which has not been made."""


@dataclass(frozen=True)
class Subject:
    """A theorem on a run; ``seen`` is None before the run is made."""

    theorem: Theorem
    run: Run
    seen: Trajectory | None = None

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """What the problem says of itself."""
        return self.run.problem.constants(self.run.x0)

    def value(self, name: str) -> float:
        """A quantity that another one needs, by house keyword."""
        from boundkit.verify.constants import known_of

        return known_of(self, name).value

    @property
    def trajectory(self) -> Trajectory:
        """What was seen. Raises NotYet before the run."""
        if self.seen is None:
            raise NotYet("this is measured along the run, which has not been made yet.")
        return self.seen
