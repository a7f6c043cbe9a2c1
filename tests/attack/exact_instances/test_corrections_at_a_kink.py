"""The start-up of corrections at a kink: it is that of single steps, and refutes small constants."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.corrections_at_a_kink import (
    measure_corrections_at_a_kink,
    settings,
    sum_of_squares,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def simulated(g: float, eta: float, eta_s: float, tau: int, rounds: int) -> float:
    """Return the sum of the squared gradients of SCAFFOLD, client by client and step by step."""
    slopes = [(g + 1, 1.0, 1.0), (g - 1, 1.0, -1.0)]
    x, controls, total = 0.0, [g, g], 0.0
    for _ in range(rounds):
        mean = sum(controls) / 2
        total += (sum(at + (left if x < 0 else right) * x for at, left, right in slopes) / 2) ** 2
        ends = []
        for (at, left, right), control in zip(slopes, controls, strict=True):
            z = x
            for _ in range(tau):
                z -= eta * (at + (left if z < 0 else right) * z - control + mean)
            ends.append(z)
        controls = [c - mean + (x - z) / (eta * tau) for c, z in zip(controls, ends, strict=True)]
        x += eta_s * (sum(ends) / 2 - x)
    return total


def test_the_sums_are_those_of_single_steps() -> None:
    at = settings()
    found = sum_of_squares(at)
    for i in range(0, len(found), 37):
        g, eta, eta_s, tau = (float(at[name][i]) for name in ("g", "eta", "eta_s", "tau"))
        assert found[i] == pytest.approx(simulated(g, eta, eta_s, int(tau), 256), rel=1e-9)


def test_the_models_are_at_the_minimum_in_the_end() -> None:
    at = settings()
    first, last = sum_of_squares(at), at["g"] ** 2
    assert (first > last).all()
    assert (first < 30 * last).all()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("scaffold_nonconvex_sharp", ("start-up: 6/25 for 12/25", "start-up: 6/125 for 12/25")),
        ("vrl_sgd_nonconvex", ("start-up: 1/8 for 1/2", "start-up: 1/20 for 1/2")),
    ],
)
def test_it_refutes_small_constants_and_no_true_bound(name: str, wrong: tuple[str, ...]) -> None:
    measurements = Measurements(theorem(name), tuple(measure_corrections_at_a_kink(theorem(name))))
    assert measurements.above() is None
    every = {one.what: one for one in generate_mutants(theorem(name))}
    assert all(measurements.killer(every[what]) for what in wrong)


def test_other_theorems_have_none() -> None:
    for name in ("fedvarp_nonconvex", "scaffold_strongly_convex_partial"):
        assert not list(measure_corrections_at_a_kink(theorem(name)))


def test_the_server_step_is_one_where_it_is_no_quantity() -> None:
    np.testing.assert_allclose(settings(with_server=False)["eta_s"], 1.0)
