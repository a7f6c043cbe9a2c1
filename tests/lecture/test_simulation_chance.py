"""One sample: the generator by its own numbers, and the mean of many samples against the exact mean."""

from functools import cache

import numpy as np

from boundkit.lecture.page_data import PRESETS, run_of
from tests.cases import each
from tests.lecture.simulating import Simulation

SAMPLES = 400
WIDE = 4.5
"""Standard errors: one in 150 000 lies outside by chance, and the seeds are fixed."""


@cache
def page() -> Simulation:
    return Simulation()


def mulberry32(seed: int, count: int) -> list[float]:
    """The generator once more, in whole numbers of Python."""
    word, numbers = 0xFFFFFFFF, []
    for k in range(1, count + 1):
        a = (seed + k * 0x6D2B79F5) & word
        t = ((a ^ (a >> 15)) * (1 | a)) & word
        t = ((t + ((t ^ (t >> 7)) * (61 | t))) ^ t) & word
        numbers.append((t ^ (t >> 14)) / 2**32)
    return numbers


@each("seed", [0, 1, 123456789, 2**32 - 1])
def test_the_generator_is_mulberry32(seed: int) -> None:
    numbers = page().ask(
        "{ const next = s.mulberry32(g[0]); return [1, 2, 3, 4, 5].map(() => next()); }", seed
    )
    assert numbers == mulberry32(seed, 5)


@each("name", ["equal_hessians", "partial_participation", "fedvarp", "scaffold"])
def test_samples_scatter_about_the_exact_mean_as_the_covariance_says(name: str) -> None:
    settings = PRESETS["equal_hessians" if name == "scaffold" else name]
    algorithm = name if name == "scaffold" else settings["algorithm"]
    run = run_of(settings) | {"rounds": 8, "eta": 0.1, "noise": 2.0}
    words = """{
      const model = s.prepare(g[0], g[1]), seen = s.trajectory(model), paths = [];
      for (let seed = 0; seed < g[2]; seed++) paths.push(s.sample(model, seed).x);
      return [seen.x, seen.covariance, paths];
    }"""
    mean, covariance, paths = map(np.array, page().ask(words, algorithm, run, SAMPLES))
    variance = np.diagonal(covariance, axis1=1, axis2=2)
    error = np.sqrt(variance[1:] / SAMPLES)
    assert (np.abs(paths.mean(axis=0) - mean)[1:] <= WIDE * error).all()
    ratio = paths.var(axis=0, ddof=1)[1:] / variance[1:]
    assert (np.abs(ratio - 1) <= WIDE * np.sqrt(2 / SAMPLES)).all()


def test_a_seed_is_a_path() -> None:
    run = run_of(PRESETS["partial_participation"])
    words = "g[2].map(seed => s.sample(s.prepare(g[0], g[1]), seed))"
    one, again, other = page().ask(words, "fedavg", run, [1, 1, 2])
    assert one == again
    assert one != other
    assert {len(who) for who in one["sampled"]} == {2}


def test_clients_participate_with_their_probabilities() -> None:
    run = run_of(PRESETS["two_clients"]) | {"rounds": 2000}
    run |= {"participation": {"kind": "bernoulli", "probabilities": [0.3, 0.8]}}
    came = page().ask("s.sample(s.prepare(g[0], g[1]), 7).sampled", "fedavg", run)
    often = np.array([sum(i in who for who in came) for i in range(2)]) / 2000
    assert np.abs(often - [0.3, 0.8]).max() < WIDE * np.sqrt(0.25 / 2000)
