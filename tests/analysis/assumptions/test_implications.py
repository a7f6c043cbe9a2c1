"""Implications on random losses and counterexamples made of losses, measured on a grid."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from sympy import Expr, Float, cos, cosh, log, sympify

from boundkit.analysis.assumptions import Implication, Refutation
from boundkit.analysis.assumptions.relation import x
from boundkit.analysis.lattice import LATTICE
from tests.analysis.assumptions.measures import LEAST, WINDOWS, YES, Losses, fails, holds

WINDOW = 4.0
CHOICES = {a.name for a in LATTICE.choices} | {"bounded-noise"}
"""Assumptions that hold for every instance: equal weights, and one local step with full gradients."""


def instances() -> Iterator[tuple[Expr, ...]]:
    rng = np.random.default_rng(7)
    for m in (2, 4):
        for _ in range(2):
            h, e, a = (rng.uniform(*span, size=m) for span in ((0.5, 3.0), (-2.0, 2.0), (-1.5, 1.5)))
            yield tuple(Float(h[i]) / 2 * (x - Float(e[i])) ** 2 for i in range(m))
            yield tuple(x**2 / 2 + Float(a[i]) * cos(x) + Float(e[i]) * x for i in range(m))
            yield tuple(log(cosh(x - Float(e[i]))) for i in range(m))
            yield (Float(h[0]) / 2 * (x - Float(e[0])) ** 2,) * m
            yield tuple((x - Float(e[i])) ** 2 / 2 for i in range(m))


INSTANCES = [Losses(clients, WINDOW) for clients in instances()]
MEASURED = [
    r for r in LATTICE.implications
    if all(a.name in {*LEAST, *YES, *CHOICES} for a in r.premises)
    and any(a.name in {*LEAST, *YES} for a in r.premises) and r.conclusion.name in {*LEAST, *YES}
]  # fmt: skip


def premises(rule: Implication, losses: Losses) -> dict[str, float] | None:
    """Constants with which the premises hold; None where they do not."""
    constants: dict[str, float] = {"beta": 1.5, "rho_zeta": 0.5, "L1": 1.0}
    for premise in rule.premises:
        if premise.name in YES and not YES[premise.name](losses):
            return None
        if premise.name in LEAST:
            constants |= LEAST[premise.name](losses, constants)
    return None if any(constants.get(key, 1.0) <= 1e-9 for key in ("mu", "mu_pl")) else constants


def test_conclusions_hold_with_the_stated_parameters() -> None:
    for rule in MEASURED:
        tried = 0
        for losses in INSTANCES:
            known = premises(rule, losses)
            if known is None:
                continue
            stated = {
                q.name: float(sympify(v).subs({s: known[s.name] for s in sympify(v).free_symbols}))
                for q, v in rule.parameters.items()
            }
            stated |= {"beta": stated.get("beta", 1.0), "rho_zeta": stated.get("rho_zeta", 0.0), "L1": 1.0}
            assert holds(rule.conclusion.name, losses, stated), (rule, losses.clients, known, stated)
            tried += 1
        assert tried >= 3, rule


def test_a_parameter_that_is_too_small_is_rejected() -> None:
    """Half of the stated constant fails, so that the test above can fail."""
    rule = next(r for r in MEASURED if r.premises[0].name == "clientwise-dissimilarity"
                and r.conclusion.name == "beta-kappa-dissimilarity")  # fmt: skip
    losses = Losses(((x - 1) ** 2 / 2, (x + 1) ** 2 / 2), WINDOW)
    known = premises(rule, losses)
    assert known is not None
    assert known["sigma_g"] == pytest.approx(1.0)
    assert holds("beta-kappa-dissimilarity", losses, {"beta": 1.0, "kappa": 1.0})
    assert not holds("beta-kappa-dissimilarity", losses, {"beta": 1.0, "kappa": 0.5})


EXAMPLES = [r for r in LATTICE.refutations if r.clients]
WITHOUT_A_LEAST_CONSTANT = ("relaxed-smooth", "norm-dissimilarity", "beta-kappa-dissimilarity")


def stated_constants(refutation: Refutation) -> dict[str, float]:
    return {q.name: float(value) for q, value in refutation.constants.items()}


def test_premises_of_counterexamples_hold_with_the_stated_constants() -> None:
    for refutation in EXAMPLES:
        for window in WINDOWS:
            losses = Losses(refutation.clients, window)
            for assumption in refutation.given:
                assert holds(assumption.name, losses, stated_constants(refutation)), (refutation, assumption)


def test_conclusions_of_counterexamples_have_no_constant_and_their_premises_have_one() -> None:
    for refutation in EXAMPLES:
        assert fails(refutation.fails.name, refutation.clients, stated_constants(refutation)), refutation
        for assumption in refutation.given:
            if assumption.name not in WITHOUT_A_LEAST_CONSTANT:
                assert not fails(assumption.name, refutation.clients, {}), (refutation, assumption)


def test_frequent_errors_have_a_counterexample() -> None:
    refuted = {(r.given[0].name, r.fails.name) for r in LATTICE.refutations}
    assert refuted >= {
        ("optimum-dissimilarity", "bounded-dissimilarity"),
        ("bounded-dissimilarity", "clientwise-dissimilarity"),
        ("beta-kappa-dissimilarity", "bounded-dissimilarity"),
        ("smooth-mean", "smooth"),
        ("polyak-lojasiewicz", "convex"),
        ("relaxed-smooth", "smooth"),
    }
