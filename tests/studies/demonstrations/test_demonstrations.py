"""What the demonstrations show, in numbers."""

import numpy as np
import pytest

from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.simulation.selection import Strategy, published_instance
from boundkit.studies.demonstrations.cyclic_groups import cyclic_groups, twelve_clients
from boundkit.studies.demonstrations.equal_hessians import equal_hessians
from boundkit.studies.demonstrations.power_of_choice import RANDOM, FastThenBiased, mean_gaps, power_of_choice
from tests.cases import each
from tests.simulation.selection.closed_forms import two_client_cycle


@pytest.fixture(scope="module")
def published() -> FastThenBiased:
    return power_of_choice()


def test_the_gaps_of_the_published_clients(published: FastThenBiased) -> None:
    """The loss gaps of a run of the authors' script after 500, 1500, 5000 and 15000 rounds."""
    recorded = {
        RANDOM: (2.0e5, 1.4e5, 4.5e4, 1.6e3),
        "6 candidates": (1.9e5, 1.2e5, 2.3e4, 5.9e2),
        "30 candidates": (1.7e5, 9.0e4, 1.2e4, 4.4e3),
    }
    for name, gaps in recorded.items():
        assert published.gaps[name] == pytest.approx(gaps, rel=0.05), name


def test_choice_is_fast_at_first_and_then_biased(published: FastThenBiased) -> None:
    assert published.leaders == ("30 candidates", "30 candidates", "30 candidates", "6 candidates")
    last = {name: gaps[-1] for name, gaps in published.gaps.items()}
    assert last["30 candidates"] > 2 * last[RANDOM]
    assert list(published.floors.values()) == sorted(published.floors.values())
    assert published.floors == pytest.approx({RANDOM: 0, "6 candidates": 17.872, "30 candidates": 2165.1},
                                             rel=1e-4, abs=1e-9)  # fmt: skip


def test_the_quick_rounds_are_those_of_the_algorithm() -> None:
    problem, start = published_instance()
    run = make_run(
        "fedavg", problem, rounds=40, eta=2e-3, local_steps=2, x0=start, options={"aggregation": "mean"},
        participation={"kind": "power_of_choice", "count": 3, "d": 30},
    )  # fmt: skip
    found = mean_gaps(problem, start, eta=2e-3, tau=2, count=3, candidates=30, rounds=(1, 10, 40))
    assert found == pytest.approx(trajectory(run, "step").mean("loss_gap")[[1, 10, 40]], rel=1e-10)


@each("candidates", [None, 3])
def test_the_quick_draws_have_the_shares_of_the_strategy(candidates: int | None) -> None:
    """From far away a round of one client goes to where that client pulls: the mean tells the shares."""
    problem = Quadratic([1.0] * 4, [[-3.0], [-1.0], [1.0], [3.0]], [0.4, 0.3, 0.2, 0.1])
    strategy = Strategy(1, replacement=True) if candidates is None else Strategy(1, candidates)
    order = np.argsort(-problem.losses(np.array([[9.0]])), axis=1)
    shares = strategy.shares(problem.p, order)[0]
    far, R = 9.0, 20_000
    gaps = mean_gaps(problem, np.array([far]), eta=1.0, tau=1, count=1, candidates=candidates, rounds=(1,),
                     replicas=R)  # fmt: skip
    each = problem.observe(problem.e)["loss_gap"]
    spread = float(shares @ each**2 - (shares @ each) ** 2) ** 0.5
    assert abs(gaps[0] - shares @ each) < 5 * spread / R**0.5 + 1e-12


def test_two_alike_clients_show_the_opposite() -> None:
    found = equal_hessians()
    assert (found.chosen[1:] < found.drawn[1:]).all()  # faster, and lower in the end
    assert found.chosen[-1] == pytest.approx(found.chosen_floor, rel=1e-9)
    assert found.drawn[-1] == pytest.approx(found.drawn_floor, rel=1e-9)
    assert [found.chosen_floor, found.drawn_floor] == pytest.approx([0.00138504, 0.0263158], rel=1e-5)
    cycle = two_client_cycle(Quadratic([1.0, 1.0], [[-1.0], [1.0]]), 0.1)
    assert cycle.high**2 / 2 == pytest.approx(found.chosen_floor, rel=1e-12)
    smaller = equal_hessians(eta=0.01, rounds=10)
    assert found.chosen_floor / smaller.chosen_floor == pytest.approx(100, rel=0.15)  # eta^2
    assert found.drawn_floor / smaller.drawn_floor == pytest.approx(10, rel=0.1)  # eta


def test_turns_against_draws() -> None:
    found = cyclic_groups((0.01, 0.1))
    assert found.spread[1] == pytest.approx(0.0192, abs=5e-5)
    assert found.bias_squared[1] == pytest.approx(0.0063, abs=5e-5)
    assert found.drawn[1] == pytest.approx(0.0509, abs=5e-5)
    assert (found.spread + found.bias_squared < found.drawn).all()
    slopes = [float(np.log10(v[1] / v[0])) for v in (found.spread, found.drawn, found.bias_squared)]
    assert slopes == pytest.approx([1, 1, 2], abs=0.1)


def test_turns_by_formula() -> None:
    """r f V_w/(2 - r), f = (n - N)/(N (n - 1)), and (m - N)/(N (m - 1)) (V_w + V_b) for draws from all."""
    r, e = 0.1, twelve_clients().e.reshape(3, 4)
    within, between = float(e.var(axis=1).mean()), float(e.mean(axis=1).var())
    found = cyclic_groups((r,))
    assert found.spread[0] == pytest.approx(r / (2 - r) * (2 / 6) * within, rel=1e-9)
    assert found.drawn[0] == pytest.approx(r / (2 - r) * (10 / 22) * (within + between), rel=1e-9)
    w = r * (1 - r) ** np.array([2, 1, 0]) / (1 - (1 - r) ** 3)
    assert found.bias_squared[0] == pytest.approx(float(w @ e.mean(axis=1) - e.mean()) ** 2, rel=1e-9)
