"""Replicas of a chunk are independent, though different clients participate in each."""

from typing import Any

import numpy as np

from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.step_engine import StepEngine
from tests.cases import each
from tests.simulation.algorithms.options import CASES
from tests.simulation.algorithms.rounds import drawn, run
from tests.simulation.algorithms.uneven import assert_each_runs_as_alone, problem

WAITING: tuple[str, dict[str, Any]] = ("mifa", {})
STATEFUL: dict[str, dict[str, Any]] = {
    "scaffold": {"variant": "I", "initial_controls": "gradient"},
    "clusterfedvarp": {"clusters": [[3, 0], [1, 2]]},
    "mifa": {},
    "fedawe": {},
}
RARELY = {"kind": "bernoulli", "probabilities": [0.8, 0.3, 0.5, 0.2]}


@each("case", [case for case in CASES if case != WAITING and not algorithm(*case).random], ids=str)
def test_a_replica_is_the_run_of_its_own_participants(case: tuple[str, dict[str, Any]]) -> None:
    assert_each_runs_as_alone(case[0], **case[1])


@each("name", STATEFUL)
def test_a_replica_is_the_run_of_its_sampled_schedule(name: str) -> None:
    random = run(name, options=STATEFUL[name], participation=RARELY, rounds=15, seed=3)
    together = trajectory(random, "step", replicas=4).observed["loss"]
    for r in range(4):
        alone = trajectory(drawn(random, r), "step").observed["loss"][0]
        length = together.shape[1]
        assert len(alone) >= length
        np.testing.assert_allclose(together[r], alone[:length], rtol=1e-11)


def test_chunks_change_no_number_under_noise() -> None:
    participation: Any = {"kind": "with_replacement", "count": 3}
    for name, options in STATEFUL.items():
        noisy = run(name, noise=0.5, options=options, participation=participation, rounds=8, seed=1)
        whole = StepEngine(noisy, 5).trajectory().observed["loss"]
        parts = StepEngine(noisy, 5, chunk=2).trajectory().observed["loss"]
        np.testing.assert_allclose(whole, parts, rtol=1e-11, err_msg=name)
    gamma = {"gamma": 0.15}
    clipped = dict.fromkeys(("celgc", "clipped_minibatch_sgd", "episode", "episodepp"), gamma)
    for name, options in ({"adacomm": {"tau_0": 9, "period": 1, "shrink": 0.8}} | clipped).items():
        noisy = run(name, problem(2.0), eta=0.02, x0=[3.0, -1.0], options=options, local_steps=3,
                    participation=participation)  # fmt: skip
        together, alone = (StepEngine(noisy, 6, chunk=n).trajectory() for n in (6, 1))
        for observable, series in together.observed.items():
            np.testing.assert_allclose(series, alone.observed[observable], rtol=1e-11, err_msg=name)
        assert np.ptp(together.observed["loss"][:, -1]) > 0
        if name == "adacomm":
            assert np.ptp(together.observed["local_steps"], axis=0).max() > 0
