"""The theorems that runs can be held against."""

from boundkit.algebra import Theorem
from boundkit.theorems import catalogue
from boundkit.verify.beyond import beyond


def runnable() -> dict[str, Theorem]:
    """Those of the catalogue, by name."""
    return {name: statement for name, statement in catalogue().items() if not beyond(statement)}


def free_of_rules() -> dict[str, Theorem]:
    """Those of them whose steps may be chosen."""
    return {name: statement for name, statement in runnable().items() if not statement.rules}
