"""Unequal local steps, proximal solvers and adaptive server steps: planted mistakes and constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boundkit.analysis.solver_weights import local_weights, weight_sums
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.claims import add_observables
from boundkit.verification.default_instances import build_run, default_instances
from boundkit.verification.families import context_of
from boundkit.verification.families.local_solvers import server_steps
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.theorems.printed_fednova import PRINTED
from tests.verification.planted_errors import without

TAU, WEIGHTS = [1, 4, 2], [0.2, 0.3, 0.5]
DISSIMILAR = Quadratic([[1.0, 0.5], [0.4, 1.0], [0.7, 0.7]], [[1.0, 0.0], [-1.0, 2.0], [0.0, -1.0]], WEIGHTS)


def run_of(name: str, problem: Any = DISSIMILAR, **more: Any) -> Run:
    return make_run(name, problem, **{"rounds": 4, "eta": 0.02, "local_steps": TAU, **more})


def default_instance(name: str, plan: str) -> tuple[Any, Run]:
    """A theorem, and one of its default instances."""
    claim = theorem(name)
    return claim, build_run(claim, next(p for p in default_instances(claim) if p.name == plan))


def verdict_of(claim: Any, run: Run) -> Verdict:
    return verify(claim, run, slopes=False)


def test_a_missing_objective_inconsistency_is_a_violation() -> None:
    claim, run = default_instance("fedavg_nonconvex_unequal_steps", "clients as wrong as their weights")
    assert verdict_of(claim, run).answer == "holds"
    assert verdict_of(without(claim, "objective inconsistency"), run).answer == "violated"


def test_the_published_drift_fails_for_proximal_solvers_and_the_corrected_one_holds() -> None:
    pair = Quadratic([1.0, 0.5], [[-1.0], [1.0]])
    run = run_of("fednova", pair, rounds=20_000, eta=0.25, local_steps=2, options={"mu": 4.0})
    published = verdict_of(PRINTED, run)
    assert published.answer == "violated"
    rests = trajectory(run).mean("gradient_norm_squared")[-1]
    assert rests == pytest.approx(1 / 361)
    for name in ("fednova_nonconvex_surrogate", "fednova_nonconvex_surrogate_sharp", "fednova_nonconvex"):
        assert verdict_of(theorem(name), run).answer == "holds"


def test_noise_in_the_preconditioner_biases_many_local_steps_and_not_one() -> None:
    problem = Quadratic([1.0] * 4, [[3.0], [-1.0], [-1.0], [-1.0]], noise=1.0)
    ends = {}
    for tau in (1, 4):
        options = {"solver": "adagrad", "correction": "local", "epsilon": 0.1}
        run = make_run(
            "local_adaptive", problem, rounds=300, eta=1e-4, eta_s=500.0, local_steps=tau, options=options
        )
        ends[tau] = trajectory(run, "step", 200).x[100:, 0].mean()
    assert abs(ends[1]) < 0.02
    assert ends[4] > 0.07


@each(
    ("options", "solver", "settings"),
    [
        ({}, "sgd", {}),
        ({"momentum": 0.5}, "momentum", {"rho_momentum": 0.5}),
        ({"mu": 10.0}, "proximal", {"prox_step": 0.2}),
        ({"mu": 10.0, "momentum": 0.3}, "proximal_momentum", {"prox_step": 0.2, "rho_momentum": 0.3}),
        ({"decay": 0.7}, "decay", {"decay": 0.7}),
    ],
)
def test_sums_of_weights_are_those_of_the_solver(
    options: dict[str, float], solver: str, settings: dict[str, float]
) -> None:
    claim = theorem("fednova_nonconvex_surrogate_sharp")
    context = context_of(claim, run_of("fednova", options=options))
    sums = [weight_sums(local_weights(solver, tau, **settings)) for tau in TAU]
    a1, a2 = (np.array([s[n] for s in sums]) for n in ("a1_i", "a2_i"))
    p = np.array(WEIGHTS)
    assert context.value("tau_eff") == pytest.approx(p @ a1)
    assert context.value("A_noise") == pytest.approx(3 * (p @ a1) * (p**2 * a2 / a1**2).sum())
    assert context.value("B_walk") == pytest.approx(p @ [s["walk2_i"] for s in sums])
    assert context.value("C_walk") == pytest.approx(max(s["walk1_i"] for s in sums) ** 2)
    np.testing.assert_allclose(server_steps(context), p @ a1)


def test_constants_by_hand() -> None:
    averaged = context_of(theorem("fedavg_nonconvex_unequal_steps"), run_of("fedavg"))
    # tau_eff = .2 + 1.2 + 1, w = (1, 6, 5)/12
    assert averaged.value("tau_eff") == pytest.approx(2.4)
    assert averaged.value("A_noise") == pytest.approx(3 * (0.04 + 0.36 + 0.5) / 2.4)
    assert averaged.value("C_drift") == 12
    p, w = np.array(WEIGHTS), np.array([1, 6, 5]) / 12
    assert averaged.value("chi2") == pytest.approx(((p - w) ** 2 / w).sum())
    assert context_of(theorem("fednova_nonconvex"), run_of("fednova")).value("chi2") == pytest.approx(
        0, abs=1e-15
    )


def test_another_server_step_is_another_tau_eff() -> None:
    claim = theorem("fednova_nonconvex_surrogate")
    twice = context_of(claim, run_of("fednova", eta_s=2.0, options={"momentum": 0.5, "tau_eff": "steps"}))
    assert twice.value("tau_eff") == pytest.approx(4.8)
    given = context_of(claim, run_of("fednova", eta_s=3.0, options={"tau_eff": 1.5}))
    assert given.value("tau_eff") == pytest.approx(4.5)
    assert server_steps(given) == pytest.approx([4.5] * 4)


def test_varying_rounds_are_weighted_by_their_effective_steps() -> None:
    claim = theorem("fednova_nonconvex_varying")
    context = context_of(claim, run_of("fednova", local_steps=[[1, 1, 1], [2, 4, 6]], rounds=5))
    s = np.array([1.0, 4.6, 1.0, 4.6, 1.0])
    assert server_steps(context) == pytest.approx(s)
    assert context.value("tau_eff_mean") == pytest.approx(s.mean())
    assert context.value("C_mean") == pytest.approx(s @ [0, 30, 0, 30, 0] / s.sum())
    assert context.value("tau_eff_max") == pytest.approx(4.6)


def test_the_constants_of_unequal_steps_are_those_of_the_surrogate_objective() -> None:
    claim = theorem("fedavg_nonconvex_unequal_steps")
    run = add_observables(claim, run_of("fedavg", x0=[2.0, 1.0]))
    w = np.array([1, 6, 5]) / 12
    meant = Quadratic(list(DISSIMILAR.H), DISSIMILAR.e, w)
    context = context_of(claim, run, trajectory(run))
    assert context.value("gap") == pytest.approx(float(meant.observe(np.array([2.0, 1.0]))["loss_gap"]))
    worst = max(float(meant.observe(x)["dissimilarity"]) for x in context.trajectory.x[:-1])
    assert context.value("kappa") == pytest.approx(worst**0.5)


def test_beta_of_clients_with_a_shared_minimiser_is_an_eigenvalue() -> None:
    problem = Quadratic([[[1.0, 0.2], [0.2, 0.8]], [[0.5, -0.1], [-0.1, 1.0]]], [[0.0, 0.0]] * 2, [0.4, 0.6])
    run = make_run("fedprox", problem, rounds=2, eta=1, x0=[1.0, 1.0], options={"mu": 20.0, "exact": True})
    beta = context_of(theorem("fedprox_nonconvex"), run).value("beta")
    angles = np.linspace(0, np.pi, 20_001)
    u = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    g = np.einsum("ijk,nk->nij", problem.H, u)
    every = np.sqrt((problem.p @ (g**2).sum(-1).T) / (np.einsum("i,nij->nj", problem.p, g) ** 2).sum(-1))
    assert beta == pytest.approx(every.max(), rel=1e-6)
    assert beta >= every.max()


def test_inexactness_of_gradient_steps() -> None:
    mu, eta, tau = 5.0, 0.1, 3
    options = {"mu": mu}
    run = make_run("fedprox", DISSIMILAR, rounds=1, eta=eta, local_steps=tau, x0=[3.0, -2.0], options=options)
    inexactness = context_of(theorem("fedprox_nonconvex"), run).value("inexactness")
    assert inexactness == pytest.approx((1 - eta * (0.4 + mu)) ** tau)
    x = np.array([3.0, -2.0])
    residuals = []
    for h, e in zip(DISSIMILAR.H, DISSIMILAR.e, strict=True):
        y = x.copy()
        for _ in range(tau):
            y = y - eta * (h * (y - e) + mu * (y - x))
        residuals.append(np.linalg.norm(h * (y - e) + mu * (y - x)) / np.linalg.norm(h * (x - e)))
    assert max(residuals) <= inexactness
    assert max(residuals) > 0.8 * inexactness


def test_server_steps_and_curvature_of_nonconvex_losses() -> None:
    problem = SmoothNonconvex([[1.0], [-1.0]])
    run = make_run("fedexp", problem, rounds=6, eta=0.1, local_steps=2, x0=[2.0], options={"epsilon": 0.0})
    context = context_of(theorem("fedexp_nonconvex"), run, trajectory(run))
    steps = context.trajectory.observed["server_step"][0, :6]
    assert context.value("eta_s_mean") == pytest.approx(steps.mean())
    assert steps.max() > 1
    assert context.constant("L_minus").value == 0.125
    star = context_of(theorem("fedexp_convex"), make_run("fedexp", DISSIMILAR, rounds=1, eta=0.1)).value(
        "sigma_star"
    )
    gradients = DISSIMILAR.apply(DISSIMILAR.centre - DISSIMILAR.e)
    assert star == pytest.approx((np.array(WEIGHTS) @ (gradients**2).sum(axis=1)) ** 0.5)


NOT_APPLICABLE: list[tuple[str, Any, str]] = [
    ("fednova_nonconvex", lambda: run_of("fednova", options={"decay": 0.5, "mu": 1.0}), "decay alone"),
    ("fednova_nonconvex", lambda: run_of("fednova", local_steps=[TAU, [1, 1, 1]]), "same local steps"),
    ("fednova_nonconvex", lambda: run_of("fednova", options={"variance_reduction": True}), "variance"),
    (
        "fedavg_nonconvex_unequal_steps",
        lambda: run_of("fedavg", options={"aggregation": "mean"}),
        "with the weights p_i",
    ),
    ("fedavg_nonconvex_unequal_steps", lambda: run_of("fedavg", eta_s=2.0), "eta_s = 1"),
    (
        "fedavg_nonconvex_unequal_steps",
        lambda: run_of("fedavg", SmoothNonconvex([[1.0], [-1.0]]), local_steps=[1, 3]),
        "surrogate",
    ),
    ("fedexp_nonconvex", lambda: run_of("fedexp", local_steps=2, eta_s=2.0), "FedExP's own"),
    ("fedprox_nonconvex", lambda: run_of("fedprox"), "with replacement"),
    (
        "fedprox_nonconvex",
        lambda: run_of("fedprox", participation={"kind": "with_replacement", "count": 3}),
        "gives the sampled models equal weights",
    ),
    ("fedprox_nonconvex", lambda: run_of("fedprox", eta=5.0, options={"mu": 9.0}), "do not approach"),
    (
        "fedprox_nonconvex",
        lambda: run_of("fedprox", Quadratic([1.0] * 3, [[0.0]] * 3, noise=1.0), options={"mu": 9.0}),
        "noisy steps",
    ),
]


def test_violated_assumptions_are_named() -> None:
    for name, run, reason in NOT_APPLICABLE:
        assert reason in "; ".join(reasons_not_applicable(theorem(name), run()))


def test_a_proximal_theorem_without_descent_is_not_applicable() -> None:
    far = Quadratic([1.0, 1.0], [[1.0], [-1.0]])
    who = {"kind": "with_replacement", "count": 2}
    options = {"mu": 20.0, "exact": True, "aggregation": "mean"}
    run = make_run("fedprox", far, rounds=50, eta=1, x0=[3.0], participation=who, options=options)
    verdict = verify(theorem("fedprox_nonconvex"), run)
    assert verdict.answer == "not applicable"
    assert "prox_paid < 1/mu_prox" in verdict.reason
