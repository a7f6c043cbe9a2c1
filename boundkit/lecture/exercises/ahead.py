"""Exercises on modified objectives."""

import numpy as np
from sympy import Rational, Symbol, diff, solve

from boundkit.lecture.worked_examples import Values, choose


def personalised_model(rng: np.random.Generator) -> Values:
    """A personalised model between a client's minimiser and the common model."""
    e, common = int(choose(rng, -4, -2, 6, 8)), int(choose(rng, 1, 2, 3))
    h, weight = int(choose(rng, 1, 2, 4)), Rational(int(choose(rng, 1, 2, 3)), int(choose(rng, 1, 2)))
    v = Symbol("v", real=True)
    objective = Rational(h, 2) * (v - e) ** 2 + weight / 2 * (v - common) ** 2
    (optimum,) = solve(diff(objective, v), v)
    return {"h": h, "e": e, "common": common, "weight": float(weight), "optimum": optimum}


def largest_loss(rng: np.random.Generator) -> Values:
    """The largest loss at the optimum of the mean and at the minimax point."""
    e = sorted(int(c) for c in rng.choice(np.arange(-9, 10), size=3, replace=False))
    mean, middle = Rational(sum(e), 3), Rational(e[0] + e[2], 2)
    largest = [max((x - c) ** 2 / 2 for c in e) for x in (mean, middle)]
    return {
        "e": e, "mean": mean, "middle": middle, "largest": largest,
        "difference": float(largest[0] - largest[1]),
    }  # fmt: skip


def moving_optimum(rng: np.random.Generator) -> Values:
    """The lag of FedAvg behind an optimum that moves at constant speed."""
    eta, steps = Rational(1, int(choose(rng, 5, 10, 20, 50))), int(choose(rng, 1, 2, 5, 10))
    speed = Rational(1, int(choose(rng, 2, 10, 100)))
    k = (1 - eta) ** steps
    return {
        "eta": float(eta), "tau": steps, "speed": float(speed), "k": float(k), "lag": float(speed / (1 - k))
    }  # fmt: skip
