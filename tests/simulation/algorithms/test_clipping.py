"""EPISODE, EPISODE++, CELGC and clipped minibatch SGD: when they clip, by whom, and how far they go then."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.clipping import Clipped
from boundkit.simulation.engines import StepEngine, exact_engine
from boundkit.simulation.fixed_point import fixed_point
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


@each(("name", "steps"), [(n, 1 if "minibatch" in n else 3) for n in ALL])
def test_clipped_steps_have_the_length_gamma(name: str, steps: int) -> None:
    np.testing.assert_allclose(moves(name, slopes(4.0, 4.0), 0.5), [-0.5 * steps], rtol=1e-6)


@each("name", ALL)
def test_by_default_gradients_are_clipped_at_five(name: str) -> None:
    eta, taken = 0.5, 1 if "minibatch" in name else 2
    for slope, felt in ((4.9, 4.9), (5.1, 5.0), (80.0, 5.0)):
        x = simulate(name, slopes(slope, slope), rounds=1, eta=eta, local_steps=2).x
        np.testing.assert_allclose(x[1], -eta * taken * felt, rtol=1e-6)


def test_celgc_clips_by_the_own_gradient_and_episode_by_the_mean() -> None:
    apart = slopes(9.0, -7.0)  # each is long, their mean is 1
    assert moves("celgc", apart, 2.0) == pytest.approx([0.0], abs=1e-6)
    for name in ("episode", "episodepp"):
        assert moves(name, apart, 2.0) == pytest.approx([-3.0])  # three whole steps along the mean
        assert moves(name, apart, 0.5) == pytest.approx([-1.5])  # three clipped ones
    assert moves("clipped_minibatch_sgd", apart, 2.0) == pytest.approx([-1.0])


def test_episode_decides_once_a_round() -> None:
    # from 4 on x^2/2 the gradient falls below 3 after one step, and all three are clipped
    x = simulate("episode", Quadratic([1.0], [[0.0]]), rounds=1, eta=0.5, local_steps=3, x0=[4.0],
                 options={"gamma": 1.5}).x  # fmt: skip
    assert x[1] == pytest.approx([4.0 - 3 * 1.5])
    x = simulate("celgc", Quadratic([1.0], [[0.0]]), rounds=1, eta=0.5, local_steps=3, x0=[4.0],
                 options={"gamma": 1.5}).x  # fmt: skip
    assert x[1] == pytest.approx([(4.0 - 1.5) / 4])


def test_a_steep_minority_drives_clipped_steps_uphill_and_not_episodepp() -> None:
    # the lower bound's instance: one client at a time, slopes 5, -1, -1 with mean 1, a threshold below 1
    biased, gamma, turns = slopes(5.0, -1.0, -1.0), 0.25, {"schedule": [[0], [1], [2]], "rounds": 3}
    assert moves("clipped_minibatch_sgd", biased, gamma, **turns).sum() == pytest.approx(gamma)
    assert moves("celgc", biased, gamma, **turns).sum() == pytest.approx(3 * gamma)
    np.testing.assert_allclose(moves("episodepp", biased, gamma, **turns), -3 * gamma, rtol=1e-6)


def test_episodepp_asks_all_clients_at_the_start_and_not_again() -> None:
    on, options = problem(), NEVER
    one = make_run("episodepp", on, schedule=[[2]], local_steps=1, options=options, **SETTING)
    x = StepEngine(one).trajectory().x
    G = on.client_gradients(x[:2])
    np.testing.assert_allclose(x[1], x[0] - 0.8 * 0.1 * G[0].mean(axis=0), rtol=1e-13)
    # client 2's correction was its gradient at x_0, so that the others' parts are as old as that
    later = G[1, 2] - G[0, 2] + G[0].mean(axis=0)
    np.testing.assert_allclose(x[2], x[1] - 0.8 * 0.1 * later, rtol=1e-13)


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


@each("name", ALL)
def test_no_affine_map_is_made_of_them(name: str) -> None:
    # at the start nothing is clipped, and a round looks affine
    run = make_run(name, problem(), local_steps=2, options=NEVER, **SETTING)
    assert exact_engine(run) is None
    with pytest.raises(BoundkitError, match="not affine"):
        fixed_point(run)
    with pytest.raises(BoundkitError):
        simulate(run, engine="collapsed")
