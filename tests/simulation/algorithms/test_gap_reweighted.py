"""The counterexample of FedAWE's discussion, exactly."""

import numpy as np

from boundkit.simulation.fixed_point import fixed_point
from tests.cases import each
from tests.simulation.algorithms.rounds import line, run, states

TURNS = [[0, 1], [0]]


@each("eta", [0.3, 0.1, 0.001])
@each("u", [(0.0, 1.0), (-2.0, 5.0), (0.0, 100.0)])
def test_the_two_client_cycle(u: tuple[float, float], eta: float) -> None:
    a, b = u
    ends = {
        "came": ((3 - eta) * a + 2 * (1 - eta) * b) / (5 - 3 * eta),
        "all": ((1 - eta / 2) * (a + 2 * b) + a) / (4 - 3 * eta / 2),
    }
    limits = {"came": (3 * a + 2 * b) / 5, "all": (a + b) / 2}
    for divisor, y in ends.items():
        some = run("gap_reweighted", line(*u), eta=eta, schedule=TURNS, options={"divisor": divisor})
        points = fixed_point(some).points.ravel()
        np.testing.assert_allclose(points[0], y, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(points[1], (1 - 3 * eta / 2) * y + eta / 2 * (a + 2 * b), rtol=1e-11)
        assert abs(points[0] - limits[divisor]) < 2 * eta * abs(a - b)


def test_in_an_empty_round_the_clock_counts_on() -> None:
    two = run("gap_reweighted", line(4.0, -4.0), eta=0.5, rounds=3, schedule=[[0], [], [0, 1]])
    *_, last, end = states(two)
    assert last["gap"].tolist() == [[2.0, 3.0]]
    assert last["x"].item() == 2.0
    assert end["x"].item() == 2.0 - (2 * -1.0 + 3 * 3.0) / 2
