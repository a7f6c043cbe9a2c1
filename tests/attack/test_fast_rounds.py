"""Local steps in closed form, against the step engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.attack.fast_rounds import has_closed_form, run_by_powers
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run


def test_it_agrees_with_the_step_engine() -> None:
    for dense in (False, True):
        problem = Quadratic.random(3, 2, 1, dense=dense, spread=2)
        for algorithm, eta_s in (("fedavg", 1.0), ("fedavg", 2.0), ("local_sgd", 1.0)):
            run = make_run(algorithm, problem, rounds=4, eta=0.3, eta_s=eta_s, local_steps=5, x0=[1.0, 2.0])
            run = replace(run, virtual=True, local_spread=True)
            assert has_closed_form(run)
            fast, slow = run_by_powers(run), trajectory(run, "step")
            assert set(fast.observed) == set(slow.observed)
            for name, series in slow.observed.items():
                np.testing.assert_allclose(fast.observed[name], series, rtol=1e-12, atol=1e-13)


def test_divergence_is_an_outcome() -> None:
    run = make_run("fedavg", Quadratic([1.0], [[0.0]]), rounds=2000, eta=9.0, x0=[1.0])
    trajectory_ = run_by_powers(replace(run, virtual=True))
    assert trajectory_.outcome == "diverged"
    assert np.isfinite(trajectory_.observed["virtual_loss_gap"]).all()
