"""Replicas with different participants, and not equally many: each must run as it would alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.participation import Distribution, NoClosedForm, Participants, Participation
from boundkit.simulation.participation.base import SelectionContext
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import make_run
from boundkit.simulation.trajectory import Trajectory

COUNTS = np.array(
    [
        [[1, 1, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [1, 1, 0, 1], [0, 1, 0, 1]],
        [[0, 2, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        [[0, 0, 0, 1], [1, 1, 1, 1], [2, 0, 0, 0]],
        [[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]],
    ]
)
"""Participation counts of four clients: rounds, replicas, clients."""
STEPS = [[2, 5, 1, 3], [1, 1, 4, 2]]
EQUAL_STEPS = {
    "adacomm": 3,
    "async_sgd": 1,
    "ef21": 1,
    "feddyn": 1,
    "minibatch_sgd": 1,
    "scaffnew": 1,
    "dane": 1,
}
"""The local steps of algorithms that do not take different ones."""


class Uneven(Participation):
    """Participation counts from a table, which no RUN.json describes: it is neither read nor written."""

    kind = "uneven"
    ragged = True
    m = 4

    def __init__(self, counts: NDArray[np.intp]) -> None:
        self.counts = counts

    @classmethod
    def of(cls, clients: int, p: Any, **fields: Any) -> Self:
        raise NotImplementedError

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        return Participants.from_counts(self.counts[t % len(self.counts)])

    def distribution(self, t: int) -> Distribution:
        raise NoClosedForm("a table has no distribution")

    def to_json(self) -> dict[str, Any]:
        raise NotImplementedError


def problem(noise: float = 0.0) -> Quadratic:
    rng = np.random.default_rng(5)
    hessians: list[Any] = [1.0, [0.5, 1.5], [[1.0, 0.25], [0.25, 0.75]], 0.75]
    return Quadratic(hessians, rng.normal(size=(4, 2)), [0.4, 0.1, 0.2, 0.3], noise=noise)


def both_ways(algorithm: str, **options: Any) -> tuple[Trajectory, list[Trajectory]]:
    """All replicas in one chunk, and each alone."""
    setting: dict[str, Any] = {
        "rounds": 1 + len(COUNTS),
        "eta": 0.1,
        "eta_s": 0.7,
        "x0": [3.0, -1.0],
        "local_steps": 1 if options.get("exact") else EQUAL_STEPS.get(algorithm, STEPS),
        "options": options,
    }
    together = make_run(algorithm, problem(), participation=Uneven(COUNTS), **setting)
    replicas = COUNTS.shape[1]
    alone = [replace(together, participation=Uneven(COUNTS[:, r : r + 1])) for r in range(replicas)]
    return StepEngine(together, replicas).trajectory(), [StepEngine(run, 1).trajectory() for run in alone]


def assert_each_runs_as_alone(algorithm: str, **options: Any) -> None:
    """Everything that is observed, round by round."""
    together, alone = both_ways(algorithm, **options)
    assert together.outcome == "done"
    np.testing.assert_allclose(together.x, np.mean([one.x for one in alone], axis=0), atol=1e-12)
    for name, series in together.observed.items():
        assert len(series) == len(alone)
        for of_one, of_it in zip(alone, series, strict=True):
            np.testing.assert_allclose(of_it, of_one.observed[name][0], rtol=1e-10, atol=1e-12, err_msg=name)
