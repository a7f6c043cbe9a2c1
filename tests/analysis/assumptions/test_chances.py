"""Counterexamples made of noise, draws and clocks: every one is counted out."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F
from itertools import combinations, pairwise, product

import pytest

from boundkit.analysis.lattice import LATTICE
from tests.cases import each

PLUS_MINUS = {-1.0: F(1, 2), 1.0: F(1, 2)}


def mean(law: dict[float, F], of: Callable[[float], float]) -> float:
    return sum(float(p) * of(v) for v, p in law.items())


def gaussian() -> None:
    """Variance 1, and beyond every radius there is some chance left."""
    steps = [k / 50 for k in range(-500, 501)]
    density = [math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / 50 for z in steps]
    assert sum(z * z * p for z, p in zip(steps, density, strict=True)) == pytest.approx(1.0, rel=1e-6)
    assert all(math.erfc(radius / math.sqrt(2)) > 0 for radius in (1, 5, 20, 35))


def moving_coordinate() -> None:
    variances = {-1: (1.0, 0.0), 1: (0.0, 1.0)}  # by the sign of x_1
    assert all(sum(v) == 1 for v in variances.values())
    assert sum(max(v[j] for v in variances.values()) for j in (0, 1)) == 2


def lopsided() -> None:
    law = {2.0: F(1, 3), -1.0: F(2, 3)}
    assert mean(law, lambda v: v) == pytest.approx(0.0, abs=1e-15)
    assert mean(law, lambda v: v * v) == pytest.approx(2.0)
    assert law != {-v: p for v, p in law.items()}


def one_pass() -> None:
    passes = [(1.0, -1.0), (-1.0, 1.0)]
    assert all(abs(e) <= 1 for way in passes for e in way)
    assert sum(a * b for a, b in passes) / len(passes) == -1.0  # independent steps would give 0


def on_the_way() -> None:
    slopes = (lambda x: x - 1.0, lambda x: 3 * x - 1.0)
    assert slopes[0](0.0) == slopes[1](0.0) == -1.0
    for y in (0.1, 1.0, 10.0):
        assert slopes[1](y) - slopes[0](y) == pytest.approx(2 * y)


def from_the_gradient() -> None:
    for x in (0.0, 10.0, 1000.0):
        assert mean(PLUS_MINUS, lambda v, x=x: v * v) == 1  # type: ignore[misc]
        assert mean(PLUS_MINUS, lambda v, x=x: (x + v) ** 2) == x * x + 1  # type: ignore[misc]


def without_replacement() -> None:
    draws = list(combinations(range(2), 1))
    single = F(sum(0 in d for d in draws), len(draws))
    both = F(sum({0, 1} <= set(d) for d in draws), len(draws))
    assert single == F(1, 2)
    assert both == 0 != single**2


def many_draws() -> None:
    draws = list(product(range(3), repeat=3))
    assert F(sum(0 not in d for d in draws), len(draws)) == F(2, 3) ** 3 > 0


def twice() -> None:
    draws = list(product(range(2), repeat=2))
    assert F(sum(len(set(d)) == 1 for d in draws), len(draws)) == F(1, 2)


def uniform_against_weights() -> None:
    draws, weights = list(combinations(range(2), 1)), (F(3, 4), F(1, 4))
    plain = [F(sum(i in d for d in draws), len(draws)) for i in range(2)]
    assert plain == [F(1, 2), F(1, 2)] != list(weights)


def weights_in_the_mean() -> None:
    draws, weights = list(combinations(range(2), 1)), (F(3, 4), F(1, 4))
    means = [F(sum(i in d for d in draws), len(draws)) for i in range(2)]
    assert means != list(weights)
    assert [2 * p * mean for p, mean in zip(weights, means, strict=True)] == list(weights)


def empty_rounds() -> None:
    rounds, weights = list(product((0, 1), repeat=2)), (F(3, 4), F(1, 4))
    for i, p in enumerate(weights):
        assert sum(2 * p * there[i] for there in rounds) / len(rounds) == p
    assert F(sum(not any(there) for there in rounds), len(rounds)) == F(1, 4)


def long_away() -> None:
    for k in range(8):
        runs = list(product([False, True], repeat=k + 1))
        assert F(sum(not any(run) for run in runs), len(runs)) == F(1, 2 ** (k + 1)) > 0


def left_out() -> None:
    for k in range(8):
        runs = list(product(combinations(range(2), 1), repeat=k))
        assert F(sum(all(0 not in s for s in run) for run in runs), len(runs)) == F(1, 2**k) > 0


def in_turns() -> None:
    rounds = [{0, 1}] + [{t % 2} for t in range(1, 20)]
    for i in (0, 1):
        seen = [t for t, there in enumerate(rounds) if i in there]
        assert seen[0] == 0
        assert max(b - a for a, b in pairwise(seen)) == 2
        assert any(i not in there for there in rounds)  # certain to be away then: a chance of 0


def known_ahead() -> None:
    groups = ((0,), (1,))
    first = {s: F(1) for s in combinations(groups[0], 1)}
    uniform = {s: F(1, 2) for s in combinations(range(2), 1)}
    assert first != uniform
    assert [sum(p for s, p in first.items() if i in s) for i in range(2)] == [1, 0]


CHECKS: dict[tuple[str, str], Callable[[], None]] = {
    ("bounded-noise", "almost-sure-noise"): gaussian,
    ("bounded-noise", "symmetric-noise"): lopsided,
    ("shuffled-parts", "bounded-noise"): one_pass,
    ("clientwise-dissimilarity", "uniform-dissimilarity"): on_the_way,
    ("bounded-noise", "coordinate-noise"): moving_coordinate,
    ("bounded-noise", "bounded-gradients"): from_the_gradient,
    ("bounded-gradients", "bounded-coordinates"): gaussian,
    ("full-participation", "sampling-with-replacement"): many_draws,
    ("partial-participation", "changing-availability"): without_replacement,
    ("partial-participation", "bernoulli-availability"): without_replacement,
    ("sampling-with-replacement", "partial-participation"): twice,
    ("partial-participation", "sampling-with-replacement"): uniform_against_weights,
    ("partial-participation", "unbiased-sampling"): weights_in_the_mean,
    ("unbiased-sampling", "sampling-with-replacement"): empty_rounds,
    ("bernoulli-availability", "bounded-absence"): long_away,
    ("partial-participation", "bounded-absence"): left_out,
    ("bounded-absence", "changing-availability"): in_turns,
    ("cyclic-participation", "partial-participation"): known_ahead,
}


SEEN = {
    ("bounded-noise", "no-noise"), ("bounded-gradients", "bounded-noise"),
    ("changing-availability", "bernoulli-availability"), ("general-local-solver", "common-local-steps"),
    ("server-step-at-least-one", "adaptive-server-step"),
}  # fmt: skip
"""Those that need no counting: the example is of two numbers."""


@each("pair", CHECKS, ids=", not ".join)
def test_it_counts_out(pair: tuple[str, str]) -> None:
    CHECKS[pair]()


def test_every_example_without_losses_is_counted_out() -> None:
    assert {(r.given[0].name, r.fails.name) for r in LATTICE.refutations if not r.clients} == {*CHECKS, *SEEN}


def test_draws_by_weight_and_uniform_draws_of_alike_weights_have_no_skew() -> None:
    """Both are biased selections with rho_bar = rho_tilde = 1."""
    losses = ((F(1, 2), F(0)), (F(1), F(1)), (F(2), F(-3)))  # a (x - e)^2
    weights = (F(1, 2), F(1, 3), F(1, 6))
    for x in (F(-2), F(0), F(7, 3)):
        values = [a * (x - e) ** 2 for a, e in losses]
        by_weight = sum(
            math.prod((weights[i] for i in s), start=F(1)) * sum(values[i] for i in s) / 2
            for s in product(range(3), repeat=2)
        )
        assert by_weight == sum(p * v for p, v in zip(weights, values, strict=True))
        uniform = [sum(values[i] for i in s) / 2 for s in combinations(range(3), 2)]
        assert sum(uniform) / len(uniform) == sum(values) / 3
