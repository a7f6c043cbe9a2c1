"""Every implication between measurable assumptions, on losses drawn at random, with its parameters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from sympy import Expr, Float, cos, cosh, log, sympify

from boundkit.analysis.assumptions import Implication
from boundkit.analysis.assumptions.relation import x
from boundkit.analysis.lattice import LATTICE
from tests.analysis.assumptions.measures import LEAST, YES, Losses, holds

WINDOW = 4.0
OF_THE_RUN = {a.name for a in LATTICE.choices} | {"bounded-noise"}
"""True of every instance here: equal weights, and whoever runs it may take one step with full gradients."""


def instances() -> Iterator[tuple[Expr, ...]]:
    rng = np.random.default_rng(7)
    for m in (2, 4, 6):
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
    if all(a.name in {*LEAST, *YES, *OF_THE_RUN} for a in r.premises)
    and any(a.name in {*LEAST, *YES} for a in r.premises) and r.conclusion.name in {*LEAST, *YES}
]  # fmt: skip


def premises(rule: Implication, losses: Losses) -> dict[str, float] | None:
    """Constants with which the premises hold; None where they do not."""
    found: dict[str, float] = {"beta": 1.5, "rho_zeta": 0.5, "L1": 1.0}
    for premise in rule.premises:
        if premise.name in YES and not YES[premise.name](losses):
            return None
        if premise.name in LEAST:
            found |= LEAST[premise.name](losses, found)
    return None if any(found.get(key, 1.0) <= 1e-9 for key in ("mu", "mu_pl")) else found


@pytest.mark.parametrize(
    "rule", MEASURED, ids=[f"{r.premises[0].name} to {r.conclusion.name}" for r in MEASURED]
)
def test_the_conclusion_holds_with_the_parameters_that_are_said(rule: Implication) -> None:
    tried = 0
    for losses in INSTANCES:
        known = premises(rule, losses)
        if known is None:
            continue
        given = {
            q.name: float(sympify(v).subs({s: known[s.name] for s in sympify(v).free_symbols}))
            for q, v in rule.parameters.items()
        }
        given |= {"beta": given.get("beta", 1.0), "rho_zeta": given.get("rho_zeta", 0.0), "L1": 1.0}
        assert holds(rule.conclusion.name, losses, given), (losses.clients, known, given)
        tried += 1
    assert tried >= 3


def test_most_implications_on_losses_are_measured() -> None:
    on_losses = [
        r for name in ("smoothness", "convexity", "dissimilarity")
        for r in LATTICE.subjects[name].implications
    ]  # fmt: skip
    assert len([r for r in on_losses if r in MEASURED]) >= len(on_losses) - 1
    assert {r.conclusion.name for r in on_losses} >= {"bounded-below", "beta-kappa-dissimilarity"}


def test_a_parameter_that_is_too_small_is_seen() -> None:
    """Half of what the implication says does not do: the test above can fail."""
    rule = next(r for r in MEASURED if r.premises[0].name == "clientwise-dissimilarity"
                and r.conclusion.name == "beta-kappa-dissimilarity")  # fmt: skip
    losses = Losses(((x - 1) ** 2 / 2, (x + 1) ** 2 / 2), WINDOW)
    known = premises(rule, losses)
    assert known is not None
    assert known["sigma_g"] == pytest.approx(1.0)
    assert holds("beta-kappa-dissimilarity", losses, {"beta": 1.0, "kappa": 1.0})
    assert not holds("beta-kappa-dissimilarity", losses, {"beta": 1.0, "kappa": 0.5})
