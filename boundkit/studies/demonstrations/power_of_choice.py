"""Selection by largest losses on the published clients: faster initial decrease, higher error floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boundkit.simulation.selection import Strategy, published_instance, selection_limit
from boundkit.studies.demonstrations.selection_trajectories import mean_gaps

RANDOM = "drawn by p"


@dataclass(frozen=True)
class FastThenBiased:
    """``gaps``: F(x_T) - F* at each T of ``rounds``, by selection; ``floors``: its limit as eta -> 0."""

    rounds: tuple[int, ...]
    gaps: dict[str, tuple[float, ...]]
    floors: dict[str, float]

    @property
    def leaders(self) -> tuple[str, ...]:
        """The selection with the smallest loss at each of the rounds."""
        return tuple(min(self.gaps, key=lambda name: self.gaps[name][i]) for i in range(len(self.rounds)))


def power_of_choice(
    rounds: Sequence[int] = (500, 1500, 5000, 15000), candidates: Sequence[int] = (6, 30), replicas: int = 8
) -> FastThenBiased:
    """3 of the 30 published clients a round, eta = 2e-5, tau = 2: drawn by p, and by losses among
    d candidates.

    The more candidates, the faster the initial decrease and the higher the error floor: about 18 for 6 and
    2165 for 30. The order of the three is reversed between 5000 and 15000 rounds.
    """
    problem, start = published_instance()
    selections: dict[str, int | None] = {RANDOM: None} | {f"{d} candidates": d for d in candidates}
    gaps, floors = {}, {}
    for name, d in selections.items():
        means = mean_gaps(
            problem, start, eta=2e-5, tau=2, count=3, candidates=d, rounds=rounds, replicas=replicas
        )
        gaps[name] = tuple(means.tolist())
        strategy = Strategy(3, replacement=True) if d is None else Strategy(3, d)
        floors[name] = selection_limit(problem, strategy).loss_gap
    return FastThenBiased(tuple(rounds), gaps, floors)
