"""Relaxed smoothness: clipped descent run to rest, the table of rounds, and the lower bound's instances."""

from collections.abc import Callable
from math import asinh, log

import numpy as np
import pytest
from sympy import Expr, Rational, simplify
from sympy import asinh as Asinh
from sympy import log as Log

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import (
    L0,
    L1,
    C,
    L,
    T,
    c_1,
    c_2,
    c_3,
    clip,
    eta,
    gap,
    grad_max,
    m,
    rho_zeta,
    sigma,
    sigma_g,
    target,
    tau,
    zeta,
)
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems.clipping_problem import (
    ClippingInstance,
    hard_instance,
    ramp,
    valley,
    wrong_majority,
)
from boundkit.theorems import theorem
from tests.cases import each

LOWER = "clipped_minibatch_sgd_relaxed_smooth_lower"


# The formulas of the theory: N clients, S of them come, I local steps, target eps

N, S, I, eps = m, C * m, tau, target
CURVATURE = L0 + L1 * (zeta + rho_zeta * sigma)
TABLE: dict[str, Expr] = {
    "local_sgd_nonconvex_rounds": c_1 * gap * L * sigma**2 / (N * I * eps**4)
    + c_2 * gap * L * sigma_g**2 * N * I / (sigma**2 * eps**2)
    + c_3 * gap * L * N / eps**2,
    "scaffold_nonconvex_rounds": c_1 * gap * L * sigma**2 / (S * I * eps**4)
    + c_2 * (gap * L / eps**2) * (N / S) ** Rational(2, 3),
    "celgc_relaxed_smooth": c_1 * gap * L0 * sigma**2 / (N * I * eps**4),
    "episode_relaxed_smooth": c_1 * gap * L0 * sigma**2 / (N * I * eps**4)
    + c_2 * (gap * CURVATURE / eps**2) * (1 + sigma / eps),
    "episodepp_relaxed_smooth": c_1 * gap * L0 * sigma**2 / (S * I * eps**4)
    + c_2 * (gap * CURVATURE / eps**2) * (N / S + sigma / eps),
}


@each("name", TABLE)
def test_rows_of_the_table(name: str) -> None:
    statement = theorem(name)
    assert simplify(statement.bound.total - TABLE[name]) == 0
    assert statement.kind == "order"
    assert {t.provenance for t in statement.terms} == {"recalled"}


def test_where_the_terms_of_local_sgd_meet() -> None:
    terms = {k: t.expr for k, t in theorem("local_sgd_nonconvex_rounds").bound.terms.items()}
    noise, drift, start = terms["stochastic noise"], terms["client drift"], terms["initial gap"]
    assert simplify((noise / drift).subs(tau, sigma**2 / (sigma_g * m * target)) - c_1 / c_2) == 0
    assert simplify((noise / start).subs(tau, sigma**2 / (m * target) ** 2) - c_1 / c_3) == 0


def test_the_condition_of_celgc_is_the_second_term_of_episode_for_alike_clients() -> None:
    (condition,) = theorem("celgc_relaxed_smooth").step_size
    most = condition.rhs / (m * target)
    assert simplify(most - c_2 * sigma / (N * eps)) == 0
    hidden = TABLE["celgc_relaxed_smooth"].subs(tau, most)
    alike = theorem("episode_relaxed_smooth").bound.terms["client drift"].expr.subs({zeta: 0, rho_zeta: 0})
    assert simplify(hidden - c_1 / c_2 * gap * L0 * sigma / eps**3) == 0
    noisy = simplify(alike / hidden).subs({c_1: 1, c_2: 1, sigma: 10**6 * target})
    assert noisy == pytest.approx(1, abs=1e-5)


# Clipped descent with all clients


def test_constants_of_clipped_descent() -> None:
    assert theorem("clipped_gd_relaxed_smooth").bound.total == Rational(5, 2) * gap / T
    rounds = theorem("clipped_gd_relaxed_smooth_rounds")
    assert simplify(rounds.bound.total - Rational(5, 2) * gap * (1 / (eta * eps**2) + 1 / (clip * eps))) == 0
    largest = rounds.bound.total.subs({eta: 1 / (2 * L0), clip: 1 / (2 * L1)})
    assert simplify(largest - 5 * gap * (L0 / eps**2 + L1 / eps)) == 0
    for name in ("clipped_gd_relaxed_smooth", "clipped_gd_relaxed_smooth_rounds"):
        assert {str(c) for c in theorem(name).step_size} == {"eta <= 1/(2*L0)", "clip <= 1/(2*L1)"}


def test_the_constant_is_what_the_exponential_leaves() -> None:
    t = np.linspace(1e-3, 0.5, 1000)
    worst = ((np.expm1(t) - t) / t**2).max()
    assert worst == pytest.approx(0.5949, abs=1e-4)
    assert 2.4 < 1 / (1 - worst) < 2.5


Curve = tuple[Callable[[Array], Array], Callable[[Array], Array], float, float, float]
CURVES: dict[str, Curve] = {
    "cosh": (np.cosh, np.sinh, 1.0, 1.0, 1.0),
    "steep cosh": (lambda x: np.cosh(3 * x) / 90, lambda x: np.sinh(3 * x) / 30, 0.1, 3.0, 1 / 90),
    "double well": (lambda x: x**4 / 4 - x**2 / 2, lambda x: x**3 - x, 4.0, 3.0, -0.25),
}


@each("name", CURVES)
def test_curves_are_relaxed_smooth(name: str) -> None:
    _, slope, low, growth, _ = CURVES[name]
    x = np.linspace(-6, 6, 20001)
    bend = np.gradient(slope(x), x)[1:-1]
    assert np.all(np.abs(bend) <= (low + growth * np.abs(slope(x[1:-1]))) * (1 + 1e-6))


@each("name", CURVES)
@each("shares", [(1.0, 1.0), (1.0, 0.1), (0.1, 1.0)])
def test_clipped_descent_stays_below_its_bound(name: str, shares: tuple[float, float]) -> None:
    loss, slope, low, growth, least = CURVES[name]
    step, length = shares[0] / (2 * low), shares[1] / (2 * growth)
    x = start = np.array([-5.0, -2.0, 0.3, 1.5, 4.0])
    promised, above, goal = [], np.zeros(5), 0.05
    for _ in range(3000):
        g = slope(x)
        promised.append(np.minimum(step * g**2, length * np.abs(g)))
        above = np.where((above == len(promised) - 1) & (np.abs(g) > goal), len(promised), above)
        x = x - np.minimum(step, length / np.maximum(np.abs(g), 1e-300)) * g
    drop = loss(start) - least
    values: dict[str, Array | float] = {"gap": drop, "eta": step, "clip": length, "target": goal}
    rounds = theorem("clipped_gd_relaxed_smooth_rounds")
    assert np.all(above <= evaluate(rounds.bound.total, values))
    assert all(satisfied(c, values | {"L0": low, "L1": growth}) for c in rounds.step_size)
    mean = theorem("clipped_gd_relaxed_smooth").bound.total
    for horizon in (1, 10, 3000):
        bound = evaluate(mean, values | {"T": float(horizon)})
        assert np.all(np.sum(promised[:horizon], axis=0) / horizon <= bound)
    assert np.max(np.sum(promised, axis=0) / (2.5 * drop)) > 0.35


# The lower bound and its instances

SETTING = {"m": 3, "L0": 1.0, "L1": 1.0, "grad_max": 8.0, "target": 0.5, "gap": 300.0}


def all_three(setting: dict[str, float]) -> list[ClippingInstance]:
    clients, low, growth = int(setting["m"]), setting["L0"], setting["L1"]
    return [
        wrong_majority(clients, low, growth, setting["grad_max"], setting["gap"]),
        valley(clients, low, growth, setting["grad_max"]),
        ramp(clients, low, growth, setting["target"], setting["gap"]),
    ]


OTHER = {"m": 7, "L0": 0.3, "L1": 2.0, "grad_max": 40.0, "target": 3.0, "gap": 900.0}
INSTANCES = [(s, instance) for s in (SETTING, OTHER) for instance in all_three(s)]
EACH = each(("setting", "instance"), INSTANCES, ids=[f"m={s['m']} {i.name}" for s, i in INSTANCES])


@EACH
def test_instances_belong_to_the_class(setting: dict[str, float], instance: ClippingInstance) -> None:
    x = np.linspace(-1, instance.start + 1, 200_003)
    inside = instance.loss(x) <= instance.gap * (1 + 1e-12)
    scales = instance.scales[:, None]
    bend, slope = np.abs(scales * instance.curvature(x)), np.abs(scales * instance.gradient(x))
    assert np.all(bend <= (setting["L0"] + setting["L1"] * slope) * (1 + 1e-12))
    assert instance.scales.mean() == pytest.approx(1, abs=1e-15)
    assert np.abs(instance.scales - 1).max() <= 2 * setting["m"] - 2
    assert np.abs(instance.gradient(x)[inside]).max() <= setting["grad_max"] * (1 + 1e-12)
    assert instance.gap <= setting["gap"]
    assert float(instance.loss(np.array(instance.start))) == pytest.approx(instance.gap, rel=1e-12)
    assert instance.loss(x).min() == pytest.approx(0, abs=1e-8)


@EACH
def test_derivatives_are_derivatives(setting: dict[str, float], instance: ClippingInstance) -> None:
    x = np.linspace(-0.5, instance.start, 400_001)
    between = (x[1:] + x[:-1]) / 2
    for whole, part in ((instance.loss, instance.gradient), (instance.gradient, instance.curvature)):
        rise = np.diff(whole(x)) / np.diff(x)
        miss = np.abs(rise - part(between))
        assert np.sum(miss > 1e-4 * (1 + np.abs(part(between)))) <= 2  # the corners


def test_mean_dissimilarity_is_as_large_as_stated() -> None:
    for clients in (3, 5, 9):
        instance = wrong_majority(clients, 1.0, 1.0, 4.0, 50.0)
        apart = np.abs(instance.client_gradients(np.array([2.5]))[0] - instance.gradient(np.array([2.5])))
        assert apart.max() == pytest.approx((2 * clients - 2) * float(instance.gradient(np.array(2.5))))


def test_bad_instances_are_refused() -> None:
    with pytest.raises(BoundkitError, match="at least 3 clients"):
        wrong_majority(2, 1.0, 1.0, 4.0, 50.0)
    with pytest.raises(BoundkitError, match="the corner alone is"):
        ramp(3, 1.0, 1.0, 2.0, 0.1)
    with pytest.raises(BoundkitError, match="must be above 0"):
        valley(3, 1.0, 0.0, 4.0)


def bound_at(setting: dict[str, float]) -> float:
    return float(evaluate(theorem(LOWER).bound.total, setting))


def test_lower_bound_by_hand() -> None:
    u = Asinh(grad_max * L1 / L0)
    assert simplify(theorem(LOWER).bound.total - (gap - 2 * eps / L1) * L1 * grad_max / (8 * eps**2 * u)) == 0
    for setting in (SETTING, OTHER):
        M, e, g, a, b = (setting[k] for k in ("grad_max", "target", "gap", "L1", "L0"))
        assert bound_at(setting) == pytest.approx(
            (g - 2 * e / a) * a * M / (8 * e**2 * asinh(M * a / b)), rel=1e-14
        )
    small, long = theorem(LOWER).step_size
    k = Log(2) / Log((1 - C) / C)
    assert small == (2 * target <= grad_max)
    assert simplify(long.rhs - grad_max / L1 * (1 + 2 * k * u)) == 0
    # at a third of the clients one lost game in two: k = 1
    assert simplify(k.subs(C, Rational(1, 3))) == 1
    assert satisfied(theorem(LOWER).requires[0], {"C": 1 / 3})
    assert not satisfied(theorem(LOWER).requires[0], {"C": 0.6})


def test_table_of_the_theory() -> None:
    at = {"L0": 1.0, "L1": 1.0, "target": 0.5, "gap": 9937.0}
    for M, rounds in {4: 9487, 8: 14315, 16: 22929, 32: 38224, 64: 65529}.items():
        assert np.ceil(bound_at(at | {"grad_max": float(M)})) == rounds


def mean_gradients(instance: ClippingInstance, steps: Array, lengths: Array, rounds: int) -> Array:
    """E|F'(x_t)| for t < rounds, one of m clients a round; 32 sources, one column for each pair of steps."""
    rng = np.random.default_rng(0)
    x = np.full((32, len(steps)), instance.start)
    found = []
    for _ in range(rounds):
        slope = instance.gradient(x)
        found.append(np.abs(slope).mean(axis=0))
        with np.errstate(over="ignore"):
            g = instance.scales[rng.integers(0, len(instance.scales), (32, 1))] * slope
        norm = np.maximum(np.abs(g), 1e-300)
        x = np.clip(x - np.minimum(steps, lengths / norm) * g, -400, 400)
    return np.array(found)


STEPS, THRESHOLDS = (
    axis.ravel() for axis in np.meshgrid(np.geomspace(0.02, 8, 13), np.geomspace(0.25, 40, 5), indexing="ij")
)


def test_no_steps_beat_the_lower_bound() -> None:
    """Over a grid of steps and thresholds some instance is slow, and the best pair comes near the bound."""
    bound = bound_at(SETTING)
    rounds = int(np.ceil(bound))
    lengths = STEPS * THRESHOLDS
    slow = np.zeros(len(STEPS), dtype=bool)
    for instance in all_three(SETTING):
        slow |= (mean_gradients(instance, STEPS, lengths, rounds) > SETTING["target"]).all(axis=0)
    assert slow.all()
    conditions = SETTING | {"C": 1 / 3}
    assert all(satisfied(c, conditions) for c in (*theorem(LOWER).requires, *theorem(LOWER).step_size))


def test_the_proof_names_the_slow_instance() -> None:
    rounds = int(np.ceil(bound_at(SETTING)))
    seen = set()
    for step, length in zip(STEPS[::3], (STEPS * THRESHOLDS)[::3], strict=True):
        chosen = hard_instance(float(step), float(length), **SETTING)  # type: ignore[arg-type]
        seen.add(chosen.name)
        path = mean_gradients(chosen, np.array([step]), np.array([length]), rounds)
        assert (path > SETTING["target"]).all(), (step, length, chosen.name)
    assert seen == {"wrong majority", "valley", "ramp"}


def test_the_bound_is_nearly_attained() -> None:
    """Just below the valley's step, with a threshold that no gradient of one client reaches."""
    width = asinh(SETTING["grad_max"])
    step = 0.999 * 2 * width / SETTING["grad_max"]
    length = step * 5 * SETTING["grad_max"] * 1.001
    rounds = int(1.05 * bound_at(SETTING))
    for instance in all_three(SETTING):
        path = mean_gradients(instance, np.array([step]), np.array([length]), rounds)
        assert (path <= SETTING["target"]).any(), instance.name


def test_ruin_of_the_walk_against_the_majority() -> None:
    """The chance of ever coming k steps down is (C/(1 - C))^k, which is 1/2 at the theorem's k."""
    for share in (1 / 3, 0.4, 0.45):
        k = log(2) / log((1 - share) / share)
        assert (share / (1 - share)) ** k == pytest.approx(0.5, rel=1e-12)
    rng = np.random.default_rng(1)
    walk = np.where(rng.random((20_000, 200)) < 1 / 3, -1, 1).cumsum(axis=1)
    assert (walk.min(axis=1) <= -3).mean() == pytest.approx(1 / 8, abs=0.01)


def test_valley_is_never_left_just_above_its_step() -> None:
    M = SETTING["grad_max"]
    width = asinh(M)
    place = valley(1, 1.0, 1.0, M)
    for threshold, share in ((2 * M, 1.0001), (10 * M, 1.0001)):
        step = share * 2 * width / M
        path = mean_gradients(place, np.array([step]), np.array([step * threshold]), 300)
        assert path.min() >= M * (1 - 1e-9)
    for threshold in (0.0005 * M, 0.3 * M, 0.999 * M):
        length = 1.0001 * 2 * width
        path = mean_gradients(place, np.array([length / threshold]), np.array([length]), 300)
        assert path.min() >= M * (1 - 1e-9)


def test_letters_of_the_table_are_the_houses() -> None:
    for name in TABLE:
        renamed = theorem(name).source.renamed
        assert (renamed["I"], renamed["N"], renamed["epsilon"]) == (tau, m, target)
        assert {q.name for q in theorem(name).quantities} >= {"tau", "m", "target", "gap"}
