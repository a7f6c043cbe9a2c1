"""The questions of the lecture that no bound answers, held against numbers by plain numpy.

A check tells of each choice whether the numbers bear it out. It reads what it needs from the question, so
that a question which is changed is checked as changed. Answers that are derived need none, and answers about
words have a reason here instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from scipy.optimize import minimize_scalar

from boundkit.lecture.parts import Question
from boundkit.simulation.arrays import Array
from tests.lecture.exercise_answers import walk

Check = Callable[[Question], Sequence[bool]]
"""Of each choice, in the order of the question, whether it is true."""

H, E, TAU = np.array([1.0, 0.6, 0.3]), np.array([-1.0, 2.0, 5.0]), np.array([2, 5, 9])
"""Three quadratics h (x - e)^2/2 in one dimension, and unequal work."""
BEST = float(np.average(E, weights=H))
SURROGATE = float(np.average(E, weights=H * TAU))


def _numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text)]


def _notes(one: Question) -> list[bool]:
    """Fewer rounds with more epochs would be a falling row of numbers; theirs is not."""
    rounds = {int(e): int(n) for e, n in re.findall(r"\$E = (\d+)\$ (?:takes )?(\d+)", one.ask)}
    assert sorted(rounds) == [1, 5, 20]
    holds = rounds[1] > rounds[5] > rounds[20]
    return [holds, min(rounds[5], rounds[20]) > rounds[1], False, False]


def _average_drift(one: Question) -> list[bool]:
    """Clients of one Hessian in the plane, all from x*: the mean after several walks."""
    hessian = np.array([[1.0, 0.3], [0.3, 0.5]])
    minima = 100 * np.random.default_rng(0).normal(size=(5, 2))
    best, eta = minima.mean(axis=0), 0.1
    found = []
    for tau in (2, 20):
        x = np.tile(best, (5, 1))
        for _ in range(tau):
            x = x - eta * (x - minima) @ hessian
        found.append(float(np.linalg.norm(best - x.mean(axis=0)) / (eta * tau)))
    spread = float(np.sqrt((((best - minima) @ hessian) ** 2).sum(axis=1).mean()))
    zero = max(found) < 1e-12 * spread
    return [zero, bool(np.isclose(found[0], spread)), found[1] > 2 * found[0] and not zero, max(found) > 1e9]


def _literal_fedexp(one: Question) -> list[bool]:
    """Updates of one length in several directions, with each client's own length below the line."""
    rng = np.random.default_rng(1)
    steps, usual = [], []
    for epsilon in (0.0, 0.1):
        for m in (2, 5, 30):
            moves = rng.normal(size=(m, 40))
            moves *= 3 / np.linalg.norm(moves, axis=1, keepdims=True)
            above = float((moves**2).sum())
            steps.append(max(1.0, above / (2 * m * (float((moves[0] ** 2).sum()) + epsilon))))
            usual.append(max(1.0, above / (2 * m * (float((moves.mean(axis=0) ** 2).sum()) + epsilon))))
    return [
        np.allclose(steps, 1), np.allclose(steps, 2), np.allclose(steps, usual), steps[2] > 2 * steps[0]
    ]  # fmt: skip


def _those_who_came(one: Question) -> list[bool]:
    """The mean step, over all ways to come, of two clients who share a round."""
    q, minima = _numbers(one.ask)[:2], _numbers(one.ask)[2:4]
    assert (len(q), len(minima)) == (2, 2)
    weights = np.zeros(2)
    for there in ((1, 0), (0, 1), (1, 1)):
        chance = np.prod([p if i else 1 - p for p, i in zip(q, there, strict=True)])
        weights += chance * np.array(there) / sum(there)
    x = 0.0
    for _ in range(5000):
        x -= 0.01 * float(weights @ (x - np.array(minima)))
    return [bool(np.isclose(x, (_numbers(choice) or [np.nan])[0], rtol=5e-3)) for choice in one.choices]


def _ten_times(one: Question) -> list[bool]:
    works = [np.array(_numbers(row)) for row in re.findall(r"\(([\d, ]+)\)", one.ask)]
    assert len(works) == 2
    few, many = (float(((1 / 3 - w / w.sum()) ** 2 / (w / w.sum())).sum()) for w in works)
    return [bool(np.isclose(many / few, factor)) for factor in (1, 100, 10, 0)]


def _rest(method: str, eta: float, rounds: int = 20_000) -> float:
    """Where a method comes to rest, by walking; far off where it does not rest."""
    x, held, server = 0.0, np.zeros(3), 0.0
    for _ in range(rounds):
        y = np.full(3, x)
        for k in range(int(TAU.max())):
            g = H * (y - E)
            g = g + {"fedprox": 0.5 * (y - x), "scaffold": server - held, "vrlsgd": -held}.get(method, 0.0)
            y = np.where(k < TAU, y - eta * g, y)
        moved = x - y
        before = x
        x -= float(TAU.mean() * (moved / TAU).mean() if method == "fednova" else moved.mean())
        if method == "scaffold":
            held = held - server + moved / (TAU * eta)
            server = float(held.mean())
        if method == "vrlsgd":
            held = held + (x - y) / (TAU * eta)
        if abs(x - before) < 1e-13:
            return x
    return np.inf


def _fednova(one: Question) -> list[bool]:
    """Off x* by the step, in proportion to it, and not at the surrogate's optimum."""
    long, short = (_rest("fednova", eta) - BEST for eta in (0.1, 0.001))
    near = abs(long) > 1e-3 and abs(short) < 0.02 * abs(long)
    return [abs(long) < 1e-6, near, abs(long + BEST - SURROGATE) < 0.01, not np.isfinite(long)]


def _rests(one: Question) -> list[bool]:
    """All four methods, at a step that is not short."""
    found = [_rest(method, 0.1) for method in ("fedavg", "fedprox", "scaffold", "vrlsgd")]
    assert np.isfinite(found).all()
    assert abs(found[0] - walk(0.0, H, E, TAU, 0.1)) < 1e-8
    assert abs(found[3] - SURROGATE) < 1e-6  # as the explanation says
    return [abs(x - BEST) < 1e-6 for x in found]


def _unit_of_rounds(one: Question) -> list[bool]:
    """Exponents of a loss and of a length in each reading."""
    units = {r"\Delta": (1, 0), "L_1": (0, -1), "M": (1, -1), r"\epsilon": (1, -1)}
    named = {"None": (0, 0), "That of a gradient": (1, -1), "Seconds": None}
    answers = []
    for choice in one.choices:
        claim, formula = choice.split(": ", 1)
        power = int(found[1]) if (found := re.search(r"\^(\d)", formula)) else 1
        above = np.sum([units[name] for name in (r"\Delta", "L_1", "M")], axis=0)
        has = tuple((above - power * np.array(units[r"\epsilon"])).tolist())
        # A number of rounds has no unit, so that a reading with one is no answer.
        answers.append(named[claim] == has == (0, 0))
    return answers


def _majority(one: Question) -> list[bool]:
    """The mean clipped step, and the mean that is not clipped."""
    slopes = np.array([5.0, -1.0, -1.0])
    assert "$5M$, $-M$ and $-M$" in one.ask
    assert slopes.mean() == 1
    steps = -slopes * np.minimum(1, 0.5 / np.abs(slopes))
    way, plain = float(steps.mean()), -float(slopes.mean())
    alike = bool(np.ptp(np.abs(steps)) == 0)
    return [way < 0 and plain < 0, way > 0 and alike, way == 0, bool(np.isclose(way, plain / 3))]


def _personal(one: Question) -> list[bool]:
    """Own models at weights for the common one that grow."""

    def apart(weight: float) -> float:
        models = (H * E + weight * BEST) / (H + weight)
        return float(np.abs(models - BEST).max())

    return [apart(0) < 1e-3, apart(1e6) < 1e-3 < apart(1e3), apart(H.max()) < 1e-3, apart(1e6) >= 1e-3]


def _ranked(one: Question) -> list[bool]:
    """Power-of-choice in expectation: it rests where a mean of losses by rank is least, beside x*."""

    def weights(d: int, count: int) -> Array:
        mean = np.zeros(3)
        ways = list(combinations(range(3), d))
        for way in ways:
            mean[list(way)[:count]] += 1 / (len(ways) * count)
        return mean

    def losses(x: float) -> Array:
        return H * (x - E) ** 2 / 2

    def step(x: float, by_rank: Array) -> float:
        order = np.argsort(-losses(x))
        return float(by_rank @ (H * (x - E))[order])

    def rest(by_rank: Array, eta: float) -> float:
        x, late = 0.0, []
        for t in range(12_000):
            x -= eta * step(x, by_rank)
            late += [x] if t >= 10_000 else []
        return float(np.mean(late))

    bias, agrees = [], []
    for d in (2, 3):
        by_rank = weights(d, 1)
        assert np.isclose(by_rank.sum(), 1)
        assert np.all(np.diff(by_rank) <= 0)
        assert (np.count_nonzero(by_rank) == 1) == (d == 3)  # the largest alone, only if all are candidates
        ranked = minimize_scalar(lambda x, w=by_rank: float(w @ np.sort(losses(x))[::-1]), bounds=(-5, 9),
                                 method="bounded", options={"xatol": 1e-10}).x  # fmt: skip
        ends = [rest(by_rank, eta) for eta in (0.01, 0.001)]
        agrees.append(abs(ends[1] - ranked) < 0.01)
        bias.append(abs(ends[1] - BEST))
    unique = bool(H.min() > 0)
    return [False, all(agrees), max(bias) < 1e-2, not unique]


def _behind(one: Question) -> list[bool]:
    """The distance after a step: a short one, one that decays, 1/h, and one that is barely stable."""
    h, way = 0.7, 3.0

    def lag(steps: Array) -> float:
        behind = 0.0
        for eta in steps:
            behind = (behind + way) * (1 - eta * h)
        return float(abs(behind))

    def fixed(share: float) -> Array:
        return np.full(2000, share / h)

    for share in (0.3, 1.95):
        assert np.isclose(lag(fixed(share)), way * abs(1 - share) / share)  # as the explanation says
    found = [lag(fixed(0.05)), lag(1 / np.arange(2.0, 2002.0)), lag(fixed(1)), lag(fixed(1.95))]
    return [x == min(found) for x in found]


def _two_points(one: Question) -> list[bool]:
    """The slope between the two numbers, and the promised one."""
    high, low, few, many = (float(x) for x in re.findall(r"\d+(?:\.\d+)?", one.ask.split("Your run")[1])[:4])
    slope = np.log(high / low) / np.log(many / few)
    promised = 0.5
    constant = low * np.sqrt(many)
    assert np.isclose((many / few) ** -promised, 1 / 4)  # the explanation's quarter
    # Two points refute no rate, whose constant and whose first round are open.
    return [False, slope < promised, bool(np.isclose(constant, 2)), slope >= promised]


def _squared_gradient(one: Question) -> list[bool]:
    """Exponents of a loss and of a length."""
    loss, length = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    step, curvature, gradient = 2 * length - loss, loss - 2 * length, loss - length
    units = {
        r"$\eta L$": step + curvature, r"$\eta \sigma^2$": step + 2 * gradient,
        r"$\Delta / \eta$": loss - step, r"$\sqrt{\Delta / L}$": (loss - curvature) / 2,
    }  # fmt: skip
    return [bool(np.array_equal(units[choice], 2 * gradient)) for choice in one.choices]


CHECKED: dict[tuple[str, str], Check] = {
    ("setting", "The notes say that more epochs"): _notes,
    ("data", "All clients have the same Hessian"): _average_drift,
    ("data", "FedExP's fraction is taken literally"): _literal_fedexp,
    ("availability", "Two clients with participation"): _those_who_came,
    ("computation", "Every client takes ten times"): _ten_times,
    ("computation", "FedNova, full batches"): _fednova,
    ("computation", "Of these, which converges"): _rests,
    ("smoothness", "Which unit must a lower bound"): _unit_of_rounds,
    ("smoothness", "Three clients, one participates"): _majority,
    ("ahead", "Personalised models"): _personal,
    ("ahead", "Power-of-choice ends beside"): _ranked,
    ("ahead", "The distribution of the data moves"): _behind,
    ("reading", "Which of these has the unit"): _squared_gradient,
    ("reading", "A theorem says"): _two_points,
}
"""By chapter and by how the question begins."""

WORDS: dict[tuple[str, str], str] = {
    ("smoothness", "Why does EPISODE let"): "It asks what a rule of the method is for.",
    ("reading", "A run lies at 0.05"): "It asks what follows from one run, and no number of it decides that.",
    ("reading", "One run of SGD lies above"): "It asks what an expectation claims of a draw.",
    ("reading", "Two methods have bounds of order"): "It asks what an order says without its constants.",
}
"""The questions that are matters of words, and why."""
