"""Moments of many clients: they are those of the engine, and refute planted mistakes."""

from typing import Any

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.attack.exact_instances.sampled_moments import (
    CAUSES,
    NOWHERE,
    STORES,
    measure_sampled_moments,
    moments,
    quantities,
    with_derived,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant import Mutant
from boundkit.simulation.engines import exact_engine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.constants import compute_constants, measure_constants, theorem_arguments

FULL = ("fedcm",)
OPTIONS: dict[str, dict[str, Any]] = {
    "fedcm": {"fresh": 0.3}, "fedpaq": {"compressor": "rand_k", "keep": 1},
    "clusterfedvarp": {"clusters": [[*range(4)]]},
}  # fmt: skip


def settings(run: Run, cause: str, **further: float) -> dict[str, np.ndarray]:
    count = run.participation.size(0)
    assert count is not None
    curvature = float(np.ravel(run.problem.H)[0])  # type: ignore[attr-defined]
    known = {"tau": run.tau, "m": run.problem.m, "h": curvature, "eta": run.eta, "eta_s": run.eta_s}
    at = known | {"count": count, "group": run.problem.m} | NOWHERE | further
    return quantities(with_derived({n: np.array([float(v)]) for n, v in at.items()}), cause)  # type: ignore[arg-type]


def run_of(algorithm: str, cause: str, m: int = 4, count: int = 2, rounds: int = 8, **given: Any) -> Run:
    d = 2 if algorithm == "fedpaq" else 1  # one of two coordinates is sent, of equal size
    h = 0.7
    e = np.tile([1.0, -1.0], m // 2)[:, None] * np.ones(d) / h / d**0.5 * (cause == CAUSES[2])
    problem = Quadratic([h] * m, e, noise=float(cause == CAUSES[1]))
    participation: Any = "full" if algorithm in FULL else {"kind": "uniform", "C": count / m}
    x0 = np.full(d, d**-0.5) * (cause == CAUSES[0])
    shape = {"rounds": rounds, "eta": 0.1, "eta_s": 1.3, "local_steps": 3, "x0": x0, **given}
    return make_run(
        algorithm, problem, participation=participation, **{"options": OPTIONS.get(algorithm, {}), **shape}
    )


@pytest.mark.parametrize("cause", CAUSES[:3])
@pytest.mark.parametrize(
    "algorithm", [a for a in STORES if a not in ("mifa", "fedawe", "dp_fedavg", "robust_fedavg")]
)
def test_moments_are_those_of_the_engine(algorithm: str, cause: str) -> None:
    if algorithm in FULL and cause == CAUSES[2]:
        return
    run = run_of(algorithm, cause)
    squares = exact_engine(run, must=True).trajectory().mean("distance_squared")  # type: ignore[union-attr]
    compressed = {"comp_noise": 1.0} if algorithm == "fedpaq" else {}
    at = settings(run, cause, **compressed, fresh=OPTIONS.get(algorithm, {}).get("fresh", 1.0))
    for rounds, (last, total, *_) in moments(algorithm, at, 3):
        np.testing.assert_allclose(last, squares[rounds], rtol=1e-9)
        np.testing.assert_allclose(total, squares[:rounds].sum(), rtol=1e-9)


P, ROUNDS = 0.4, 4
"""The availability of clients, and rounds of the enumeration."""


def enumerated(algorithm: str, cause: str, point: str, M: int) -> tuple[list[float], dict[str, Any]]:
    """E x_t^2 of the claimed point for t = 0, ..., over all availabilities, and the settings.

    Models are combinations of x_0, the distance of minimisers, and the noise of every client in every round.
    """
    at = settings(run_of("fedavg", cause, count=4), cause, m=M, group=M, count=M, availability=P)
    h, eta, tau, eta_s = (float(at[n][0]) for n in ("h", "eta", "tau", "eta_s"))
    slope = 1 - (1 - eta * h) ** tau
    noise = eta * float(at["sigma"][0]) * sum((1 - eta * h) ** (2 * k) for k in range(3)) ** 0.5
    start = np.zeros(2 + M * (ROUNDS + 1))
    start[0] = float(at["x0"][0])
    noises = noise * np.eye(start.size)[2:].reshape(ROUNDS + 1, M, -1)
    spread = float(at["sigma_g"][0]) / h * np.eye(start.size)[1]
    minimisers = [spread, -spread] if M == 2 else [1.5**0.5 * spread, -(1.5**0.5) * spread, 0 * spread]
    first = [slope * start + noises[0, i] for i in range(M)]
    # the server's model, the stored updates or models, and the gaps
    states = [(1.0, start, first if algorithm == "mifa" else [start] * M, [1] * M)]
    result = []
    for t in range(ROUNDS + 1):
        total = 0.0
        for chance, x, stored, gaps in states:
            shown = {
                "server": x,
                "mean_model": sum(stored) / M,
                "auxiliary": sum(
                    y - eta * eta_s * tau * (gap - 1) * h * (y - e)
                    for y, gap, e in zip(stored, gaps, minimisers, strict=True)
                ) / M,
            }  # fmt: skip
            squares = [float(y @ y) for y in (stored if point == "scaled_spread" else [shown[point]])]
            apart = float(shown["mean_model"] @ shown["mean_model"]) if point == "scaled_spread" else 0.0
            total += chance * (sum(squares) / len(squares) - apart)
        result.append(total)
        if t == ROUNDS:
            break
        after = []
        for chance, x, stored, gaps in states:
            for present in np.ndindex(*(2,) * M):
                weight = chance * float(np.prod([P if here else 1 - P for here in present]))
                who = [i for i in range(M) if present[i]]
                new, later = list(stored), [1 if present[i] else gaps[i] + 1 for i in range(M)]
                if algorithm == "mifa":
                    for i in who:
                        new[i] = slope * x + noises[t + 1, i]
                    x_new = x - eta_s * sum(new) / M
                else:
                    echoed = [
                        stored[i] - eta_s * gaps[i] * (slope * (stored[i] - minimisers[i]) + noises[t + 1, i])
                        for i in who
                    ]
                    x_new = sum(echoed) / len(who) if who else x
                    for i in who:
                        new[i] = x_new
                after.append((weight, x_new, new, later))
        states = after
    return result, at


@pytest.mark.parametrize("cause", CAUSES[:3])
@pytest.mark.parametrize(
    ("algorithm", "point"),
    [("mifa", "server"), *(("fedawe", point) for point in ("mean_model", "auxiliary", "scaled_spread"))],
)
@pytest.mark.parametrize("clients", [2, 3])
def test_moments_are_those_of_all_availabilities(
    clients: int, algorithm: str, point: str, cause: str
) -> None:
    if algorithm == "mifa" and cause == CAUSES[2]:
        return
    squares, at = enumerated(algorithm, cause, point, clients)
    observable = point if point == "scaled_spread" else f"{point}_gradient_norm_squared"
    for t, (last, total, *_) in moments(algorithm, at, 2, observable):
        np.testing.assert_allclose([last[0], total[0]], [squares[t], sum(squares[:t])], rtol=1e-9, atol=1e-12)


def test_the_servers_noise_is_that_of_the_mechanism() -> None:
    run = run_of("fedavg", "none", count=4)
    at = settings(run, CAUSES[3], privacy_noise=1e-3)
    ((_, (last, *_)),) = moments("dp_fedavg", at, 0)
    np.testing.assert_allclose(last, (1.3 * 1e-3 * 1.0 / 4) ** 2)  # eta_s times z clip/m


def planted(name: str, what: str) -> Mutant:
    return next(one for one in generate_mutants(theorem(name)) if one.what == what)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("fedvarp_nonconvex_sharp", "start-up of stored updates: 1/C for C^(-2)"),
        ("fedvarp_nonconvex_tuned", "initial gap: tau^(-3/2) for 1/sqrt(tau)"),
        ("scaffold_strongly_convex_partial", "start-up: eta_s for eta_s^2"),
        ("fedcm_nonconvex", "stochastic noise: m^(-2) for 1/m"),
        ("fedpaq_nonconvex", "compression: m for C m"),
        ("dp_fedavg_nonconvex", "privacy noise: eta_s^2 for eta_s"),
        ("byzantine_sgd_nonconvex", "stochastic noise: 11/20 for 11/10"),
        (
            "mifa_nonconvex_random_availability",
            "stochastic noise: 1/availability left out in 1/availability - 59/80",
        ),
        ("cyclic_pl_tuned", "stochastic noise: m for C m"),
        ("fedawe_nonconvex_auxiliary", "stochastic noise: 1/availability for availability^(-2)"),
        ("fedawe_nonconvex_sharp", "stale-model dissimilarity: eta_s for eta_s^2"),
        ("clusterfedvarp_nonconvex_sharp", "partial participation: (1 - C)^2 for 1 - C"),
        ("fedavg_pl_sampling", "stochastic noise: share_noise left out in sampling_spread + 11*share_noise"),
    ],
)
def test_they_refute_mistakes_and_no_true_bound(name: str, wrong: str) -> None:
    measurements = Measurements(theorem(name), tuple(measure_sampled_moments(theorem(name))))
    assert measurements.above() is None
    killer = measurements.killer(planted(name, wrong))
    assert killer is not None
    assert "by exact moments" in killer[1].source["said"]


def test_the_instance_that_refutes_a_mistake_is_a_run() -> None:
    mutant = planted("fedvarp_nonconvex_sharp", "start-up of stored updates: 1/C for C^(-2)")
    h = 0.7
    run = run_of("fedvarp", CAUSES[2], m=16, count=1, rounds=4096, eta=0.1 / h, eta_s=0.05, local_steps=1)
    recorded = exact_engine(run, must=True).trajectory()  # type: ignore[union-attr]
    measured = float(recorded.mean("gradient_norm_squared")[:-1].mean())
    values = theorem_arguments(mutant.original, run, measure_constants(run, recorded, mutant.original))
    bounds = [float(evaluate(each.bound.total, values)) for each in (mutant.original, mutant.theorem)]
    assert bounds[1] < measured < bounds[0]
    at = settings(run, CAUSES[2])
    total = dict(moments("fedvarp", at, 12))[4096][1]
    np.testing.assert_allclose(h**2 * total / 4096, measured, rtol=1e-8)


def test_clients_that_take_part_at_random_are_those_of_the_engine() -> None:
    chance, everybody = 0.25, run_of("fedavg", CAUSES[1], count=4)
    present = {"kind": "bernoulli", "probabilities": [chance] * 4}
    run = make_run(
        "fedavg", everybody.problem, participation=present, rounds=8, eta=0.1, eta_s=1.3, local_steps=3,
        x0=[0.0], options={"aggregation": "unbiased"},
    )  # fmt: skip
    at = settings(everybody, CAUSES[1], comp_noise=1 / chance - 1)
    constants = compute_constants(run, theorem("fedavg_nonconvex_sampling"))
    for name in ("sampling_spread", "sampling_slack", "share_noise"):
        assert at[name][0] == pytest.approx(constants[name].value)
    squares = exact_engine(run, must=True).trajectory().mean("distance_squared")  # type: ignore[union-attr]
    for rounds, (last, *_) in moments("fedavg", at, 3):
        np.testing.assert_allclose(last, squares[rounds], rtol=1e-9)


def test_theorems_with_other_quantities_have_none() -> None:
    for name in ("fedau_nonconvex", "sgd_strongly_convex"):
        assert not list(measure_sampled_moments(theorem(name)))


def test_uniform_sampling_has_the_numbers_of_any_unbiased_one() -> None:
    run = run_of("fedavg", CAUSES[2], options={"aggregation": "unbiased"})
    at = settings(run, CAUSES[2])
    constants = compute_constants(run, theorem("fedavg_nonconvex_sampling"))
    for name in ("sampling_spread", "sampling_slack", "share_noise"):
        assert at[name][0] == pytest.approx(constants[name].value)
    assert at["sampling_error"][0] ** 2 == pytest.approx(1 / 3)  # of the mean of two of 1, -1, 1 and -1
