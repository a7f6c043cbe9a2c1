"""The exercises of the lecture solved again from what their task says: plain numpy, no bound of boundkit.

A task is read as a student reads it, so that a number which is missing from it is missed here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations, product
from math import ceil

import numpy as np
from scipy.optimize import minimize_scalar

from boundkit.simulation.arrays import Array

Said = dict[str, Array]
"""What a task gives, by its LaTeX letter; numbers that have no letter under ''."""

_NUMBER = r"-?[\d.]*\d(?: \\times 10\^\{-?\d+\})?"
_LETTER = r"(?:\\?[A-Za-z']+)(?:_\{?\\?[A-Za-z0-9]+\}?)?"
_GIVEN = re.compile(rf"({_LETTER}) = (\([-\d., ]*\)|\\frac\{{\d+\}}\{{\d+\}}|{_NUMBER})")


def said(task: str) -> Said:
    r"""The numbers of a task by their letters.

    >>> said(r"$\eta = 0.5$ and $\tau_i = (2, 5)$, slopes $3$")[r"\tau_i"]
    array([2., 5.])
    """
    found: Said = {"": np.array([])}
    for formula in re.findall(r"\$([^$]*)\$", task):
        if re.fullmatch(_NUMBER, formula):
            found[""] = np.append(found[""], read(formula))
        for name, value in _GIVEN.findall(formula):
            inner = value.strip("()").split(", ") if value.startswith("(") else [value]
            numbers = [read(x) for x in inner]
            found[name] = np.array(numbers) if value.startswith("(") else np.array(numbers[0])
    return found


def read(number: str) -> float:
    """A number as the exercises print it."""
    if fraction := re.fullmatch(r"\\frac\{(\d+)\}\{(\d+)\}", number):
        return int(fraction[1]) / int(fraction[2])
    mantissa, _, power = number.partition(r" \times 10^{")
    return float(mantissa) * 10.0 ** int(power.rstrip("}") or 0)


def answered(answer: str) -> float:
    """The number of an answer: what stands behind its last equals sign."""
    found = re.search(rf"= ({_NUMBER})\$$", answer)
    assert found is not None, answer
    return read(found[1])


def _terms(q: Said) -> tuple[Array, Array]:
    """FedAvg's initial gap, times T, and its floor."""
    eta, tau, L = q[r"\eta"], q[r"\tau"], q["L"]
    floor = 4 * eta * L * q[r"\sigma"] ** 2 / q["m"]
    floor = floor + eta**2 * L**2 * (tau - 1) * (6 * q[r"\sigma"] ** 2 + 12 * tau * q[r"\sigma_g"] ** 2)
    return np.asarray(4 * q[r"\Delta"] / (eta * tau)), np.asarray(floor)


def _bound(q: Said, T: float) -> float:
    start, floor = _terms(q)
    return float(start / T + floor)


def _first_round(q: Said, eps: float) -> float:
    start, floor = _terms(q)
    T = ceil(float(start / (eps - floor)))
    assert _bound(q, T) <= eps * (1 + 1e-9)
    assert _bound(q, T - 1) > eps * (1 - 1e-9)
    return T


def walk(x: float, h: Array, e: Array, steps: Array, eta: float, rounds: int = 3000) -> float:
    """Where FedAvg ends on quadratics in one dimension, by walking there."""
    for _ in range(rounds):
        y = np.full(len(e), x)
        for k in range(int(steps.max())):
            y = np.where(k < steps, y - eta * h * (y - e), y)
        before, x = x, float(y.mean())
        if abs(x - before) < 1e-13 * max(1.0, abs(x)):
            break
    return x


def _largest_step(q: Said) -> float:
    """By halving what is left between a step that is allowed and one that is not."""
    low, high = 0.0, 10.0
    for _ in range(80):
        eta = (low + high) / 2
        drift = 12 * eta**2 * q["L"] ** 2 * q[r"\tau"] * (q[r"\tau"] - 1)
        low, high = (eta, high) if 2 * eta * q["L"] * q[r"\tau"] <= 1 and drift <= 1 else (low, eta)
    return low


def _least(f: Callable[[float], float], low: float, high: float) -> float:
    """Where a convex function is least."""
    return float(minimize_scalar(f, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x)


def _meeting(q: Said) -> float:
    a = 12 * q[r"\eta"] ** 2 * q["L"] ** 2 * q[r"\sigma_g"] ** 2
    return float(max(np.roots([a, -a, -4 * q[r"\eta"] * q["L"] * q[r"\sigma"] ** 2 / q["m"]]).real))


def _best_eta(q: Said) -> float:
    drift = 12 * q["L"] ** 2 * q[r"\tau"] * (q[r"\tau"] - 1) * q[r"\sigma_g"] ** 2
    start = 4 * q[r"\Delta"] / (q[r"\tau"] * q["T"])
    return _least(lambda eta: float(start / eta + drift * eta**2), 1e-6, 0.5)


def _server_step(q: Said) -> float:
    updates = np.array([q[rf"\Delta_{i}"] for i in (1, 2, 3)])
    return max(1.0, float((updates**2).sum() / (2 * 3 * (updates.mean(axis=0) ** 2).sum())))


def _enough(q: Said) -> float:
    m, step = int(q["m"]), float(q[r"\eta_s"] * q[r"\eta"] * q[r"\tau"] * q["L"])
    for count in range(1, m + 1):
        C = count / m
        if 12 * step * (1 - C) / (C * (m - 1)) * float(q[r"\sigma_g"]) ** 2 < q[r"\epsilon"]:
            return count
    raise AssertionError("nobody is enough")


def _skew(q: Said) -> float:
    e = q["e_i"]
    best = e.mean()
    worst = 0.0
    for x in (best, *np.linspace(e.min() - 5, e.max() + 5, 101)):
        taken = [max(pair, key=lambda c: abs(x - c)) for pair in combinations(e, 2)]
        cost = np.mean([(best - c) ** 2 / 2 for c in taken])
        worst = max(worst, float(cost / np.mean((best - e) ** 2 / 2)))
    return worst


def _turns(q: Said) -> float:
    x = 0.0
    for _ in range(20_000):
        before = x
        for e in q["e_i"]:
            for _ in range(int(q[r"\tau"])):
                x -= float(q[r"\eta"]) * (x - float(e))
        if abs(x - before) < 1e-13:
            break
    return x


def _settles(q: Said) -> float:
    """Where the mean step is 0, by counting who comes."""
    weights = np.zeros(2)
    for there in product((0, 1), repeat=2):
        if any(there):
            chance = np.prod([p if i else 1 - p for p, i in zip(q["q_i"], there, strict=True)])
            weights += chance * np.array(there) / sum(there)
    return float(np.average([0, 100], weights=weights))


def _talk(q: Said) -> float:
    tau = np.arange(1, 1000)
    tau = tau[tau * q[r"\eta"] * q["L"] <= 1 + 1e-12]
    start = 2 * q[r"\Delta"] * (q["y"] + q["d_c"] / tau) / (q[r"\eta"] * q["W"])
    return float(tau[np.argmin(start + q[r"\eta"] ** 2 * q["L"] ** 2 * q[r"\sigma"] ** 2 * (tau - 1))])


def _chi(q: Said) -> float:
    w = q[r"\tau_i"] / q[r"\tau_i"].sum()
    return float(((1 / 3 - w) ** 2 / w).sum() * q[r"\kappa"] ** 2)


def _momentum(q: Said) -> float:
    """The way of a client on a straight line, by walking it."""
    ways = []
    for steps in q[r"\tau_i"]:
        v = y = 0.0
        for _ in range(int(steps)):
            v = float(q[r"\rho_m"]) * v + 1
            y += v
        ways.append(y)
    return ways[1] / sum(ways)


def _quartic(task: str) -> float:
    found = re.search(r"f\(x\) = (\d*) ?x\^\{4\}", task)
    assert found is not None
    a, slope = float(found[1] or 1), float(said(task)["L_1"])
    x = np.linspace(0, 10, 10_001)
    return float((12 * a * x**2 - slope * 4 * a * x**3).max())


def _majority(q: Said) -> float:
    threshold = q[r"\gamma"] / q[r"\eta"]
    steps = [-q[r"\eta"] * g * min(1, threshold / abs(g)) for g in q[""][:3]]
    return float(np.mean(steps))


def _at_least(q: Said) -> float:
    u = q["L_1"] * q["M"] / q["L_0"]
    gap = q[r"\Delta"] - 2 * q[r"\epsilon"] / q["L_1"]
    return float(q["L_1"] * q["M"] * gap / (8 * q[r"\epsilon"] ** 2 * np.arcsinh(u)))


def _personal(q: Said) -> float:
    h, weight, e, common = (float(q[name]) for name in ("h_i", r"\lambda", "e_i", "common"))
    return _least(lambda v: h / 2 * (v - e) ** 2 + weight / 2 * (v - common) ** 2, -10, 10)


def _worst_off(q: Said) -> float:
    def worst(x: float) -> float:
        return float(((x - q["e_i"]) ** 2 / 2).max())

    return worst(float(q["e_i"].mean())) - worst(_least(worst, -10, 10))


def _lag(q: Said) -> float:
    eta, tau, speed = float(q[r"\eta"]), int(q[r"\tau"]), float(q["s"])
    behind = 0.0
    for _ in range(20_000):
        before = behind
        for _ in range(tau):
            behind -= eta * behind
        behind += speed
        if abs(behind - before) < 1e-13:
            break
    return behind


def _slope(q: Said) -> float:
    def at(T: float) -> float:
        return _bound({**q, r"\eta": np.sqrt(q["m"] / (q[r"\tau"] * T)) / q["L"]}, T)

    return float(np.log10(at(10 * float(q["T"])) / at(float(q["T"]))))


def _loose(q: Said) -> float:
    """The floor as what a round leaves of the spread, and adds: v = (1 - r)^2 v + r^2 q/M V."""
    r = 1 - (1 - q[r"\eta"]) ** q[r"\tau"]
    one = q[r"\sigma_g"] ** 2 * (1 - q["C"]) / (q["C"] * (q["m"] - 1))
    floor = r**2 * one / (1 - (1 - r) ** 2)
    return float(12 * q[r"\eta"] * q[r"\tau"] * q["L"] * one / floor)


def _other_unit(task: str) -> float:
    q = said(task)
    found = re.search(r"that are (\d+) times smaller", task)
    assert found is not None
    curvature = q["L"] / int(found[1]) ** 2
    return float(np.sqrt(q["m"] / (q[r"\tau"] * q["T"])) / curvature)


def _by_letters(solve: Callable[[Said], float]) -> Callable[[str], float]:
    return lambda task: solve(said(task))


def _common(task: str) -> float:
    q = said(task)
    found = re.search(r"x\^\* = (-?\d+)", task)
    assert found is not None
    return _personal({**q, "common": np.array(float(found[1]))})


def _off(task: str) -> float:
    found = re.search(r"at \$([\d.]+)\$ times", task)
    assert found is not None
    return (float(found[1]) + 1 / float(found[1])) / 2


def _far(task: str) -> float:
    q = said(task)
    found = re.search(r"F_2 = \(x - (\d+)\)", task)
    assert found is not None
    far = np.array([0.0, float(found[1])])
    return walk(0.0, np.ones(2), far, q[r"\tau_i"], float(q[r"\eta"]))


def _steps_by_data(q: Said) -> float:
    steps = np.ceil(q["E"] * q["n_i"] / q["B"])
    return float(np.average(steps, weights=q["n_i"]))


ANSWERS: dict[tuple[str, str], Callable[[str], float]] = {
    ("setting", "Local steps of three clients"): _by_letters(_steps_by_data),
    ("setting", "The four terms"): _by_letters(lambda q: _bound(q, float(q["T"]))),
    ("setting", "The largest step"): _by_letters(_largest_step),
    ("setting", "Rounds to a target"): _by_letters(lambda q: _first_round(q, float(q[r"\epsilon"]))),
    ("data", "Where drift passes noise"): _by_letters(_meeting),
    ("data", "How unlike are three clients"): _by_letters(lambda q: float(np.std(q["h"] * q["e_i"]))),
    ("data", "The best step without noise"): _by_letters(_best_eta),
    ("data", "FedExP's step"): _by_letters(_server_step),
    ("data", "The limit of FedAvg"): _by_letters(
        lambda q: walk(0.0, q["h_i"], q["e_i"], np.full(2, q[r"\tau"]), float(q[r"\eta"]))
    ),
    ("sampling", "How many clients must participate"): _by_letters(_enough),
    ("selection", "The skew of a choice"): _by_letters(_skew),
    ("availability", "Two groups in turn"): _by_letters(_turns),
    ("availability", "Some come more often"): _by_letters(_settles),
    ("availability", "How rarely to talk"): _by_letters(_talk),
    ("computation", "What FedAvg minimises"): _by_letters(
        lambda q: float(np.average(q["e_i"], weights=q["p_i"] * q[r"\tau_i"]))
    ),
    ("computation", "How wrong the weights are"): _by_letters(_chi),
    ("computation", "A step that is not short"): _far,
    ("computation", "The noise of normalising"): _by_letters(
        lambda q: float(q[r"\tau_i"].mean() * (1 / q[r"\tau_i"]).mean())
    ),
    ("computation", "Momentum weighs"): _by_letters(_momentum),
    ("smoothness", "Rounds of clipped gradient descent"): _by_letters(
        lambda q: ceil(
            float(
                q[r"\Delta"] * (8 / 3 * q["L_0"] / q[r"\epsilon"] ** 2 + 18 / 7 * q["L_1"] / q[r"\epsilon"])
            )
            - 1e-6
        )
    ),
    ("smoothness", "How smooth is a quartic"): _quartic,
    ("smoothness", "The wrong majority"): _by_letters(_majority),
    ("smoothness", "Rounds at least"): _by_letters(_at_least),
    ("ahead", "A model of one's own"): _common,
    ("ahead", "The mean and the worst-off"): _by_letters(_worst_off),
    ("ahead", "An optimum that moves"): _by_letters(_lag),
    ("reading", "Another unit"): _other_unit,
    ("reading", "A slope"): _by_letters(_slope),
    ("sampling", "How loose is a term"): _by_letters(_loose),
    ("reading", "A step that is off"): _off,
}
"""Every exercise by chapter and title."""
