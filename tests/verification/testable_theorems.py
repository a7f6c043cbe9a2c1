"""The theorems that runs can be held against."""

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
