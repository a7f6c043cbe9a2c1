"""Stored gradients along a slope: the limit against a simulation, and the condition that it refutes."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.absent_on_a_slope import mean_square, measure_absent_on_a_slope
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def simulated(m: int, count: int, step: float, rounds: int) -> float:
    """Return the mean squared gradient of FedVARP, of clients with the gradients g + sign y_i and so on."""
    rng, d = np.random.default_rng(0), m // 2
    sign, own = np.repeat([1.0, -1.0], d), np.tile(np.arange(d), 2)
    x, y, begins = 0.0, np.zeros(d), rounds // 4
    total = 0.0

    def gradients(who: np.ndarray) -> np.ndarray:
        result = np.empty((len(who), d + 1))
        result[:, 0] = 1 + sign[who] * y[own[who]]
        result[:, 1:] = y
        result[np.arange(len(who)), 1 + own[who]] = sign[who] * x
        return result

    stored = gradients(np.arange(m))
    for t in range(rounds):
        whole = (1 - 2 / m) * y
        total += float(1 + whole @ whole) * (t >= begins)
        who = rng.choice(m, count, replace=False)
        new = gradients(who)
        v = stored.mean(axis=0) + (new - stored[who]).mean(axis=0)
        stored[who] = new
        x, y = x - step * v[0], y - step * v[1:]
    return total / (rounds - begins)


def test_the_limit_is_near_many_clients() -> None:
    """Beside it, of the order of C: the finite sample, and E A^2 = (2 - C)/C^2."""
    m, count, step = 600, 60, 0.3
    at = {name: np.array([value]) for name, value in {"C": count / m, "m": float(m), "eta": step}.items()}
    limit = float(mean_square(at | {"eta_s": np.ones(1)})[0])
    assert limit > 1.04
    near = (1 - count / m) * (1 - count / m / 2) * (limit - 1)
    assert simulated(m, count, step, 6000) - 1 == pytest.approx(near, rel=0.05)


@pytest.mark.parametrize(
    ("name", "limit"),
    [("fedvarp_nonconvex_sharp", "10*C*m^(1/3)"), ("clusterfedvarp_nonconvex_sharp", "5*sqrt(C)*sqrt(m)")],
)
def test_it_refutes_a_relaxed_condition_only(name: str, limit: str) -> None:
    claimed = theorem(name)
    relaxed = [each for each in generate_mutants(claimed) if each.kind == "condition"]
    (mutant,) = (each for each in relaxed if f"eta*eta_s <= {limit}" in each.what)
    pieces = tuple(measure_absent_on_a_slope(mutant.theorem, claimed.step_size[mutant.place]))
    assert Measurements(claimed, pieces).killer(mutant)
    allowed = tuple(measure_absent_on_a_slope(claimed, mutant.condition))
    assert Measurements(claimed, allowed).above() is None


def test_other_theorems_have_none() -> None:
    for name in ("fedavg_nonconvex_partial", "mifa_nonconvex"):
        claimed = theorem(name)
        assert not list(measure_absent_on_a_slope(claimed, claimed.step_size[0]))
