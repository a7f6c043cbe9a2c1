"""Siblings, and planted mistakes, are held against the same runs: each is run once, and kept."""

from collections.abc import Iterator

import cloudpickle  # type: ignore[import-untyped]  # comes with joblib, and carries no types
import pytest

from boundkit.verify import engines, verifying
from boundkit.verify.engines import Progress
from boundkit.verify.engines.sampled import Sampled
from boundkit.verify.run import Run
from boundkit.verify.trajectory import Trajectory

_SAMPLED: dict[bytes, Trajectory] = {}
_EXACT: dict[bytes, Trajectory | None] = {}
"""By all that decides a trajectory, down to the functions that a problem is made of."""


@pytest.fixture(autouse=True, scope="module")
def each_run_once() -> Iterator[None]:
    sampled, exact = Sampled.trajectory, engines.exact_trajectory

    def once_sampled(self: Sampled, progress: Progress | None = None) -> Trajectory:
        settings = self.replicas, str(self.dtype), self.device, self.chunk
        key = cloudpickle.dumps((type(self), self.run, settings))
        if key not in _SAMPLED:
            _SAMPLED[key] = sampled(self, progress)
        return _SAMPLED[key]

    def once_exact(run: Run, must: bool = False) -> Trajectory | None:
        key = cloudpickle.dumps((run, must))
        if key not in _EXACT:
            _EXACT[key] = exact(run, must)
        return _EXACT[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sampled, "trajectory", once_sampled)
        for module in (engines, verifying):
            patched.setattr(module, "exact_trajectory", once_exact)
        yield
