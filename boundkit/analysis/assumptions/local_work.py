"""Local work of a round, and the step of the server."""

from boundkit.algebra.notation import a1_i, a2_i, alast_i, eta_s, eta_s_mean, tau
from boundkit.algebra.vocabulary import (
    ADAPTIVE_SERVER_STEP,
    COMMON_STEPS,
    DECAYING_STEP,
    GENERAL_SOLVER,
    INEXACT_PROXIMAL,
    LOCAL_GRADIENT_CONTROLS,
    ONE_LOCAL_STEP,
    SERVER_STEP_AT_LEAST_ONE,
    SERVER_STEP_ONE,
)
from boundkit.analysis.assumptions.relation import Implication, Refutation, Subject

SUBJECT = Subject(
    "work",
    choices=(
        ONE_LOCAL_STEP,
        COMMON_STEPS,
        GENERAL_SOLVER,
        INEXACT_PROXIMAL,
        LOCAL_GRADIENT_CONTROLS,
        SERVER_STEP_ONE,
        ADAPTIVE_SERVER_STEP,
        SERVER_STEP_AT_LEAST_ONE,
        DECAYING_STEP,
    ),
    implications=(
        Implication((ONE_LOCAL_STEP,), COMMON_STEPS, "one step each is the same number", {tau: 1}),
        Implication(
            (COMMON_STEPS,),
            GENERAL_SOLVER,
            "tau plain steps are a sum with the weights 1, ..., 1",
            {a1_i: tau, a2_i: tau, alast_i: 1},
        ),
        Implication(
            (SERVER_STEP_ONE,),
            ADAPTIVE_SERVER_STEP,
            "the square of a mean is at most the mean of the squares",
            {eta_s_mean: 1},
        ),
        Implication((ADAPTIVE_SERVER_STEP,), SERVER_STEP_AT_LEAST_ONE, "it is its first half"),
        Implication((SERVER_STEP_ONE,), SERVER_STEP_AT_LEAST_ONE, "1 is at least 1", {eta_s: 1}),
    ),
    refutations=(
        Refutation(
            (SERVER_STEP_AT_LEAST_ONE,),
            ADAPTIVE_SERVER_STEP,
            "eta_s = 2 and homogeneous clients",
            "with equal updates no value above 1 is admissible: 2 ||u||^2 > ||u||^2",
        ),
        Refutation(
            (GENERAL_SOLVER,),
            COMMON_STEPS,
            "two plain steps for client 1, five for client 2",
            "the number of steps may differ between clients",
        ),
    ),
)
