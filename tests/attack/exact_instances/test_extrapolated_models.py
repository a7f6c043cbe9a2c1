"""FedExP with the longest server steps: the closed forms against its rounds, and the mutants they refute."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.attack.exact_instances.extrapolated_models import (
    measure_extrapolated_models,
    orthogonal_clients,
    two_sides_of_a_kink,
    two_sides_of_a_parabola,
)
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem

Gradient = Callable[[Array], Array]


def rounds(gradients: Sequence[Gradient], x: Array, eta: float, tau: int, T: int) -> tuple[Array, Array]:
    """The models at the starts of the rounds, (T, d), and the server steps, (T,)."""
    models, steps = [], []
    for _ in range(T):
        updates = []
        for gradient in gradients:
            y = x
            for _ in range(tau):
                y = y - eta * gradient(y)
            updates.append(x - y)
        mean = np.mean(updates, axis=0)
        steps.append(np.mean([each @ each for each in updates]) / (mean @ mean))
        models.append(x)
        x = x - steps[-1] * mean
    return np.array(models), np.array(steps)


def test_orthogonal_clients_fall_as_if_each_were_alone() -> None:
    at = orthogonal_clients()
    for place in np.flatnonzero((at["m"] < 20) & (at["T"] <= 8) & (at["tau"] <= 2)):
        m, T, tau = (int(at[name][place]) for name in ("m", "T", "tau"))
        gradients = [lambda y, unit=unit: unit * y for unit in np.eye(m)]
        models, steps = rounds(gradients, np.ones(m), at["eta"][place], tau, T)
        assert steps == pytest.approx(at["eta_s_mean"][place])
        mean = steps @ models / steps.sum()
        assert mean @ mean / (2 * m) == pytest.approx(at["loss"][place])
        gradients_of_mean = (models**2).sum(axis=1) / m**2
        assert steps @ gradients_of_mean / steps.sum() == pytest.approx(at["squared_gradient"][place])


def test_a_parabola_keeps_the_model_on_both_sides() -> None:
    at = two_sides_of_a_parabola()
    for place in np.flatnonzero(at["tau"] <= 2):
        gradients = [lambda y, e=e: y - e for e in (1.0, -1.0)]
        start = np.array([at["distance"][place]])
        models, steps = rounds(gradients, start, at["eta"][place], int(at["tau"][place]), 4)
        assert models[:, 0] == pytest.approx(start[0] * np.array([1, -1, 1, -1]))
        assert steps == pytest.approx(at["eta_s_mean"][place])
        assert models[0, 0] ** 2 == pytest.approx(at["squared_gradient"][place])


def test_a_kink_keeps_the_mean_model_on_one_side() -> None:
    at, s = two_sides_of_a_kink(), 1e-3
    for place in np.flatnonzero(at["tau"] <= 2):
        gradients = [lambda y, d=d: np.clip(y, -s, s) + d for d in (1.0, -1.0)]
        start = np.array([at["distance"][place]])
        models, steps = rounds(gradients, start, at["eta"][place], int(at["tau"][place]), 4)
        assert models[2] == pytest.approx(models[0])
        assert steps == pytest.approx(at["eta_s_mean"][place])
        mean = abs(float(steps @ models[:, 0] / steps.sum()))
        assert s * mean - s**2 / 2 == pytest.approx(at["loss"][place])


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("fedexp_convex", (
            "initial gap: 21/80 for 21/40", "update dissimilarity: tau left out",
            "update dissimilarity: 39/100 for 39/50",
        )),
        ("fedexp_nonconvex", ("update dissimilarity: 19/40 for 19/20",)),
    ],
)  # fmt: skip
def test_the_theorems_hold_and_need_their_terms(name: str, changes: tuple[str, ...]) -> None:
    own = theorem(name)
    pieces = tuple(measure_extrapolated_models(own))
    assert all((each.high <= evaluate(own.bound.total, each.values)).all() for each in pieces)
    mutants, found = {each.what: each for each in generate_mutants(own)}, Measurements(own, pieces)
    for change in ("initial gap: eta_s_mean^(-2) for 1/eta_s_mean", *changes):
        assert found.killer(mutants[change]) is not None
