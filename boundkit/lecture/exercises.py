"""The numbers of the exercises, a function an exercise, in the order of the chapters.

Each function draws the numbers of a task, computes its solution with boundkit, and returns both by name. The
text that they are put into is the exercise's directive in the chapter.
"""

from functools import cache
from math import ceil, floor, log10

import numpy as np
from sympy import Abs, Expr, Rational, Symbol, diff, solve

from boundkit.algebra.notation import C, clip, eta, tau
from boundkit.analysis.predict import predict
from boundkit.analysis.rounds import rounds_to
from boundkit.analysis.step_size import largest
from boundkit.analysis.tune import tune
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


def drift_and_noise(rng: np.random.Generator) -> Values:
    """The number of local steps at which client drift equals the stochastic noise."""
    noise, drift, root = _equal_terms()
    values: Values = {
        "eta": choose(rng, 0.0005, 0.001, 0.002), "L": choose(rng, 1, 2), "m": choose(rng, 5, 10, 20),
        "sigma": choose(rng, 1, 2), "sigma_g": choose(rng, 0.2, 0.5, 1),
    }  # fmt: skip
    return {"values": values, "noise": noise, "drift": drift, "root": root}


@cache
def _equal_terms() -> tuple[Expr, Expr, Expr]:
    """The stochastic noise, the client drift, and the number of local steps at which they are equal."""
    terms = BOUND.bound.terms
    noise, drift = terms["stochastic noise"].expr, terms["client drift"].expr
    ones = {q.name: 1.0 for q in (drift - noise).free_symbols}
    return noise, drift, max(solve(drift - noise, tau), key=lambda root: evaluate(root, ones))


def dissimilarity(rng: np.random.Generator) -> Values:
    """Gradient dissimilarity of three quadratics with one Hessian."""
    curvature = choose(rng, 0.5, 1, 2)
    minimisers = rng.integers(-6, 7, size=3)
    while len(set(minimisers.tolist())) < 3:
        minimisers = rng.integers(-6, 7, size=3)
    mean = Rational(int(minimisers.sum()), 3)
    squares = [float((int(e) - mean) ** 2) * curvature**2 for e in minimisers]
    return {
        "h": curvature, "e": minimisers.tolist(), "mean": mean, "squares": squares,
        "mean_square": float(np.mean(squares)), "sigma_g": float(np.sqrt(np.mean(squares))),
    }  # fmt: skip


def best_step(rng: np.random.Generator) -> Values:
    """The step size that minimises the bound without noise."""
    values: Values = {
        "L": 1, "tau": choose(rng, 4, 5, 10), "T": choose(rng, 500, 1000, 5000), "sigma": 0,
        "sigma_g": choose(rng, 0.5, 1, 2), "gap": choose(rng, 0.5, 1),
    }  # fmt: skip
    tuned = tune(BOUND, "eta", m=10, **values)
    at = {**values, "eta": tuned.values["eta"], "m": 10}
    return {"bound": BOUND, "values": values, "formula": tuned.formula, "at": at}


def server_step(rng: np.random.Generator) -> Values:
    """FedExP's server step for three updates."""
    updates = rng.integers(-3, 4, size=(3, 2))
    while not 0 < (updates.sum(axis=0) ** 2).sum() <= 27:
        updates = rng.integers(-3, 4, size=(3, 2))
    mean_of_squares = Rational(int((updates**2).sum()), 3)
    square_of_mean = Rational(int((updates.sum(axis=0) ** 2).sum()), 9)
    ratio = mean_of_squares / (2 * square_of_mean)
    return {
        "updates": updates.tolist(), "mean_of_squares": mean_of_squares, "square_of_mean": square_of_mean,
        "ratio": ratio, "eta_s": float(max(ratio, Rational(1))),
    }  # fmt: skip


def limit_point(rng: np.random.Generator) -> Values:
    """FedAvg's limit point for two quadratics with unequal Hessians."""
    h = [int(choose(rng, 1, 2)), int(choose(rng, 4, 6))]
    e = [int(choose(rng, 0, 1, 2)), int(choose(rng, 5, 8, 10))]
    steps, eta = int(choose(rng, 2, 4, 8)), Rational(1, int(choose(rng, 20, 40)))
    K = [1 - (1 - eta * curvature) ** steps for curvature in h]
    return {
        "h": h, "e": e, "tau": steps, "eta": float(eta), "K": [float(k) for k in K],
        "optimum": Rational(h[0] * e[0] + h[1] * e[1], sum(h)),
        "limit": float((K[0] * e[0] + K[1] * e[1]) / (K[0] + K[1])),
    }  # fmt: skip


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


def surrogate(rng: np.random.Generator) -> Values:
    """The surrogate objective of three clients with unequal local steps."""
    weights = [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.25, 0.25, 0.5]][int(rng.integers(3))]
    steps, e = _local_steps(rng), [int(e) for e in rng.choice(np.arange(-9, 10), size=3, replace=False)]
    p = [Rational(str(x)) for x in weights]
    total = sum(x * k for x, k in zip(p, steps, strict=True))
    w = [x * k / total for x, k in zip(p, steps, strict=True)]
    limit = sum(x * y for x, y in zip(w, e, strict=True))
    return {
        "p": weights, "tau": steps, "e": e, "total": total, "w": w, "surrogate_optimum": limit,
        "optimum": sum(x * y for x, y in zip(p, e, strict=True)), "limit": float(limit),
    }  # fmt: skip


def inconsistency(rng: np.random.Generator) -> Values:
    """The bound on the squared gradient at the surrogate's optimum."""
    steps = _local_steps(rng)
    w = [Rational(k, sum(steps)) for k in steps]
    return {
        "tau": steps, "w": w, "summands": [(Rational(1, 3) - x) ** 2 / x for x in w],
        "chi2": float(predict(theorem("fedavg_surrogate_optimum"), tau_i=steps, kappa=1).total),
        "kappa": choose(rng, 0.5, 2, 3),
    }  # fmt: skip


def finite_step(rng: np.random.Generator) -> Values:
    """FedAvg's limit for two clients at a step size that is not small."""
    steps, eta = _local_steps(rng, 2), choose(rng, 0.05, 0.1, 0.2, 0.3)
    e = int(choose(rng, 10, 20, 100))
    K = [1 - (1 - eta) ** k for k in steps]
    return {"tau": steps, "eta": eta, "e": e, "K": K, "limit": e * K[1] / sum(K)}


def normalised_noise(rng: np.random.Generator) -> Values:
    """The noise factor of FedNova relative to plain averaging."""
    steps = _local_steps(rng)
    derived = predict(theorem("fednova_nonconvex_surrogate"), tau_i=steps, eta=0.001, L=1).derived
    return {
        "tau": steps, "mean": Rational(sum(steps), 3), "mean_inverse": sum(Rational(1, k) for k in steps) / 3,
        "A": float(derived["A_noise"]),
    }  # fmt: skip


def momentum_weight(rng: np.random.Generator) -> Values:
    """The weight of a client in the surrogate objective under local momentum."""
    rho = Rational(int(choose(rng, 5, 8, 9)), 10)
    steps = [int(choose(rng, 2, 3, 4)), int(choose(rng, 5, 6, 8))]
    norms = [sum((1 - rho ** (k - s)) / (1 - rho) for s in range(k)) for k in steps]
    return {
        "tau": steps, "rho": float(rho), "a": [float(norm) for norm in norms],
        "weight": float(norms[1] / sum(norms)),
    }  # fmt: skip


def _local_steps(rng: np.random.Generator, clients: int = 3) -> list[int]:
    return sorted(int(k) for k in rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12], size=clients, replace=False))


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
    full = theorem("clipped_gd_relaxed_smooth_rounds")
    steps = {q.name: evaluate(largest(full, q), values) for q in (eta, clip)}
    upper = evaluate(full.bound.total, {**values, **steps})
    rounds = evaluate(bound.bound.terms["clipping"].expr, values)
    return {"bound": bound, "values": values, "rounds": rounds, "upper": float(upper)}


def personalised_model(rng: np.random.Generator) -> Values:
    """A personalised model between a client's minimiser and the common model."""
    e, common = int(choose(rng, -4, -2, 6, 8)), int(choose(rng, 1, 2, 3))
    h, weight = int(choose(rng, 1, 2, 4)), Rational(int(choose(rng, 1, 2, 3)), int(choose(rng, 1, 2)))
    v = Symbol("v", real=True)
    objective = Rational(h, 2) * (v - e) ** 2 + weight / 2 * (v - common) ** 2
    (optimum,) = solve(diff(objective, v), v)
    return {"h": h, "e": e, "common": common, "weight": float(weight), "optimum": optimum}


def largest_loss(rng: np.random.Generator) -> Values:
    """The largest loss at the optimum of the mean and at the minimax point."""
    e = sorted(int(c) for c in rng.choice(np.arange(-9, 10), size=3, replace=False))
    mean, middle = Rational(sum(e), 3), Rational(e[0] + e[2], 2)
    largest = [max((x - c) ** 2 / 2 for c in e) for x in (mean, middle)]
    return {
        "e": e, "mean": mean, "middle": middle, "largest": largest,
        "difference": float(largest[0] - largest[1]),
    }  # fmt: skip


def moving_optimum(rng: np.random.Generator) -> Values:
    """The lag of FedAvg behind an optimum that moves at constant speed."""
    eta, steps = Rational(1, int(choose(rng, 5, 10, 20, 50))), int(choose(rng, 1, 2, 5, 10))
    speed = Rational(1, int(choose(rng, 2, 10, 100)))
    k = (1 - eta) ** steps
    return {
        "eta": float(eta), "tau": steps, "speed": float(speed), "k": float(k), "lag": float(speed / (1 - k))
    }  # fmt: skip


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
