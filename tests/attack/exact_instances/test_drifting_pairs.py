"""Two kinds of clients with local steps: they agree with simulated runs, and refute false constants only."""

import numpy as np
import pytest

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.drifting_pairs import measure_drifting_pairs
from boundkit.attack.measurement import Measurement
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from tests.cases import each

BIASED = "biased_selection_strongly_convex_"
FEDAVG = "fedavg_strongly_convex_decaying"


def pieces(name: str) -> tuple[Measurement, ...]:
    return tuple(measure_drifting_pairs(theorem(name)))


def refuted(name: str) -> set[str]:
    runs = Measurements(theorem(name), pieces(name))
    assert runs.above() is None
    return {one.what for one in generate_mutants(theorem(name)) if runs.killer(one) is not None}


def test_they_refute_mistakes_in_the_drift() -> None:
    found = refuted(BIASED + "decaying_sharp")
    for text in (
        "client drift: left out",
        "client drift: 3/5 for 6",
        "client drift: tau - 1 left out",
        "client drift: T^2 for T in T*tau + offset",
        "client drift: tau^2 for tau in T*tau + offset",
        "client drift: offset^2 for offset in T*tau + offset",
    ):
        assert text in found, text
    assert "client drift: 3/2 for 6" not in found
    linear = "client drift: tau - 1 for (tau - 1)^2"
    assert {"client drift: left out", linear} <= refuted(BIASED + "fixed_sharp")


@pytest.mark.slow
@each("name", [*(BIASED + kind for kind in ("decaying", "fixed")), FEDAVG, FEDAVG + "_uniform"])
def test_published_bounds_are_above_all_runs(name: str) -> None:
    assert pieces(name)
    assert Measurements(theorem(name), pieces(name)).above() is None


def test_random_selections_only_where_the_theorem_allows_them() -> None:
    shares = {
        name: {float(at.values["C"][0]) for at in pieces(BIASED + name)} for name in ("fixed_sharp", "fixed")
    }
    assert shares == {"fixed_sharp": {1.0}, "fixed": {0.5, 1.0}}
    for name in (FEDAVG + "_one_step", "fedavg_convex", "sgd_strongly_convex"):
        assert not pieces(name)


@pytest.mark.parametrize("C", [1.0, 0.5])
def test_a_run_agrees_with_the_simulation(C: float) -> None:
    """From the middle of the minimisers, with a constant step and one that falls."""
    line = Quadratic([1.0, 0.1], [[1.0], [-1.0]])
    for kind, size in (("fixed", {"eta": 0.075}), ("decaying_sharp", {"offset": 800.0})):
        claimed = theorem(BIASED + kind)
        eta = size.get("eta", {"first": 20 / 800.0, "offset": 800.0})
        run = make_run(
            "fedavg", line, rounds=4, local_steps=2, eta=eta, x0=np.zeros(1),
            participation={"kind": "uniform", "C": C},
        )  # fmt: skip
        one = collect_evidence(claimed, run)
        expected = {name: values[-1] for name, values in one.values.items()}
        found = [at for at in pieces(BIASED + kind) if at.values["tau"][0] == 2 and at.values["C"][0] == C]
        (piece,) = found
        at = piece.values
        same = (at["T"] == 4) & (at["mu"] == 0.1)
        start = "gap" if kind == "fixed" else "distance"
        same &= np.isclose(at[start], expected[start])
        for name, value in size.items():
            same &= np.isclose(at[name], value)
        (place,) = np.flatnonzero(same)
        assert piece.low[place] == pytest.approx(one.measured[-1], rel=1e-8)
        for name in ("Gamma", "G"):
            assert at[name][place] == pytest.approx(expected[name], rel=1e-8)
