"""Exercises on relaxed smoothness and clipping."""

from math import ceil

import numpy as np
from sympy import Abs, Rational, Symbol, diff, solve

from boundkit.algebra.notation import clip, eta
from boundkit.analysis.step_size import largest
from boundkit.lecture.worked_examples import Values, choose, evaluate
from boundkit.theorems import theorem


def clipped_rounds(rng: np.random.Generator) -> Values:
    """Rounds of clipped gradient descent at the largest step sizes."""
    bound = theorem("clipped_gd_relaxed_smooth_rounds")
    values: Values = {
        "L0": choose(rng, 0.5, 1, 2), "L1": choose(rng, 0.5, 1, 4), "gap": choose(rng, 1, 5, 10),
        "target": choose(rng, 0.05, 0.1, 0.2, 0.5),
    }  # fmt: skip
    steps = {q.name: evaluate(largest(bound, q), values) for q in (eta, clip)}
    at = {**values, **steps}
    total = sum(evaluate(t.expr, at) for t in bound.terms)
    return {
        "bound": bound, "values": values, "steps": steps, "at": at, "labels": list(bound.bound.terms),
        "total": total, "rounds": ceil(total - 1e-9),
    }  # fmt: skip


def quartic(rng: np.random.Generator) -> Values:
    """The smallest L_0 of a quartic for a given L_1."""
    a, L1 = int(choose(rng, 1, 2, 3)), Rational(int(choose(rng, 1, 2, 4)), int(choose(rng, 1, 3)))
    x = Symbol("x", positive=True)
    f = a * x**4
    difference = diff(f, x, 2) - L1 * Abs(diff(f, x))
    worst = solve(diff(difference, x), x)[0]
    return {"f": f, "L1": L1, "difference": difference, "x": worst, "L0": difference.subs(x, worst)}


def clipped_majority(rng: np.random.Generator) -> Values:
    """The mean clipped step when a majority opposes the mean gradient."""
    slope, step = choose(rng, 1, 2, 5), choose(rng, 0.1, 0.2)
    threshold = choose(rng, 0.5, 1.5, 3, 4) * slope
    slopes = [5 * slope, -slope, -slope]
    steps = [-min(step, step * threshold / abs(g)) * g for g in slopes]
    return {
        "slopes": slopes, "mean_slope": slope, "eta": step, "threshold": threshold, "steps": steps,
        "mean": sum(steps) / 3,
    }  # fmt: skip


def lower_bound(rng: np.random.Generator) -> Values:
    """The lower bound on the rounds of clipped minibatch SGD."""
    bound = theorem("clipped_minibatch_sgd_relaxed_smooth_lower")
    values: Values = {
        "C": 0.1, "L0": 1, "L1": choose(rng, 0.5, 1, 2), "grad_max": choose(rng, 10, 50, 100),
        "gap": choose(rng, 2000, 5000), "target": choose(rng, 0.05, 0.1),
    }  # fmt: skip
    upper = 5 * values["gap"] * (values["L0"] / values["target"] ** 2 + values["L1"] / values["target"])
    rounds = evaluate(bound.bound.terms["clipping"].expr, values)
    return {"bound": bound, "values": values, "rounds": rounds, "upper": float(upper)}
