"""Wrong versions of a theorem, made by the system, and who finds each of them out.

A verifier that would also pass a wrong theorem proves nothing. So every exponent, constant, term and
condition is changed, one at a time, and each mutant is judged: by its units, by a proof that it only weakens
the theorem, by the reductions and limits that it states, by what is measured, by slopes, by the search.
"""

from boundkit.attack.mutation.evaluation import mutate
from boundkit.attack.mutation.generation import mutants
from boundkit.attack.mutation.judgement import KILLERS, OUTCOMES, Judgement
from boundkit.attack.mutation.mutant import KINDS, Mutant
from boundkit.attack.mutation.report import Mutation, Mutations

__all__ = [
    "KILLERS",
    "KINDS",
    "OUTCOMES",
    "Judgement",
    "Mutant",
    "Mutation",
    "Mutations",
    "mutants",
    "mutate",
]
