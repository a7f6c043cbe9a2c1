"""Exercises on sampling, selection, cycles, availability and the clock, with drawn numbers."""

from math import floor

import numpy as np
from sympy import Rational

from boundkit.algebra.notation import C
from boundkit.algebra.printing import latex
from boundkit.analysis.tune import tune
from boundkit.lecture.chapters.worked_solutions import (
    Values,
    answer,
    given,
    listed,
    number,
    pick,
    put_in,
    value,
)
from boundkit.lecture.parts import Exercise, Worked
from boundkit.theorems import theorem


def _how_many(rng: np.random.Generator) -> Worked:
    term = theorem("fedavg_nonconvex_partial").bound.terms["partial participation"].expr
    values: Values = {
        "m": pick(rng, 50, 100, 200, 1000), "tau": pick(rng, 5, 10), "eta": pick(rng, 0.001, 0.002),
        "eta_s": 1, "L": 1, "sigma_g": pick(rng, 1, 2),
    }  # fmt: skip
    target = pick(rng, 0.005, 0.01, 0.02)
    # the term is a (1 - C)/C
    a = value((term * C / (1 - C)).simplify(), values)
    fraction = a / (a + target)
    count = floor(fraction * values["m"]) + 1
    return Worked(
        f"{given(values)}. How many clients must come a round, at least, so that the partial participation "
        f"of "
        f"`fedavg_nonconvex_partial` is below $\\epsilon = {number(target)}$?",
        (
            f"The term is ${latex(term)}$.",
            f"It is $a (1 - C)/C$ with $a = {number(a)}$.",
            r"It is below $\epsilon$ where $C > a/(a + \epsilon) = " + f"{number(fraction)}$.",
            f"Times $m$: more than ${number(fraction * values['m'])}$ clients, so ${count}$.",
        ),
        answer("C m", count),
    )


def _skew(rng: np.random.Generator) -> Worked:
    centres = sorted(int(c) for c in rng.choice(np.arange(-8, 9), size=3, replace=False))
    best = Rational(sum(centres), 3)
    losses = [(best - c) ** 2 / 2 for c in centres]
    large = sorted(losses, reverse=True)
    chosen, every = (2 * large[0] + large[1]) / 3, sum(losses) / 3
    return Worked(
        rf"Three clients of equal weight, $F_i(x) = (x - e_i)^2/2$ with $e_i = {listed(centres)}$. "
        r"Power-of-choice draws two candidates and takes the one with the larger loss. What is $\tilde\rho$?",
        (
            rf"$x^* = {latex(best)}$, and every $F_i^* = 0$.",
            rf"The losses at $x^*$ are ${', '.join(latex(loss) for loss in losses)}$.",
            "Of the three pairs, two hold the client with the largest loss, and the third pair the next: "
            "chances "
            r"$\frac23$, $\frac13$ and $0$ in order of loss.",
            rf"Above the line: ${latex(chosen)}$. Below it, the mean loss: ${latex(every)}$.",
            "With one Hessian the rule at $x^*$ is the one that counts: those who are chosen there cost "
            "most there.",
        ),
        answer(r"\tilde\rho", float(chosen / every)),
    )


def _cycle(rng: np.random.Generator) -> Worked:
    first, second = int(pick(rng, 0, 1, 2)), int(pick(rng, 6, 8, 10))
    steps, eta = int(pick(rng, 1, 2, 5)), Rational(1, int(pick(rng, 10, 20, 50)))
    keep = (1 - eta) ** steps
    rest = (keep * first + second) / (1 + keep)
    return Worked(
        rf"Two groups take turns, with minimisers $e_i = ({first}, {second})$ and Hessian 1. A round is "
        rf"$\tau = {steps}$ full-batch steps of $\eta = {number(float(eta))}$. Where is the model after "
        rf"the second "
        "group's round, in the long run, and how far from the optimum is that?",
        (
            rf"A round keeps $k = (1 - \eta)^\tau = {number(float(keep))}$ of the distance to the group's "
            rf"minimiser.",
            "Before the first group $x$, after it $e_1 + k (x - e_1)$, after the second $e_2 + k (\\dots - "
            "e_2)$.",
            "That is $x$ again where $x (1 - k^2) = (1 - k)(k e_1 + e_2)$, so $x = (k e_1 + e_2)/(1 + k)$.",
            rf"The optimum is ${number((first + second) / 2)}$. The model is off by "
            rf"${number(float(rest) - (first + second) / 2)}$, towards the group that came last.",
        ),
        answer("x", float(rest)),
    )


def _available(rng: np.random.Generator) -> Worked:
    often, seldom = pick(rng, 0.6, 0.8, 0.9, 1.0), pick(rng, 0.1, 0.2, 0.3, 0.5)
    share = often * (1 - seldom / 2) / (often + seldom - often * seldom)
    return Worked(
        rf"Two clients come with chances $q_i = ({number(often)}, {number(seldom)})$, independently. Their "
        "minimisers are at 0 and 100, with one Hessian. FedAvg divides by those who came. Where does it "
        "settle, in the mean?",
        (
            rf"Client 1 alone: ${number(often * (1 - seldom))}$, and it then counts 1. Both: "
            rf"${number(often * seldom)}$, and each counts $\frac12$.",
            rf"So client 1 weighs ${number(often * (1 - seldom / 2))}$ of the chance that anybody comes, "
            rf"${number(often + seldom - often * seldom)}$: $w_1 = {number(share)}$.",
            rf"Dividing by all clients would weigh it $q_1/(q_1 + q_2) = "
            rf"{number(often / (often + seldom))}$ and end "
            rf"at ${number(100 * seldom / (often + seldom))}$.",
        ),
        answer("x", 100 * (1 - share)),
    )


def _talk(rng: np.random.Generator) -> Worked:
    bound = theorem("local_sgd_nonconvex_clock")
    values: Values = {
        "eta": pick(rng, 0.005, 0.01), "L": 1, "sigma": pick(rng, 1, 2), "gap": pick(rng, 1, 2),
        "delay": pick(rng, 5, 10, 20), "step_time": 1, "wall": pick(rng, 20_000, 50_000, 100_000), "m": 10,
    }  # fmt: skip
    found = tune(bound, "tau", **values)
    formula = found.formula
    steps = found.values["tau"]
    return Worked(
        f"{given(values)}. How many local steps make the bound `local_sgd_nonconvex_clock` least?",
        (
            "Two terms see $\\tau$: in the initial gap the exchange is shared, and the noise drift grows.",
            *(
                ()
                if formula is None
                else (
                    f"As a real number the best is\n\n$${latex(formula)} = {put_in(formula, values)} = "
                    f"{number(value(formula, values))}$$",
                )
            ),
            "The bound is convex in $\\tau$, so one of the two whole numbers beside it is best.",
        ),
        answer(r"\tau", steps),
    )


EXERCISES = (
    Exercise("How many must come", _how_many),
    Exercise("The skew of a choice", _skew),
    Exercise("Two groups in turn", _cycle),
    Exercise("Some come more often", _available),
    Exercise("How rarely to talk", _talk),
)
"""Five exercises."""
