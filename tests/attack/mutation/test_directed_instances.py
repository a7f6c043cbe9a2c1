"""Instances directed at mutants: of the proofs of lower bounds, and of compressed gradients."""

import pytest

from boundkit.attack.mutation.directed_instances import measure_directed_instances
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant_search import with_global_dissimilarity
from boundkit.theorems import theorem

FLOOR = "fedavg_strongly_convex_floor_lower"


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        (
            FLOOR,
            (
                "stochastic noise: 1/2 for 1 in 2*L*T*eta*eta_s*tau + 1",
                "partial participation: 1 - L*eta*(tau - 1)/2 for (1 - L*eta*(tau - 1)/2)^2",
                "condition: eta*eta_s <= 2/(L*tau) for eta*eta_s <= 1/(L*tau)",
            ),
            (),
        ),
        (
            "fedavg_strongly_convex_drift_lower",
            (
                "client drift: 3*L/4 for 3*L in 3*L - L^2*eta*tau - 3*mu",
                "condition: eta <= 2*(3*L - 3*mu)/(L^2*tau) for",
            ),
            (),
        ),
        (
            "clipped_minibatch_sgd_relaxed_smooth_lower",
            (
                "condition: 2*target <= 2*grad_max for",
                "condition: 2*target <= 10*grad_max for",
                "clipping: asinh(L1*grad_max/L0)^(-2) for",
            ),
            (),
        ),
        ("fedavg_nonconvex_drift_lower", ("condition: eta <= 2/(L*tau) for",), ()),
        (
            "feddyn_strongly_convex",
            ("start-up: -1/2 for -1 in T - 1", "start-up: 1/2 for 1 in"),
            (),
        ),
        (
            "fedavg_strongly_convex_second_order",
            ("client drift: 1/10 for 1 in 1 - eta*mu",),
            ("client drift: tau for tau - 1",),
        ),
        (
            "mifa_pl",
            ("stochastic noise: staleness left out in", "stochastic noise: staleness/2 for 2*staleness in"),
            ("stochastic noise: 1/m left out",),
        ),
        (
            "fedavgm_convex_homogeneous",
            ("stochastic noise: 1/4 for 1/2", "stochastic noise: eta_s^2 for eta_s in"),
            ("stochastic noise: 1/m left out",),
        ),
        (
            "gossip_local_sgd_nonconvex",
            ("stochastic noise: 1/2 for 1", "stochastic noise: m^(-2) for 1/m"),
            ("stochastic noise: 1/m left out",),
        ),
        (
            "cyclic_pl_local_sgd",
            ("stochastic noise: groups left out",),
            ("stochastic noise: 1/m left out",),
        ),
        (
            "fedavg_strongly_convex_second_order",
            ("client drift: tau left out in delta_hess",),
            ("client drift: tau^2 for tau in delta_hess",),
        ),
        (
            "ef21_nonconvex",
            ("start-up: T^(-2) for 1/T",),
            ("start-up: 1/T left out",),
        ),
    ],
)
def test_planted_mistakes_are_refuted(name: str, wrong: tuple[str, ...], right: tuple[str, ...]) -> None:
    measurements = Measurements(theorem(name), tuple(measure_directed_instances(theorem(name))))
    assert measurements.above() is None
    mutants = generate_mutants(theorem(name))
    for text in wrong:  # the same number may stand at several places
        same = [each for each in mutants if each.what.startswith(text)]
        assert any(measurements.killer(each) is not None for each in same), text
    for text in right:
        same = [each for each in mutants if each.what.startswith(text)]
        assert same, text
        assert all(measurements.killer(each) is None for each in same), text


def test_unequal_work_needs_every_power_of_beta() -> None:
    """With all pairs of beta and kappa; the least beta is usable where the minimisers are equal."""
    claimed = theorem("fedavg_nonconvex_unequal_steps")
    runs = [one for one in measure_directed_instances(claimed) if one.source["run"].problem.noise == 0]
    pairs = [pair for one in runs for pair in with_global_dissimilarity(claimed, one)]
    measurements = Measurements(claimed, tuple(pairs))
    assert measurements.above() is None
    wrong = (
        "initial gap: beta for beta^2 in beta^2 - 1",
        "initial gap: (beta^2 - 1)^2 for beta^2 - 1 in chi2*(beta^2 - 1) + 1",
    )
    every = {one.what: one for one in generate_mutants(claimed)}
    for what in wrong:
        found = measurements.killer(every[what])
        assert found is not None
        assert found[1].values["kappa"][0] == pytest.approx(0, abs=1e-6)


def test_a_floor_has_not_grown_in_one_round() -> None:
    claimed = theorem("fedavg_convex_piecewise_floor_lower")
    first = next(iter(measure_directed_instances(claimed)))
    short = Measurements(claimed, (first,))
    assert short.above() is None
    at_once = [one for one in generate_mutants(claimed) if one.what.startswith("stochastic noise: Max(")]
    assert any(short.killer(one) is not None for one in at_once)
