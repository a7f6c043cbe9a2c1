"""Random selections with one skew: their moments are those of all runs, and refute false exponents only."""

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.random_selections import measure_random_selections
from boundkit.attack.measurement import Measurement
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem
from tests.cases import each

BIASED = "biased_selection_strongly_convex_"


def pieces(name: str) -> tuple[Measurement, ...]:
    return tuple(measure_random_selections(theorem(name)))


def measured(name: str) -> Measurements:
    return Measurements(theorem(name), pieces(name))


def refuted(name: str) -> set[str]:
    runs = measured(name)
    return {one.what for one in generate_mutants(theorem(name)) if runs.killer(one) is not None}


@each("name", [BIASED + kind for kind in ("decaying", "decaying_sharp", "fixed", "fixed_sharp")])
def test_the_theorems_are_above_all_runs(name: str) -> None:
    assert pieces(name)
    assert measured(name).above() is None


def test_they_refute_mistakes_in_the_skew() -> None:
    found = refuted(BIASED + "decaying_sharp")
    assert "heterogeneity: rho_bar left out in 3*rho_bar/2 + 1" in found
    assert "condition: offset >= 4*L/mu for offset >= 8*L/mu" in found
    assert not any(text.startswith(("client drift", "initial gap")) for text in found)
    found = refuted(BIASED + "fixed")
    power = "client drift: (3*rho_bar/8 + 1)^(-2) for 1/(3*rho_bar/8 + 1)"
    rate = "client drift: 3*rho_bar/8 + 1 left out in 1 - eta*mu*(3*rho_bar/8 + 1)"
    assert {power, rate} <= found
    assert "client drift: 64/5 for 128" not in found


def test_only_theorems_on_selected_clients() -> None:
    for name in ("fedavg_strongly_convex_decaying", "fedavg_convex", "sgd_strongly_convex"):
        assert not pieces(name)
    assert {float(piece.values["tau"][0]) for piece in pieces(BIASED + "fixed_sharp")} == {1.0}


def expected(rho: float, rates: list[list[float]]) -> tuple[float, float, float]:
    """Return E[x^2] by all selections, and the least skew at starts of rounds and at local models."""
    gamma, total, starts, inside = 1 / (2 * rho), 0.0, [rho], [rho]
    for selected in product((1, -1), repeat=len(rates)):
        x, chance = 0.0, 1.0
        for e, steps in zip(selected, rates, strict=True):
            q = (1 - rho) * x / 2
            chance *= (1 + e * q) / 2

            def skew(at: float, q: float = q) -> float:
                return ((at**2 - 2 * at * q + 1) / 2) / (at**2 / 2 + gamma)

            starts.append(skew(x))
            for eta in steps:
                x += eta * (e - x)
                inside.append(skew(x))
        assert chance >= 0
        total += chance * x**2
    return total, min(starts), min(starts + inside)


@pytest.mark.parametrize("place", [0, 1, 12])
def test_single_steps_agree_with_all_selections(place: int) -> None:
    (piece,) = pieces(BIASED + "decaying_sharp")
    at = piece.values
    same = (at["rho_bar"] == at["rho_bar"][place]) & (at["offset"] == at["offset"][place])
    for rounds in (1, 2, 4, 8):
        (found,) = np.flatnonzero(same & (at["T"] == rounds))
        rho, offset = float(at["rho_bar"][found]), float(at["offset"][found])
        square, skew, _ = expected(rho, [[2 / (offset + t)] for t in range(rounds)])
        assert piece.low[found] == pytest.approx(square / 2, rel=1e-7)
        assert skew == pytest.approx(rho, rel=1e-12)


def test_a_round_with_a_large_skew_agrees_with_both_selections() -> None:
    piece = pieces(BIASED + "fixed")[1]
    rho, eta, tau = (float(piece.values[name][0]) for name in ("rho_tilde", "eta", "tau"))
    square, at_start, skew = expected(rho, [[eta] * int(tau)])
    assert piece.low[0] == pytest.approx(square / 2, rel=1e-6)
    assert at_start == pytest.approx(rho, rel=1e-12)
    assert piece.values["rho_bar"][0] == pytest.approx(skew, rel=1e-12)
    assert piece.values["Gamma"][0] == 1 / (2 * rho)
