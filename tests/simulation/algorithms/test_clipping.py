"""EPISODE, EPISODE++, CELGC and clipped minibatch SGD: when they clip, by whom, and how far they go then."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.clipping import Clipped
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.simulation.algorithms.uneven import problem

ALL = ("celgc", "clipped_minibatch_sgd", "episode", "episodepp")
SETTING: dict[str, Any] = {"rounds": 6, "eta": 0.1, "eta_s": 0.8, "x0": [3.0, -1.0]}
NEVER = {"gamma": 1e6}


def slopes(*of_clients: float, noise: float = 0.0) -> Quadratic:
    """Clients whose gradients are these numbers everywhere, as good as."""
    h = 1e-9
    return Quadratic([h] * len(of_clients), -np.array(of_clients)[:, None] / h, noise=noise)


def moves(name: str, on: Quadratic, gamma: float, **more: Any) -> Any:
    """x_{t+1} - x_t from 0, at eta = 1."""
    setting = {"rounds": 1, "eta": 1.0, "local_steps": 3} | more
    return np.diff(simulate(name, on, options={"gamma": gamma}, **setting).x[:, 0])


@each("name", ALL)
def test_by_default_gradients_are_clipped_at_five(name: str) -> None:
    eta, taken = 0.5, 1 if "minibatch" in name else 2
    for slope, felt in ((4.9, 4.9), (5.1, 5.0), (80.0, 5.0)):
        x = simulate(name, slopes(slope, slope), rounds=1, eta=eta, local_steps=2).x
        np.testing.assert_allclose(x[1], -eta * taken * felt, rtol=1e-6)


def test_a_steep_minority_drives_clipped_steps_uphill_and_not_episodepp() -> None:
    # the lower bound's instance: one client at a time, slopes 5, -1, -1 with mean 1, a threshold below 1
    biased, gamma, turns = slopes(5.0, -1.0, -1.0), 0.25, {"schedule": [[0], [1], [2]], "rounds": 3}
    assert moves("clipped_minibatch_sgd", biased, gamma, **turns).sum() == pytest.approx(gamma)
    assert moves("celgc", biased, gamma, **turns).sum() == pytest.approx(3 * gamma)
    np.testing.assert_allclose(moves("episodepp", biased, gamma, **turns), -3 * gamma, rtol=1e-6)


def test_steps_at_the_server_are_averaged_gradients() -> None:
    quiet = [
        simulate("clipped_minibatch_sgd", problem(), local_steps=n, **SETTING).x for n in (1, [2, 5, 1, 3])
    ]
    np.testing.assert_allclose(quiet[0], quiet[1], rtol=1e-13)
    spread = []
    for n in (1, 16):
        run = make_run("clipped_minibatch_sgd", slopes(0.0, noise=1.0), rounds=1, eta=1.0, local_steps=n,
                       options=NEVER)  # fmt: skip
        ends = StepEngine(run, 4000).trajectory().observed["loss_gap"][:, 1]
        spread.append(ends.mean())
    assert spread[0] / spread[1] == pytest.approx(16, rel=0.1)


def test_along_nothing_there_is_no_clipped_step() -> None:
    g = np.array([[[0.0, 0.0], [3.0, 4.0]]])
    for gamma in (1e-3, 1e6):
        celgc = algorithm("celgc", {"gamma": gamma})
        assert isinstance(celgc, Clipped)
        step = celgc.step(g, np.ones((1, 2), dtype=bool), 0.1)
        np.testing.assert_allclose(step[0], gamma * g[0] / 5, rtol=1e-14)
