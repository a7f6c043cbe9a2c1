"""Siblings, and planted mistakes, are held against the same runs: each is run once, and kept.

For tests of theorems and checks; those of engines run them again and again.
"""

from collections.abc import Callable, Iterator
from typing import Any

import cloudpickle  # type: ignore[import-untyped]  # comes with joblib, and carries no types
import pytest

from boundkit.analysis.progress import Progress
from boundkit.simulation import engines
from boundkit.simulation.engines.sampled_engine import SampledEngine
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification import verifier
from boundkit.verification.checks import single_error_source

_KEPT: dict[bytes, Any] = {}
"""By all that decides what is seen of a run, down to the functions that a problem is made of."""


def once(made: Callable[[], Any], *said: object) -> Any:
    """What is made of that which is said, made at most once."""
    key = cloudpickle.dumps(said)
    if key not in _KEPT:
        _KEPT[key] = made()
    return _KEPT[key]


class Exactly:
    """The exact engine of a run, which is not built where its answers are known."""

    def __init__(self, run: Run, must: bool) -> None:
        assert must
        self.run = run

    def trajectory(self, progress: Progress | None = None) -> Trajectory:
        found: Trajectory = once(lambda: self._engine().trajectory(), "exact", self.run, True)
        return found

    def stationary(self) -> dict[str, float]:
        found: dict[str, float] = once(lambda: self._engine().stationary(), "stationary", self.run)
        return dict(found)

    def _engine(self) -> Any:
        return engines.exact_engine(self.run, must=True)


@pytest.fixture(autouse=True, scope="module")
def each_run_once() -> Iterator[None]:
    """Autouse where it is imported."""
    sampled, exact = SampledEngine.trajectory, engines.exact_trajectory

    def once_sampled(self: SampledEngine, progress: Progress | None = None) -> Trajectory:
        settings = self.replicas, str(self.dtype), self.device, self.chunk
        found: Trajectory = once(lambda: sampled(self, progress), type(self), self.run, settings)
        return found

    def once_exact(run: Run, must: bool = False, progress: Progress | None = None) -> Trajectory | None:
        found: Trajectory | None = once(lambda: exact(run, must, progress), "exact", run, must)
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SampledEngine, "trajectory", once_sampled)
        for module in (engines, verifier):
            patched.setattr(module, "exact_trajectory", once_exact)
        patched.setattr(single_error_source, "exact_engine", Exactly)
        yield
