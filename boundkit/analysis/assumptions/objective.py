"""What is minimised."""

from boundkit.algebra.notation import m, p_i
from boundkit.algebra.vocabulary import EQUAL_WEIGHTS, WEIGHTED_OBJECTIVE
from boundkit.analysis.assumptions.relation import Implication, Subject

SUBJECT = Subject(
    "objective",
    choices=(EQUAL_WEIGHTS, WEIGHTED_OBJECTIVE),
    laws=(EQUAL_WEIGHTS, WEIGHTED_OBJECTIVE),
    implications=(Implication((EQUAL_WEIGHTS,), WEIGHTED_OBJECTIVE, "every weight is 1/m", {p_i: 1 / m}),),
)
