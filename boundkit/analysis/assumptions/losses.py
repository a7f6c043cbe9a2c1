"""Smoothness, convexity, the Polyak-Lojasiewicz inequality, and lower bounds of the losses."""

from sympy import Rational, cos, cosh, exp, log, sin

from boundkit.algebra.notation import L0, L1, L, L_minus, mu, mu_pl, third
from boundkit.algebra.vocabulary import (
    BOUNDED_BELOW,
    BOUNDED_GRADIENTS,
    BOUNDED_NEGATIVE_CURVATURE,
    CONVEX,
    HOMOGENEOUS_CLIENTS,
    LIPSCHITZ_HESSIAN,
    POLYAK_LOJASIEWICZ,
    QUADRATIC,
    RELAXED_SMOOTH,
    RELAXED_SMOOTH_MEAN,
    SMOOTH,
    SMOOTH_MEAN,
    STRONGLY_CONVEX,
)
from boundkit.analysis.assumptions.relation import Conflict, Implication, Refutation, Subject, x

SMOOTHNESS = Subject(
    "smoothness",
    suppositions=(
        SMOOTH,
        SMOOTH_MEAN,
        RELAXED_SMOOTH,
        RELAXED_SMOOTH_MEAN,
        BOUNDED_NEGATIVE_CURVATURE,
        QUADRATIC,
        LIPSCHITZ_HESSIAN,
    ),
    implications=(
        Implication((QUADRATIC,), LIPSCHITZ_HESSIAN, "every Hessian is constant", {third: 0}),
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


_MEASURED = (
    "on the bounded set of a run's iterates both may hold; then G is measured there, not known beforehand"
)

CONVEXITY = Subject(
    "convexity",
    suppositions=(STRONGLY_CONVEX, CONVEX, POLYAK_LOJASIEWICZ),
    granted=(BOUNDED_BELOW,),
    implications=(
        Implication(
            (STRONGLY_CONVEX,), CONVEX, "drop the square; a strongly convex mean attains its minimum"
        ),
        Implication(
            (STRONGLY_CONVEX,),
            POLYAK_LOJASIEWICZ,
            "the mean loss is mu-strongly convex as well; minimise both sides of its inequality over y",
            {mu_pl: mu},
        ),
        Implication((CONVEX,), BOUNDED_BELOW, "the mean loss attains its minimum"),
        Implication((POLYAK_LOJASIEWICZ,), BOUNDED_BELOW, "F* occurs in it, and is finite"),
    ),
    refutations=(
        Refutation(
            (POLYAK_LOJASIEWICZ, SMOOTH),
            CONVEX,
            "F = x^2 + 3 sin(x)^2",
            "F'^2 >= 2 (F - F*)/32 everywhere, but F'' = 2 + 6 cos(2 x) is negative at x = pi/2",
            clients=(x**2 + 3 * sin(x) ** 2,),
            constants={mu_pl: Rational(1, 32), L: 8},
        ),
        Refutation(
            (CONVEX, SMOOTH),
            POLYAK_LOJASIEWICZ,
            "F = log(cosh(x))",
            "F' stays below 1 while F grows without bound",
            clients=(log(cosh(x)),),
            constants={L: 1},
        ),
        Refutation(
            (CONVEX, SMOOTH),
            STRONGLY_CONVEX,
            "F = log(cosh(x))",
            "F'' = 1/cosh(x)^2 tends to 0",
            clients=(log(cosh(x)),),
            constants={L: 1},
        ),
        Refutation(
            (BOUNDED_NEGATIVE_CURVATURE, SMOOTH, BOUNDED_BELOW),
            CONVEX,
            "F = cos(x)",
            "F'' = -cos(x) is negative at 0",
            clients=(cos(x),),
            constants={L: 1, L_minus: 1},
        ),
        Refutation(
            (SMOOTH, BOUNDED_BELOW),
            POLYAK_LOJASIEWICZ,
            "F = cos(x)",
            "the gradient vanishes at 0, which is a maximum",
            clients=(cos(x),),
            constants={L: 1},
        ),
        Refutation(
            (POLYAK_LOJASIEWICZ, SMOOTH, BOUNDED_BELOW),
            STRONGLY_CONVEX,
            "F_1 = x^2/2 + 2 cos(x), F_2 = x^2/2 - 2 cos(x)",
            "the mean, x^2/2, is strongly convex, and no client is convex",
            clients=(x**2 / 2 + 2 * cos(x), x**2 / 2 - 2 * cos(x)),
            constants={mu_pl: 1, L: 3},
        ),
    ),
    conflicts=(
        Conflict(
            (STRONGLY_CONVEX, BOUNDED_GRADIENTS),
            "||grad F_i(x)|| >= mu ||x - x_i*|| exceeds G far away from the client's minimiser",
            _MEASURED,
        ),
        Conflict(
            (POLYAK_LOJASIEWICZ, BOUNDED_GRADIENTS),
            "the inequality keeps F - F* below G^2/(2 mu_pl), but along the ascent from a point that is no "
            "minimum the gradient never falls below sqrt(2 mu_pl (F - F*)), so that F grows without bound",
            _MEASURED,
        ),
    ),
)
