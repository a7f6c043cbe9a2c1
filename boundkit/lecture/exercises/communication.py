"""Exercises on sampling, biased selection, cyclic participation, availability and wall-clock time."""

from math import floor

import numpy as np
from sympy import Rational

from boundkit.algebra.notation import C
from boundkit.analysis.tune import tune
from boundkit.lecture.worked_examples import Values, choose, evaluate
from boundkit.theorems import theorem


def clients_needed(rng: np.random.Generator) -> Values:
    """Clients a round that keep the participation term below a target."""
    term = theorem("fedavg_nonconvex_partial").bound.terms["partial participation"].expr
    values: Values = {
        "m": choose(rng, 50, 100, 200, 1000), "tau": choose(rng, 5, 10), "eta": choose(rng, 0.001, 0.002),
        "eta_s": 1, "L": 1, "sigma_g": choose(rng, 1, 2),
    }  # fmt: skip
    target = choose(rng, 0.005, 0.01, 0.02)
    a = evaluate((term * C / (1 - C)).simplify(), values)  # the term is a (1 - C)/C
    fraction = a / (a + target)
    return {
        "values": values, "target": target, "term": term, "a": a, "C": fraction,
        "count": floor(fraction * values["m"]) + 1,
    }  # fmt: skip


def selection_skew(rng: np.random.Generator) -> Values:
    """The selection skew of power-of-choice at the optimum."""
    e = sorted(int(c) for c in rng.choice(np.arange(-8, 9), size=3, replace=False))
    optimum = Rational(sum(e), 3)
    losses = [(optimum - c) ** 2 / 2 for c in e]
    largest = sorted(losses, reverse=True)
    chosen, mean = (2 * largest[0] + largest[1]) / 3, sum(losses) / 3
    return {
        "e": e, "optimum": optimum, "losses": losses, "chosen": chosen, "mean": mean,
        "skew": float(chosen / mean),
    }  # fmt: skip


def cyclic_groups(rng: np.random.Generator) -> Values:
    """The limit of two groups that participate in turn."""
    first, second = int(choose(rng, 0, 1, 2)), int(choose(rng, 6, 8, 10))
    steps, eta = int(choose(rng, 1, 2, 5)), Rational(1, int(choose(rng, 10, 20, 50)))
    k = (1 - eta) ** steps
    return {
        "e": [first, second], "tau": steps, "eta": float(eta), "k": float(k),
        "x": float((k * first + second) / (1 + k)), "optimum": (first + second) / 2,
    }  # fmt: skip


def unequal_availability(rng: np.random.Generator) -> Values:
    """FedAvg's limit for two clients with unequal participation probabilities."""
    q = [choose(rng, 0.6, 0.8, 0.9, 1.0), choose(rng, 0.1, 0.2, 0.3, 0.5)]
    anybody, weight = sum(q) - q[0] * q[1], q[0] * (1 - q[1] / 2)
    return {
        "q": q, "alone": q[0] * (1 - q[1]), "both": q[0] * q[1], "weight": weight, "anybody": anybody,
        "share": weight / anybody, "share_of_all": q[0] / sum(q), "limit_of_all": 100 * q[1] / sum(q),
        "limit": 100 * (1 - weight / anybody),
    }  # fmt: skip


def communication_period(rng: np.random.Generator) -> Values:
    """The number of local steps that minimises the bound at a fixed wall-clock time."""
    values: Values = {
        "eta": choose(rng, 0.005, 0.01), "L": 1, "sigma": choose(rng, 1, 2), "gap": choose(rng, 1, 2),
        "delay": choose(rng, 5, 10, 20), "step_time": 1, "wall": choose(rng, 20_000, 50_000, 100_000),
        "m": 10,
    }  # fmt: skip
    tuned = tune(theorem("local_sgd_nonconvex_clock"), "tau", **values)
    return {"values": values, "formula": tuned.formula, "tau": tuned.values["tau"]}
