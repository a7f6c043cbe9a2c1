"""Rare jumps, starts beside a kink and pumped drift: paths are those of the engine or of a plain loop."""

import numpy as np
import pytest

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.pumped_drift import (
    SLOPES,
    measure_pumped_drift,
    own_gaps,
    pumped_gaps,
    resisting_gap,
    responses,
)
from boundkit.attack.exact_instances.rare_jumps import KinkedPaths, measure_rare_jumps
from boundkit.attack.infinite_clients import PiecewiseLoss
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems import Huber
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

CONVEX, STRONG = "accelerated_local_sgd_convex", "accelerated_local_sgd_strongly_convex"


def refuted(name: str, what: str, pieces: Measurements) -> bool:
    mutant = next(one for one in generate_mutants(theorem(name)) if one.what == what)
    return pieces.killer(mutant) is not None


def plain_path(paths: KinkedPaths, start: float = 0.0, place: int = -1, length: float = 0.0) -> float:
    """Return the loss gap at y_T of one path, with a jump of that length after one step."""
    x = y = start
    for t in range(paths.rounds):
        z = x
        for k in range(t * paths.tau, (t + 1) * paths.tau):
            z -= paths.eta * (paths.mu * z + min(max((1 - paths.mu) * z, -1), 1))
            z += length if k == place else 0.0
        beta = t / (t + 3) if paths.beta is None else paths.beta
        x, y = z + beta * (z - y), z
    width = 1 / (1 - paths.mu)
    return paths.mu * y * y / 2 + (y * y / (2 * width) if abs(y) < width else abs(y) - width / 2)


def test_a_start_is_that_of_the_engine() -> None:
    paths, start = KinkedPaths(6, 3, 0.4), 9.0
    run = make_run(
        "accelerated_local_sgd", Huber([1.0], [1.0], [1.0], np.zeros((1, 1))), rounds=6, eta=0.4,
        local_steps=3, x0=[start],
    )  # fmt: skip
    measured = collect_evidence(theorem(CONVEX), run).measured[-1]
    assert paths.loss_from(start) == pytest.approx(measured, rel=1e-9)
    assert plain_path(paths, start) == pytest.approx(measured, rel=1e-9)


@pytest.mark.parametrize("paths", [KinkedPaths(5, 2, 0.5), KinkedPaths(7, 3, 0.2, 0.05, 0.6)])
def test_paths_are_those_of_a_loop_and_their_jumps_the_best(paths: KinkedPaths) -> None:
    lengths = paths.lengths()
    made = paths.final_losses(lengths)
    by_loop = [plain_path(paths, place=k, length=one) for k, one in enumerate(lengths)]
    np.testing.assert_allclose(made, by_loop, rtol=1e-12)
    for factor in (0.97, 1.03):
        assert (made / lengths**2 >= paths.final_losses(factor * lengths) / (factor * lengths) ** 2).all()


def test_one_step_to_go_needs_a_quarter() -> None:
    """After one round of tau steps at eta L = 1/2: eta sigma^2/4 times the harmonic number of tau."""
    paths = KinkedPaths(1, 4, 0.5)
    lengths = paths.lengths()
    assert (paths.final_losses(lengths) / lengths**2).sum() * 0.5 == pytest.approx(
        (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    )


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        (
            CONVEX,
            ("1/24 for 1/12", "L*eta*(tau + 1)/2 + 1 left out", "tau left out in tau + 1"),
            "(tau + 1)^2 for tau + 1 in L*eta*(tau + 1)/2 + 1",
        ),
        (STRONG, ("1/8 for 1/4", "1/2 for 1 in beta_s + 1"), "1/m left out"),
    ],
)
def test_they_refute_mistakes_and_no_true_bound(name: str, wrong: tuple[str, ...], right: str) -> None:
    pieces = Measurements(theorem(name), tuple(measure_rare_jumps(theorem(name))))
    assert pieces.above() is None
    assert pieces.inside.all()
    for what in wrong:
        assert refuted(name, f"stochastic noise: {what}", pieces), what
    assert not refuted(name, f"stochastic noise: {right}", pieces)


def test_a_start_beside_a_kink_needs_the_rate() -> None:
    pieces = Measurements(theorem(STRONG), tuple(measure_rare_jumps(theorem(STRONG))))
    slower = "initial gap: (beta_s + 1)^(-3) for (beta_s + 1)^(-2) in 1 - (1 - beta_s)^2/(beta_s + 1)^2"
    assert refuted(STRONG, slower, pieces)


def test_drift_with_the_momentum_grows_with_the_rounds() -> None:
    few, some, many = pumped_gaps((10, 30, 100))
    assert few < some < many
    pieces = Measurements(theorem(CONVEX), tuple(measure_pumped_drift(theorem(CONVEX))))
    assert pieces.above() is None
    assert refuted(CONVEX, "noise drift: T left out in T/18 + 1/6", pieces)


def test_one_pumped_round_is_a_mean_over_two_points() -> None:
    f = PiecewiseLoss.huber(0.05, 5.0)
    best = max(
        float(f.gap(np.array(-(up * f.gradient(np.array(a)) + (1 - up) * f.gradient(np.array(-1 / a))) / 2)))
        for a in np.exp(np.linspace(-4.5, 4.5, 241))
        for up in [1 / (1 + a * a)]
    )
    assert pumped_gaps((1,))[0] == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(
    ("rounds", "k", "mu", "beta"), [(6, 0.3, 0.0, None), (8, 0.5, 0.1, 0.4), (1, 0.9, 0.0, None)]
)
def test_drift_on_a_loss_that_resists_the_momentum(
    rounds: int, k: float, mu: float, beta: float | None
) -> None:
    """The rounds as in the docstring, and the inequality of every two of their points."""
    eta, more, smooth = 0.5, k - mu, 1 - mu
    d = np.sqrt(more * (smooth - more) / 2)
    sides = np.sign(responses(rounds, (1 - eta * k) ** 2, beta))
    unit, points, x, y = np.eye(1 + rounds), [], 0.0, 0.0
    for t in range(rounds):
        first, models = x - eta * k * x, []
        points += [(v * unit[0], k * v * unit[0], k * v * v / 2) for v in (x, first)]
        for side in (1.0, -1.0):
            client = first * unit[0] + side * unit[t + 1]
            c = mu / 2 + smooth / 8 + d**2 / (2 * (smooth - more))
            slope = (k * first - sides[t] * d) * unit[0] + side * (mu + smooth / 2) * unit[t + 1]
            points.append((client, slope, k * first**2 / 2 + c))
            models.append(client - eta * slope)
        after = sum(models) / 2
        assert np.allclose(after[1:], 0)
        b = t / (t + 3) if beta is None else beta
        x, y = after[0] + b * (after[0] - y), after[0]
    points.append((y * unit[0], k * y * unit[0], k * y * y / 2))
    assert k * y * y / 2 == pytest.approx(resisting_gap(rounds, k, mu, beta), rel=1e-9)
    convex = [(v, g - mu * v, f - mu / 2 * v @ v) for v, g, f in points]
    for v, g, f in convex:
        for w, h, e in convex:
            assert f - e - h @ (v - w) - (g - h) @ (g - h) / (2 * smooth) > -1e-12


@pytest.mark.parametrize(("rounds", "tau", "step", "own"), [(1, 2, 0.5, 0), (4, 3, 0.75, 1), (3, 4, 0.5, 2)])
def test_drift_in_the_coordinates_of_its_round(rounds: int, tau: int, step: float, own: int) -> None:
    """The rounds as in the docstring at every slope, and the inequality of every two points at the best."""
    g, best, points = SLOPES, 0, []
    for _ in range(2):
        x = y = np.zeros(g.shape)
        unit, points, least = np.eye(tau), [(np.zeros(tau), np.zeros(tau), 0.0)], np.full(g.shape, np.inf)
        for t in range(own, rounds):
            v, models = x, [np.zeros(tau)]
            for k in range(tau):
                if t > own:
                    least = np.minimum(least, v)
                    points.append((v[best] * unit[0], g[best] * unit[0], (g * v - g * g / 2)[best]))
                    v = v - step * g
                    continue
                square = models[0][1:] @ models[0][1:]
                D = (np.sqrt((v - g) ** 2 + square) - v - g) / 2 if k else 0 * g
                for z in models if k else []:
                    f = square / 8 + D**2 / 2 + g * (v + D)
                    points.append((v[best] * unit[0] + z, z / 2 - D[best] * unit[0], f[best]))
                v, models = v + step * D, [z * (1 - step / 2) for z in models]
                if k + 1 < tau:
                    models = [z + side * unit[k + 1] for z in models for side in (1, -1)]
            x, y = v + t / (t + 3) * (v - y), v
        loss = np.where(np.minimum(least, y) >= g, g * y - g * g / 2, 0.0)
        best = int(loss.argmax())
    points.append((y[best] * unit[0], g[best] * unit[0], loss[best]))
    assert loss[best] == pytest.approx(own_gaps(rounds, tau, step)[own], rel=1e-9)
    for point, g_p, value in points:
        for w, g_w, e in points:
            assert value - e - g_w @ (point - w) - (g_p - g_w) @ (g_p - g_w) / 2 > -1e-12


def test_drift_that_is_resisted_grows_with_the_rounds_and_the_momentum() -> None:
    for name, what in (
        (CONVEX, "noise drift: T/18 + 1/6 left out"),
        (CONVEX, "noise drift: 1/72 for 1/18"),
        (STRONG, "noise drift: 1/(2 - 2*beta_s) left out"),
    ):
        pieces = Measurements(theorem(name), tuple(measure_pumped_drift(theorem(name))))
        assert pieces.above() is None
        assert pieces.inside.all()
        assert refuted(name, what, pieces)


def test_others_have_none() -> None:
    other = theorem("fedavgm_convex_homogeneous")
    assert not [
        *measure_rare_jumps(other),
        *measure_pumped_drift(other),
    ]
