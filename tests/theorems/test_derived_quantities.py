"""What theorems derive from values of their clients or rounds, against direct sums and by counting."""

from itertools import combinations

import numpy as np
import pytest

from boundkit.algebra.notation import missed
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.predict import predict
from boundkit.theorems import theorem
from tests.cases import each


@each("schedule", [(8, 4, 2, 2), (5, 5, 5), (1, 1), (3,)])
def test_means_of_a_schedule_of_local_steps(schedule: tuple[int, ...]) -> None:
    p = predict(theorem("adacomm_nonconvex"), tau_i=[[k] * 3 for k in schedule], T=len(schedule))
    steps = np.array(schedule, dtype=float)
    assert p.derived["tau_mean"] == pytest.approx(steps.mean(), rel=1e-12)
    assert p.derived["tau_felt"] == pytest.approx((steps**2).sum() / steps.sum(), rel=1e-12)
    assert p.derived["tau_max"] == steps.max()
    assert p.largest == pytest.approx(1 / steps.max())
    if len(set(schedule)) == 1:
        alike = predict(theorem("local_sgd_nonconvex"), tau=schedule[0], T=len(schedule), m=3)
        assert p.total == pytest.approx(alike.total, rel=1e-12)


@each("scheme", ["", "_replacement"])
def test_noise_of_unequal_clients(scheme: str) -> None:
    p, s = [0.5, 0.3, 0.2], [1.0, 0.0, 3.0]
    name = f"fedavg_strongly_convex_decaying{scheme}"
    given = {"tau": 7, "L": 1, "mu": 1, **({"C": 1} if scheme else {})}
    found = predict(theorem(name), p_i=p, sigma_i=s, **given)
    expected = np.sqrt(sum(a**2 * b**2 for a, b in zip(p, s, strict=True)))
    assert found.parameters.values["sigma_mean"] == pytest.approx(expected, rel=1e-12)
    assert found.derived["offset"] == 8
    assert predict(theorem(name), **{**given, "tau": 30}).derived["offset"] == 30
    assert predict(theorem(name), **given, m=25).derived["sigma_mean"] == pytest.approx(1 / 5, rel=1e-12)
    assert found.holds


def test_noise_of_unequal_clients_of_equal_weights() -> None:
    found = predict(theorem("fedavg_strongly_convex_decaying_uniform"), sigma_i=[1.0, 2.0, 2.0], tau=2, C=1)
    assert found.parameters.values["sigma_mean"] == pytest.approx(1, rel=1e-12)


@each(("clients", "chosen", "count"), [(6, 2, 3), (6, 3, 2), (8, 2, 8), (5, 5, 5), (6, 5, 1)])
def test_missed_clusters_by_counting(clients: int, chosen: int, count: int) -> None:
    first = range(clients // count)
    sets = list(combinations(range(clients), chosen))
    counted = sum(not set(s) & set(first) for s in sets) / len(sets)
    given = {"m": clients, "C": chosen / clients, "clusters": count}
    statement, _ = substitute_clients(theorem("clusterfedvarp_nonconvex"), dict(given))
    assert float(evaluate(statement.definitions[missed], given)) == pytest.approx(counted, abs=1e-15)
