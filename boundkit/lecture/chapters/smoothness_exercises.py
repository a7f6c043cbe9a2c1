"""Exercises on relaxed smoothness and clipping, with drawn numbers."""

from math import ceil

import numpy as np
from sympy import Abs, Rational, Symbol, diff, latex, solve

from boundkit.algebra.notation import clip, eta
from boundkit.analysis.step_size import largest
from boundkit.lecture.chapters.worked_solutions import (
    Values,
    answer,
    fraction,
    given,
    number,
    pick,
    term,
    value,
    worked,
)
from boundkit.lecture.parts import Exercise, Worked
from boundkit.theorems import theorem

_CLIPPED, _LOWER = "clipped_gd_relaxed_smooth_rounds", "clipped_minibatch_sgd_relaxed_smooth_lower"


def _rounds(rng: np.random.Generator) -> Worked:
    bound = theorem(_CLIPPED)
    values: Values = {
        "L0": pick(rng, 0.5, 1, 2), "L1": pick(rng, 0.5, 1, 4), "gap": pick(rng, 1, 5, 10),
        "target": pick(rng, 0.05, 0.1, 0.2, 0.5),
    }  # fmt: skip
    steps = {q.name: value(largest(bound, q), values) for q in (eta, clip)}
    at = {**values, **steps}
    total = sum(value(t.expr, at) for t in bound.terms)
    return Worked(
        f"{given(values)}. How many rounds does clipped gradient descent need at most, at the largest "
        f"steps that its "
        "theorem allows, until the gradient is at most $\\epsilon$?",
        (
            f"The largest steps are {given(steps)}, that is $1/(2 L_0)$ and $1/(2 L_1)$.",
            *(term(bound, label, at) for label in bound.bound.terms),
            f"In sum ${number(total)}$, rounded up.",
        ),
        answer("T", ceil(total - 1e-9)),
    )


def _quartic(rng: np.random.Generator) -> Worked:
    a, slope = int(pick(rng, 1, 2, 3)), Rational(int(pick(rng, 1, 2, 4)), int(pick(rng, 1, 3)))
    x = Symbol("x", positive=True)
    f = a * x**4
    rest = diff(f, x, 2) - slope * Abs(diff(f, x))
    worst = solve(diff(rest, x), x)[0]
    needed = rest.subs(x, worst)
    return Worked(
        rf"$f(x) = {latex(f)}$. Which is the smallest $L_0$ with which $|f''| \le L_0 + L_1 |f'|$ holds "
        rf"for all $x$, "
        rf"if $L_1 = {latex(slope)}$?",
        (
            rf"$f'' - L_1 |f'| = {latex(rest)}$ for $x > 0$; the other side is alike.",
            rf"It is largest where its derivative is 0, at $x = {latex(worst)}$.",
            rf"There it is ${fraction(needed)}$.",
        ),
        answer("L_0", float(needed)),
    )


def _majority(rng: np.random.Generator) -> Worked:
    slope, step = pick(rng, 1, 2, 5), pick(rng, 0.1, 0.2)
    threshold = pick(rng, 0.5, 1.5, 3, 4) * slope
    gradients = [5 * slope, -slope, -slope]
    steps = [-min(step, step * threshold / abs(g)) * g for g in gradients]
    mean = sum(steps) / 3
    return Worked(
        rf"One of three clients comes a round, each as often. Their losses are straight lines with slopes "
        rf"${number(5 * slope)}$, ${number(-slope)}$ and ${number(-slope)}$. Steps have $\eta = "
        rf"{number(step)}$ and are clipped at "
        rf"$\gamma = {number(step * threshold)}$. How far does the model move in a round, in the mean, and "
        rf"is it up or down "
        "the mean loss?",
        (
            rf"The mean slope is ${number(slope)}$, so down is to the left.",
            rf"A gradient is clipped where it is above $\gamma/\eta = {number(threshold)}$.",
            f"The three steps are ${', '.join(number(s) for s in steps)}$.",
            f"Their mean is ${number(mean)}$: {'uphill' if mean > 0 else 'downhill'}. "
            r"It is uphill where $\gamma/\eta < 2 \cdot " + f"{number(slope)}$.",
        ),
        answer(r"\mathbb{E}\, x_{t+1} - x_t", mean),
    )


def _at_least(rng: np.random.Generator) -> Worked:
    bound = theorem(_LOWER)
    values: Values = {
        "C": 0.1, "L0": 1, "L1": pick(rng, 0.5, 1, 2), "grad_max": pick(rng, 10, 50, 100),
        "gap": pick(rng, 2000, 5000), "target": pick(rng, 0.05, 0.1),
    }  # fmt: skip
    found = bound.bound.terms["clipping"].expr
    rounds = value(found, values)
    return Worked(
        f"{given(values)}. How many rounds does clipped minibatch SGD with sampled clients need at least "
        f"on the worst losses "
        "of the class, whatever its steps?",
        (
            worked("T", found, values),
            "Clipped gradient descent with all clients needs at most "
            rf"$5 \Delta (L_0/\epsilon^2 + L_1/\epsilon) = {number(_upper(values))}$ rounds: the ratio is "
            rf"about "
            rf"${number(rounds / _upper(values), 2)}$, and it grows with $M$.",
        ),
        answer("T", rounds),
    )


def _upper(values: Values) -> float:
    return float(5 * values["gap"] * (values["L0"] / values["target"] ** 2 + values["L1"] / values["target"]))


EXERCISES = (
    Exercise("Rounds of clipped gradient descent", _rounds),
    Exercise("How smooth is a quartic", _quartic),
    Exercise("The wrong majority", _majority),
    Exercise("Rounds at least", _at_least),
)
"""Four exercises."""
