"""By which engine a theorem is held against a run, on how many replicas, in which precision and where."""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.algebra import Theorem
from boundkit.simulation.engines import Progress, trajectory
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.claims import needs_step_engine


@dataclass(frozen=True)
class EngineOptions:
    """The settings of ``engines.trajectory``; ``replicas`` count only where a run is sampled."""

    engine: str = "auto"
    replicas: int = 100
    dtype: str = "float64"
    device: str = "cpu"

    def trajectory(self, theorem: Theorem, run: Run, progress: Progress | None = None) -> Trajectory:
        """The run; by sampling where the claim is no moment, or is seen inside rounds, and none was asked.

        Raises BoundkitError for an unknown engine, or one that cannot run this.
        """
        stepped = self.engine == "auto" and needs_step_engine(theorem, run)
        engine = "step" if stepped else self.engine
        return trajectory(run, engine, self.replicas, self.dtype, self.device, progress)


DEFAULT_OPTIONS = EngineOptions()
