"""A participation and its strategy select clients with the same frequencies."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import SelectionContext, participation
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.selection.strategy import strategy_of
from tests.cases import each
from tests.simulation.participation.kinds import SPECS, M, P, came, made

LOSSES = np.array([0.1, 0.5, 0.3, 0.9, 0.6, 7.0])
REPLICAS = 3000
DESCRIBED = ["full", "uniform", "with replacement", "with replacement, other chances", "pow-d"]


@each("name", DESCRIBED)
def test_shares_are_selection_frequencies(name: str) -> None:
    told = np.tile(LOSSES, (REPLICAS, 1))
    here = made(name).draw(0, Streams(3, REPLICAS), SelectionContext(lambda: told, lambda batch: told, told))
    often = came(here, REPLICAS)
    count = often.sum(1)[0]
    found = strategy_of(made(name)).shares(P, np.argsort(-LOSSES)[None])[0]
    error = often.std(0) / count / REPLICAS**0.5
    assert (np.abs(often.mean(0) / count - found) <= 5 * error + 1e-12).all()
    assert strategy_of(made(name)).count == count


@each("name", [n for n in SPECS if n not in DESCRIBED and n != "uniform all"])
def test_participation_without_a_strategy_is_refused(name: str) -> None:
    with pytest.raises(BoundkitError, match="skew"):
        strategy_of(made(name))


def test_one_candidate_number_written_as_a_list() -> None:
    spec = {"kind": "power_of_choice", "count": 1, "d": [3, 3], "every": 2}
    assert strategy_of(participation(spec, M, P)).candidates == 3
