"""Noise of alike clients in cycles: a row is that of the engine, and the rest refute logarithms."""

import numpy as np
import pytest

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.noise_of_many_groups import measure_noise_of_many_groups
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

TUNED = theorem("cyclic_pl_tuned")
PIECES = Measurements(TUNED, tuple(measure_noise_of_many_groups(TUNED)))


def test_a_row_is_that_of_the_engine() -> None:
    row = {name: float(values[0]) for name, values in PIECES.values.items()}
    assert (row["groups"], row["m"], row["T"]) == (2, 4, 128)
    eta = 10 * np.log(4 * 128**2 / 2**2) / (9 * 128)
    run = make_run(
        "fedavg", Quadratic([1.0] * 4, np.zeros((4, 1)), noise=1.0), rounds=128, eta=eta, local_steps=1,
        participation={"kind": "cyclic", "groups": 2, "count": 1}, x0=[0.0],
    )  # fmt: skip
    measured = collect_evidence(TUNED, run).measured[-1]
    assert PIECES.pieces[0].low[0] == pytest.approx(measured, rel=1e-8)


def test_they_refute_logarithms_of_fewer_quantities_and_no_true_bound() -> None:
    assert PIECES.above() is None
    assert PIECES.inside.all()
    mutants = {each.what: each for each in generate_mutants(TUNED) if each.label == "stochastic noise"}
    logarithm = "log(T^2*m/groups^2)"
    for what in ("T for T^2 in", "groups^(-3) for groups^(-2) in", "m left out in"):
        assert PIECES.killer(mutants[f"stochastic noise: {what} {logarithm}"]) is not None, what
    assert PIECES.killer(mutants[f"stochastic noise: m^2 for m in {logarithm}"]) is None


def test_other_theorems_have_none() -> None:
    assert not [*measure_noise_of_many_groups(theorem("cyclic_pl"))]
