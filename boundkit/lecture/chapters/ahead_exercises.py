"""Exercises on modified objectives, with drawn numbers."""

import numpy as np
from sympy import Rational, Symbol, diff, latex, solve

from boundkit.lecture.chapters.worked_solutions import answer, fraction, listed, number, pick
from boundkit.lecture.parts import Exercise, Worked


def _personal(rng: np.random.Generator) -> Worked:
    own, common = int(pick(rng, -4, -2, 6, 8)), int(pick(rng, 1, 2, 3))
    h, weight = int(pick(rng, 1, 2, 4)), Rational(int(pick(rng, 1, 2, 3)), int(pick(rng, 1, 2)))
    v = Symbol("v", real=True)
    objective = Rational(h, 2) * (v - own) ** 2 + weight / 2 * (v - common) ** 2
    best = solve(diff(objective, v), v)[0]
    return Worked(
        rf"A client has $F_i(v) = \frac{{h_i}}{{2}} (v - e_i)^2$ with $h_i = {h}$ and $e_i = {own}$. The "
        rf"common model is "
        rf"$x^* = {common}$. "
        rf"Which model of its own does it get for $\lambda = {number(float(weight))}$?",
        (
            r"The derivative of $F_i(v) + \frac{\lambda}{2} (v - x^*)^2$ is $h_i (v - e_i) + \lambda (v - "
            r"x^*)$.",
            r"It is 0 at the mean of $e_i$ and $x^*$, weighed by $h_i$ and $\lambda$.",
            f"$v = {fraction(best)}$.",
        ),
        answer("v", float(best)),
    )


def _fair(rng: np.random.Generator) -> Worked:
    centres = sorted(int(c) for c in rng.choice(np.arange(-9, 10), size=3, replace=False))
    mean, middle = Rational(sum(centres), 3), Rational(centres[0] + centres[2], 2)
    worst = [max((x - c) ** 2 / 2 for c in centres) for x in (mean, middle)]
    return Worked(
        rf"Three clients of equal weight, $F_i(x) = (x - e_i)^2/2$ with $e_i = {listed(centres)}$. How "
        rf"much does the worst-off "
        "client lose at the optimum of the mean, how much if the largest loss is minimised, and what is "
        "the difference?",
        (
            rf"The mean is least at ${latex(mean)}$, and the largest loss there is ${fraction(worst[0])}$.",
            rf"The largest loss is least half-way between the outer two, at ${latex(middle)}$: "
            rf"${fraction(worst[1])}$.",
            "The client in between has no say in the second.",
        ),
        answer(r"\max_i F_i(x^*) - \min_x \max_i F_i(x)", float(worst[0] - worst[1])),
    )


def _moving(rng: np.random.Generator) -> Worked:
    eta, steps = Rational(1, int(pick(rng, 5, 10, 20, 50))), int(pick(rng, 1, 2, 5, 10))
    speed = Rational(1, int(pick(rng, 2, 10, 100)))
    keep = (1 - eta) ** steps
    lag = speed / (1 - keep)
    return Worked(
        rf"All clients have Hessian 1, and their minimisers, and with them $x^*$, move by $s = "
        rf"{number(float(speed))}$ a round, always "
        rf"the same way. FedAvg takes $\tau = {steps}$ full-batch steps of $\eta = {number(float(eta))}$ a "
        rf"round. How far "
        "behind $x^*$ is it, in the long run, when a round begins?",
        (
            rf"A round keeps $k = (1 - \eta)^\tau = {number(float(keep))}$ of the distance. Then $x^*$ "
            rf"moves on by the speed $s$.",
            r"The lag stays where $k \cdot \text{lag} + s = \text{lag}$, so it is $s/(1 - k)$.",
            "More local steps help here. With unequal Hessians they would also drift.",
        ),
        answer(r"\text{lag}", float(lag)),
    )


EXERCISES = (
    Exercise("A model of one's own", _personal),
    Exercise("The mean and the worst-off", _fair),
    Exercise("An optimum that moves", _moving),
)
"""Three exercises."""
