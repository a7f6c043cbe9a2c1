"""What stands in the ledgers: exact expectations against followed steps, and against many replicas."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boundkit.proofs.expectation_values import (
    Array,
    ClientExpectations,
    RunContext,
    ServerExpectations,
    expectation_values,
    observed_values,
    run_context,
)
from boundkit.proofs.expectations import QUANTITIES
from boundkit.proofs.quadratic_expectations import exact_expectations
from boundkit.simulation.problems import Quadratic
from boundkit.theorems import theorem
from boundkit.verification.claims import add_observables
from boundkit.verification.context import objective_of_constants
from tests.cases import each
from tests.proofs.runs import run_of, unlike

REPLICAS = 6_000
Evaluation = Callable[[RunContext], tuple[ClientExpectations, ServerExpectations]]


def scene(name: str, noise: float, **settings: Any) -> RunContext:
    of = theorem(name)
    run = add_observables(of, run_of(of, unlike(noise), **settings))
    return run_context(run, objective_of_constants(of, run)[0])


def quantities(here: RunContext, evaluate: Evaluation) -> dict[str, Array]:
    clients, server = evaluate(here)
    return expectation_values(here, clients, server, 1.0)


@each(
    ("name", "settings"),
    [
        ("fedavg_nonconvex", {}),
        ("fednova_nonconvex", {"local_steps": [1, 2, 3, 5], "options": {"momentum": 0.5}}),
        (
            "fednova_nonconvex_surrogate",
            {"local_steps": [4, 2, 3, 5], "options": {"decay": 0.7}, "eta_s": 0.8},
        ),
        ("fednova_nonconvex_surrogate", {"local_steps": [4, 2, 3, 5], "options": {"mu": 0.5}}),
        ("fedavg_nonconvex_unequal_steps", {"local_steps": [1, 2, 3, 5]}),
    ],
)
def test_without_chance_the_moments_are_those_of_the_path(name: str, settings: dict[str, Any]) -> None:
    here = scene(name, 0.0, **settings)
    exact, followed = (quantities(here, engine) for engine in (exact_expectations, observed_values))
    assert set(exact) == set(followed)
    for letter, values in followed.items():
        assert exact[letter] == pytest.approx(values, rel=1e-9, abs=1e-11), letter


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("fedavg_nonconvex_partial", {"present": 0.5, "eta_s": 2.0}),
        ("fednova_nonconvex_surrogate", {"local_steps": [4, 2, 3, 5], "options": {"momentum": 0.5}}),
    ],
)
def test_with_chance_they_are_those_of_many_replicas(name: str, settings: dict[str, Any]) -> None:
    here = scene(name, 1.5, rounds=2, **settings)
    exact = quantities(here, exact_expectations)
    samples = replicas(here)
    assert set(samples) > {
        "server_direction",
        "sampled_direction",
        "displacement",
        "gradient_displacement",
        "weighted_gradients",
        "noise_displacement",
    }
    for name, sample in samples.items():
        error = sample.std(axis=0) / REPLICAS**0.5
        assert (np.abs(sample.mean(axis=0) - exact[name]) < 5 * error + 1e-12).all(), name


def test_every_letter_but_the_constants_has_its_values() -> None:
    here = scene("fedavg_nonconvex", 0.0)
    made = {"solution_factor", "error_weight", "descent_factor"}
    assert set(quantities(here, observed_values)) | made == {letter.name for letter in QUANTITIES}
    assert ClientExpectations.__dataclass_fields__.keys().isdisjoint({"server_direction", "inner_product"})
    assert "decrease" in ServerExpectations.__dataclass_fields__


def replicas(here: RunContext) -> dict[str, Array]:
    """The letters of every replica in every round, (REPLICAS, T), from runs that are simulated here."""
    rng = np.random.default_rng(7)
    problem, run, w = here.descended, here.run, here.w
    assert isinstance(problem, Quadratic)
    m, d, eta = problem.m, problem.d, run.eta
    count = getattr(run.participation, "count", m)
    x = np.tile(run.x0, (REPLICAS, 1))
    found: dict[str, list[Array]] = {}

    def of_all(y: Array) -> Array:
        """grad F_i(y_i), (R, m, d) to (R, m, d)."""
        return np.asarray(np.einsum("ijk,rik->rij", problem.H, y - problem.e), dtype=np.float64)

    for _ in range(run.rounds):
        start = of_all(np.repeat(x[:, None], m, axis=1))
        h, sent = np.zeros_like(start), np.zeros_like(start)
        each = {name: np.zeros((REPLICAS, m)) for name in ClientExpectations.__dataclass_fields__}
        for i in range(m):
            A, last = here.collected(i)
            share = last / last.sum()
            steps: list[Array] = []
            shaken = rng.standard_normal((len(last), REPLICAS, d)) * problem.deviation
            for k in range(len(last)):
                met = [A[k, s] * (steps[s] + shaken[s]) for s in range(k)]
                y = np.repeat((x - eta * sum(met, np.zeros_like(x)))[:, None], m, axis=1)
                steps.append(of_all(y)[:, i])
                pulled = sum((A[k, s] * steps[s] for s in range(k)), np.zeros_like(x))
                noise = sum((A[k, s] * shaken[s] for s in range(k)), np.zeros_like(x))
                squares = sum((A[k, s] * (steps[s] ** 2).sum(-1) for s in range(k)), np.zeros(REPLICAS))
                each["step_errors"][:, i] += share[k] * ((steps[k] - start[:, i]) ** 2).sum(-1)
                each["displacement"][:, i] += share[k] * ((y[:, i] - x) ** 2).sum(-1)
                each["displacement_by_step"][:, i] += ((y[:, i] - x) ** 2).sum(-1) / max(k, 1)
                each["noise_displacement"][:, i] += share[k] * (noise**2).sum(-1)
                each["gradient_displacement"][:, i] += share[k] * (pulled**2).sum(-1)
                each["weighted_gradients"][:, i] += share[k] * A[k].sum() * squares
            h[:, i] = np.tensordot(share, np.array(steps), 1)
            sent[:, i] = h[:, i] + np.tensordot(share, shaken, 1)
        each["direction_error"] = ((start - h) ** 2).sum(-1)
        who = np.argsort(rng.random((REPLICAS, m)), axis=1) < count
        among = who / count if count < m else np.broadcast_to(w, who.shape)
        g, v, vh, all_h = (
            np.einsum("ri,rij->rj", weights, vectors)
            for weights, vectors in ((among * 0 + w, start), (among, sent), (among, h), (among * 0 + w, h))
        )
        round_of = {
            "server_direction": v, "noise": v - vh, "sampled_direction": vh, "mean_direction": all_h,
            "direction_error": g - all_h,
            "gradient": g, "sampled_gradient": np.einsum("ri,rij->rj", among, start) - g,
            "sampled_error": np.einsum("ri,rij->rj", among, h - start),
        }  # fmt: skip
        for name, vector in round_of.items():
            found.setdefault(name, []).append((vector**2).sum(-1))
        found.setdefault("inner_product", []).append((g * all_h).sum(-1))
        for name in (
            "step_errors",
            "displacement",
            "displacement_by_step",
            "noise_displacement",
            "gradient_displacement",
            "weighted_gradients",
        ):
            found.setdefault(name, []).append(each[name] @ w)
        found.setdefault("client_errors", []).append(each["direction_error"] @ w)
        before, x = x, x - here.length * v
        losses = [problem.observe(at)["loss"] for at in (before, x)]
        found.setdefault("decrease", []).append(losses[0] - losses[1])
    return {name: np.stack(rounds, axis=1) for name, rounds in found.items()}
