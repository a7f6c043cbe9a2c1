"""Exercises on heterogeneous data."""

from functools import cache

import numpy as np
from sympy import Expr, Rational, solve

from boundkit.algebra.notation import tau
from boundkit.analysis.tune import tune
from boundkit.lecture.worked_examples import Values, choose, evaluate
from boundkit.theorems import theorem

BOUND = theorem("fedavg_nonconvex")


def drift_and_noise(rng: np.random.Generator) -> Values:
    """The number of local steps at which client drift equals the stochastic noise."""
    noise, drift, root = _equal_terms()
    values: Values = {
        "eta": choose(rng, 0.0005, 0.001, 0.002), "L": choose(rng, 1, 2), "m": choose(rng, 5, 10, 20),
        "sigma": choose(rng, 1, 2), "sigma_g": choose(rng, 0.2, 0.5, 1),
    }  # fmt: skip
    return {"values": values, "noise": noise, "drift": drift, "root": root}


@cache
def _equal_terms() -> tuple[Expr, Expr, Expr]:
    """The stochastic noise, the client drift, and the number of local steps at which they are equal."""
    terms = BOUND.bound.terms
    noise, drift = terms["stochastic noise"].expr, terms["client drift"].expr
    ones = {q.name: 1.0 for q in (drift - noise).free_symbols}
    return noise, drift, max(solve(drift - noise, tau), key=lambda root: evaluate(root, ones))


def dissimilarity(rng: np.random.Generator) -> Values:
    """Gradient dissimilarity of three quadratics with one Hessian."""
    curvature = choose(rng, 0.5, 1, 2)
    minimisers = rng.integers(-6, 7, size=3)
    while len(set(minimisers.tolist())) < 3:
        minimisers = rng.integers(-6, 7, size=3)
    mean = Rational(int(minimisers.sum()), 3)
    squares = [float((int(e) - mean) ** 2) * curvature**2 for e in minimisers]
    return {
        "h": curvature, "e": minimisers.tolist(), "mean": mean, "squares": squares,
        "mean_square": float(np.mean(squares)), "sigma_g": float(np.sqrt(np.mean(squares))),
    }  # fmt: skip


def best_step(rng: np.random.Generator) -> Values:
    """The step size that minimises the bound without noise."""
    values: Values = {
        "L": 1, "tau": choose(rng, 4, 5, 10), "T": choose(rng, 500, 1000, 5000), "sigma": 0,
        "sigma_g": choose(rng, 0.5, 1, 2), "gap": choose(rng, 0.5, 1),
    }  # fmt: skip
    tuned = tune(BOUND, "eta", m=10, **values)
    at = {**values, "eta": tuned.values["eta"], "m": 10}
    return {"bound": BOUND, "values": values, "formula": tuned.formula, "at": at}


def server_step(rng: np.random.Generator) -> Values:
    """FedExP's server step for three updates."""
    updates = rng.integers(-3, 4, size=(3, 2))
    while not 0 < (updates.sum(axis=0) ** 2).sum() <= 27:
        updates = rng.integers(-3, 4, size=(3, 2))
    mean_of_squares = Rational(int((updates**2).sum()), 3)
    square_of_mean = Rational(int((updates.sum(axis=0) ** 2).sum()), 9)
    ratio = mean_of_squares / (2 * square_of_mean)
    return {
        "updates": updates.tolist(), "mean_of_squares": mean_of_squares, "square_of_mean": square_of_mean,
        "ratio": ratio, "eta_s": float(max(ratio, Rational(1))),
    }  # fmt: skip


def limit_point(rng: np.random.Generator) -> Values:
    """FedAvg's limit point for two quadratics with unequal Hessians."""
    h = [int(choose(rng, 1, 2)), int(choose(rng, 4, 6))]
    e = [int(choose(rng, 0, 1, 2)), int(choose(rng, 5, 8, 10))]
    steps, eta = int(choose(rng, 2, 4, 8)), Rational(1, int(choose(rng, 20, 40)))
    K = [1 - (1 - eta * curvature) ** steps for curvature in h]
    return {
        "h": h, "e": e, "tau": steps, "eta": float(eta), "K": [float(k) for k in K],
        "optimum": Rational(h[0] * e[0] + h[1] * e[1], sum(h)),
        "limit": float((K[0] * e[0] + K[1] * e[1]) / (K[0] + K[1])),
    }  # fmt: skip
