"""FedExP's server step: by its formula in the first round, and what it does to the losses."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.simulation.simulate import simulate
from boundkit.studies.demonstrations.fedexp_step import SPREAD, FedExPStep, few_directions
from tests.cases import each
from tests.studies.demonstrations import quickly


@pytest.fixture(scope="module")
def found() -> FedExPStep:
    result: FedExPStep = quickly.run("fedexp_step")[0]
    return result


@each("name", SPREAD)
def test_the_first_step_is_the_formula(found: FedExPStep, name: str) -> None:
    problem = few_directions(SPREAD[name])
    unit = np.eye(problem.d)
    updates = np.array([
        (np.linalg.matrix_power(unit - found.eta * H, found.tau) - unit) @ e
        for H, e in zip(problem.H, problem.e, strict=True)
    ])  # fmt: skip
    mean = updates.mean(axis=0)
    step = (updates**2).sum(axis=1).mean() / (2 * (mean @ mean + found.epsilon))
    assert found.step[name][0] == pytest.approx(step, rel=1e-10)
    x = -step * mean
    assert found.fedexp[name][0] == pytest.approx(problem.observe(x)["loss_gap"], rel=1e-9)
    assert found.fedavg[name][0] == pytest.approx(problem.observe(-mean)["loss_gap"], rel=1e-9)


def test_a_longer_step_is_ahead_and_falls_to_one_where_the_minimum_is_shared(found: FedExPStep) -> None:
    step = found.step["shared"]
    assert step.min() == 1
    assert step.max() > 10
    assert (step[-20:] == 1).all()
    assert (found.fedexp["shared"] < found.fedavg["shared"]).all()
    assert found.fedavg["shared"][9] > 25 * found.fedexp["shared"][9]
    assert (np.diff(found.fedexp["shared"]) < 0).all()


def test_where_minima_differ_the_last_iterate_comes_to_a_cycle_of_two_rounds(found: FedExPStep) -> None:
    last = found.fedexp["differ"]
    assert last[-2:] == pytest.approx(last[-4:-2], rel=1e-4)
    assert last[-1] > 3 * last[-2]
    far = few_directions(SPREAD["differ"])
    # A start that is no rounding away is on its way to the same cycle: no rounding decides it.
    run = simulate(
        "fedexp", far, rounds=len(found.rounds), eta=found.eta, local_steps=found.tau,
        options={"epsilon": found.epsilon}, x0=np.full(far.d, 1e-6),
    )  # fmt: skip
    assert run.mean("loss_gap")[1:] == pytest.approx(last, rel=1e-4)


def test_at_steps_that_the_theorem_allows_the_server_step_is_short_and_nothing_goes_to_and_fro(
    found: FedExPStep,
) -> None:
    assert found.allowed_eta == pytest.approx(1 / (6 * found.tau))
    for name, spread in SPREAD.items():
        run = simulate(
            "fedexp", few_directions(spread), rounds=len(found.rounds), eta=found.allowed_eta,
            local_steps=found.tau, options={"epsilon": found.epsilon},
        )  # fmt: skip
        assert (np.diff(run.mean("loss_gap")) < 0).all()
        assert run.mean("server_step").max() == pytest.approx(found.allowed_longest[name], rel=1e-12)
        assert 1 <= found.allowed_last[name] < found.allowed_longest[name] < 4
        assert found.steps[name] == pytest.approx(found.step[name].sum())
