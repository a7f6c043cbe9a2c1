"""Mutants of a theorem: systematically changed versions, and the test that detects each of them.

Every exponent, constant, term and condition is changed, one at a time. A mutant is tested by its dimension,
by a proof that it is weaker than the theorem, by the stated reductions and limits, by measurements, by
slopes, and by the search for counterexamples.
"""

from boundkit.attack.mutation.evaluation import mutate
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.mutant import KILLERS, KINDS, OUTCOMES, Mutant, MutantResult
from boundkit.attack.mutation.report import Mutation, Mutations

__all__ = [
    "KILLERS",
    "KINDS",
    "OUTCOMES",
    "Mutant",
    "MutantResult",
    "Mutation",
    "Mutations",
    "generate_mutants",
    "mutate",
]
