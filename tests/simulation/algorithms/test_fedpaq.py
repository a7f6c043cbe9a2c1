"""FedPAQ: compressors without bias, and moments against every path and a closed form."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms.fedpaq import FedPAQ
from boundkit.simulation.algorithms.round import Round
from boundkit.simulation.engines import ExactEngine, StepEngine, exact_engine, trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.simulation.hessians import hessian

SUBSETS = list(combinations(range(3), 2))


class Given:
    """Draws that are given."""

    def __init__(self, uniform: np.ndarray) -> None:
        self.uniform = uniform

    def uniform_of_clients(self, d: int) -> np.ndarray:
        return self.uniform

    def normal(self, d: int) -> np.ndarray:
        raise NotImplementedError


def received(options: dict[str, Any], u: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """What arrives of u, (d,), for each of the uniform numbers, (R, d)."""
    one = np.zeros(1, dtype=int)
    draws = Given(uniform[:, None, :])
    round = Round(0, 1, one, None, one + 1, np.ones(1), np.ones(1), 1.0, draws=draws)
    sent = {"update": np.broadcast_to(u, (len(uniform), 1, len(u)))}
    return np.asarray(FedPAQ(options).transmitted(sent, round)["update"][:, 0])


def test_whole_numbers_of_levels_have_the_mean_and_less_than_the_variance() -> None:
    grid = (np.arange(3000) + 0.5) / 3000  # fractions with a denominator of 3 are counted exactly
    exact = received({"levels": 2}, np.array([1.0, -2.0, 2.0]), np.tile(grid[:, None], 3))
    assert sorted(set(exact[:, 1])) == [-3.0, -1.5]
    np.testing.assert_allclose(exact.mean(axis=0), [1.0, -2.0, 2.0], rtol=1e-13)
    rng = np.random.default_rng(0)
    most: dict[int, float] = {}
    for _ in range(200):
        levels, d = int(rng.integers(1, 5)), int(rng.integers(1, 40))
        u = rng.normal(size=d) * rng.choice([0.01, 1.0], size=d)
        arrived = received({"levels": levels}, u, np.tile(grid[:, None], d))
        np.testing.assert_allclose(arrived.mean(axis=0), u, atol=1e-3 * float(np.linalg.norm(u)))
        share = arrived.var(axis=0).sum() / (u @ u) / FedPAQ({"levels": levels}).relative_variance(d)
        most[levels] = max(share, most.get(levels, 0.0))
    assert 0.5 < min(most.values()) <= max(most.values()) <= 1


def test_coordinates_are_drawn_uniformly_and_scaled() -> None:
    uniform = np.array(list(product([0.1, 0.5, 0.9], repeat=3)))
    uniform = uniform[[len(set(row)) == 3 for row in uniform]]  # every order once
    arrived = received({"compressor": "rand_k", "keep": 2}, np.array([1.0, 2.0, -4.0]), uniform)
    assert sorted(map(tuple, {tuple(row) for row in arrived})) == [
        (0.0, 3.0, -6.0), (1.5, 0.0, -6.0), (1.5, 3.0, 0.0),
    ]  # fmt: skip
    np.testing.assert_allclose(arrived.mean(axis=0), [1.0, 2.0, -4.0], rtol=1e-15)


@each("dense", [False, True])
@each("keep", [1, 2, 3])
def test_moments_are_those_of_all_paths(keep: int, dense: bool) -> None:
    """Two rounds, two of three clients, every set of coordinates of each."""
    rng = np.random.default_rng(keep)
    H = [hessian(rng, 3, "dense") for _ in range(3)] if dense else rng.uniform(0.2, 1.0, (3, 3))
    problem = Quadratic(H, rng.normal(size=(3, 3)))
    run = make_run(
        "fedpaq", problem, rounds=2, eta=0.2, eta_s=0.7, local_steps=[1, 2, 3], x0=[2.0, -1.0, 0.5],
        participation={"kind": "uniform", "C": 2 / 3}, options={"compressor": "rand_k", "keep": keep},
    )  # fmt: skip
    masks = [np.isin(np.arange(3), kept) * (3 / keep) for kept in combinations(range(3), keep)]
    full = [np.diag(h) if np.ndim(h) == 1 else h for h in problem.H]
    paths = [np.array([2.0, -1.0, 0.5])]
    for _ in range(2):
        after = []
        for x in paths:
            u = []
            for i, (h, e) in enumerate(zip(full, problem.e, strict=True)):
                y = x
                for _ in range(i + 1):
                    y = y - 0.2 * h @ (y - e)
                u.append(x - y)
            after += [
                x - 0.7 * (p * u[i] + q * u[j]) / 2 for i, j in SUBSETS for p, q in product(masks, masks)
            ]
        paths = after
    result = ExactEngine(run).trajectory()
    observed = problem.observe(np.array(paths))
    np.testing.assert_allclose(result.x[-1], np.mean(paths, axis=0), rtol=1e-12)
    for name in ("gradient_norm_squared", "loss", "distance_squared"):
        np.testing.assert_allclose(result.observed[name][0, -1], observed[name].mean(), rtol=1e-11)


@each("seed", range(4))
def test_the_stationary_variance_is_the_closed_form(seed: int) -> None:
    """One Hessian: Z = (1 - eta_s r)^2 Z + (eta_s^2/M) ((q + w) r^2 V + w r^2 Z + (1 + w) N)."""
    rng = np.random.default_rng(seed)
    m, d, tau = int(rng.integers(2, 9)), int(rng.integers(2, 6)), int(rng.integers(1, 9))
    M, keep, eta, eta_s = int(rng.integers(1, m + 1)), int(rng.integers(1, d)), 0.02, 0.5
    e = rng.normal(size=(m, d))
    run = make_run(
        "fedpaq", Quadratic([1.0] * m, e, noise=0.7), rounds=1, eta=eta, eta_s=eta_s, local_steps=tau,
        participation={"kind": "uniform", "C": M / m}, options={"compressor": "rand_k", "keep": keep},
    )  # fmt: skip
    r, w, q = 1 - (1 - eta) ** tau, d / keep - 1, (m - M) / (m - 1)
    V = ((e - e.mean(0)) ** 2).sum(1).mean()
    N = eta**2 * 0.49 * (1 - (1 - eta) ** (2 * tau)) / (1 - (1 - eta) ** 2)
    Z = eta_s**2 * ((q + w) * r**2 * V + (1 + w) * N)
    Z /= M * (1 - (1 - eta_s * r) ** 2) - eta_s**2 * w * r**2
    assert ExactEngine(run).stationary()["distance_squared"] == pytest.approx(Z, rel=1e-10)


def test_sampled_runs_do_not_depend_on_chunks_and_agree_with_the_moments() -> None:
    problem = Quadratic.random(4, 3, seed=2, dense=True, noise=0.3)
    rarely = {"kind": "bernoulli", "probabilities": [0.8, 0.3, 0.5, 0.2]}
    for options in ({}, {"compressor": "rand_k"}):
        run = make_run("fedpaq", problem, rounds=6, eta=0.1, local_steps=3, options=options,
                       participation=rarely, x0=[3.0, -1.0, 2.0])  # fmt: skip
        whole, parts = (StepEngine(run, 7, chunk=size).trajectory().observed["loss"] for size in (7, 3))
        np.testing.assert_allclose(whole, parts, rtol=1e-11)
        assert np.ptp(whole[:, -1]) > 0
    exact = exact_engine(run, must=True).trajectory().observed["loss"][0]  # type: ignore[union-attr]
    for engine in ("step", "collapsed"):
        loss = trajectory(run, engine, 4000).observed["loss"]
        error = loss.std(axis=0)[1:] / np.sqrt(len(loss))
        assert (np.abs(loss.mean(axis=0)[1:] - exact[1:]) < 4.5 * error).all()
