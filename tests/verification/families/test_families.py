"""Families are decided by the properties of a theorem, never by its name."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError, Theorem, notation
from boundkit.algebra.decaying_steps import numerator
from boundkit.simulation.constant import Constant
from boundkit.theorems import catalogue, theorem
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks.order_level import sweeps_of
from boundkit.verification.default_instances import default_instances
from boundkit.verification.families import FAMILIES, context_of
from boundkit.verification.families.selection import compares_at_starts
from boundkit.verification.family import Families, Family
from boundkit.verification.instance import Instance
from tests.cases import each
from tests.representatives import representatives


def described(value: Any) -> Any:
    """An instance as nested tuples of its numbers and names, for comparison by equality."""
    if isinstance(value, np.ndarray):
        return tuple(value.ravel().tolist())
    if isinstance(value, dict):
        return tuple((key, described(v)) for key, v in sorted(value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(described(v) for v in value)
    public = getattr(value, "__dict__", None)
    if public is None:
        return value
    return type(value).__name__, described({k: v for k, v in public.items() if not k.startswith("_")})


def verification_of(theorem: Theorem) -> Any:
    """The default instances, sweeps, rules and sources of constants that a theorem is verified with."""
    instances = list(default_instances(theorem))
    sweeps = None
    if theorem.kind == "order":
        own = sweeps_of(theorem)
        varied: list[Instance] = [own.vary(own.instance, k, v) for k, vs in own.values.items() for v in vs]
        sweeps = (dict(own.values), described([own.instance, *varied]))
    measures = [FAMILIES.constants.get(q.name) for q in theorem.quantities]
    return (
        described(instances), sweeps, measures, reasons_unsupported(theorem), FAMILIES.rules_of(theorem),
        numerator(theorem), compares_at_starts(theorem), FAMILIES.observables.get(theorem.claim.observable),
    )  # fmt: skip


@each("name", representatives())
def test_a_renamed_theorem_gets_the_same_tests(name: str) -> None:
    statement = theorem(name)
    assert verification_of(replace(statement, name="renamed")) == verification_of(statement)


def test_the_constants_before_the_run_do_not_depend_on_the_name() -> None:
    for name in (
        "fednova_nonconvex",
        "biased_selection_strongly_convex_decaying_corrected",
        "fedvarp_nonconvex",
    ):
        statement = catalogue()[name]
        instance = next(iter(default_instances(statement)))
        run = instance.run(statement.algorithm, 1e-3 if instance.eta is None else instance.eta)
        constants, renamed = (
            context_of(t, run).constants_before_run() for t in (statement, replace(statement, name="renamed"))
        )
        assert constants == renamed
        assert constants


def test_decaying_steps_have_the_coefficients_of_their_proofs() -> None:
    """1/(mu (offset + t)) where the bound divides by rho_bar, else 2/(mu (offset + t))."""
    coefficients = {
        name.removeprefix("biased_selection_strongly_convex_"): numerator(t)
        for name, t in catalogue().items()
        if notation.offset in t.definitions
    }
    assert {name for name, c in coefficients.items() if c == 1} == {
        "decaying_corrected",
        "decaying_sharp",
    }
    assert coefficients["decaying_long_steps"] == 2


def test_two_families_may_not_define_one_name() -> None:
    one = Family(constants={notation.G: lambda context: Constant(1.0, "exact", "")})
    with pytest.raises(BoundkitError, match="two families define 'G'"):
        _ = Families((one, one)).constants
