"""FedAU with weights that stay as they are."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.exact_moments import Exact
from boundkit.simulation.run import make_run
from boundkit.simulation.surrogate import surrogate_weights
from tests.simulation.algorithms.rounds import run

OMEGA = [1.0, 2.5, 0.5, 4.0]
CHANCES = [0.9, 0.4, 1.0, 0.25]
COMES = {"kind": "bernoulli", "probabilities": CHANCES}


def test_a_round_by_hand() -> None:
    some = run("fedau", schedule=[[1, 3]], local_steps=1, eta=0.1, eta_s=2.0, rounds=1,
               options={"weights": OMEGA})  # fmt: skip
    x = some.x0
    g = some.problem.client_gradients(x[None])[0]
    expected = x - 2.0 * 0.1 / 4 * (2.5 * g[1] + 4.0 * g[3])
    np.testing.assert_allclose(trajectory(some, "step").x[1], expected, rtol=1e-13)


def test_weights_of_one_over_the_chance_are_fedavg_with_known_probabilities() -> None:
    omega = [1 / q for q in CHANCES]
    mine = Exact(run("fedau", participation=COMES, options={"weights": omega})).trajectory()
    known = {"aggregation": "known", "probabilities": CHANCES}
    theirs = Exact(run("fedavg", participation=COMES, options=known)).trajectory()
    for name, series in theirs.observed.items():
        np.testing.assert_allclose(mine.observed[name], series, rtol=1e-11)


def test_the_surrogate_weighs_by_weight_times_chance() -> None:
    found = surrogate_weights(run("fedau", participation=COMES, local_steps=2, options={"weights": OMEGA}))
    mass = np.array(OMEGA) * CHANCES
    assert found is not None
    np.testing.assert_allclose(found, mass / mass.sum(), rtol=1e-13)


@pytest.mark.parametrize("weights", [[1.0], [1, 2, 3, 0], [1, 2, 3, True], [1, 2, 3, float("inf")], "many"])
def test_weights_are_checked(weights: Any) -> None:
    with pytest.raises(BoundkitError, match="weights of fedau must be 4 numbers above 0"):
        run("fedau", options={"weights": weights})


def test_a_cutoff_has_nothing_to_cut_there() -> None:
    with pytest.raises(BoundkitError, match="give cutoff or weights"):
        algorithm("fedau", {"cutoff": 5, "weights": OMEGA})


def test_it_is_written_and_read() -> None:
    some = run("fedau", options={"weights": OMEGA})
    assert some.to_json()["options"] == {"weights": OMEGA}
    make_run("fedau", some.problem, rounds=1, eta=0.1, options=some.to_json()["options"])
