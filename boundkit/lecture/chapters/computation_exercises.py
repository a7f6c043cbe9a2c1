"""Exercises on unequal work, with drawn numbers."""

import numpy as np
from sympy import Rational

from boundkit.algebra.printing import latex
from boundkit.analysis.predict import predict
from boundkit.lecture.chapters.worked_solutions import answer, fraction, given, listed, number, pick
from boundkit.lecture.parts import Exercise, Worked
from boundkit.theorems import theorem


def _steps(rng: np.random.Generator, clients: int = 3) -> list[int]:
    return sorted(int(k) for k in rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12], size=clients, replace=False))


def _fractions(numbers: list[Rational]) -> str:
    return f"({', '.join(latex(x) for x in numbers)})"


def _surrogate(rng: np.random.Generator) -> Worked:
    weights = [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.25, 0.25, 0.5]][int(rng.integers(3))]
    steps, centres = _steps(rng), [int(e) for e in rng.choice(np.arange(-9, 10), size=3, replace=False)]
    p = [Rational(str(x)) for x in weights]
    mass = sum(x * k for x, k in zip(p, steps, strict=True))
    w = [x * k / mass for x, k in zip(p, steps, strict=True)]
    rest = sum(x * e for x, e in zip(w, centres, strict=True))
    best = sum(x * e for x, e in zip(p, centres, strict=True))
    return Worked(
        f"{given({'p_i': weights, 'tau_i': steps})}, and $F_i(x) = (x - e_i)^2/2$ with "
        f"$e_i = {listed(centres)}$. Which objective does FedAvg minimise for short steps, where is its "
        f"optimum, and "
        "where is the true one?",
        (
            rf"$\sum_j p_j \tau_j = {latex(mass)}$.",
            rf"$w_i = p_i \tau_i / \sum_j p_j \tau_j = {_fractions(w)}$.",
            rf"The surrogate is least at $\sum_i w_i e_i = {latex(rest)}$.",
            rf"The objective is least at $\sum_i p_i e_i = {fraction(best)}$.",
        ),
        answer(r"\tilde x", float(rest)),
    )


def _distance(rng: np.random.Generator) -> Worked:
    steps = _steps(rng)
    found = predict(theorem("fedavg_surrogate_optimum"), tau_i=steps, kappa=1)
    chi = found.total
    total = sum(steps)
    w = [Rational(k, total) for k in steps]
    third = Rational(1, 3)
    parts = [(third - x) ** 2 / x for x in w]
    kappa = pick(rng, 0.5, 2, 3)
    return Worked(
        rf"Three clients of equal weight, {given({'tau_i': steps})} and $\kappa = {number(kappa)}$. What "
        rf"does the bound "
        "`fedavg_surrogate_optimum` allow for $\\|\\nabla F\\|^2$ at the place where FedAvg comes to rest?",
        (
            rf"$w_i = {_fractions(w)}$, and $p_i = \frac13$.",
            rf"$(p_i - w_i)^2 / w_i = {_fractions(parts)}$.",
            rf"Their sum is $\chi^2 = {number(chi)}$.",
            r"Times $\kappa^2$.",
        ),
        answer(r"\chi^2 \kappa^2", chi * kappa**2),
    )


def _finite_step(rng: np.random.Generator) -> Worked:
    steps, eta = _steps(rng, 2), pick(rng, 0.05, 0.1, 0.2, 0.3)
    far = int(pick(rng, 10, 20, 100))
    pulls = [1 - (1 - eta) ** k for k in steps]
    rest = far * pulls[1] / sum(pulls)
    return Worked(
        rf"Two clients of equal weight, $F_1 = x^2/2$ and $F_2 = (x - {far})^2/2$, "
        rf"{given({'tau_i': steps})}, full "
        rf"batches and $\eta = {number(eta)}$. Where does FedAvg come to rest?",
        (
            r"Client $i$ goes the fraction $K_i = 1 - (1 - \eta)^{\tau_i}$ of the way to its minimiser.",
            rf"$K_1 = {number(pulls[0])}$ and $K_2 = {number(pulls[1])}$.",
            rf"At rest $K_1 x = K_2 ({far} - x)$.",
            rf"For short steps $K_i$ becomes $\eta \tau_i$, and the place "
            rf"${number(far * steps[1] / sum(steps))}$; for very long rounds the mean, ${number(far / 2)}$.",
        ),
        answer("x", rest),
    )


def _noise(rng: np.random.Generator) -> Worked:
    steps = _steps(rng)
    found = predict(theorem("fednova_nonconvex_surrogate"), tau_i=steps, eta=0.001, L=1).derived["A_noise"]
    mean = Rational(sum(steps), 3)
    inverse = sum(Rational(1, k) for k in steps) / 3
    return Worked(
        f"Three clients of equal weight, {given({'tau_i': steps})}. How many times more noise does FedNova "
        f"let through "
        "than plain averaging, for which $A = 1$?",
        (
            r"$A = m\, \tau_{\mathrm{eff}} \sum_i p_i^2 / \tau_i$ for plain steps.",
            rf"$\tau_{{\mathrm{{eff}}}} = {latex(mean)}$, and the mean of $1/\tau_i$ is ${latex(inverse)}$.",
            "Their product is the mean over the harmonic mean: at least 1, and 1 for equal work.",
        ),
        answer("A", float(found)),
    )


def _momentum(rng: np.random.Generator) -> Worked:
    rho, steps = Rational(int(pick(rng, 5, 8, 9)), 10), [int(pick(rng, 2, 3, 4)), int(pick(rng, 5, 6, 8))]
    sums = [sum((1 - rho ** (k - s)) / (1 - rho) for s in range(k)) for k in steps]
    return Worked(
        rf"Two clients of equal weight, {given({'tau_i': steps})}, local momentum $\rho_m = "
        rf"{number(float(rho))}$, reset "
        "each round. Which weight $w_2$ has the second client in what plain averaging minimises?",
        (
            r"$a_k = (1 - \rho_m^{\tau - k})/(1 - \rho_m)$, for $k = 0, \dots, \tau - 1$.",
            rf"$\|a_1\|_1 = {number(float(sums[0]))}$ and $\|a_2\|_1 = {number(float(sums[1]))}$.",
            rf"Without momentum the weight would be ${number(steps[1] / sum(steps))}$: momentum favours "
            rf"long rounds.",
        ),
        answer("w_2", float(sums[1] / sum(sums))),
    )


EXERCISES = (
    Exercise("What FedAvg minimises", _surrogate),
    Exercise("How wrong the weights are", _distance),
    Exercise("A step that is not short", _finite_step),
    Exercise("The noise of normalising", _noise),
    Exercise("Momentum weighs", _momentum),
)
"""Five exercises."""
