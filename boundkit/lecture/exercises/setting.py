"""Exercises on FedAvg's round and its bound."""

from math import ceil

import numpy as np

from boundkit.analysis.predict import predict
from boundkit.analysis.rounds import rounds_to
from boundkit.analysis.step_size import largest
from boundkit.lecture.worked_examples import Values, choose, evaluate
from boundkit.theorems import theorem

BOUND = theorem("fedavg_nonconvex")


def local_steps(rng: np.random.Generator) -> Values:
    """Local steps of three clients from epochs and batch size."""
    samples = [int(rng.integers(4, 30)) * 25 for _ in range(3)]
    epochs, batch = int(choose(rng, 1, 2, 5)), int(choose(rng, 10, 20, 32, 50))
    steps = [ceil(epochs * n / batch) for n in samples]
    return {
        "n": samples, "E": epochs, "B": batch, "tau": steps,
        "mean": sum(n * k for n, k in zip(samples, steps, strict=True)) / sum(samples),
    }  # fmt: skip


def four_terms(rng: np.random.Generator) -> Values:
    """The four terms of FedAvg's bound and their sum."""
    values: Values = {
        "eta": choose(rng, 0.001, 0.002, 0.005), "tau": choose(rng, 5, 10, 20),
        "T": choose(rng, 500, 1000, 5000), "m": choose(rng, 10, 20, 50), "L": choose(rng, 1, 2),
        "sigma": choose(rng, 1, 2, 3), "sigma_g": choose(rng, 0.5, 1, 2), "gap": choose(rng, 1, 5, 10),
    }  # fmt: skip
    prediction = predict(BOUND, **values)
    return {
        "bound": BOUND, "values": values, "labels": list(prediction.terms),
        "dominant": prediction.dominant, "total": float(prediction.total),
    }  # fmt: skip


def largest_step(rng: np.random.Generator) -> Values:
    """The largest client step size that the conditions allow."""
    values: Values = {"L": choose(rng, 0.5, 1, 2, 4, 10), "tau": choose(rng, 2, 3, 5, 10, 20, 50)}
    return {"bound": BOUND, "values": values, "limit": largest(BOUND)}


def rounds_to_target(rng: np.random.Generator) -> Values:
    """Rounds until the bound is at most a target."""
    values: Values = {
        "eta": choose(rng, 0.001, 0.002), "tau": choose(rng, 4, 5, 8), "m": choose(rng, 20, 50, 100),
        "L": 1, "sigma": 1, "sigma_g": choose(rng, 0.5, 1, 2), "gap": choose(rng, 1, 2, 5),
    }  # fmt: skip
    target = choose(rng, 0.02, 0.05, 0.1)
    result = rounds_to(BOUND, target, **values)
    return {
        "values": values, "target": target, "floor": result.floor or 0, "rounds": result.rounds,
        "gap_term": evaluate(BOUND.bound.terms["initial gap"].expr, {**values, "T": 1}),
    }  # fmt: skip
