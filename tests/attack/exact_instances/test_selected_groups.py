"""Exact runs with a constant selection: they agree with simulated runs, and refute false constants only."""

import numpy as np
import pytest

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.selected_groups import measure_selected_groups
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.weaker_mutants import check_weaker
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from tests.cases import each, thinned

BIASED = "biased_selection_strongly_convex_"
ABOVE = (
    BIASED + "fixed_sharp", BIASED + "fixed", BIASED + "decaying", BIASED + "decaying_sharp",
    "fedavg_strongly_convex_decaying",
)  # fmt: skip


def measured(name: str) -> Measurements:
    return Measurements(theorem(name), tuple(measure_selected_groups(theorem(name))))


def refuted(name: str) -> set[str]:
    runs = measured(name)
    return {one.what for one in generate_mutants(theorem(name)) if runs.killer(one) is not None}


@each("name", thinned(ABOVE, 3))
def test_the_theorems_are_above_all_runs(name: str) -> None:
    assert measured(name).above() is None


@pytest.mark.slow
def test_shares_of_the_terms_are_near_their_limits() -> None:
    runs = measured(BIASED + "fixed_sharp")
    for label in ("initial gap", "stochastic noise", "selection bias"):
        assert np.nanmax(runs.shares(label)) == pytest.approx(1, abs=1e-6)
    assert np.nanmax(measured(BIASED + "decaying_sharp").shares("selection bias")) > 0.99


def test_planted_mistakes_are_refuted_and_true_mutants_are_not() -> None:
    found = refuted(BIASED + "decaying_sharp")
    for text in (
        "selection bias: 2 for 4",
        "initial gap: 1/4 for 1/2",
        "stochastic noise: 2 for 4",
        "heterogeneity: 4 for 8",
    ):
        assert text in found, text
    assert "condition: offset >= 4*L/(5*mu) for offset >= 8*L/mu" in found
    assert not any(text.startswith("client drift") for text in found)
    every = generate_mutants(theorem(BIASED + "decaying_sharp"))
    weaker = {one.what for one in every if (result := check_weaker(one)) is not None and result.proved}
    assert len(weaker) > 20
    assert not found & weaker
    squared = "selection bias: (rho_tilde - rho_bar)^2 for rho_tilde - rho_bar"
    assert squared in found
    rate = "selection bias: tau left out in (1 - eta*mu*(3*rho_bar/4 + 1))^(T*tau)"
    complete = (
        "selection bias: 1/2 for 1 in 1 - eta*mu*(3*rho_bar/4 + 1)"  # true but where eta mu B is near 1
    )
    settled = complete.replace("selection bias", "heterogeneity")
    assert {squared, rate, complete, settled} <= refuted(BIASED + "fixed_sharp")
    # the offset of the published step is no choice, and one step to 2 (1/(4 L)) is no contradiction
    assert not any(text.startswith("condition") for text in refuted(BIASED + "decaying"))


def test_where_clients_are_sampled_they_are_alike() -> None:
    for name in ("fedavg_convex", "sgd_strongly_convex"):
        assert not measured(name).pieces
    for name in ("fedavg_strongly_convex_decaying_uniform", "fedavg_strongly_convex_decaying_replacement"):
        runs = measured(name)  # clients that are alike, without noise
        assert runs.above() is None
        assert not any((piece.values["sigma_mean"] > 0).any() for piece in runs.pieces)
    later = "initial gap: T^2 for T in 2*T + 2*offset"
    assert later in refuted("fedavg_strongly_convex_decaying_one_step")


@pytest.mark.parametrize("curvature", [0.1, 1.0])
def test_a_run_agrees_with_the_simulation(curvature: float) -> None:
    """Two like clients, all of them selected, as one with the noise of their mean."""
    claimed = theorem(BIASED + "fixed_sharp")
    line = Quadratic([curvature] * 2, np.zeros((2, 1)), noise=2**0.5)
    run = make_run("fedavg", line, rounds=16, eta=0.25, x0=np.zeros(1), options={"aggregation": "mean"})
    one = collect_evidence(claimed, run)
    (piece, *_) = measure_selected_groups(claimed)
    at = piece.values
    same = (at["T"] == 16) & (at["eta"] == 0.25) & (at["distance"] == 0) & (at["sigma"] == 1)
    same &= np.isclose(at["rho_bar"], 1) & (at["mu"] == 0.1)
    expected = one.measured[list(one.values["T"]).index(16)]
    assert np.isclose(piece.low[same], expected, rtol=1e-6).any()
