"""The start-up of EF21 by its first messages: it is that of the engine, and refutes planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.first_messages import measure_first_messages, sums_of_squared_gradients
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.algorithms.base import Local, Message, Round, State
from boundkit.simulation.algorithms.ef21 import EF21
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

NAME, KEEP, ETA = "ef21_nonconvex", 0.6, 0.3


def _biased_message(_: EF21, state: State, local: Local, round: Round) -> Message:
    change = local["total"] - round.gather(state["v"])
    return {"update": change - np.sqrt(1 - KEEP) * np.abs(change)}


def test_the_sums_are_those_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EF21, "message", _biased_message)
    run = make_run("ef21", Quadratic([1.0, 1.0], [[1.0], [-1.0]]), rounds=64, eta=ETA, x0=[0.0])
    squares = trajectory(run).mean("gradient_norm_squared")
    for rounds, total in sums_of_squared_gradients(np.array([KEEP]), np.array([ETA]), (2, 16, 64)).items():
        np.testing.assert_allclose(total[0], squares[:rounds].sum(), rtol=1e-9)


def test_it_refutes_mistakes_and_no_true_bound() -> None:
    measurements = Measurements(theorem(NAME), tuple(measure_first_messages(theorem(NAME))))
    assert measurements.above() is None
    every = {one.what: one for one in generate_mutants(theorem(NAME))}
    for what in ("start-up: 1/2 for 1", "start-up: 1/(1 - sqrt(1 - comp_keep)) left out"):
        assert measurements.killer(every[what])


def test_other_theorems_have_none() -> None:
    assert not list(measure_first_messages(theorem("fedpaq_nonconvex")))
