"""Rounds for a target as formulas: the talk's table by one rule, and formulas held to the bounds."""

from __future__ import annotations

import json
import re
from functools import cache

import numpy as np
import pytest
from sympy import Abs, Expr, Max, Rational, log, simplify, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.domain import at_most
from boundkit.algebra.notation import (
    L0,
    L1,
    C,
    L,
    eta,
    gap,
    m,
    mu,
    rho_zeta,
    sigma,
    sigma_g,
    target,
    tau,
    zeta,
)
from boundkit.analysis.check.context import Point, admissible, numbers
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.complexity import Complexity, complexity, table_of, target_expression
from boundkit.analysis.complexity.comparison import comparison
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.theorems import catalogue, names, theorem
from boundkit.theorems.catalogue import proof_status
from tests.analysis.check.planting import build
from tests.cases import each, thinned
from tests.representatives import representatives

# The talk's table: N clients, S of them come, I local steps, target eps; numbers left open are 1

N, S, eps = m, C * m, target
CURVATURE = L0 + L1 * (zeta + rho_zeta * sigma)
COLUMN: dict[str, tuple[Expr, Expr]] = {
    "local_sgd_nonconvex_rounds": (gap * L * sigma**2 / (N * eps**4), sigma**2 / (sigma_g * N * eps)),
    "scaffold_nonconvex_rounds": (
        gap * L * sigma**2 / (S * eps**4),
        sigma**2 / (S ** Rational(1, 3) * N ** Rational(2, 3) * eps**2),
    ),
    "celgc_relaxed_smooth": (gap * L0 * sigma**2 / (N * eps**4), sigma / (N * eps)),
    "episode_relaxed_smooth": (
        gap * L0 * sigma**2 / (N * eps**4),
        L0 * sigma**2 / (CURVATURE * (1 + sigma / eps) * N * eps**2),
    ),
    "episodepp_relaxed_smooth": (
        gap * L0 * sigma**2 / (S * eps**4),
        L0 * sigma**2 / (CURVATURE * (sigma + N / S * eps) * S * eps),
    ),
}


@each("name", COLUMN)
def test_one_rule_gives_the_columns_of_the_talk(name: str) -> None:
    found = complexity(theorem(name))
    iterations, largest = COLUMN[name]
    assert found.iterations is not None
    assert simplify(found.iterations - iterations) == 0
    assert any(simplify(ceiling.expr / largest) == 1 for ceiling in found.ceilings)
    assert found.first == ("stochastic noise",)
    assert found.order


def test_table_has_the_order_and_the_settings_of_the_talk() -> None:
    table = table_of(catalogue().values())
    assert [(row.complexity.theorem.name, row.setting) for row in table.rows] == [
        ("local_sgd_nonconvex_rounds", ("H",)),
        ("scaffold_nonconvex_rounds", ("H", "S")),
        ("celgc_relaxed_smooth", ("R",)),
        ("episode_relaxed_smooth", ("R", "H")),
        ("episodepp_relaxed_smooth", ("R", "H", "S")),
    ]
    shown = repr(table)
    assert shown.count(", order\n") == len(table.rows)
    assert shown.count("unreadable") == 3
    assert "are readable in the scan" in shown
    assert "cut off after its N" in shown
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert [row["kind"] for row in data["rows"]] == ["order"] * 5
    assert all(row["up_to_constants"] and row["said"] for row in data["rows"])
    assert "<table>" in table._repr_html_()


# Ordinary theorems


def test_a_plain_bound_has_the_row_of_local_sgd() -> None:
    """The step that fits the target turns fedavg_nonconvex into rounds, with constants."""
    found = complexity(theorem("fedavg_nonconvex"))
    rounds = {p.label: p.expr for p in found.parts[:4]}
    assert simplify(rounds["stochastic noise"] - 16 * gap * L * sigma**2 / (m * tau * eps**4)) == 0
    assert simplify(rounds["initial gap"] - 8 * gap * L / eps**2) == 0
    assert (
        simplify(rounds["client drift"] ** 2 - 192 * (gap * L * sigma_g / eps**3) ** 2 * (tau - 1) / tau) == 0
    )
    limits = [ceiling.expr for ceiling in found.ceilings]
    assert any(simplify(limit - 2 * sqrt(3) / 3 * sigma**2 / (sigma_g * m * eps)) == 0 for limit in limits)
    assert found.parts[0].step is not None
    assert simplify(found.parts[0].step - m * eps**2 / (4 * L * sigma**2)) == 0


def test_tuned_theorem_as_the_rule_that_it_states() -> None:
    tuned = complexity(theorem("fedavg_nonconvex_tuned"))
    ruled = complexity(theorem("fedavg_nonconvex"), eta="sqrt(m/(tau*T))/L")
    assert tuned.rounds.keys() == ruled.rounds.keys()
    for label, expr in tuned.rounds.items():
        assert simplify(expr - ruled.rounds[label]) == 0
    both = 16 * (L**2 * gap**2 + sigma**4) / (m * eps**4)
    assert tuned.iterations is not None
    assert simplify(tuned.iterations - both) == 0
    assert tuned.first == ("initial gap", "stochastic noise")
    drift = sqrt((L**2 * gap**2 + sigma**4) * 4 / 3) / (sigma_g * m * eps)
    assert any(simplify(ceiling.expr / drift) == 1 for ceiling in tuned.ceilings)
    assert simplify(ruled.rounds["client drift"] - 12 * m * (tau - 1) * sigma_g**2 / eps**2) == 0


def test_a_condition_with_two_powers_of_the_step_allows_half_for_each() -> None:
    statement = build(step_size=(at_most(eta * L + tau * (eta * L) ** 2, 1),), reductions=(), limits=())
    parts = [part for part in complexity(statement).parts if part.because.endswith("of its condition")]
    steps = [part.step for part in parts if part.step is not None]
    assert len(steps) == len(parts) == 2
    assert any(simplify(step - 1 / (2 * L)) == 0 for step in steps)
    assert any(simplify(step**2 - 1 / (2 * tau * L**2)) == 0 for step in steps)


def test_strong_convexity_has_a_logarithm() -> None:
    found = complexity(theorem("sgd_strongly_convex"))
    goal = target_expression(theorem("sgd_strongly_convex").claim)
    assert simplify(found.rounds["initial gap"] - L / mu * log(gap / goal)) == 0


@each(
    ("name", "said"),
    [
        ("sgd_nonconvex_clock", "neither rounds T nor a target"),
        ("cyclic_pl_tuned", "no sum of powers"),
    ],
)
def test_what_has_no_rounds_is_refused(name: str, said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        complexity(theorem(name))


# The formulas against the bounds, over the whole catalogue


@cache
def answer(name: str) -> Complexity | None:
    try:
        return complexity(theorem(name))
    except BoundkitError:
        return None


ASKED = [n for n in names() if {"T", "target"} & {q.name for q in theorem(n).quantities}]
EVERY = each("name", representatives(ASKED))  # asked in the tests: answers take seconds


def scaled(statement: Theorem, seed: int) -> tuple[Point, dict[str, float]]:
    """A point of the theorem, and a target well below what the bound is there."""
    point = admissible(statement, seed)
    values = numbers(point)
    worst = max(float(evaluate(t.expr, values)) for t in statement.terms)
    power = 0.5 if target_expression(statement.claim) == target**2 else 1
    values["target"] = values["eps"] = float((1e-3 * worst) ** power)
    return point, values | {q.name: 1.0 for q in statement.quantities if q.name.startswith("c_")}


@EVERY
@each("seed", thinned(range(2), 1))
def test_after_these_rounds_each_term_is_at_the_target(name: str, seed: int) -> None:
    statement, found = homogeneous_form(theorem(name)), answer(name)
    if found is None or statement.claim.summary == "first":
        return
    _, values = scaled(statement, seed)
    goal = float(evaluate(found.goal, values))
    rounds = np.ceil(max(float(evaluate(p.expr, values)) for p in found.parts))
    steps = [float(evaluate(p.step, values)) for p in found.parts if p.step is not None]
    at = values | {"T": max(rounds, 1.0)}
    if steps:
        chosen = min(step for step in steps if not np.isnan(step))
        # a small eta at the product buys the drifts off
        at |= (
            {"eta": 1e-9 * chosen, "eta_s": 1e9} if "eta_s" in values and "eta" in values else {"eta": chosen}
        )
    falling = [t for label, t in statement.bound.terms.items() if label not in found.floors]
    shares = re.search(r"each of (\d+) parts", " ".join(found.notes))
    times = int(shares[1]) if shares else 1
    assert sum(float(evaluate(t.expr, at)) for t in falling) <= times * goal * (1 + 1e-6)
    if times == len(falling):
        assert all(float(evaluate(t.expr, at)) <= goal * (1 + 1e-6) for t in falling)
    if steps:
        assert all(satisfied(c, at) for c in statement.step_size if eta in c.free_symbols)


@EVERY
def test_answers_are_clean_and_say_where_the_step_comes_from(name: str) -> None:
    found = answer(name)
    if found is None:
        return
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["theorem"] == name
    assert len(data["rounds"]) == len(found.parts) >= 1
    assert all(sentence.endswith(".") for sentence in data["notes"])
    assert name in repr(found)
    assert "<table>" in found._repr_html_()
    assert (found.largest_tau is None) == (not found.ceilings)
    assert not any(ceiling.expr.has(Abs) for ceiling in found.ceilings)
    assert not {q.name for p in found.parts for q in p.expr.free_symbols} & {"T", "c_1", "c_2"}


@EVERY
@each("seed", range(2))
def test_up_to_the_largest_tau_the_first_terms_are_the_largest(name: str, seed: int) -> None:
    found = answer(name)
    if found is None or found.largest_tau is None or found.iterations is None:
        return
    _, values = scaled(homogeneous_form(theorem(name)), seed)
    for ceiling in found.ceilings:
        if not ceiling.because.startswith("there"):
            continue
        most = float(evaluate(ceiling.expr, values))
        if most < 1:
            continue
        at = values | {"tau": most}
        leading = float(evaluate(found.iterations, at)) / most
        others = [
            p for p in found.parts if p.label not in found.first and f"the {p.label} needs" in ceiling.because
        ]
        if any(p.expr.has(Max) for p in others):
            continue  # which counts as a sum
        # tau - 1 counts as tau, so that the other needs as many rounds or a few less
        assert any(float(evaluate(p.expr, at)) <= leading * (1 + 1e-9) for p in others)


# Comparison of algorithms


def test_a_comparison_has_the_orders_of_the_papers_with_the_assumptions_as_columns() -> None:
    names = ["fedavg_nonconvex_partial", "fedavg_nonconvex", "scaffold_nonconvex", "sgd_strongly_convex"]
    found = comparison(
        [theorem(name) for name in names], ["fedavg", "scaffold", "minibatch_sgd"], proof_status
    )
    assert [row.theorem.name for row in found.rows] == [*names[1::-1], *names[2:]]
    full, partial, controls, _ = found.rows
    statistical, first, gradient = L * gap * sigma**2 / (m * target**4 * tau), L * gap, L * gap / target**2
    drifts = [first * sigma / (target**3 * sqrt(tau)), first * sigma_g / target**3]
    assert set(full.rounds) == {statistical, *drifts, gradient}
    assert set(controls.rounds) == {statistical, gradient}
    sampled = first * sigma_g**2 * (1 - C) / (C * m * target**4)
    assert set(partial.rounds) == {statistical / C, sampled, gradient}
    assert partial.assumed("participation") == ("partial-participation",)
    assert (partial.assumed("dissimilarity"), controls.assumed("dissimilarity")) == (
        ("bounded-dissimilarity",), (),
    )  # fmt: skip
    assert found.rows[-1].function_class == "strongly-convex"


def test_a_comparison_takes_the_surest_theorem_of_a_setting() -> None:
    names = ["local_sgd_nonconvex_rounds", "fedavg_nonconvex_tuned", "fedavg_nonconvex_sharp"]
    found = comparison([theorem(name) for name in names], ["fedavg"], lambda t: t.constants)
    assert [row.theorem.name for row in found.rows] == ["fedavg_nonconvex_sharp", names[0]]
    with pytest.raises(BoundkitError, match="did you mean 'fedavg'"):
        comparison([theorem(name) for name in names], ["fedav"], proof_status)
    with pytest.raises(BoundkitError, match="gives a number of rounds"):
        comparison([theorem("sgd_nonconvex_clock")], ["minibatch_sgd"], proof_status)


def test_a_selection_bias_is_a_floor() -> None:
    found = complexity(theorem("biased_selection_strongly_convex_decaying"))
    bias = theorem("biased_selection_strongly_convex_decaying").bound.terms["selection bias"].expr
    assert simplify(found.floors["selection bias"] - bias) == 0
    assert "error floor: selection bias stays at" in repr(found)
