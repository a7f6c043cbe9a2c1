"""FedAvg's sharper constants: recomputed from their proofs' inequalities, attacked, and nearly attained."""

from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from math import sqrt

import numpy as np
import pytest
from sympy import Le, Rational, simplify

from boundkit.algebra.notation import C, L, T, eta, eta_s, gap, m, sigma, sigma_g, tau
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each
from tests.theorems.outcomes import one_of_two
from tests.theorems.quadratics import bound, draw, inside, squares

STEP = eta_s * eta
UNITS = {
    "initial gap": gap / (STEP * tau * T),
    "stochastic noise": STEP * L * sigma**2 / (C * m),
    "noise drift": eta**2 * L**2 * (tau - 1) * sigma**2,
    "partial participation": STEP * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
    "client drift": eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
}
CONSTANTS = {
    "fedavg_nonconvex_partial_sharp": (F(13, 10), F(4, 5), F(1), F(3, 4), F(1, 2)),
    "fedavg_nonconvex_partial_long_steps": (F(7, 3), F(15, 8), F(1), F(8, 5), F(7, 16)),
}
FULL = "fedavg_nonconvex_sharper"
EVERYBODY = {
    "initial gap": F(8, 5),
    "stochastic noise": F(9, 8),
    "noise drift": F(6, 5),
    "client drift": F(5, 9),
}
LARGEST = {"fedavg_nonconvex_partial_sharp": (8, 24), "fedavg_nonconvex_partial_long_steps": (4, 1)}
"""1/(eta L tau) and 1/(eta_s eta L tau) at the largest steps."""


@each("name", CONSTANTS)
def test_constants_by_hand(name: str) -> None:
    terms = theorem(name).bound.terms
    for (label, unit), share in zip(UNITS.items(), CONSTANTS[name], strict=True):
        assert simplify(terms[label].expr / unit) == Rational(share.numerator, share.denominator), label
    client, both = LARGEST[name]
    assert theorem(name).step_size == (Le(eta, 1 / (client * L * tau)), Le(STEP, 1 / (both * L * tau)))


def test_constants_by_hand_of_full_participation() -> None:
    terms = theorem(FULL).bound.terms
    assert terms.keys() == EVERYBODY.keys()
    for label, share in EVERYBODY.items():
        unit = UNITS[label].subs({C: 1, eta_s: 1})
        assert simplify(terms[label].expr / unit) == Rational(share.numerator, share.denominator), label
    assert theorem(FULL).step_size == theorem("fedavg_nonconvex").step_size
    for rival in ("fedavg_nonconvex", "fedavg_nonconvex_mean_walk"):
        shares = {k: simplify(terms[k].expr / t.expr) for k, t in theorem(rival).bound.terms.items()}
        assert all(bool(share.subs(tau, n) < 1) for share in shares.values() for n in (2, 3, 100))


@each("name", CONSTANTS)
def test_no_step_is_lost_and_no_constant_grows(name: str) -> None:
    """Whatever the published bound allows and says, the sharper one allows and says too."""
    ours, published = theorem(name), theorem("fedavg_nonconvex_partial")
    for mine, theirs in zip(ours.step_size, published.step_size, strict=True):
        assert mine.lhs == theirs.lhs
        assert simplify(mine.rhs / theirs.rhs) >= 1
    for label, term in ours.bound.terms.items():
        assert simplify(term.expr / published.bound.terms[label].expr) < 1


# The proof, inequality by inequality, in exact fractions


@dataclass(frozen=True)
class Walk:
    """r_k^2 <= eta^2 (gradient k^2 ||grad F_i||^2 + noise k sigma^2); Var x_i^k <= spread eta^2 k sigma^2."""

    gradient: F
    noise: F
    spread: F


def walk(longest: F, young: F) -> Walk:
    """For eta L (tau - 1) <= longest: e^y <= (1 + y/2)/(1 - y/2), and a convex sum lies below its chord's."""
    growth = (1 + longest / 2) / (1 - longest / 2)
    way, spread, by_noise = 1 / (1 - longest / 2), 1 / (1 - longest), F(2, 3) * longest * growth
    return Walk((1 + young) * way**2, spread + (1 + 1 / young) * by_noise**2, spread)


@dataclass(frozen=True)
class Corner:
    """The largest c = s L and eta L (tau - 1) that occur together."""

    product: F
    longest: F


@dataclass(frozen=True)
class Proof:
    """Young's weights: of the walk, of the population, and of <grad F, e>, there twice that of grad F."""

    corners: tuple[Corner, ...]
    young_walk: F
    young_population: F | None
    young_descent: F

    def constants(self) -> tuple[F, ...]:
        """In the order of UNITS: the worst over c from 0 to its largest; each quotient is monotone in c."""
        found = []
        for corner in self.corners:
            path = walk(corner.longest, self.young_walk)
            far = corner.longest**2
            for c in (F(0), corner.product):
                free, weight = self.young_descent, (1 - c) / (2 * self.young_descent) + c / 2
                mixed = F(0) if self.young_population is None else 1 + 1 / self.young_population
                left = 1 - c / 2 - (1 - c) * free / 2 - path.gradient / 4 * far * (weight + c / 2 * mixed)
                assert left > 0
                population = 0 if self.young_population is None else 1 + self.young_population
                found.append(
                    (
                        1 / left,
                        (path.spread + mixed * path.noise / 2 * far) / 2 / left,
                        path.noise / 2 * weight / left,
                        (population + mixed * path.gradient / 4 * far) / 2 / left,
                        path.gradient / 4 * weight / left,
                    )
                )
        return tuple(max(column) for column in zip(*found, strict=True))


PROOFS = {
    "fedavg_nonconvex_partial_sharp": Proof((Corner(F(1, 24), F(1, 8)),), F(101, 1024), F(1, 9), F(2, 5)),
    "fedavg_nonconvex_partial_long_steps": Proof((Corner(F(1), F(1, 4)),), F(19, 128), F(1, 4), F(4, 5)),
}


@each("name", PROOFS)
def test_the_constants_follow_from_the_proof(name: str) -> None:
    """And not by a wide margin: none could be smaller by more than a tenth with these inequalities."""
    for stated, proved in zip(CONSTANTS[name], PROOFS[name].constants(), strict=True):
        assert F(9, 10) * stated <= proved <= stated


def test_the_constants_of_full_participation_follow_from_the_proof() -> None:
    """For each number of steps, at the largest step and at shares of it; (5/3, 9/5) is what 7/24 gives."""
    path = walk(F(7, 24), F(1493, 6912))
    assert path.gradient == F(5, 3)
    assert path.noise <= F(9, 5)
    assert path.spread == F(24, 17)
    assert F(7, 24) ** 2 >= F(1, 12)
    for steps in (*range(1, 40), 10**3, 10**6):
        r = F(steps - 1, steps)
        square = 1 / (12 * r) if steps > 1 else F(1, 4)
        top = F(int(sqrt(square) * 10**6) + 1, 10**6)  # c a little too large
        for share in range(21):
            c = top * share / 20
            b = min(r * c, F(7, 24))
            weight = 1 - c / 2
            left = F(3, 4) - c / 4 - F(5, 12) * b**2 * weight
            spread = path.spread if steps > 1 else F(1)
            assert 1 / left <= EVERYBODY["initial gap"] + F(1, 10**5) * (steps == 1)
            assert spread / 2 / left <= EVERYBODY["stochastic noise"]
            assert F(9, 10) * weight / left <= EVERYBODY["noise drift"]
            assert F(5, 12) * weight / left <= EVERYBODY["client drift"]


def test_no_weights_of_the_proof_are_better_in_every_constant() -> None:
    """A look round: other weights lower some constants and raise others."""
    ours = PROOFS["fedavg_nonconvex_partial_sharp"]
    least = ours.constants()
    for young in product((F(1, 20), F(1, 8), F(1, 4)), (F(1, 20), F(1, 5)), (F(1, 5), F(3, 5), F(1))):
        assert any(a > b for a, b in zip(Proof(ours.corners, *young).constants(), least, strict=True))


# Attacks: every inequality of the proof and the whole bound, at the largest steps


KINKED = (lambda x: np.abs(x), lambda x: np.clip(x, -1, 1), lambda x: x / (1 + x**2), lambda x: -x)


@each("share", [F(1, 8), F(1, 4)])
@each("steps", [2, 5, 9])
def test_walk_and_variance_over_all_outcomes(steps: int, share: F) -> None:
    """(i), (ii) and (iii) for one client with L = 1, whose noise is +-sigma at each step."""
    step, path = float(share) / steps, walk(share, F(101, 1024))
    signs = np.array(list(product((-1.0, 1.0), repeat=steps)))
    for slope, start, noise in product(KINKED, (0.0, 0.05, 1.0), (0.0, 0.3, 3.0)):
        x, first = np.full(len(signs), start), float(slope(np.array(start)))
        gradients = np.zeros(steps)
        for k in range(steps):
            assert x.var() <= float(path.spread) * step**2 * k * noise**2 * (1 + 1e-12) + 1e-24
            limit = step**2 * (float(path.gradient) * k**2 * first**2 + float(path.noise) * k * noise**2)
            assert ((x - start) ** 2).mean() <= limit * (1 + 1e-12) + 1e-24
            gradients[k] = slope(x).mean()
            x = x - step * (slope(x) + noise * signs[:, k])
        assert (x / (step * steps)).var() <= float(path.spread) * noise**2 / steps * (1 + 1e-12) + 1e-24
        far = float(path.gradient) / 4 * first**2 + float(path.noise) / 2 * noise**2 / steps
        assert (first - gradients.mean()) ** 2 <= (step * (steps - 1)) ** 2 * far * (1 + 1e-12) + 1e-24


def largest(name: str, steps: int) -> tuple[float, float]:
    """eta and eta_s where both conditions are met with equality, at L = 1."""
    client, both = LARGEST[name]
    return 1 / (client * steps), client / both


@each("name", CONSTANTS)
def test_exact_runs_on_quadratics_at_the_largest_steps(name: str) -> None:
    rng, statement, best = np.random.default_rng(0), theorem(name), 0.0
    for _ in range(80):
        q, steps, rounds = draw(rng), int(rng.integers(1, 12)), int(rng.integers(1, 400))
        come = int(rng.integers(1, len(q.p) + 1))
        client, server = largest(name, steps)
        client *= float(rng.choice([1, 0.3])) / q.h.max()
        server *= float(rng.choice([1, 0.3, 3])) if client * steps * q.h.max() < 0.9 / LARGEST[name][0] else 1
        values = {
            **q.known, "tau": steps, "T": rounds, "C": come / len(q.p), "eta": client, "eta_s": server,
            "sigma": q.s[0],
        }  # fmt: skip
        if inside(statement, **values):
            seen = (squares(q, steps, rounds, client, server, come)[:-1] @ q.h**2).mean()
            best = max(best, seen / bound(statement, **values))
    assert 0.5 < best <= 1


LOSSES = (
    (lambda x: x / (1 + x**2), lambda x: np.log(1 + x**2) / 2),
    (np.sin, lambda x: 1 - np.cos(x)),
    (lambda x: np.maximum(x, 0), lambda x: np.maximum(x, 0) ** 2 / 2),
)


@each("name", CONSTANTS)
@each(("steps", "rounds"), [(1, 6), (2, 4), (3, 3), (6, 1)])
def test_sampling_without_convexity_over_all_outcomes(name: str, steps: int, rounds: int) -> None:
    statement = theorem(name)
    step, server = largest(name, steps)
    for (slope, loss), noise, x0, apart in product(LOSSES, (0.0, 1.5), (0.0, 1.0, 5.0), (0.0, 1.0, 8.0)):
        values = {
            "m": 2, "C": 0.5, "tau": steps, "T": rounds, "eta": step * (1 - 1e-12), "eta_s": server, "L": 1,
            "sigma": noise, "sigma_g": apart, "gap": float(loss(np.array(x0))),
        }  # fmt: skip
        assert inside(statement, **values)
        models = one_of_two(slope, apart, steps, rounds, step, server, noise, x0)
        seen = np.mean([(slope(x) ** 2).mean() for x in models[:-1]])
        assert seen <= bound(statement, **values) * (1 + 1e-9)


# How near: runs whose bound is one term alone, at small steps


def floor_of_two(curved: Array, best: Array, rate: float, steps: int) -> tuple[float, float]:
    """FedAvg's resting place without noise: the squared gradient, and the dissimilarity, there."""
    pull = 1 - (1 - rate * curved) ** steps
    gradients = curved * (pull @ best / pull.sum() - best)
    return float(gradients.mean() ** 2), float(gradients.var())


def test_what_no_proof_can_beat_as_the_remark_says() -> None:
    """1 for the initial gap, 1/2 for noise and participation, and 1/4 for the drifts."""
    stated = dict(zip(UNITS, CONSTANTS["fedavg_nonconvex_partial_sharp"], strict=True))
    attained = {}
    rate, steps = 1e-5, 200
    s = rate * steps
    # x_0 = 1 + s (T - 1) walks down a straight line of slope 1, which ends as x^2/2
    rounds = 1e6 / s
    attained["initial gap"] = 1 / ((0.5 + s * (rounds - 1)) / (s * rounds))
    # Minima +-1 of x^2/2, one of two clients a round: the stationary variance
    shrink = 1 - (1 - rate) ** steps
    attained["partial participation"] = shrink / (2 - shrink) / s  # (1 - C)/(C (m - 1)) = 1
    attained["stochastic noise"] = 1 / (2 - rate)
    # Curvatures 1 and nearly -1
    squared, unlike = floor_of_two(np.array([1, -1 + 1e-3]), np.array([1.0, -1.0]), rate, steps)
    attained["client drift"] = squared / (rate**2 * steps * (steps - 1) * unlike)
    # Everybody's slope is |x| - rate/2, and the noise +-1: the mean of two steps from x = 0 is 0
    first, second = -rate / 2, np.abs(rate * np.array([rate / 2 + 1, rate / 2 - 1])).mean() - rate / 2
    assert abs(first + second) < 1e-9 * rate
    attained["noise drift"] = first**2 / rate**2
    wanted = {"initial gap": 1.0, "stochastic noise": 0.5, "noise drift": 0.25,
              "partial participation": 0.5, "client drift": 0.25}  # fmt: skip
    assert attained == pytest.approx(wanted, rel=0.01)
    assert all(wanted[label] <= stated[label] <= 4 * wanted[label] for label in UNITS)
