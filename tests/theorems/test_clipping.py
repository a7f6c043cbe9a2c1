"""Clipping under relaxed smoothness: the instances of the lower bound, and runs on them."""

from math import asinh

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
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


def test_bad_instances_are_refused() -> None:
    with pytest.raises(BoundkitError, match="at least 3 clients"):
        wrong_majority(2, 1.0, 1.0, 4.0, 50.0)
    with pytest.raises(BoundkitError, match="the corner alone is"):
        ramp(3, 1.0, 1.0, 2.0, 0.1)
    with pytest.raises(BoundkitError, match="must be above 0"):
        valley(3, 1.0, 0.0, 4.0)


def bound_at(setting: dict[str, float]) -> float:
    return float(evaluate(theorem(LOWER).bound.total, setting))


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
