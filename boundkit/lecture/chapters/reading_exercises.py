"""Exercises on reading a bound, with drawn numbers."""

from math import log10

import numpy as np

from boundkit.algebra.printing import latex
from boundkit.analysis.predict import predict
from boundkit.analysis.tune import tune
from boundkit.lecture.chapters.worked_solutions import (
    Values,
    answer,
    given,
    number,
    pick,
    put_in,
    term,
    value,
)
from boundkit.lecture.parts import Exercise, Worked
from boundkit.theorems import theorem


def _units(rng: np.random.Generator) -> Worked:
    factor = int(pick(rng, 10, 100, 1000))
    values: Values = {
        "L": pick(rng, 2, 4, 10),
        "m": 16,
        "tau": pick(rng, 4, 9),
        "T": pick(rng, 10_000, 40_000),
    }
    wrong = (values["m"] / (values["tau"] * values["T"])) ** 0.5
    right = wrong / values["L"]
    return Worked(
        f"{given(values)}, with $x$ in metres. A colleague measures the same $x$ in units that are "
        f"{factor} times smaller, "
        "so that all numbers for $x$ are larger by that factor. "
        r"Both take $\eta = \sqrt{m/(\tau T)}/L$. By which number $\eta'$ must the colleague's step be "
        r"given, so that "
        "both make the same run?",
        (
            rf"$\eta$ has the unit $[x]^2/[F]$, so its number grows by ${factor}^2$. $L$ has $[F]/[x]^2$, "
            rf"so its number falls "
            rf"by ${factor}^2$.",
            rf"Here $\eta = {number(right)}$. The rule with $1/L$ gives the colleague "
            rf"${number(right)} \cdot {factor}^2$: the same run.",
            rf"The rule without $1/L$ gives both ${number(wrong)}$: two different runs.",
        ),
        answer(r"\eta'", right * factor**2),
    )


def _slope(rng: np.random.Generator) -> Worked:
    bound = theorem("fedavg_nonconvex_tuned")
    values: Values = {
        "m": pick(rng, 10, 20), "tau": pick(rng, 5, 10), "L": 1, "sigma": 1, "sigma_g": pick(rng, 0.5, 1, 2),
        "gap": 1,
    }  # fmt: skip
    start = int(pick(rng, 10**4, 10**5, 10**6))
    low, high = (float(predict(bound, T=t, **values).total) for t in (start, 10 * start))
    return Worked(
        f"{given(values)}. Compute the bound `fedavg_nonconvex_tuned` at $T = {start}$ and at ten times "
        f"that. Which power of "
        "$T$ does it follow between the two?",
        (
            rf"${number(low)}$ at the first, ${number(high)}$ at the second.",
            rf"The slope on a log-log chart is $\log_{{10}} {number(high)} - \log_{{10}} {number(low)}$.",
            r"The first two terms have $-\frac12$, the drifts $-1$. What is seen lies between, and tends to "
            r"$-\frac12$ as $T$ grows.",
        ),
        answer(r"\text{slope}", log10(high / low)),
    )


def _loose(rng: np.random.Generator) -> Worked:
    bound = theorem("fedavg_nonconvex_partial")
    values: Values = {
        "eta": pick(rng, 0.001, 0.002, 0.005), "eta_s": 1, "tau": pick(rng, 1, 2, 5), "L": 1,
        "m": pick(rng, 20, 50), "C": pick(rng, 0.1, 0.2), "sigma_g": pick(rng, 1, 2),
    }  # fmt: skip
    promised = value(bound.bound.terms["partial participation"].expr, values)
    step = 1 - (1 - values["eta"]) ** values["tau"]
    sampled = (1 - values["C"]) / (values["C"] * (values["m"] - 1))
    exact = step / (2 - step) * sampled * values["sigma_g"] ** 2
    return Worked(
        f"Clients with Hessian 1 and full batches, {given(values)}. FedAvg's floor can be worked out: "
        r"$\frac{r}{2 - r} \cdot \frac{1 - C}{C (m - 1)} \sigma_g^2$ with $r = 1 - (1 - \eta)^\tau$. How "
        r"many times larger is "
        "the term of the bound?",
        (
            term(bound, "partial participation", values),
            rf"$r = {number(step)}$, and the floor is ${number(exact)}$.",
            r"For short steps $r \approx \eta \tau$: the ratio is near 24, whatever the rest.",
        ),
        answer(r"\text{ratio}", promised / exact),
    )


def _off(rng: np.random.Generator) -> Worked:
    bound = theorem("sgd_nonconvex")
    values: Values = {
        "m": pick(rng, 4, 10, 20), "T": pick(rng, 1000, 10_000), "L": 1, "sigma": pick(rng, 1, 2),
        "gap": pick(rng, 0.5, 1, 2),
    }  # fmt: skip
    found = tune(bound, "eta", **values)
    times = pick(rng, 0.2, 0.25, 0.5, 2, 3)
    best = found.values["eta"]
    rule = found.formula
    off = predict(bound, eta=best * times, **values)
    return Worked(
        f"{given(values)}. What is the best step for `sgd_nonconvex`, what does the bound become there, and "
        f"how many times larger "
        rf"is it at ${number(times)}$ times that step?",
        (
            *(
                ()
                if rule is None
                else (f"$$\\eta = {latex(rule)} = {put_in(rule, values)} = {number(best)}$$",)
            ),
            f"There both terms are equal, and the bound is ${number(found.bound)}$.",
            rf"At ${number(best * times)}$ it is ${number(float(off.total))}$: one term is "
            rf"${number(times)}$ times larger, the other "
            "that much smaller.",
            "So half or twice the best step costs a quarter more. Nobody needs to tune a step finely.",
        ),
        answer(r"\text{ratio}", float(off.total) / found.bound),
    )


EXERCISES = (
    Exercise("Another unit", _units),
    Exercise("A slope", _slope),
    Exercise("How loose is a term", _loose),
    Exercise("A step that is off", _off),
)
"""Four exercises."""
