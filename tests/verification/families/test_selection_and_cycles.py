"""Biased client selection and cyclic participation: planted mistakes, violated assumptions, constants."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Integer

from boundkit.algebra.notation import L, eta
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.checks.single_error_source import only_order, only_selection
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.claims import add_observables
from boundkit.verification.constants import measure_constants
from boundkit.verification.dissimilarity import (
    GroupDissimilarity,
    QuadraticGroupDissimilarity,
    groups_of,
)
from boundkit.verification.families.selection import mean_local_models
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.verification.planted_errors import times, without

SELECTION = [
    f"biased_selection_strongly_convex_{kind}"
    for kind in ("decaying", "decaying_sharp", "fixed", "fixed_sharp")
]
LINE = Quadratic([1.0] * 3, [[-1.0], [0.2], [2.0]])
DISSIMILAR = Quadratic.random(6, 2, seed=7, dense=True, curvature=(0.3, 1.0))


def test_a_wrong_exponent_of_the_cyclic_order_is_a_violation() -> None:
    planted = times(theorem("cyclic_pl"), "cyclic order", eta * L)
    checks, _ = slope_checks(planted)
    assert next(c for c in checks if c.name == "slope of cyclic order in eta").outcome == "violated"


def test_the_isolated_error_sources_by_hand() -> None:
    """The bias of two clients: (1/2) (a (p_1 - p_2))^2; of the order: the square of the step."""
    at = only_selection(theorem("biased_selection_strongly_convex_fixed_sharp"), eta=1e-6)
    assert at.measured == pytest.approx(0.5 * 0.4**2, rel=1e-4)
    assert at.values["rho_bar"] == pytest.approx(1, abs=1e-4)
    assert at.values["rho_tilde"] == pytest.approx(0.98 / 0.42, rel=1e-9)
    small, large = (only_order(theorem("cyclic_pl"), eta=eta).measured for eta in (1e-6, 1e-5))
    assert large / small == pytest.approx(100, rel=1e-3)


def test_a_missing_selection_bias_is_a_violation() -> None:
    """Unequal weights: the limit differs from the optimum, and no other term covers that."""
    run = make_run(
        "fedavg", Quadratic([1.0, 1.0], [[-1.0], [1.0]], [0.9, 0.1]), rounds=300, eta=0.05, x0=[0.0],
        participation={"kind": "power_of_choice", "count": 1, "d": 2}, options={"aggregation": "mean"},
    )  # fmt: skip
    statement = theorem("biased_selection_strongly_convex_fixed_sharp")
    assert verify(statement, run, slopes=False).answer == "holds"
    planted = without(statement, "selection bias")
    assert verify(planted, run, slopes=False).answer == "violated"


def cyclic(problem: Quadratic, **changes: object) -> Run:
    groups, count = changes.pop("groups", 3), changes.pop("count", None)
    who = {"kind": "cyclic", "groups": groups} | ({} if count is None else {"count": count})
    settings = {"rounds": 6, "eta": 0.02, "participation": who, "x0": np.full(problem.d, 2.0)}
    return make_run("fedavg", problem, **{**settings, **changes})


def power_of_choice(problem: Quadratic = LINE, **changes: object) -> Run:
    settings: dict[str, object] = {
        "rounds": 5, "eta": 0.1, "participation": {"kind": "power_of_choice", "count": 1, "d": 2},
        "options": {"aggregation": "mean"}, "x0": [3.0] * problem.d,
    }  # fmt: skip
    return make_run("fedavg", problem, **{**settings, **changes})


NOT_APPLICABLE = [
    ("cyclic_pl", cyclic(DISSIMILAR, rounds=7), "whole cycles of 3 rounds, and the run has 7"),
    ("cyclic_pl", cyclic(DISSIMILAR, groups=[[0, 1, 2, 3], [4, 5]]), "groups have one size"),
    ("cyclic_pl", cyclic(DISSIMILAR, participation={"kind": "with_replacement", "count": 2}), "cyclic"),
    ("cyclic_pl", cyclic(DISSIMILAR, local_steps=2), "one local step"),
    ("cyclic_pl_local", cyclic(DISSIMILAR, count=1), "all 2 clients of a group, and the run has 1"),
    ("cyclic_pl", cyclic(DISSIMILAR, options={"aggregation": "all"}), "divides by all clients|another mean"),
    (SELECTION[2], power_of_choice(options={"aggregation": "all"}), "another mean"),
    (SELECTION[2], power_of_choice(participation={"kind": "cyclic", "groups": 3}),
     "no skew in closed form"),
    (SELECTION[3], power_of_choice(local_steps=2), "all clients must be candidates"),
    (SELECTION[0], power_of_choice(eta={"first": 0.2, "offset": 4}), "about the step 1/"),
    (SELECTION[0], power_of_choice(), "that of the run is fixed|decreas"),
    (SELECTION[2], power_of_choice(eta={"first": 0.25, "offset": 4}), "fixed step size"),
    (SELECTION[2], power_of_choice(Quadratic([1.0] * 3, LINE.e, noise=0.1),
                          participation={"kind": "with_replacement", "count": 2}), "drawn twice"),
]  # fmt: skip


def test_violated_assumptions_are_named() -> None:
    for name, run, reason in NOT_APPLICABLE:
        verdict = verify(theorem(name), run, slopes=False)
        assert verdict.answer == "not applicable", reason
        assert any(part in verdict.reason for part in reason.split("|")), verdict.reason


def test_groups_by_hand() -> None:
    groups = ((0, 1), (2, 3), (4, 5))
    x = np.random.default_rng(0).normal(size=(5, 2))
    forms = QuadraticGroupDissimilarity.of(DISSIMILAR, groups).observe(x)
    plain = GroupDissimilarity(DISSIMILAR, groups).observe(x)
    g = DISSIMILAR.client_gradients(x)
    for k, members in enumerate(groups):
        group = g[:, list(members)].mean(axis=1)
        between = ((group - g.mean(axis=1)) ** 2).sum(axis=1)
        within = ((g[:, list(members)] - group[:, None]) ** 2).sum(axis=2).mean(axis=1)
        for seen in (forms, plain):
            np.testing.assert_allclose(seen[f"between_{k}"], between, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(seen[f"within_{k}"], within, rtol=1e-10, atol=1e-12)


@each("name", ["cyclic_pl", "cyclic_pl_local"])
def test_dissimilarities_are_measured_where_the_proofs_use_them(name: str) -> None:
    statement = theorem(name)
    run = add_observables(statement, cyclic(DISSIMILAR, rounds=9))
    observed = trajectory(run)
    values = measure_constants(run, observed, statement)
    at = QuadraticGroupDissimilarity.of(DISSIMILAR, groups_of(run)).observe(observed.x)
    starts = [0, 3, 6]
    between = max(at[f"between_{k}"][t] for k in range(3) for t in starts)
    later = 0 if name == "cyclic_pl_local" else 1
    met = [(k, t + later * k) for k in range(3) for t in starts]
    within = max(at[f"within_{k}"][t] for k, t in met)
    assert values["sigma_between"].value == pytest.approx(between**0.5, rel=1e-10)
    assert values["sigma_within"].value == pytest.approx(within**0.5, rel=1e-10)
    assert values["sigma_between"].trust == "local"
    assert values["mu_pl"].value == pytest.approx(np.linalg.eigvalsh(DISSIMILAR.mean_hessian)[0])
    assert values["groups"].value == 3


def test_equal_hessians_have_exact_dissimilarities() -> None:
    problem = Quadratic([2.0] * 4, [[0.0], [2.0], [4.0], [8.0]])
    run = add_observables(theorem("cyclic_pl"), cyclic(problem, groups=2))
    values = measure_constants(run, trajectory(run), theorem("cyclic_pl"))
    assert values["sigma_between"].value == pytest.approx(2 * 2.5)
    assert values["sigma_within"].value == pytest.approx(2 * 2)
    assert values["sigma_within"].trust == "exact"


def test_the_selection_skew_of_random_candidates_is_exact() -> None:
    statement = theorem(SELECTION[1])
    run = add_observables(statement, power_of_choice(eta={"first": 0.25, "offset": 4}))
    values = measure_constants(run, trajectory(run, replicas=3), statement)
    assert [values["rho_bar"].value, values["rho_tilde"].value] == pytest.approx([0.1204, 1.5526], abs=1e-4)
    assert values["rho_bar"].trust == values["rho_tilde"].trust == "exact"
    assert values["Gamma"].value == pytest.approx(0.76)


def test_the_selection_skew_of_deterministic_selection_is_measured_along_the_run() -> None:
    statement = theorem("biased_selection_strongly_convex_fixed_sharp")
    who = {"kind": "power_of_choice", "count": 1, "d": 3}
    run = add_observables(statement, power_of_choice(participation=who, local_steps=2, rounds=1))
    values = measure_constants(run, trajectory(run), statement)
    inside = 3 - 0.1 * 4  # the client at -1 is selected

    def rho(x: float) -> float:
        return float((x + 1) ** 2 / (((x - LINE.e[:, 0]) ** 2).sum() / 3))

    assert values["rho_bar"].value == pytest.approx(min(rho(3.0), rho(inside)), rel=1e-12)
    assert values["rho_tilde"].value == pytest.approx(max(0.5 * 1.4**2 / 0.76, values["rho_bar"].value))
    assert values["rho_bar"].trust == "local"
    means = mean_local_models(run, np.array([[3.0]]))
    assert means is not None
    assert means.ravel() == pytest.approx([inside])


def test_a_zero_selection_skew_is_measured_along_the_run() -> None:
    """With noise the exact skew is 0, and the theorem divides by it."""
    statement = theorem("biased_selection_strongly_convex_decaying")
    noisy = Quadratic([1.0] * 3, LINE.e, noise=0.2)
    who = {"kind": "power_of_choice", "count": 1, "d": 3}
    run = power_of_choice(noisy, participation=who, eta={"first": 0.25, "offset": 4}, rounds=20)
    verdict = verify(statement, run, slopes=False)
    assert verdict.answer == "holds"
    assert verdict.constants["rho_bar"].trust == "estimated"
    assert 0 < verdict.constants["rho_bar"].value <= verdict.constants["rho_tilde"].value
    halved = replace(statement, terms=tuple(replace(t, expr=t.expr * Integer(0)) for t in statement.terms))
    assert verify(halved, run, slopes=False).answer == "violated"
