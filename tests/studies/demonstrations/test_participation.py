"""What the demonstrations of who comes show, in numbers: memories, turns, candidates, availability."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.analysis.expansion import active_shares
from boundkit.simulation.participation.availability import DYNAMICS
from boundkit.studies.demonstrations.client_availability import ALGORITHMS, ClientAvailability, clients
from boundkit.studies.demonstrations.cyclic_groups import cyclic_groups
from boundkit.studies.demonstrations.error_floors import EVERYBODY, error_floors
from boundkit.studies.demonstrations.number_of_candidates import NumberOfCandidates
from boundkit.studies.demonstrations.power_of_choice import RANDOM
from boundkit.studies.demonstrations.stationary_variance import stationary_variance
from boundkit.theorems import theorem
from tests.studies.demonstrations import quickly


def test_the_floor_falls_with_the_share_that_comes_and_a_memory_has_none() -> None:
    seen = error_floors((0.1,), m=4, rounds=40)
    assert seen.coming.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(seen.floors_with["fedavg"][:-1], seen.formula_with[:-1], rtol=1e-12)
    assert seen.floors_with["fedavg"][-1] < 1e-25
    assert seen.formula_with[-1] == 0
    assert (np.diff(seen.formula_with) < 0).all()
    for name in ("fedvarp", "scaffold"):
        assert (seen.floors_with[name] < 1e-25).all()
    assert seen.floors_with["fedavg"][seen.coming_usually - 1] == seen.floors["fedavg"][-1]
    keep = (1 - 0.1) ** 5
    path = seen.paths[EVERYBODY][:20]
    np.testing.assert_allclose(path, path[0] * keep ** (2 * np.arange(20)), rtol=1e-9)


def test_the_stationary_variance_of_fedavg_is_sampling_plus_noise() -> None:
    result = stationary_variance((1, 3, 6))
    np.testing.assert_allclose(result.variance["fedavg"], result.sampling + result.noise, rtol=1e-9)


def test_turns_win_with_small_steps_and_lose_with_large_ones() -> None:
    found = cyclic_groups((0.1, 0.3, 0.5, 1.0), rounds=150)
    in_turns = found.spread + found.bias_squared
    assert (in_turns < found.drawn).tolist() == [True, True, False, False]
    assert found.path_drawn[-1] == pytest.approx(found.drawn[0], rel=1e-6)
    assert found.path_in_turns[-1] == pytest.approx(in_turns[0], rel=1e-5)  # 150 rounds end a cycle
    assert found.path_in_turns[0] == found.path_drawn[0] == pytest.approx(4, rel=1e-6)


@pytest.fixture(scope="module")
def chosen() -> NumberOfCandidates:
    result, _ = quickly.run("number_of_candidates")
    assert isinstance(result, NumberOfCandidates)
    return result


def test_more_candidates_are_faster_at_first_and_end_higher(chosen: NumberOfCandidates) -> None:
    ways = list(chosen.gaps)
    assert ways == [RANDOM, *(f"d = {d}" for d in range(3, 8))]
    early = [chosen.gaps[name][chosen.rounds.index(250)] for name in ways]
    assert early == sorted(early, reverse=True)
    assert early[-1] < 0.4 * early[0]
    last = [chosen.gaps[name][-1] for name in ways]
    assert last == sorted(last)
    for row in chosen.by_candidates[1:]:
        name = f"d = {row.d}"
        room = max(chosen.margin[name][-1], 0.02 * row.floor)
        assert abs(chosen.gaps[name][-1] - row.floor) < 2 * room
    assert (chosen.margin["d = 7"] == 0).all()  # nothing is random
    assert (chosen.margin[RANDOM][1:] > 0).all()


def test_both_skews_tell_the_floor_apart(chosen: NumberOfCandidates) -> None:
    rows = chosen.by_candidates
    assert [row.d for row in rows] == [2, 3, 4, 5, 6, 7]
    for name, sign in (("floor", 1), ("rho_tilde", 1), ("rho_bar", -1), ("reached", -1)):
        column = np.array([getattr(row, name) for row in rows])
        assert (sign * np.diff(column) > 0).all(), name
    assert all(row.rho_bar <= row.reached <= row.rho_tilde for row in rows)
    assert sum(row.rho_bar == row.reached for row in rows) == 4
    (term,) = (
        t
        for t in theorem("biased_selection_strongly_convex_decaying_corrected").terms
        if t.cause == "selection bias"
    )
    for row in rows:
        values = {"L": chosen.L, "mu": chosen.mu, "Gamma": chosen.Gamma, "rho_bar": row.rho_bar,
                  "rho_tilde": row.rho_tilde}  # fmt: skip
        assert row.floor < float(term.expr.subs({s: values[str(s)] for s in term.expr.free_symbols}))


@pytest.fixture(scope="module")
def away() -> ClientAvailability:
    result, _ = quickly.run("client_availability")
    assert isinstance(result, ClientAvailability)
    return result


def test_fedavg_settles_where_the_active_shares_say(away: ClientAvailability) -> None:
    problem, q = clients()
    shares = active_shares(q) / active_shares(q).sum()
    assert away.settles["stationary"] == pytest.approx(float(shares @ problem.e[:, 0]) ** 2, rel=1e-9)
    assert list(away.settles) == list(DYNAMICS)
    assert min(away.settles.values()) > 0.15


def test_chances_are_those_of_the_dynamics(away: ClientAvailability) -> None:
    period = away.period
    for kind in DYNAMICS:
        rows = [row for row in away.chances if row.dynamics == kind]
        assert [row.round for row in rows] == list(range(2 * period + 1))
        for name in ("often", "seldom"):
            chance = [getattr(row, name) for row in rows]
            assert chance[: period + 1] == chance[period:]
    chances = {kind: [row.seldom for row in away.chances if row.dynamics == kind] for kind in DYNAMICS}
    assert set(chances["stationary"]) == {0.15}
    assert {round(q, 12) for q in chances["staircase"]} == {0.15, 0.06}
    assert min(chances["interleaved_sine"]) == 0 < min(chances["sine"])


def test_every_path_is_there_with_its_margin(away: ClientAvailability) -> None:
    last = {(row.dynamics, row.algorithm): row for row in away.ends}
    for kind in DYNAMICS:
        for name in ALGORITHMS:
            path = [row for row in away.paths if (row.dynamics, row.algorithm) == (kind, name)]
            assert path[0].distance == 4
            assert all((row.margin > 0) == (name != "fedavg") for row in path[1:])
            assert last[kind, name].bias_squared < last[kind, name].distance
            if name != "fedavg":
                assert path[-1].distance < 0.8 * _at(away, kind, path[-1].round)


def _at(away: ClientAvailability, kind: str, t: int) -> float:
    """FedAvg's distance after round t."""
    found = [r.distance for r in away.paths if (r.dynamics, r.algorithm, r.round) == (kind, "fedavg", t)]
    return found[0]
