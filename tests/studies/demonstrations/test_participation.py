"""What the demonstrations of who comes show, in numbers: memories, turns, candidates, availability."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.analysis.expansion import active_shares
from boundkit.simulation.participation.availability import DYNAMICS
from boundkit.studies.demonstrations.client_availability import ClientAvailability, clients
from boundkit.studies.demonstrations.error_floors import EVERYBODY, error_floors
from boundkit.studies.demonstrations.number_of_candidates import NumberOfCandidates
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


@pytest.fixture(scope="module")
def chosen() -> NumberOfCandidates:
    result, _ = quickly.run("number_of_candidates")
    assert isinstance(result, NumberOfCandidates)
    return result


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
        for t in theorem("biased_selection_strongly_convex_decaying_sharp").terms
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
