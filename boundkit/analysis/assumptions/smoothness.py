"""Smoothness: bounds on the change of gradients."""

from sympy import Rational, cos, cosh, exp, sin

from boundkit.algebra.notation import L0, L1, L, L_minus, mu
from boundkit.algebra.vocabulary import (
    BOUNDED_NEGATIVE_CURVATURE,
    CONVEX,
    HOMOGENEOUS_CLIENTS,
    RELAXED_SMOOTH,
    RELAXED_SMOOTH_MEAN,
    SMOOTH,
    SMOOTH_MEAN,
    STRONGLY_CONVEX,
)
from boundkit.analysis.assumptions.relation import Implication, Refutation, Subject, x

SUBJECT = Subject(
    "smoothness",
    suppositions=(SMOOTH, SMOOTH_MEAN, RELAXED_SMOOTH, RELAXED_SMOOTH_MEAN, BOUNDED_NEGATIVE_CURVATURE),
    implications=(
        Implication((SMOOTH,), SMOOTH_MEAN, "the mean of L-Lipschitz maps is L-Lipschitz", {L: L}),
        Implication(
            (SMOOTH_MEAN, HOMOGENEOUS_CLIENTS), SMOOTH, "every client's loss is the mean loss", {L: L}
        ),
        Implication(
            (SMOOTH,), RELAXED_SMOOTH, "L bounds the Hessian wherever there is one, whatever L1 adds", {L0: L}
        ),
        Implication(
            (SMOOTH,), BOUNDED_NEGATIVE_CURVATURE, "no eigenvalue of the Hessian is below -L", {L_minus: L}
        ),
        Implication((CONVEX,), BOUNDED_NEGATIVE_CURVATURE, "no eigenvalue is below 0", {L_minus: 0}),
        Implication((SMOOTH_MEAN,), RELAXED_SMOOTH_MEAN, "L bounds the Hessian, whatever L1 adds", {L0: L}),
        Implication(
            (RELAXED_SMOOTH, HOMOGENEOUS_CLIENTS),
            RELAXED_SMOOTH_MEAN,
            "the mean loss is every client's loss",
            {L0: L0, L1: L1},
        ),
        Implication(
            (RELAXED_SMOOTH_MEAN, HOMOGENEOUS_CLIENTS),
            RELAXED_SMOOTH,
            "every client's loss is the mean loss",
            {L0: L0, L1: L1},
        ),
    ),
    refutations=(
        Refutation(
            (RELAXED_SMOOTH,),
            RELAXED_SMOOTH_MEAN,
            "F_1' = exp(x) (2 + sin(x)), F_2' = -2 exp(x)",
            "where sin(x) = 0 the gradients cancel in the mean, and its curvature, exp(x)/2, is left",
            clients=(2 * exp(x) + exp(x) * (sin(x) - cos(x)) * Rational(1, 2), -2 * exp(x)),
            constants={L0: 1, L1: 4},
        ),
        Refutation(
            (SMOOTH_MEAN,),
            SMOOTH,
            "F_1 = x^4, F_2 = x^2 - x^4",
            "the quartic parts cancel in the mean, x^2/2, and in no client",
            clients=(x**4, x**2 - x**4),
            constants={L: 1},
        ),
        Refutation(
            (RELAXED_SMOOTH,),
            SMOOTH,
            "F = cosh(x)",
            "F'' = cosh(x) <= 1 + |sinh(x)|, and grows without bound",
            clients=(cosh(x),),
            constants={L0: 1, L1: 1},
        ),
        Refutation(
            (CONVEX,),
            SMOOTH,
            "F = x^4",
            "F'' = 12 x^2 grows without bound",
            clients=(x**4,),
        ),
        Refutation(
            (STRONGLY_CONVEX,),
            RELAXED_SMOOTH,
            "F = exp(x^2)",
            "F'' >= 2, and F''/|F'| = (1 + 2 x^2)/|x| grows without bound",
            clients=(exp(x**2),),
            constants={mu: 2},
        ),
    ),
)
