"""Exercises on unlike data, with drawn numbers."""

from functools import cache

import numpy as np
from sympy import Expr, Rational, solve

from boundkit.algebra.notation import tau
from boundkit.algebra.printing import latex
from boundkit.analysis.tune import tune
from boundkit.lecture.chapters.worked_solutions import (
    Values,
    answer,
    fraction,
    given,
    listed,
    number,
    pick,
    put_in,
    term,
    value,
)
from boundkit.lecture.parts import Exercise, Worked
from boundkit.theorems import theorem

_BOUND = "fedavg_nonconvex"


def _crossover(rng: np.random.Generator) -> Worked:
    noise, drift, root = _meeting()
    values: Values = {
        "eta": pick(rng, 0.0005, 0.001, 0.002), "L": pick(rng, 1, 2), "m": pick(rng, 5, 10, 20),
        "sigma": pick(rng, 1, 2), "sigma_g": pick(rng, 0.2, 0.5, 1),
    }  # fmt: skip
    return Worked(
        f"{given(values)}. From which number of local steps on is the client drift of `{_BOUND}` larger than "
        f"the "
        "stochastic noise? Give $\\tau$ as a real number.",
        (
            f"Both are equal where ${latex(drift)} = {latex(noise)}$.",
            f"This is quadratic in $\\tau$, with the root\n\n$${latex(root)}$$",
            f"With the numbers:\n\n$${put_in(root, values)}$$",
        ),
        answer(r"\tau", value(root, values)),
    )


@cache
def _meeting() -> tuple[Expr, Expr, Expr]:
    """The stochastic noise, the client drift, and the number of local steps at which they are equal."""
    terms = theorem(_BOUND).bound.terms
    noise, drift = terms["stochastic noise"].expr, terms["client drift"].expr
    ones = {q.name: 1.0 for q in (drift - noise).free_symbols}
    return noise, drift, max(solve(drift - noise, tau), key=lambda root: value(root, ones))


def _dissimilarity(rng: np.random.Generator) -> Worked:
    curvature = pick(rng, 0.5, 1, 2)
    centres = rng.integers(-6, 7, size=3)
    while len(set(centres.tolist())) < 3:
        centres = rng.integers(-6, 7, size=3)
    mean = Rational(int(centres.sum()), 3)
    squares = [float((int(c) - mean) ** 2) * curvature**2 for c in centres]
    return Worked(
        rf"Three clients have $F_i(x) = \frac{{h}}{{2}} (x - e_i)^2$ with $h = {number(curvature)}$ and "
        rf"$e_i = {listed(centres.tolist())}$, all of equal weight. What is $\sigma_g$?",
        (
            r"$\nabla F_i(x) - \nabla F(x) = h (\bar e - e_i)$, whatever $x$ is: with equal Hessians a "
            r"constant.",
            rf"$\bar e = {latex(mean)}$.",
            rf"The squares are ${listed(squares)}$, and $\sigma_g^2$ is their mean, "
            rf"${number(float(np.mean(squares)))}$.",
        ),
        answer(r"\sigma_g", float(np.sqrt(np.mean(squares)))),
    )


def _best_step(rng: np.random.Generator) -> Worked:
    bound = theorem(_BOUND)
    values: Values = {
        "L": 1, "tau": pick(rng, 4, 5, 10), "T": pick(rng, 500, 1000, 5000), "sigma": 0,
        "sigma_g": pick(rng, 0.5, 1, 2), "gap": pick(rng, 0.5, 1),
    }  # fmt: skip
    found = tune(bound, "eta", m=10, **values)
    at = {**values, "eta": found.values["eta"], "m": 10}
    return Worked(
        f"Full batches, so no noise: {given(values)}. Which client step makes the bound `{_BOUND}` least?",
        (
            "Two terms are left: the initial gap falls as $1/\\eta$, and the client drift grows as "
            "$\\eta^2$.",
            "The derivative is 0 where the initial gap is twice the client drift.",
            *((f"Solved for $\\eta$:\n\n$$\\eta = {latex(found.formula)}$$",) if found.formula else ()),
            term(bound, "initial gap", at),
            term(bound, "client drift", at),
        ),
        answer(r"\eta", found.values["eta"]),
    )


def _server_step(rng: np.random.Generator) -> Worked:
    updates = rng.integers(-3, 4, size=(3, 2))
    while not 0 < (updates.sum(axis=0) ** 2).sum() <= 27:
        updates = rng.integers(-3, 4, size=(3, 2))
    squares = [int((u**2).sum()) for u in updates]
    above = Rational(sum(squares), 3)
    below = Rational(int((updates.sum(axis=0) ** 2).sum()), 9)
    ratio = above / (2 * below)
    shown = ", ".join(rf"\Delta_{i} = {listed(u.tolist())}" for i, u in enumerate(updates, 1))
    return Worked(
        f"Three clients send the updates ${shown}$. What is FedExP's server step, with $\\epsilon$ as good "
        f"as 0?",
        (
            f"The mean squared update is ${latex(above)}$.",
            f"The square of the mean update is ${latex(below)}$.",
            f"Half their ratio is ${latex(ratio)}$, and the step is at least 1.",
        ),
        answer(r"\eta_s", float(max(ratio, Rational(1)))),
    )


def _resting_place(rng: np.random.Generator) -> Worked:
    h = [int(pick(rng, 1, 2)), int(pick(rng, 4, 6))]
    e = [int(pick(rng, 0, 1, 2)), int(pick(rng, 5, 8, 10))]
    steps, eta = int(pick(rng, 2, 4, 8)), Rational(1, int(pick(rng, 20, 40)))
    pulls = [1 - (1 - eta * k) ** steps for k in h]
    rest = (pulls[0] * e[0] + pulls[1] * e[1]) / (pulls[0] + pulls[1])
    best = Rational(h[0] * e[0] + h[1] * e[1], h[0] + h[1])
    return Worked(
        rf"Two clients of equal weight, $F_i(x) = \frac{{h_i}}{{2}} (x - e_i)^2$ with $h_i = {listed(h)}$ "
        rf"and "
        rf"$e_i = {listed(e)}$. FedAvg takes $\tau = {steps}$ full-batch steps of $\eta = "
        rf"{number(float(eta))}$ "
        "a round. Where does it come to rest, and where is the optimum?",
        (
            r"A client moves from $x$ to $x - K_i (x - e_i)$ with $K_i = 1 - (1 - \eta h_i)^\tau$.",
            rf"$K_1 = {number(float(pulls[0]))}$ and $K_2 = {number(float(pulls[1]))}$.",
            r"The mean stays where it is if $\sum_i K_i (x - e_i) = 0$: at the mean of the $e_i$ weighed "
            r"by $K_i$.",
            rf"The optimum weighs by $h_i$ instead: $x^* = {fraction(best)}$.",
        ),
        answer("x", float(rest)),
    )


EXERCISES = (
    Exercise("Where drift passes noise", _crossover),
    Exercise("How unlike are three clients", _dissimilarity),
    Exercise("The best step without noise", _best_step),
    Exercise("FedExP's step", _server_step),
    Exercise("Where FedAvg comes to rest", _resting_place),
)
"""Five exercises."""
