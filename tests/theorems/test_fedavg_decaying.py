"""Decaying steps against exact moments on quadratics, and what is derived of unequal clients."""

from itertools import product

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.predict import predict
from boundkit.theorems import theorem
from tests.cases import each
from tests.theorems.quadratics import Quadratics, bound, draw, inside


def decaying_run(
    q: Quadratics, scheme: str, tau: int, rounds: int, offset: float, draws: int
) -> tuple[float, float]:
    """E F(x_T) - F*, and the largest root mean square of a stochastic gradient, exactly."""
    mean, var, top, d = q.x0.copy(), np.zeros_like(q.x0), 0.0, len(q.h)
    for t in range(rounds):
        kept, walk = np.ones(d), np.zeros(d)  # a client ends at kept x + (1 - kept) e_i, plus s_i^2 walk
        for k in range(tau):
            away = kept**2 * (var + (mean - q.e) ** 2) + np.outer(q.s**2, walk)
            top = max(top, float((away @ q.h**2 + q.s**2).max()))
            step = 2 / (q.h.min() * (offset + t * tau + k))
            kept, walk = kept * (1 - step * q.h), walk * (1 - step * q.h) ** 2 + step**2 / d
        clients, mine = len(q.p), (q.p**2 * q.s**2).sum()
        one = (1 - kept) ** 2 * q.scatter + (q.p * q.s**2).sum() * walk
        if scheme == "replacement":
            fresh = one / draws + (1 - 1 / draws) * mine * walk
        elif scheme == "uniform":
            missing = (clients - draws) / (clients - 1)
            fresh = missing * (1 - kept) ** 2 * q.scatter / draws + (q.p * q.s**2).sum() * walk / draws
        else:
            fresh = mine * walk
        mean, var = kept * mean + (1 - kept) * q.mean, kept**2 * var + fresh
    return float(q.h @ (var + (mean - q.mean) ** 2)) / 2, float(np.sqrt(top))


@each("tau", [1, 2, 5])
@each(("scheme", "near"), [("", 0.2), ("_replacement", 0.05), ("_uniform", 0.05)])
def test_decaying_steps_on_quadratics(scheme: str, near: float, tau: int) -> None:
    rng, statement, best = np.random.default_rng(4), theorem(f"fedavg_strongly_convex_decaying{scheme}"), 0.0
    for _ in range(60):
        q = draw(rng, equal=scheme == "_uniform")
        draws, rounds = int(rng.integers(1, len(q.p) + 1)), int(rng.choice([1, 5, 60]))
        start = max(8 * q.h.max() / q.h.min(), tau)
        seen, top = decaying_run(q, scheme[1:], tau, rounds, start, draws)
        values = {**q.known, "tau": tau, "T": rounds, "offset": start, "C": draws / len(q.p), "G": top}
        assert inside(statement, **values)
        terms = {k: float(evaluate(t.expr, values)) for k, t in statement.bound.terms.items()}
        largest = max(terms["initial gap"], sum(terms.values()) - terms["initial gap"])
        assert seen <= largest * (1 + 1e-12)  # what is proved: the maximum, where the theorem has the sum
        best = max(best, seen / sum(terms.values()))
    assert best < 1
    if tau == 1:
        assert best > near


def test_one_step_needs_no_bound_on_gradients() -> None:
    rng, statement, best = np.random.default_rng(5), theorem("fedavg_strongly_convex_decaying_one_step"), 0.0
    loose = theorem("fedavg_strongly_convex_decaying_replacement")
    for _ in range(60):
        q = draw(rng, equal=False)
        draws, rounds = int(rng.integers(1, len(q.p) + 1)), int(rng.choice([1, 5, 60, 400]))
        for start in (2 * q.h.max() / q.h.min(), 8 * q.h.max() / q.h.min()):
            # each draw with a gradient of its own: no noise is shared by those drawn twice
            mean, var = q.x0.copy(), np.zeros_like(q.x0)
            level = float((q.p * q.s**2).sum())
            for t in range(rounds):
                step = 2 / (q.h.min() * (start + t))
                fresh = ((step * q.h) ** 2 * q.scatter + step**2 * level / len(q.h)) / draws
                mean = mean - step * q.h * (mean - q.mean)
                var = (1 - step * q.h) ** 2 * var + fresh
            seen = float(q.h @ (var + (mean - q.mean) ** 2)) / 2
            values = {**q.known, "T": rounds, "offset": start, "C": draws / len(q.p), "sigma": np.sqrt(level)}
            assert inside(statement, **values)
            best = max(best, seen / bound(statement, **values))
        _, top = decaying_run(q, "replacement", 1, rounds, start, draws)
        assert top**2 >= q.known["sigma_g"] ** 2 * (
            1 - 1e-12
        )  # some client is as far off as all are on the mean
        assert bound(statement, **values) <= bound(loose, **values, tau=1, G=top) * (1 + 1e-12)
    assert 0.3 < best <= 1


def test_moments_of_decaying_steps_agree_with_a_simulation() -> None:
    rng = np.random.default_rng(6)
    q = Quadratics(
        h=np.array([1.0, 2.0]), e=rng.normal(0, 1, (3, 2)), x0=np.array([2.0, -1.0]),
        p=np.array([0.5, 0.3, 0.2]), s=np.array([1.0, 0.0, 2.0]),
    )  # fmt: skip
    runs, draws = 40000, 2
    x = np.tile(q.x0, (runs, 1))
    for t in range(2):
        y = np.repeat(x[:, None, :], 3, axis=1)
        for k in range(3):
            noise = rng.normal(0, 1, y.shape) * q.s[:, None] / np.sqrt(2)
            y = y - 2 / (16 + 3 * t + k) * (q.h * (y - q.e) + noise)
        chosen = rng.choice(3, (runs, draws), p=q.p)
        x = np.take_along_axis(y, chosen[:, :, None], axis=1).mean(axis=1)
    losses = (q.h * (x - q.mean) ** 2).sum(axis=1) / 2
    expected, _ = decaying_run(q, "replacement", 3, 2, 16, draws)
    assert abs(losses.mean() - expected) < 5 * losses.std() / np.sqrt(runs)


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


def test_noise_of_unequal_clients_that_weigh_alike() -> None:
    found = predict(theorem("fedavg_strongly_convex_decaying_uniform"), sigma_i=[1.0, 2.0, 2.0], tau=2, C=1)
    assert found.parameters.values["sigma_mean"] == pytest.approx(1, rel=1e-12)


def test_the_offset_of_the_source_meets_the_conditions_and_a_smaller_one_need_not() -> None:
    statement = theorem("fedavg_strongly_convex_decaying")
    for steps, ratio in product((1, 5, 200), (1, 10, 100)):
        source = max(8 * ratio, steps)
        values = {"L": ratio, "mu": 1, "tau": steps}
        assert inside(statement, **values, offset=source)
        assert inside(statement, **values, offset=max(8 * ratio, steps - 1))
        assert not inside(statement, **values, offset=0.99 * max(8 * ratio, steps - 1))


def test_recursion_of_the_decaying_step() -> None:
    """(1 - 2/s) v/s + 4 B/(mu^2 s^2) <= v/(s + 1) where 4 B/mu^2 <= v and s >= 2; here v = 1."""
    s = np.linspace(2, 1000, 5000)
    assert ((1 - 2 / s) / s + 1 / s**2 <= 1 / (s + 1)).all()
