"""The engine, the number of replicas, the precision, the device and the arrays of a verification."""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.algebra import Theorem
from boundkit.analysis.progress import Progress
from boundkit.simulation.engines import trajectory
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
    arrays: str = "auto"

    def trajectory(self, theorem: Theorem, run: Run, progress: Progress | None = None) -> Trajectory:
        """The trajectory; sampled where the exact moments do not give the claim, and no engine was given.

        Raises BoundkitError for an unknown engine, or one that cannot run this.
        """
        stepped = self.engine == "auto" and needs_step_engine(theorem, run)
        engine = "step" if stepped else self.engine
        return trajectory(run, engine, self.replicas, self.dtype, self.device, progress, arrays=self.arrays)


DEFAULT_OPTIONS = EngineOptions()
