"""Cycles at tuned step sizes: rows are those of the engine, and refute logarithms and constants."""

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra.notation import tau_max
from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.cycles_at_tuned_steps import measure_cycles_at_tuned_steps
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from tests.cases import each

TUNED = theorem("cyclic_pl_tuned")
PIECES = Measurements(TUNED, tuple(measure_cycles_at_tuned_steps(TUNED)))


@each(
    ("number", "minimisers", "noise", "groups", "count"),
    [(0, [0, 0], 1.0, 1, 1), (1, [1, -1], 0.0, 1, 1), (2, [1, 1, -1, -1], 0.0, 2, 2)],
)
def test_a_row_is_that_of_the_engine(
    number: int, minimisers: list[float], noise: float, groups: int, count: int
) -> None:
    piece = PIECES.pieces[number]
    row = {name: float(values[0]) for name, values in piece.values.items()}
    assert (row["groups"], row["m"]) == (groups, len(minimisers))
    rounds = int(row["T"])
    run = make_run(
        "fedavg", Quadratic([1.0] * len(minimisers), np.array(minimisers)[:, None], noise=noise),
        rounds=rounds, eta=np.log(row["m"] * rounds**2 / groups**2) / rounds, local_steps=1, x0=[0.0],
        participation={"kind": "cyclic", "groups": groups, "count": count},
    )  # fmt: skip
    measured = collect_evidence(TUNED, run).measured[-1]
    assert piece.low[0] == pytest.approx(measured, rel=1e-8)


def test_they_refute_mistakes_and_no_true_bound() -> None:
    assert PIECES.above() is None
    assert PIECES.inside.all()
    mutants = {one.what: one for one in generate_mutants(TUNED)}
    logarithm = "log(T^2*m/groups^2)"
    for what in (
        f"stochastic noise: T for T^2 in {logarithm}",
        f"stochastic noise: groups^(-3) for groups^(-2) in {logarithm}",
        f"stochastic noise: m left out in {logarithm}",
        "stochastic noise: 1/40 for 1/20",
        "partial participation: 1/40 for 1/20",
        "cyclic order: 1/30 for 1/15",
    ):
        assert PIECES.killer(mutants[what]) is not None, what
    assert PIECES.killer(mutants[f"stochastic noise: m^2 for m in {logarithm}"]) is None


def test_other_theorems_have_none() -> None:
    assert not [*measure_cycles_at_tuned_steps(theorem("cyclic_pl"))]
    rules = {step: value * (1 + 1 / tau_max) for step, value in TUNED.rules.items()}
    unknown = replace(TUNED, rules=rules, reductions=(), limits=())
    assert not [*measure_cycles_at_tuned_steps(unknown)]
