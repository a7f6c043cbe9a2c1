"""Two clients whose weights are not those of the objective: the engine agrees, and mistakes are refuted."""

from collections.abc import Callable

import numpy as np
import pytest

from boundkit.attack.exact_instances import weighted_pairs as pairs
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("fednova_nonconvex", "initial gap: 1/2 for 1 in chi2*(beta^2 - 1) + 1"),
        ("fednova_nonconvex", "stochastic noise: 8/11 for 32/11"),
        ("fednova_nonconvex", "stochastic noise: 1/4 for 1 in chi2*(beta^2 - 1) + 1"),
        ("fednova_nonconvex", "noise drift: 1/4 for 1 in chi2*(beta^2 - 1) + 1"),
        ("fednova_nonconvex", "client drift: 1/4 for 1 in chi2*(beta^2 - 1) + 1"),
        (
            "fednova_nonconvex",
            "condition: 4*C_drift*L^2*eta^2*(2*beta^2 + 1) <= 2 for 4*C_drift*L^2*eta^2*(2*beta^2 + 1) <= 1",
        ),
        ("fednova_nonconvex_surrogate_sharp", "stochastic noise: 8/11 for 16/11"),
        ("fednova_nonconvex_surrogate_sharp", "condition: 2*L*eta*tau_eff <= 2 for 2*L*eta*tau_eff <= 1"),
        ("fednova_nonconvex_surrogate_sharp", "condition: prox_step <= 2 for prox_step <= 1"),
        ("fednova_nonconvex_varying", "stochastic noise: 8/11 for 16/11"),
        ("fednova_nonconvex_varying", "noise drift: 5/6 for 10/3"),
        ("fednova_nonconvex_surrogate", "stochastic noise: A_noise^2 for A_noise"),
        ("fednova_nonconvex_surrogate", "condition: prox_step <= 10 for prox_step <= 1"),
        ("fednova_nonconvex_tuned", "initial gap: 1/tau_eff left out"),
        ("fednova_nonconvex_tuned", "stochastic noise: A_noise left out"),
        ("fednova_nonconvex_tuned", "stochastic noise: A_noise^2 for A_noise"),
        ("fednova_nonconvex_tuned", "stochastic noise: 8/11 for 16/11"),
        ("fednova_nonconvex_tuned", "noise drift: B_drift^2 for B_drift"),
        ("fednova_nonconvex_tuned", "noise drift: 5/6 for 10/3"),
        ("fednova_nonconvex_tuned", "client drift: C_drift^2 for C_drift"),
        ("fednova_nonconvex_tuned", "client drift: 57/40 for 57/20"),
        (
            "fednova_nonconvex_tuned",
            "condition: T >= 2*C_drift*m*(2*beta^2 + 1)/tau_clients for T >= 4*C_drift*m*(2*beta^2 + "
            "1)/tau_clients",
        ),
        ("fednova_nonconvex_tuned", "condition: prox_step <= 2 for prox_step <= 1"),
        ("fedavg_nonconvex_unequal_steps", "initial gap: 101/50 for 101/25"),
        ("fedavg_nonconvex_unequal_steps", "stochastic noise: 8/11 for 32/11"),
        ("fedavg_nonconvex_unequal_steps", "noise drift: 5/3 for 20/3"),
        ("fedavg_nonconvex_unequal_steps", "condition: prox_step <= 2 for prox_step <= 1"),
    ],
)
def test_they_refute_mistakes_and_no_true_bound(name: str, wrong: str) -> None:
    measurements = Measurements(theorem(name), tuple(pairs.measure_weighted_pairs(theorem(name))))
    assert measurements.above() is None
    assert measurements.killer(next(one for one in generate_mutants(theorem(name)) if one.what == wrong))


def test_there_are_none_where_clients_are_alike() -> None:
    for name in ("fedavg_nonconvex", "fedavg_nonconvex_tuned"):
        assert not list(pairs.measure_weighted_pairs(theorem(name)))


def row(at: dict[str, Array], keep: Callable[[dict[str, Array]], Array]) -> dict[str, float]:
    """The first row of a table with ten rounds, from x_0 = 1, at which a condition holds."""
    place = int(np.flatnonzero(keep(at) & (at["T"] == 10) & (at["sigma"] == 0))[0])
    return {name: float(values[place]) for name, values in at.items()}


@pytest.mark.parametrize("pull", [1.0, 1.5])
def test_the_engine_measures_the_same_of_last_gradients(pull: float) -> None:
    found = row(
        pairs._parabolas(set()),
        lambda at: (at["chi2"] < 0.6) & (at["beta"] > 2) & (at["prox_step"] == pull),
    )
    w, delta, chi2 = pairs._pair(np.array([pairs._SAME_WEIGHTS[0][-1]]))
    z = (found["beta"] ** 2 - 1) * chi2
    h = pairs._curvatures(z / chi2**2, delta)[:, 0]
    clients = Quadratic(h.tolist(), np.zeros((2, 1)), w[:, 0].tolist())
    run = make_run(
        "fednova", clients, rounds=10, eta=found["eta"], local_steps=2, x0=[1.0],
        options={"mu": pull / found["eta"], "tau_eff": found["tau_eff"]},
    )  # fmt: skip
    measured = trajectory(run).mean("gradient_norm_squared")[:10].mean()
    assert measured == pytest.approx(found["objective"], rel=1e-9)


def test_the_engine_measures_the_same_of_equal_numbers_of_plain_steps() -> None:
    found = row(pairs._alike({"C_walk"}), lambda at: (at["beta"] > 2) & (at["C_walk"] == 9))
    w, delta, chi2 = pairs._pair(np.array([pairs._SAME_WEIGHTS[0][0]]))
    h = pairs._curvatures((found["beta"] ** 2 - 1) / chi2, delta)[:, 0]
    clients = Quadratic(h.tolist(), np.zeros((2, 1)), w[:, 0].tolist())
    options = {"tau_eff": found["tau_eff"]}
    run = make_run("fednova", clients, rounds=10, eta=found["eta"], local_steps=4, x0=[1.0], options=options)
    measured = trajectory(run).mean("gradient_norm_squared")[:10].mean()
    assert measured == pytest.approx(found["surrogate"], rel=1e-9)


def test_the_engine_measures_the_same_of_a_pull_above_one() -> None:
    at = pairs._pulled()
    eta, tau_eff = float(at["eta"][0]), float(at["tau_eff"][0])
    clients = Quadratic([1.0, 1.0], np.zeros((2, 1)), [0.1, 0.9])
    options = {"tau_eff": tau_eff, "mu": 1.5 / eta}
    run = make_run("fednova", clients, rounds=10, eta=eta, local_steps=[1, 2], x0=[1.0], options=options)
    measured = trajectory(run).mean("gradient_norm_squared")[:10].mean()
    assert measured == pytest.approx(at["surrogate"][0], rel=1e-9)


def test_the_engine_measures_the_same_of_plain_steps() -> None:
    found = row(pairs._plain_steps(), lambda at: (at["beta"] > 1.2) & (at["C_drift"] == 12))
    part = pairs._PARTS[0]
    p, tau = np.array([[part], [1 - part]]), np.array([[4.0], [1.0]])
    tau_eff = (p * tau).sum()
    w, delta = p * tau / tau_eff, tau_eff / tau - 1
    chi2 = (w * delta**2).sum()
    assert chi2 == pytest.approx(found["chi2"], rel=1e-12)
    h = pairs._curvatures((found["beta"] ** 2 - 1) / chi2, delta)[:, 0]
    clients = Quadratic(h.tolist(), np.zeros((2, 1)), p[:, 0].tolist())
    run = make_run("fedavg", clients, rounds=10, eta=found["eta"], local_steps=[4, 1], x0=[1.0])
    measured = trajectory(run).mean("gradient_norm_squared")[:10].mean()
    assert measured == pytest.approx(found["objective"], rel=1e-9)


def test_noise_on_either_side_of_a_kink_settles_where_the_last_gradients_cancel() -> None:
    at = pairs._kinks({"chi2"})
    place = int(np.flatnonzero((at["chi2"] > 0.9) & (at["chi2"] < 1.1) & (at["kappa"] > 0.1))[-1])
    eta, mean = float(at["eta"][place]), float(np.sqrt(at["surrogate"][place]))
    ratio = float(np.sqrt(at["objective"][place])) / mean
    w, delta, chi2 = pairs._pair(np.array([1.0]))
    gradients = mean * (1 + (ratio - 1) / chi2 * delta[:, 0])

    def last(of: float, distance: float) -> float:
        """The mean last gradient of a client with the gradient ``of`` at the kink, which x is away from."""
        size = np.hypot(1, of)
        ends = distance - eta * (of - abs(distance) - of + size * np.array([1.0, -1.0]))
        chances = np.array([1 + of / size, 1 - of / size]) / 2
        assert chances @ (size * np.array([1.0, -1.0]) - of) ** 2 == pytest.approx(1)
        return float(chances @ (of - np.abs(ends)))

    assert w[:, 0] @ gradients == pytest.approx(mean, rel=1e-9)
    slopes = [w[:, 0] @ np.array([last(g, distance) for g in gradients]) for distance in (-1e-3, 0.0, 1e-3)]
    assert slopes[1] == pytest.approx(0, abs=1e-6 * mean)
    assert slopes[0] < -1e-7 < 1e-7 < slopes[2]
    assert np.sqrt(w[:, 0] @ (gradients - mean) ** 2) == pytest.approx(at["kappa"][place], rel=1e-6)


def test_averaged_models_of_many_clients_at_a_kink_settle_where_their_updates_cancel() -> None:
    at = pairs._averaged_kinks()
    place = int(np.nanargmax(at["objective"] / at["eta"] ** 2 / (1 + at["chi2"] * (at["beta"] ** 2 - 1))))
    eta, mean, tau_eff, beta, chi2 = (
        float(at[name][place]) for name in ("eta", "surrogate", "tau_eff", "beta", "chi2")
    )
    a1 = np.array([1.0, 1.0 + pairs._LEFT])
    w = np.array([1 - at["B_drift"][place], at["B_drift"][place]])
    p = w * tau_eff / a1
    assert p.sum() == pytest.approx(1)
    assert ((p - w) ** 2 / w).sum() == pytest.approx(chi2, rel=1e-6)
    g = mean**0.5
    gradients = g * (1 + np.sqrt((beta**2 - 1) / chi2) * (p / w - 1))
    assert w @ gradients**2 == pytest.approx(beta**2 * mean, rel=1e-6)
    assert (p @ gradients) ** 2 == pytest.approx(at["objective"][place], rel=1e-6)
    ends = -eta * (gradients[1] + np.array([1.0, -1.0]))
    last = gradients[1] - np.mean(np.where(ends < 0, -ends, (1 - pairs._FLATTER) * ends))
    updates = np.array([gradients[0], pairs._LEFT * gradients[1] + last])
    assert p @ updates == pytest.approx(0, abs=1e-5 * g)


def test_a_convex_client_and_a_concave_one_stay_where_their_last_gradients_cancel() -> None:
    at = pairs._opposites(set())
    place = int(np.argmin(np.abs(at["eta"] - 0.28)))
    eta, mean, kappa = (float(at[name][place]) for name in ("eta", "surrogate", "kappa"))
    last = np.array([1 - eta, (1 - eta**256) / (1 - eta)])
    w = last[::-1] / last.sum()
    clients = Quadratic([1.0, -1.0], [[-1.0], [-1.0]], w.tolist())  # of gradients 1 and -1 at 0
    options = {"mu": 1 / eta, "tau_eff": 0.1 / eta}
    run = make_run("fednova", clients, rounds=5, eta=eta, local_steps=[2, 256], x0=[0.0], options=options)
    found = trajectory(run)
    assert found.x.ravel() == pytest.approx(np.zeros(found.x.size), abs=1e-12)
    assert found.mean("gradient_norm_squared")[-1] == pytest.approx(mean, rel=1e-6)
    assert found.mean("dissimilarity")[-1] == pytest.approx(kappa**2, rel=1e-6)


def test_the_engine_measures_the_same_of_curvatures_of_both_signs() -> None:
    at = pairs._signed({"chi2"})
    keep = (at["sigma"] == 0) & (at["beta"] == 2.5) & (at["chi2"] > 0.1) & (at["tau_eff"] * at["eta"] > 0.4)
    place = int(np.flatnonzero(keep)[0])
    found = {name: float(values[place]) for name, values in at.items()}
    w = [0.7, 0.3]
    p_1 = w[0] + np.sqrt(found["chi2"] * w[0] * w[1])
    options = {"mu": 1 / found["eta"], "tau_eff": found["tau_eff"]}
    clients = Quadratic([1.0, -1.0], np.zeros((2, 1)), w)
    run = make_run("fednova", clients, rounds=300, eta=found["eta"], local_steps=2, x0=[1.0], options=options)
    squares = trajectory(run).mean("gradient_norm_squared").sum() / found["T"]
    assert squares == pytest.approx(found["surrogate"], rel=1e-9)
    assert (2 * p_1 - 1) ** 2 / 0.4**2 * squares == pytest.approx(found["objective"], rel=1e-6)


def test_many_steps_at_a_small_pull_leave_the_noise_of_a_client_with_one_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairs, "_REST", 0.01)
    at = pairs._signed(set())
    keep = (at["sigma"] == 1) & (at["beta"] == 1.6) & (np.abs(at["tau_eff"] * at["eta"] - 0.5) < 0.01)
    place = int(np.flatnonzero(keep & (at["eta"] < 0.0021))[-1])
    eta, length = float(at["eta"][place]), float(at["eta"][place] * at["tau_eff"][place])
    rare, part = pairs._RARE, 1 / 1.6
    w = np.array([(1 - rare) * (1 + part) / 2, (1 - rare) * (1 - part) / 2, rare])
    h, models, sums = np.array([1.0, -1.0]), np.ones(2), np.zeros(2)
    for _ in range(3000):
        models = models - eta * h * models - 0.01 * (models - 1)
        sums = (1 - 0.01) * sums + 1
    directions = np.array([*(1 - models) / (eta * sums), 1.0])
    contraction = 1 - length * w @ directions
    settled = (length * rare) ** 2 / (1 - contraction**2)
    assert (w @ [1, -1, 1]) ** 2 * settled == pytest.approx(at["surrogate"][place], rel=1e-6)
    assert sums[0] ** 2 == pytest.approx(at["C_drift"][place], rel=1e-6)


def test_small_plain_steps_stay_where_their_mean_gradients_cancel() -> None:
    at = pairs._small_steps()
    for place, noise in enumerate(at["sigma"]):
        walk, g = float(at["eta"][place]) * pairs._SMALL, float(np.sqrt(at["surrogate"][place]))
        if noise:
            size = np.hypot(1, g)  # of g + noise
            assert g + g - walk * size == pytest.approx(0, abs=1e-12)
        else:
            w = np.array([1 + g, 1 - g]) / 2
            assert w @ [1 + 1 - walk, -1 - (1 + walk)] == pytest.approx(0, abs=1e-12)
            assert at["kappa"][place] ** 2 == pytest.approx(1 - g**2)


def test_one_step_of_two_sizes_has_these_moments() -> None:
    at = pairs._two_sizes()
    keep = (at["sigma"] == 1) & (at["beta"] > 1) & (at["A_noise"] < 0.1)
    place = int(np.flatnonzero(keep)[3])
    part, slope = 0.01, float(np.sqrt(at["chi2"][place] * (at["beta"][place] ** 2 - 1)))
    p, sizes = np.array([part, 1 - part]), np.array([1.0, part / 1e4])
    h = 1 + slope / at["chi2"][place] * ((p @ sizes) / sizes - 1)
    h, eta, variance = h / h.max(), float(at["eta"][place]), 0.0
    for _ in range(200):
        variance = (1 - eta * p @ (sizes * h)) ** 2 * variance + eta**2 * p**2 @ sizes**2
    assert (p @ h) ** 2 * variance == pytest.approx(at["objective"][place], rel=1e-6)
