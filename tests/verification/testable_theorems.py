"""The theorems that runs can be held against."""

import pytest

from boundkit.algebra import Theorem
from boundkit.theorems import catalogue
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.families import FAMILIES, general


def runnable() -> dict[str, Theorem]:
    """Those of the catalogue whose bound can be held against single runs, by name."""
    return {n: t for n, t in catalogue().items() if t.kind != "order" and not reasons_unsupported(t)}


def up_to_constants() -> dict[str, Theorem]:
    """Those of the catalogue whose scaling is all that a run can be held against, by name."""
    return {n: t for n, t in catalogue().items() if t.kind == "order" and not reasons_unsupported(t)}


def basic() -> dict[str, Theorem]:
    """Upper bounds on the usual instances, with the basic assumptions alone; families test the others."""
    return {
        name: statement
        for name, statement in runnable().items()
        if statement.kind == "upper"
        and statement.algorithm in ("fedavg", "minibatch_sgd")
        and all(a in general.FAMILY.assumptions for a in statement.assumptions)
        and statement.claim.summary != "limit"
        and FAMILIES.instances(statement) is None
    }


def free_of_rules() -> dict[str, Theorem]:
    """Those of them whose steps may be chosen."""
    return {name: statement for name, statement in basic().items() if not statement.rules}


def one_of_each_claim() -> dict[str, Theorem]:
    """The first of them of each algorithm, claim and participation."""
    first: dict[tuple[str, str, bool], Theorem] = {}
    for statement in free_of_rules().values():
        partial = "partial participation" in statement.bound.terms
        first.setdefault((statement.algorithm, statement.claim.latex, partial), statement)
    return {statement.name: statement for statement in first.values()}


FURTHER = [pytest.param(True, marks=pytest.mark.slow, id="all"), pytest.param(False, id="one of each claim")]


def statements(further: bool) -> dict[str, Theorem]:
    """One of each claim, or all others; for tests that repeat one computation on each."""
    one = one_of_each_claim()
    return {n: s for n, s in free_of_rules().items() if n not in one} if further else one
