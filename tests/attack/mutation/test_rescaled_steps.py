"""With one local step, runs at the same eta_s eta are the same."""

import numpy as np

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.measurement import measurement_of_evidence
from boundkit.attack.mutation.rescaled_steps import with_rescaled_steps
from boundkit.simulation.engines import trajectory
from boundkit.theorems import theorem
from boundkit.verification.default_instances import default_runs


def test_the_rescaled_run_has_the_same_models() -> None:
    claimed = theorem("fedavg_nonconvex_known_availability")
    _, run = next(iter(default_runs(claimed, 0)))
    piece = measurement_of_evidence(collect_evidence(claimed, run))
    every = list(with_rescaled_steps(claimed, piece))
    assert {round(float(one.values["eta_s"][0] / piece.values["eta_s"][0]), 9) for one in every} == {
        1e-3, 0.5, 2.0, 1e3,
    }  # fmt: skip
    wanted = trajectory(run).mean("gradient_norm_squared")
    for one in every:
        same = one.source["run"]
        assert (same.eta, same.eta_s) != (run.eta, run.eta_s)
        np.testing.assert_allclose(trajectory(same).mean("gradient_norm_squared"), wanted, rtol=1e-9)
        np.testing.assert_allclose(one.values["eta"] * one.values["eta_s"], run.eta * run.eta_s)


def test_other_theorems_have_none() -> None:
    claimed = theorem("fedavg_nonconvex_partial")
    _, run = next(iter(default_runs(claimed, 0)))
    piece = measurement_of_evidence(collect_evidence(claimed, run))
    assert not list(with_rescaled_steps(claimed, piece))
