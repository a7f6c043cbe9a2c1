"""Exercises on reading a bound."""

from math import log10

import numpy as np

from boundkit.analysis.predict import predict
from boundkit.analysis.tune import tune
from boundkit.lecture.worked_examples import Values, choose, evaluate
from boundkit.theorems import theorem


def change_of_units(rng: np.random.Generator) -> Values:
    """A tuned step size after a change of the unit of length."""
    factor = int(choose(rng, 10, 100, 1000))
    values: Values = {
        "L": choose(rng, 2, 4, 10), "m": 16, "tau": choose(rng, 4, 9), "T": choose(rng, 10_000, 40_000),
    }  # fmt: skip
    wrong = (values["m"] / (values["tau"] * values["T"])) ** 0.5
    return {"values": values, "factor": factor, "wrong": wrong, "right": wrong / values["L"]}


def slope(rng: np.random.Generator) -> Values:
    """The log-log slope of a tuned bound between two horizons."""
    values: Values = {
        "m": choose(rng, 10, 20), "tau": choose(rng, 5, 10), "L": 1, "sigma": 1,
        "sigma_g": choose(rng, 0.5, 1, 2), "gap": 1,
    }  # fmt: skip
    T = int(choose(rng, 10**4, 10**5, 10**6))
    bound = theorem("fedavg_nonconvex_tuned")
    low, high = (float(predict(bound, T=rounds, **values).total) for rounds in (T, 10 * T))
    return {"values": values, "T": T, "low": low, "high": high, "slope": log10(high / low)}


def looseness(rng: np.random.Generator) -> Values:
    """The participation term divided by the exact error floor."""
    bound = theorem("fedavg_nonconvex_partial")
    values: Values = {
        "eta": choose(rng, 0.001, 0.002, 0.005), "eta_s": 1, "tau": choose(rng, 1, 2, 5), "L": 1,
        "m": choose(rng, 20, 50), "C": choose(rng, 0.1, 0.2), "sigma_g": choose(rng, 1, 2),
    }  # fmt: skip
    r = 1 - (1 - values["eta"]) ** values["tau"]
    sampled = (1 - values["C"]) / (values["C"] * (values["m"] - 1))
    floor = r / (2 - r) * sampled * values["sigma_g"] ** 2
    ratio = evaluate(bound.bound.terms["partial participation"].expr, values) / floor
    return {"bound": bound, "values": values, "r": r, "floor": floor, "ratio": ratio}


def suboptimal_step(rng: np.random.Generator) -> Values:
    """The bound at a multiple of the best step size."""
    bound = theorem("sgd_nonconvex")
    values: Values = {
        "m": choose(rng, 4, 10, 20), "T": choose(rng, 1000, 10_000), "L": 1, "sigma": choose(rng, 1, 2),
        "gap": choose(rng, 0.5, 1, 2),
    }  # fmt: skip
    tuned = tune(bound, "eta", **values)
    factor, eta = choose(rng, 0.2, 0.25, 0.5, 2, 3), tuned.values["eta"]
    return {
        "values": values, "formula": tuned.formula, "eta": eta, "least": tuned.bound, "factor": factor,
        "total": float(predict(bound, eta=eta * factor, **values).total),
    }  # fmt: skip
