"""Echo weights at 1 % to 0.01 % participation, with and without a cap: by formula and by sampling.

The update of a client with participation probability p is weighted by the number of rounds since its last
participation, at most the cap K. Its mean weight over all rounds is 1 without a cap, and 1 - (1 - p)^K with
one; single weights are as long as the longest absence. Together with a client that always participates,
whose loss is (x - 0)^2/2, a rare one with the loss (x - 1)^2/2 then moves the minimum to less than 1/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boundkit.simulation.participation.echo_weights import CAPS, RARE, Echo, capped_weights


@dataclass(frozen=True)
class EchoWeightsRow:
    """``weight``, ``second``: p E min(S, K) and p E min(S, K)^2 by formula; ``seen_weight``,
    ``seen_second``: as drawn; ``largest``: the largest single weight drawn; ``minimum``: where the two
    clients' weighed objective has its minimum, 1/2 where it should be."""

    chance: float
    cap: int | None
    weight: float
    second: float
    seen_weight: float
    seen_second: float
    largest: int
    minimum: float


def echo_weights(
    chances: Sequence[float] = RARE,
    caps: Sequence[int | None] = CAPS,
    arrivals: int = 100_000,
    seed: int = 0,
) -> list[EchoWeightsRow]:
    """One row for each probability and cap; all caps are applied to the same absences."""
    rows = []
    for index, p in enumerate(chances):
        absences = np.random.default_rng([seed, index]).geometric(p, size=arrivals)
        rounds = float(absences.sum())
        for cap in caps:
            weights = absences if cap is None else np.minimum(absences, cap)
            exact = Echo(p, cap)
            rows.append(
                EchoWeightsRow(
                    chance=p,
                    cap=cap,
                    weight=exact.weight,
                    second=exact.second,
                    seen_weight=float(weights.sum()) / rounds,
                    seen_second=float((weights.astype(np.float64) ** 2).sum()) / rounds,
                    largest=int(weights.max()),
                    minimum=float(capped_weights([1.0, p], cap)[1]),
                )
            )
    return rows
